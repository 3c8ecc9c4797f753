// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "runtime/tcp/tcp_channel.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <thread>
#include <utility>

#include <poll.h>
#include <sched.h>

#include "partita/base/error.hpp"

namespace partita::collective {
namespace {

using Clock = std::chrono::steady_clock;

/// Looks without sleeping at the beginning of a wait: news within a host come in some microseconds.
constexpr int eager_rounds = 64;

/// Where a connection is closed the job's monitor knows why, or hears of it.
constexpr auto closed_limit = std::chrono::seconds(5);

}  // namespace

TcpChannel::TcpChannel(Settings settings)
    : LinkChannel(std::move(settings.link)),
      settings_(std::move(settings)),
      peers_(std::size_t(ranks())) {}

Channel::Ticket TcpChannel::open(Transfer transfer) {
  if (free_.empty()) {
    free_.push_back(Ticket(transfers_.size()));
    transfers_.emplace_back();
  }
  const Ticket ticket = free_.back();
  free_.pop_back();
  this->transfer(ticket) = transfer;
  return ticket;
}

Channel::Ticket TcpChannel::send(int to, std::span<const std::byte> data) {
  if (data.empty()) return none;
  const Ticket ticket = open({.peer = to, .out = data, .in = {}, .length = data.size()});
  peers_[std::size_t(to)].outgoing.push_back(ticket);
  progress(to);
  return ticket;
}

Channel::Ticket TcpChannel::receive(int from, std::span<std::byte> data) {
  if (data.empty()) return none;
  const Ticket ticket = open({.peer = from, .out = {}, .in = data});
  peers_[std::size_t(from)].incoming.push_back(ticket);
  return ticket;
}

bool TcpChannel::progress() {
  bool any = false;
  for (int rank = 0; rank < ranks(); ++rank) any = progress(rank) || any;
  return any;
}

bool TcpChannel::progress(int rank) {
  Peer& peer = peers_[std::size_t(rank)];
  if (peer.is_idle() || peer.is_closed) return false;
  if (!peer.socket) peer.socket = settings_.connections->to(rank, settings_.number);
  if (!peer.socket) return false;
  const auto send = [](int socket, Transfer& t) {
    const auto length = std::as_bytes(std::span(&t.length, 1));
    return send_some(socket, t.moved < length.size() ? length.subspan(t.moved)
                                                     : t.out.subspan(t.moved - length.size()));
  };
  const auto receive = [](int socket, Transfer& t) {
    const auto length = std::as_writable_bytes(std::span(&t.length, 1));
    return receive_some(socket, t.moved < length.size() ? length.subspan(t.moved)
                                                        : t.in.subspan(t.moved - length.size()));
  };
  const bool out = move(peer, peer.outgoing, send);
  return move(peer, peer.incoming, receive) || out;
}

bool TcpChannel::move(Peer& peer, std::deque<Ticket>& queue,
                      std::ptrdiff_t (*some)(int socket, Transfer& transfer)) {
  bool any = false;
  while (!queue.empty()) {
    Transfer& t = transfer(queue.front());
    const std::ptrdiff_t moved = some(peer.socket.get(), t);
    if (moved < 0) peer.is_closed = true;
    if (moved <= 0) return any;
    any = true;
    t.moved += std::size_t(moved);
    if (t.moved == sizeof t.length) check_length(t);
    if (t.moved < t.bytes()) continue;
    t.is_done = true;
    queue.pop_front();
  }
  return any;
}

void TcpChannel::check_length(const Transfer& transfer) const {
  if (!transfer.in.empty() && transfer.length != transfer.in.size())
    throw_device_error(cat("expected ", transfer.in.size(), " bytes from rank ", transfer.peer,
                           ", found ", transfer.length, ": the ranks do not make the same calls"));
}

void TcpChannel::pause() const {
  constexpr int most_milliseconds = 1;
  std::vector<pollfd> watched;
  for (const Peer& peer : peers_) {
    if (peer.is_idle() || peer.is_closed || !peer.socket) continue;
    const int events = (peer.incoming.empty() ? 0 : POLLIN) | (peer.outgoing.empty() ? 0 : POLLOUT);
    watched.push_back({peer.socket.get(), short(events), 0});
  }
  ::poll(watched.data(), watched.size(), most_milliseconds);
}

void TcpChannel::wait_for(Ticket ticket) {
  const auto start = Clock::now();
  auto last_tick = start;
  bool warned = false;
  const int peer = transfer(ticket).peer;
  link().waiting_for->store(peer, std::memory_order_relaxed);
  for (int round = 0;; ++round) {
    const bool any = progress();
    if (transfer(ticket).is_done) break;
    const auto now = Clock::now();
    if (now - last_tick > std::chrono::milliseconds(1)) {
      link().tick(peer);
      last_tick = now;
    }
    if (peers_[std::size_t(peer)].is_closed && now - start > closed_limit)
      link().failure->fail(cat("waited for rank ", peer, ", which closed its connection"), peer);
    if (link().failure->failed()) link().failure->raise(step());
    if (!warned && now - start > link().timeout) {
      warned = true;
      warn_of_slowness(peer);
    }
    if (any) continue;
    if (round < eager_rounds && someone_waits())
      ::sched_yield();
    else
      pause();
  }
  link().waiting_for->store(-1, std::memory_order_relaxed);
  free_.push_back(ticket);
}

// Nothing moves but in waits, which have ended.
void TcpChannel::abandon() noexcept {
  for (Peer& peer : peers_) {
    peer.incoming.clear();
    peer.outgoing.clear();
  }
}

}  // namespace partita::collective
