// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// The messages of one link over TCP, on connections of its own.  What was started moves while something is waited for; each
// message goes with its length, so that ranks that do not make the same calls are noticed.
#pragma once

#include <atomic>
#include <chrono>
#include <deque>
#include <functional>
#include <memory>
#include <vector>

#include "runtime/collective/job_link.hpp"
#include "runtime/tcp/connections.hpp"

namespace partita::collective {

class TcpChannel final : public LinkChannel {
 public:
  struct Settings {
    std::shared_ptr<Connections> connections;
    std::uint32_t number = 0;  ///< of the link
    LinkSettings link;
  };
  explicit TcpChannel(Settings settings);

  Ticket send(int to, std::span<const std::byte> data) override;
  Ticket receive(int from, std::span<std::byte> data) override;
  void abandon() noexcept override;

 protected:
  void wait_for(Ticket ticket) override;

 private:
  /// A message after its length.
  struct Transfer {
    int peer = 0;
    std::span<const std::byte> out;
    std::span<std::byte> in;
    std::uint64_t length = 0;
    std::size_t moved = 0;  ///< bytes of both
    bool is_done = false;
    [[nodiscard]] std::size_t bytes() const { return sizeof length + out.size() + in.size(); }
  };
  struct Peer {
    FileDescriptor socket;
    bool is_closed = false;                 ///< by the other side
    std::deque<Ticket> outgoing, incoming;  ///< in order
    [[nodiscard]] bool is_idle() const { return outgoing.empty() && incoming.empty(); }
  };
  Ticket open(Transfer transfer);
  Transfer& transfer(Ticket ticket) { return transfers_[std::size_t(ticket)]; }
  /// Moves what goes at once; whether anything did.
  bool progress();
  bool progress(int rank);
  /// Moves messages of a queue by `some`, which moves bytes of one that are still to go.
  bool move(Peer& peer, std::deque<Ticket>& queue,
            std::ptrdiff_t (*some)(int socket, Transfer& transfer));
  void check_length(const Transfer& transfer) const;
  /// Until a connection has news, a millisecond at most.
  void pause() const;

  Settings settings_;
  std::vector<Peer> peers_;
  std::deque<Transfer> transfers_;
  std::vector<Ticket> free_;
};

}  // namespace partita::collective
