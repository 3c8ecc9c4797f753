// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "partita/base/temporary_folder.hpp"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <system_error>

#include "partita/base/error.hpp"

namespace partita {

namespace fs = std::filesystem;

namespace {
fs::path make_folder(std::string_view name) {
  std::error_code failure;
  const fs::path parent = fs::temp_directory_path(failure);
  std::string path = (failure ? fs::path("/tmp") : parent) / cat(name, "-XXXXXX");
  if (::mkdtemp(path.data()) == nullptr)
    throw_device_error(
        cat(path, ": expected a folder for temporary files, found: ", std::strerror(errno)));
  return path;
}

}  // namespace

TemporaryFolder::TemporaryFolder(std::string_view name) : folder_(make_folder(name)) {}

}  // namespace partita
