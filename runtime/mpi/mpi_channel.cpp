// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "runtime/mpi/mpi_channel.hpp"

#include <algorithm>
#include <thread>

#include <sched.h>

#include "partita/base/error.hpp"

namespace partita::collective {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::microseconds;

/// Pauses between tests: none at first, then the core is offered to others, then sleep of a sixteenth of the time
/// waited so far; where nobody waits a 64th: a long message comes in pieces, each when both sides look.
class Backoff {
 public:
  explicit Backoff(Clock::time_point start) : start_(start) {}
  void pause(bool someone_waits, Clock::time_point now) {
    constexpr int eager_rounds = 16;
    if (++rounds_ <= eager_rounds) return;
    const auto waited = now - start_;
    if (waited < (someone_waits ? microseconds(300) : microseconds(50))) {
      ::sched_yield();
      return;
    }
    std::this_thread::sleep_for(std::clamp<Clock::duration>(waited / (someone_waits ? 16 : 64),
                                                            microseconds(20), microseconds(1000)));
  }

 private:
  Clock::time_point start_;
  int rounds_ = 0;
};

/// Within a host Open MPI copies messages of up to 4 KiB, its headers included, to where the other rank finds them, and
/// agrees with it on longer ones before. Until ten of them, pieces are faster.
constexpr std::size_t piece_bytes = 4000, most_in_pieces = 10 * piece_bytes;

}  // namespace

std::size_t MpiChannel::message_bytes(std::size_t transfer_bytes) const {
  return transfer_bytes <= most_in_pieces ? std::min(piece_bytes, settings_.max_message_bytes)
                                          : settings_.max_message_bytes;
}

Channel::Ticket MpiChannel::open(int peer, std::size_t bytes, bool incoming) {
  if (free_.empty()) {
    free_.push_back(Ticket(transfers_.size()));
    transfers_.emplace_back();
  }
  const Ticket ticket = free_.back();
  free_.pop_back();
  Transfer& transfer = transfers_[std::size_t(ticket)];
  transfer.requests.clear();
  transfer.tested = 0;
  transfer.bytes = bytes;
  transfer.peer = peer;
  transfer.incoming = incoming;
  transfer.in_use = true;
  transfer.arrived.reset();
  return ticket;
}

Channel::Ticket MpiChannel::send(int to, std::span<const std::byte> data) {
  if (data.empty()) return none;
  const Ticket ticket = open(to, data.size(), false);
  Transfer& transfer = transfers_[std::size_t(ticket)];
  const std::size_t message = message_bytes(data.size());
  const MpiLock lock(mpi_mutex());
  for (std::size_t at = 0; at < data.size(); at += message) {
    const std::size_t bytes = std::min(data.size() - at, message);
    MPI_Request request = MPI_REQUEST_NULL;
    PARTITA_MPI(MPI_Isend(data.data() + at, int(bytes), MPI_BYTE, to, settings_.tag, settings_.comm,
                          &request));
    transfer.requests.push_back(request);
  }
  return ticket;
}

Channel::Ticket MpiChannel::receive(int from, std::span<std::byte> data) {
  if (data.empty()) return none;
  const Ticket ticket = open(from, data.size(), true);
  Transfer& transfer = transfers_[std::size_t(ticket)];
  const std::size_t message = message_bytes(data.size());
  const MpiLock lock(mpi_mutex());
  for (std::size_t at = 0; at < data.size(); at += message) {
    const std::size_t bytes = std::min(data.size() - at, message);
    MPI_Request request = MPI_REQUEST_NULL;
    PARTITA_MPI(MPI_Irecv(data.data() + at, int(bytes), MPI_BYTE, from, settings_.tag,
                          settings_.comm, &request));
    transfer.requests.push_back(request);
  }
  return ticket;
}

