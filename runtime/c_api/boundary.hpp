// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// The border between C++ and the C ABI: exceptions become status codes and the thread's last error,
// sized structs of older and newer hosts are read and written, null pointers are user errors.
#pragma once

#include <algorithm>
#include <cstring>
#include <exception>
#include <new>
#include <optional>
#include <string>

#include "partita.h"
#include "partita/base/dtype.hpp"
#include "partita/base/error.hpp"

namespace partita::c_api {

/// Keeps the text for partita_last_error() of this thread.
void set_last_error(const char* text) noexcept;
void set_last_error(const Error& error) noexcept;
[[nodiscard]] const char* last_error() noexcept;
[[nodiscard]] partita_status to_status(ErrorKind kind) noexcept;
/// Of a status that is not PARTITA_OK; `internal` for a value that is none.
[[nodiscard]] ErrorKind to_kind(partita_status status) noexcept;

/// The ABI's value of an element type, and back; nothing for a value that is none.
[[nodiscard]] partita_dtype to_c(DType dtype) noexcept;
[[nodiscard]] std::optional<DType> from_c(partita_dtype dtype) noexcept;

/// Runs `action`; what it throws becomes a status and the last error.
template <class Action>
partita_status guarded(Action&& action) noexcept {
  try {
    action();
    return PARTITA_OK;
  } catch (const Error& error) {
    set_last_error(error);
    return to_status(error.kind());
  } catch (const std::bad_alloc&) {
    set_last_error("out of host memory");
    return PARTITA_ERROR_DEVICE;
  } catch (const std::exception& error) {
    set_last_error(error.what());
    return PARTITA_ERROR_INTERNAL;
  } catch (...) {
    set_last_error("unknown exception");
    return PARTITA_ERROR_INTERNAL;
  }
}

/// What `pointer` points to, or a user error that names the parameter.
template <class T>
T& require(T* pointer, const char* parameter) {
  if (pointer == nullptr)
    throw_user_error(cat("argument '", parameter, "': expected a pointer, found NULL"));
  return *pointer;
}

/// What the host gave, in our version of the struct: fields it does not know are zero, fields that
/// we do not know must be.
template <class T>
[[nodiscard]] T read_sized(const T& given, const char* name) {
  if (given.struct_size < sizeof(std::size_t))
    throw_user_error(
        cat(name, ".struct_size: expected sizeof(", name, "), found ", given.struct_size));
  T known{};
  const std::size_t common = std::min(given.struct_size, sizeof(T));
  std::memcpy(&known, &given, common);
  const auto* const bytes = reinterpret_cast<const unsigned char*>(&given);
  if (std::any_of(bytes + common, bytes + given.struct_size,
                  [](unsigned char b) { return b != 0; }))
    throw_user_error(cat(name, ": holds fields that this version of partita does not know"));
  return known;
}

/// Writes as much of `value` as the host's version of the struct has; fields that we do not know
/// become zero.
template <class T>
void write_sized(T& to, T value, const char* name) {
  if (to.struct_size < sizeof(std::size_t))
    throw_user_error(
        cat(name, ".struct_size: expected sizeof(", name, "), found ", to.struct_size));
  value.struct_size = to.struct_size;
  const std::size_t common = std::min(to.struct_size, sizeof(T));
  auto* const bytes = reinterpret_cast<unsigned char*>(&to);
  std::fill(bytes + common, bytes + value.struct_size, static_cast<unsigned char>(0));
  std::memcpy(bytes, &value, common);
}

}  // namespace partita::c_api
