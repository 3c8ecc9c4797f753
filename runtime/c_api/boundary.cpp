// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "runtime/c_api/boundary.hpp"

#include "partita/base/log.hpp"
#include "partita_generated/backends.hpp"

namespace partita::c_api {
namespace {

thread_local std::string error_text;

}  // namespace

void set_last_error(const char* text) noexcept {
  try {
    error_text = text;
  } catch (...) {
    error_text.clear();
  }
}

void set_last_error(const Error& error) noexcept {
  try {
    error_text = error.located_message();
  } catch (...) {
    error_text.clear();
  }
}

const char* last_error() noexcept { return error_text.c_str(); }

partita_status to_status(ErrorKind kind) noexcept {
  switch (kind) {
    case ErrorKind::user:
      return PARTITA_ERROR_USER;
    case ErrorKind::device:
      return PARTITA_ERROR_DEVICE;
    case ErrorKind::internal:
      break;
  }
  return PARTITA_ERROR_INTERNAL;
}

ErrorKind to_kind(partita_status status) noexcept {
  for (const ErrorKind kind : {ErrorKind::user, ErrorKind::device})
    if (to_status(kind) == status) return kind;
  return ErrorKind::internal;
}

partita_dtype to_c(DType dtype) noexcept { return partita_dtype(info(dtype).c_number); }

std::optional<DType> from_c(partita_dtype dtype) noexcept {
  for (const DType known : all_dtypes)
    if (info(known).c_number == int(dtype)) return known;
  return std::nullopt;
}

}  // namespace partita::c_api

const char* partita_version(void) { return PARTITA_VERSION; }

const char* partita_last_error(void) { return partita::c_api::last_error(); }

partita_status partita_set_log_callback(partita_log_callback callback, void* user) {
  return partita::c_api::guarded([&] {
    if (callback == nullptr) {
      partita::set_log_sink({});
      return;
    }
    partita::set_log_sink([callback, user](partita::LogLevel level, const std::string& text) {
      callback(static_cast<partita_log_level>(level), text.c_str(), user);
    });
  });
}