void MpiChannel::check_size(const Transfer& transfer, const MPI_Status& status) const {
  const std::size_t message = message_bytes(transfer.bytes);
  const std::size_t expected = std::min(transfer.bytes - transfer.tested * message, message);
  int found = 0;
  PARTITA_MPI(MPI_Get_count(&status, MPI_BYTE, &found));
  if (std::size_t(found) != expected) {
    throw_device_error(cat("expected ", expected, " bytes from rank ", transfer.peer, ", found ",
                           found, ": the ranks do not make the same calls"));
  }
}

bool MpiChannel::test(Transfer& transfer) {
  while (transfer.tested < transfer.requests.size()) {
    int done = 0;
    MPI_Status status;
    PARTITA_MPI(MPI_Test(&transfer.requests[transfer.tested], &done, &status));
    if (done == 0) return false;
    if (transfer.incoming) check_size(transfer, status);
    ++transfer.tested;
  }
  return true;
}

void MpiChannel::wait_for(Ticket ticket) {
  constexpr int tests_at_once = 4;
  const auto start = Clock::now();
  auto last_tick = start;
  bool warned = false;
  Backoff backoff(start);
  Transfer& transfer = transfers_[std::size_t(ticket)];
  link().waiting_for->store(transfer.peer, std::memory_order_relaxed);
  while (true) {
    const auto now = Clock::now();
    {
      const MpiLock lock(mpi_mutex());
      bool done = false;
      for (int i = 0; i < tests_at_once && !done; ++i) done = test(transfer);
      if (done) break;
      if (now - last_tick > std::chrono::milliseconds(1)) {
        link().tick(transfer.peer);
        last_tick = now;
      }
    }
    if (link().failure->failed()) link().failure->raise(step());
    if (!warned && now - start > link().timeout) {
      warned = true;
      warn_of_slowness(transfer.peer);
    }
    backoff.pause(someone_waits(), now);
  }
  if (settings_.net && transfer.incoming) hold_back(transfer);
  link().waiting_for->store(-1, std::memory_order_relaxed);
  transfer.in_use = false;
  free_.push_back(ticket);
}

void MpiChannel::hold_back(const Transfer& transfer) {
  constexpr auto look = std::chrono::milliseconds(1);  // for arrivals, failures and heartbeats
  const auto ticks = [](EmulatedNet::Seconds s) {
    return std::chrono::duration_cast<Clock::duration>(s);
  };
  line_is_free_ = std::max(transfer.arrived.value_or(Clock::now()), line_is_free_) +
                  ticks(settings_.net->transfer(transfer.bytes));
  const auto due = line_is_free_ + ticks(settings_.net->latency);
  for (auto now = Clock::now(); now < due; now = Clock::now()) {
    if (link().failure->failed()) link().failure->raise(step());
    note_arrivals(transfer.peer);
    // What comes before the line is free waits for it; a look at that time keeps it from looking later than it was.
    std::this_thread::sleep_until(std::min(now < line_is_free_ ? line_is_free_ : due, now + look));
  }
}

void MpiChannel::note_arrivals(int awaited) {
  const MpiLock lock(mpi_mutex());
  link().tick(awaited);
  for (Transfer& transfer : transfers_)
    if (transfer.in_use && transfer.incoming && !transfer.arrived && test(transfer))
      transfer.arrived = Clock::now();
}

void MpiChannel::abandon() noexcept {
  const auto deadline = Clock::now() + std::chrono::milliseconds(100);
  while (true) {
    bool all_ended = true;
    {
      const MpiLock lock(mpi_mutex());
      for (Transfer& transfer : transfers_) {
        if (!transfer.in_use || !transfer.incoming) continue;
        for (MPI_Request& request : transfer.requests) {
          if (request == MPI_REQUEST_NULL) continue;
          int done = 0;
          MPI_Cancel(&request);
          MPI_Test(&request, &done, MPI_STATUS_IGNORE);
          all_ended = all_ended && done != 0;
        }
      }
    }
    if (all_ended || Clock::now() > deadline) return;
    std::this_thread::sleep_for(microseconds(200));
  }
}

}  // namespace partita::collective
