// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Files and folders that shall not outlive what makes them: removed by the destructor, and by
// `remove_temporaries` where a signal ends the process.  Not for caches and results.
#pragma once

#include <filesystem>

namespace partita {

class Temporary {
 public:
  /// Of a file or of a folder that holds files alone, which exists already or soon will.
  explicit Temporary(std::filesystem::path path);
  ~Temporary();
  Temporary(const Temporary&) = delete;
  Temporary& operator=(const Temporary&) = delete;

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  /// Nothing of this name is removed any more: the file has got its real one.
  void keep() noexcept;

 private:
  std::filesystem::path path_;
  int slot_;  // of those that remove_temporaries sees; -1: all were taken
};

/// Removes what every living Temporary of the process stands for.  For handlers of signals: takes no
/// lock and no memory.
void remove_temporaries() noexcept;

}  // namespace partita
