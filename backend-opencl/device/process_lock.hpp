// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// One process of this user at a time, machine-wide: so that the ranks of a machine do not all
// compile the same kernels at once, and the later ones find them in the driver's cache.
#pragma once

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <filesystem>
#include <string>

#include "partita/base/error.hpp"
#include "partita/base/unique_handle.hpp"

namespace partita::opencl {

/// Holds the lock `name` while it lives; not recursive.  Where the lock file cannot be made nothing
/// is locked: it saves time, no correctness depends on it.
class ProcessLock {
 public:
  explicit ProcessLock(const std::string& name) {
    std::error_code failure;
    const auto folder = std::filesystem::temp_directory_path(failure);
    if (failure) return;
    const std::string path = (folder / cat("partita-", ::getuid(), "-", name, ".lock")).string();
    constexpr int owner_only = 0600;
    file_.reset(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, owner_only));
    if (file_) ::flock(file_.get(), LOCK_EX);
  }

 private:
  struct FileTraits {
    using Handle = int;
    static constexpr Handle none = -1;
    static void release(Handle file) noexcept { ::close(file); }
  };
  UniqueHandle<FileTraits> file_;  ///< closing it unlocks
};

}  // namespace partita::opencl
