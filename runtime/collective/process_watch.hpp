// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// What the operating system can tell about a job's processes: whether one on this host has ended,
// and whether the launcher asks this one to end (SIGTERM).
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "partita/base/unique_handle.hpp"

namespace partita::collective {

struct FileDescriptorTraits {
  using Handle = int;
  static constexpr Handle none = -1;
  static void release(Handle fd) noexcept;
};
using FileDescriptor = UniqueHandle<FileDescriptorTraits>;

/// Names this machine since it was started and the process-id namespace: processes with the same
/// value can be watched by id.
[[nodiscard]] std::uint64_t host_identity();

/// Sleeps until one of the things it watches happens.
class ProcessWatch {
 public:
  ProcessWatch();

  /// Watches process `pid` of this host for rank `rank`.
  void add(int rank, int pid);
  void remove(int rank);

  struct Events {
    std::vector<int> ended;    ///< ranks whose processes have ended
    bool termination = false;  ///< SIGTERM has come
  };
  /// Until something happens, wake() is called, or the time has passed.
  [[nodiscard]] Events wait(std::chrono::milliseconds at_most);
  void wake();

 private:
  struct Watched {
    int rank;
    FileDescriptor process;
  };
  FileDescriptor wake_;
  std::vector<Watched> watched_;
};

/// While one exists, SIGTERM is noticed by ProcessWatch instead of ending the process, provided the
/// program had left it at its default.
class TerminationNotice {
 public:
  TerminationNotice();
  ~TerminationNotice();
  TerminationNotice(const TerminationNotice&) = delete;
  TerminationNotice& operator=(const TerminationNotice&) = delete;

  /// Ends the process as SIGTERM does by default.
  static void terminate();
};

/// Waits for that long; returns at once, true, when a SIGTERM that is noticed has come.
[[nodiscard]] bool wait_for_termination(std::chrono::milliseconds at_most);

}  // namespace partita::collective
