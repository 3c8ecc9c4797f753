// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "partita/base/error.hpp"

namespace partita {

std::string Error::located_message() const {
  if (where_.file.empty() && where_.line == 0) return what();
  if (where_.line == 0) return cat(where_.file, ": ", what());
  return cat(where_.file, ":", where_.line, ":", where_.column, ": ", what());
}

void throw_user_error(const std::string& message, SourceLocation where) {
  throw Error(ErrorKind::user, message, std::move(where));
}
void throw_device_error(const std::string& message) { throw Error(ErrorKind::device, message); }
void throw_internal_error(const std::string& message) { throw Error(ErrorKind::internal, message); }

}  // namespace partita
