// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Errors as PJRT has them, and the way from exceptions to them.
#pragma once

#include <exception>
#include <stdexcept>
#include <string>

#include "plugin/abi.hpp"

namespace partita::pjrt {

struct Error {
  abi::ErrorCode code;
  std::string text;
};

/// What a call fails with, by its code.
class Failure : public std::runtime_error {
 public:
  Failure(abi::ErrorCode code, const std::string& text) : std::runtime_error(text), code_(code) {}
  [[nodiscard]] abi::ErrorCode code() const { return code_; }

 private:
  abi::ErrorCode code_;
};

/// Of any exception; null for none.  The caller owns it.
[[nodiscard]] Error* error_of(const std::exception_ptr& exception);

/// A function of the table from one that throws: of `void name(Arguments&)`.
template <class Arguments>
[[nodiscard]] Error* guarded(void (*function)(Arguments&), void* arguments) {
  try {
    function(*static_cast<Arguments*>(arguments));
    return nullptr;
  } catch (...) {
    return error_of(std::current_exception());
  }
}
template <auto function>
Error* call(void* arguments) {
  return guarded(function, arguments);
}

}  // namespace partita::pjrt
