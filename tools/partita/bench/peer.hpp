// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Programs that `partita bench rounds` measures: processes that live as long as the measurement and
// answer requests, one JSON object per line each way (benchmarks/README.md has the protocol).
#pragma once

#include <sys/types.h>
#include <unistd.h>

#include <boost/json/object.hpp>
#include <chrono>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "partita/base/unique_handle.hpp"

namespace partita::tool {

struct DescriptorTraits {
  using Handle = int;
  static constexpr Handle none = -1;
  static void release(Handle descriptor) noexcept { ::close(descriptor); }
};
using Descriptor = UniqueHandle<DescriptorTraits>;

using Seconds = std::chrono::duration<double>;

struct ProcessOptions {
  std::vector<std::string> arguments;  ///< the program first, looked for in PATH
  std::vector<std::pair<std::string, std::string>> environment;  ///< set beside this process's own
  std::filesystem::path log;                                     ///< receives standard error
  int core = -1;  ///< the only core it may use; -1: all
};

/// A child with a pipe at its standard input and output; asked to end (end of file, then SIGTERM,
/// then SIGKILL) with the object.  It is terminated where this process dies.
class Process {
 public:
  explicit Process(const ProcessOptions& options);
  ~Process();
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  [[nodiscard]] int input() const { return input_.get(); }
  [[nodiscard]] int output() const { return output_.get(); }
  /// Whether it has ended; then how, as "ended with status 1".
  [[nodiscard]] bool has_ended();
  [[nodiscard]] const std::string& how_it_ended() const { return how_; }
  /// Whether it ends within this time.
  [[nodiscard]] bool wait_for(Seconds time);
  /// Closes its standard input and waits for its end; its exit status, -1 after a signal.
  int wait();

 private:
  void note_end(int status);

  pid_t pid_ = -1;
  Descriptor input_, output_;
  int status_ = -1;
  std::string how_;
};

/// One conversation with a process, over its standard streams or other pipes that it serves.
class Peer {
 public:
  /// `process` is borrowed; reads from `from`, writes to `to`.
  Peer(std::string name, Process& process, std::filesystem::path log, int from, int to);

  [[nodiscard]] const std::string& name() const { return name_; }
  void send(const boost::json::object& request);
  /// A process that ends, answers {"error": TEXT} or what is no JSON object, or is silent for so
  /// long, is a device error with the last line of its log.
  [[nodiscard]] boost::json::object receive(Seconds silence);
  [[nodiscard]] boost::json::object ask(const boost::json::object& request, Seconds silence);

 private:
  [[noreturn]] void fail(const std::string& why) const;
  [[nodiscard]] std::string read_line(Seconds silence);

  std::string name_;
  Process& process_;
  std::filesystem::path log_;
  int from_, to_;
  std::string unread_;
};

}  // namespace partita::tool
