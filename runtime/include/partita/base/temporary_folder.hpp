// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// A folder for files that nothing needs afterwards.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "partita/base/temporary.hpp"

namespace partita {

/// A new folder where the system keeps temporary files, removed with everything in it.  A device
/// error where none can be made.
class TemporaryFolder {
 public:
  /// Its name begins with this.
  explicit TemporaryFolder(std::string_view name = "partita");

  [[nodiscard]] const std::filesystem::path& path() const { return folder_.path(); }
  [[nodiscard]] std::filesystem::path operator/(const std::string& name) const {
    return path() / name;
  }

 private:
  Temporary folder_;
};

}  // namespace partita
