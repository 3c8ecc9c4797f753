// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "runtime/tcp/tcp_wire.hpp"

#include <span>
#include <thread>

#include "partita/base/error.hpp"
#include "runtime/collective/rank_link.hpp"

namespace partita::collective {
namespace {

/// Of the connections of control messages; links have others.
constexpr std::uint32_t control_number = RankLink::largest_number + 1;

}  // namespace

TcpWire::TcpWire(Connections& connections, int rank, int ranks, std::chrono::milliseconds at_most)
    : peers_(std::size_t(ranks)) {
  const auto deadline = std::chrono::steady_clock::now() + at_most;
  for (int r = 0; r < ranks; ++r) {
    if (r == rank) continue;
    FileDescriptor& socket = peers_[std::size_t(r)].socket;
    while (!(socket = connections.to(r, control_number))) {
      if (std::chrono::steady_clock::now() > deadline)
        throw_device_error(
            cat("starting: rank ", r, " has not connected within ", at_most.count() / 1000, " s"));
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  }
}

void TcpWire::close(int rank) {
  Peer& peer = peers_[std::size_t(rank)];
  peer.socket.reset();
  peer.out.clear();
  lost_.push_back(rank);
}

void TcpWire::send(int to, const Message& message) {
  Peer& peer = peers_[std::size_t(to)];
  if (!peer.is_open()) return;
  const auto bytes = std::as_bytes(std::span(&message, 1));
  peer.out.insert(peer.out.end(), bytes.begin(), bytes.end());
  static_cast<void>(is_idle());
}

bool TcpWire::is_idle() {
  bool is_idle = true;
  for (std::size_t r = 0; r < peers_.size(); ++r) {
    Peer& peer = peers_[r];
    if (!peer.is_open() || peer.out.empty()) continue;
    const std::ptrdiff_t sent = send_some(peer.socket.get(), peer.out);
    if (sent < 0) {
      close(int(r));
      continue;
    }
    peer.out.erase(peer.out.begin(), peer.out.begin() + sent);
    is_idle = is_idle && peer.out.empty();
  }
  return is_idle;
}

std::optional<ControlWire::Received> TcpWire::receive() {
  for (std::size_t r = 0; r < peers_.size(); ++r) {
    Peer& peer = peers_[r];
    while (peer.is_open()) {
      const auto bytes = std::as_writable_bytes(std::span(&peer.incoming, 1));
      const std::ptrdiff_t moved = receive_some(peer.socket.get(), bytes.subspan(peer.received));
      if (moved < 0) close(int(r));
      if (moved <= 0) break;
      peer.received += std::size_t(moved);
      if (peer.received < bytes.size()) continue;
      peer.received = 0;
      peer.incoming.text.back() = '\0';
      return Received{peer.incoming, int(r)};
    }
  }
  return std::nullopt;
}

std::optional<int> TcpWire::lost() {
  if (lost_.empty()) return std::nullopt;
  const int rank = lost_.front();
  lost_.pop_front();
  return rank;
}

}  // namespace partita::collective
