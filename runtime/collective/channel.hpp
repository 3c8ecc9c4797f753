// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Messages between the ranks of a job, as the collective algorithms need them: what MPI offers
// point to point, but with waits that end when the job fails.  One thread at a time uses a channel.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <utility>
#include <vector>

namespace partita::collective {

class Channel {
 public:
  /// A message under way; valid until it was waited for.
  using Ticket = int;
  static constexpr Ticket none = -1;

  virtual ~Channel() = default;
  [[nodiscard]] virtual int rank() const = 0;
  [[nodiscard]] virtual int ranks() const = 0;
  /// Whether messages of the job go between hosts; the same on all ranks.
  [[nodiscard]] virtual bool leaves_host() const { return false; }

  /// Starts a message.  Messages from one rank to another arrive in the order in which they were
  /// sent, and are received in the order in which receive was called; the sizes must agree.  `data`
  /// stays as it is until the ticket was waited for.  Empty messages do not travel.
  [[nodiscard]] virtual Ticket send(int to, std::span<const std::byte> data) = 0;
  [[nodiscard]] virtual Ticket receive(int from, std::span<std::byte> data) = 0;

  /// Returns when the message has been sent or received; throws when the job fails before.
  void wait(Ticket ticket) {
    if (ticket == none) return;
    wait_for(ticket);
    if (after_transfer_) std::exchange(after_transfer_, nullptr)();
  }
  void wait_all(std::vector<Ticket>& tickets) {
    for (Ticket ticket : tickets) wait(ticket);
    tickets.clear();
  }
  void exchange(int peer, std::span<const std::byte> outgoing, std::span<std::byte> incoming) {
    const Ticket received = receive(peer, incoming);
    const Ticket sent = send(peer, outgoing);
    wait(received);
    wait(sent);
  }

  /// `action` runs once, after the next message that is waited for: where faults are injected.
  void after_next_transfer(std::function<void()> action) { after_transfer_ = std::move(action); }

 protected:
  virtual void wait_for(Ticket ticket) = 0;

 private:
  std::function<void()> after_transfer_;
};

}  // namespace partita::collective
