// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Connections between the processes of a job, as many between two of them as there are links: of two ranks the higher one
// connects.  Whoever connects says the job's word, so that nobody else's connection is taken for one.
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "runtime/tcp/sockets.hpp"

namespace partita::collective {

class Connections {
 public:
  using Word = std::array<std::byte, 16>;
  struct Host {
    std::vector<std::string> addresses;
    int port = 0;
  };

  /// Begins to take connections.
  Connections(int rank, Listener listener, Word word);
  ~Connections();
  Connections(const Connections&) = delete;
  Connections& operator=(const Connections&) = delete;

  /// Where the ranks are reached; before the first use.
  void set_hosts(std::vector<Host> hosts) { hosts_ = std::move(hosts); }
  /// The connection of link `number` to `peer`: made where this rank is the higher one, else empty until it has come.  Handed out
  /// once.  A device error where the peer cannot be reached.
  [[nodiscard]] FileDescriptor to(int peer, std::uint32_t number);

 private:
  /// What is said first.
  struct Hello {
    Word word{};
    std::int32_t rank = 0;
    std::uint32_t number = 0;
  };
  /// Has not said all of it yet.
  struct Stranger {
    FileDescriptor socket;
    Hello hello;
    std::size_t said = 0;  ///< bytes
    std::chrono::steady_clock::time_point until;
  };
  [[nodiscard]] FileDescriptor connect(int peer, std::uint32_t number) const;
  void take_connections();
  /// Whether it is one no longer: it has said the word, or is turned away.
  [[nodiscard]] bool settle(Stranger& stranger);

  const int rank_;
  Listener listener_;
  const Word word_;
  std::vector<Host> hosts_;
  std::mutex mutex_;
  std::map<std::pair<int, std::uint32_t>, FileDescriptor> arrived_;
  std::atomic<bool> is_ending_{false};
  FileDescriptor wake_;
  std::thread thread_;
};

}  // namespace partita::collective
