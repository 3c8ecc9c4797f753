// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Control messages over TCP, on connections of their own.
#pragma once

#include <cstddef>
#include <deque>
#include <vector>

#include "runtime/collective/control_wire.hpp"
#include "runtime/tcp/connections.hpp"

namespace partita::collective {

class TcpWire final : public ControlWire {
 public:
  /// Waits until every other rank is connected: a device error that names one that is not within the time.
  TcpWire(Connections& connections, int rank, int ranks, std::chrono::milliseconds at_most);

  FairMutex& mutex() override { return mutex_; }
  void send(int to, const Message& message) override;
  bool is_idle() override;
  std::optional<Received> receive() override;
  std::optional<int> lost() override;

 private:
  struct Peer {
    FileDescriptor socket;
    std::vector<std::byte> out;  ///< still to be sent
    Message incoming;
    std::size_t received = 0;  ///< bytes of it
    bool is_open() const { return bool(socket); }
  };
  void close(int rank);

  FairMutex mutex_;
  std::vector<Peer> peers_;
  std::deque<int> lost_;
};

}  // namespace partita::collective
