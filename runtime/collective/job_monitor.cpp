// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "runtime/collective/job_monitor.hpp"

#include <algorithm>
#include <cstdio>
#include <cstring>

#include "partita/base/error.hpp"

namespace partita::collective {
namespace {

using std::chrono::milliseconds;

/// Open MPI's launcher kills a second after SIGTERM; until then a failing program may say why.
constexpr milliseconds termination_grace{800};

std::string seconds_text(std::chrono::steady_clock::duration d) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.1f s", std::chrono::duration<double>(d).count());
  return text.data();
}

}  // namespace

JobMonitor::JobMonitor(Settings settings)
    : settings_(std::move(settings)),
      period_(std::clamp(settings_.timeout / 10, milliseconds(5), milliseconds(500))),
      next_((settings_.rank + 1) % settings_.ranks),
      previous_((settings_.rank + settings_.ranks - 1) % settings_.ranks),
      last_sent_(Clock::now()),
      last_heard_(last_sent_),
      last_tick_(last_sent_),
      departed_(std::size_t(settings_.ranks), -1) {
  for (int r = 0; r < settings_.ranks; ++r) {
    const Peer& peer = settings_.peers[std::size_t(r)];
    if (r != settings_.rank && peer.same_host) watch_.add(r, peer.pid);
  }
  listener_ = settings_.failure->listen([this] { watch_.wake(); });
  if (settings_.catch_termination) termination_notice_.emplace();
  thread_ = std::thread([this] { run(); });
}

JobMonitor::~JobMonitor() {
  stopping_ = true;
  watch_.wake();
  thread_.join();
  settings_.failure->stop_listening(listener_);
}

void JobMonitor::run() {
  while (!stopping_) {
    const ProcessWatch::Events events = watch_.wait(period_);
    if (stopping_) return;
    if (settings_.own_thread_may_use_wire) tick_safely();
    for (int rank : events.ended) on_process_end(rank);
    if (events.termination) on_termination();
    if (settings_.failure->failed()) {
      if (settings_.own_thread_may_use_wire) send_failure();
      return watch_after_failure();
    }
  }
}

void JobMonitor::tick_safely() noexcept {
  const std::lock_guard lock(mutex());
  try {
    tick();
  } catch (const std::exception& error) {
    settings_.failure->fail(cat("rank ", settings_.rank, " failed: ", error.what()),
                            settings_.rank);
  }
}

/// Lets a program that is on its way out print why, but not linger.  A host that keeps its own SIGTERM
/// needs nothing more of this thread.
void JobMonitor::watch_after_failure() {
  while (!stopping_ && termination_notice_) {
    const ProcessWatch::Events events = watch_.wait(milliseconds(1000));
    for (int rank : events.ended) watch_.remove(rank);
    if (events.termination && !stopping_) on_termination();
  }
}

/// Looks for news until the job has failed or `rank` has left in order; false when there are none.
bool JobMonitor::settle(milliseconds at_most, int rank) {
  const auto deadline = Clock::now() + at_most;
  do {
    if (settings_.own_thread_may_use_wire) tick_safely();
    const std::lock_guard lock(mutex());
    if (settings_.failure->failed()) return true;
    if (rank >= 0 && departed_[std::size_t(rank)] >= 0) return true;
  } while (std::this_thread::sleep_for(milliseconds(1)), Clock::now() < deadline);
  return false;
}

void JobMonitor::on_process_end(int rank) {
  watch_.remove(rank);
  if (settle(milliseconds(20), rank)) return;
  settings_.failure->fail(cat("waited for rank ", rank, ", whose process (",
                              settings_.peers[std::size_t(rank)].pid, ") has ended"),
                          rank);
}

void JobMonitor::on_termination() {
  const auto deadline = Clock::now() + termination_grace;
  if (!settle(milliseconds(20), -1)) {
    // The reason for the end may be a rank of this host that has died meanwhile.
    for (int rank : watch_.wait(milliseconds(0)).ended) on_process_end(rank);
    const int waiting_for = settings_.waiting_for();
    settings_.failure->fail(
        cat("waited for ", waiting_for < 0 ? "other ranks" : cat("rank ", waiting_for),
            " when the launcher ended the job (SIGTERM)"),
        waiting_for);
  }
  if (settings_.own_thread_may_use_wire) send_failure();
  while (!stopping_ && Clock::now() < deadline) std::this_thread::sleep_for(milliseconds(5));
  if (!stopping_) TerminationNotice::terminate();
}

void JobMonitor::tick() {
  if (announced_from_here_) return;
  const auto now = Clock::now();
  // This process itself was stopped or starved: what the others sent meanwhile comes first.
  if (now - last_tick_ > 2 * period_ + settings_.timeout / 4) last_heard_ = now;
  last_tick_ = now;
  receive_messages();
  static_cast<void>(wire().is_idle());
  if (settings_.failure->failed() || !settings_.own_thread_may_use_wire) return judge_departures();
  send_heartbeat(now);
  judge_silence(now);
  judge_departures();
}

void JobMonitor::receive_messages() {
  while (const std::optional<ControlWire::Received> received = wire().receive())
    take_message(received->message, received->from);
  while (const std::optional<int> rank = wire().lost())
    if (departed_[std::size_t(*rank)] < 0)
      settings_.failure->fail(
          cat("waited for rank ", *rank, ", whose process or host is gone (connection closed)"),
          *rank);
}

void JobMonitor::take_message(const Message& message, int from) {
  if (from == previous_) last_heard_ = last_tick_;
  switch (message.topic) {
    case Topic::heartbeat:
      break;
    case Topic::failure:
      told_ = settings_.failure->fail(message.text.data(), message.rank);
      break;
    case Topic::departure:
      departed_[std::size_t(from)] = message.calls;
      ++departures_;
      break;
  }
}

void JobMonitor::send_heartbeat(Clock::time_point now) {
  // A stopped neighbour takes nothing in: heartbeats do not pile up for it.
  if (now - last_sent_ < period_ || said_goodbye_ || !wire().is_idle()) return;
  last_sent_ = now;
  wire().send(next_, {.topic = Topic::heartbeat});
}

void JobMonitor::judge_silence(Clock::time_point now) {
  if (departed_[std::size_t(previous_)] >= 0 || now - last_heard_ <= settings_.timeout) return;
  settings_.failure->fail(cat("waited for rank ", previous_, ", silent for ",
                              seconds_text(now - last_heard_), " (no heartbeat)"),
                          previous_);
}

void JobMonitor::judge_departures() {
  if (departures_ == 0 || settings_.failure->failed()) return;
  for (int r = 0; r < settings_.ranks; ++r) {
    const std::int64_t made = departed_[std::size_t(r)];
    if (made >= 0 && calls_.load(std::memory_order_relaxed) > made) {
      settings_.failure->fail(
          cat("waited for rank ", r, ", which left the job after ", made, " collective calls"), r);
    }
  }
}

void JobMonitor::send_failure() noexcept {
  const auto deadline = Clock::now() + milliseconds(1000);
  try {
    const FailureState& failure = *settings_.failure;
    Message message{.topic = Topic::failure, .rank = failure.rank(), .calls = 0, .text = {}};
    std::strncpy(message.text.data(), failure.reason().c_str(), message.text.size() - 1);
    {
      const std::lock_guard lock(mutex());
      if (announced_from_here_) return;
      announced_from_here_ = true;
      for (int r = 0; r < settings_.ranks; ++r) {
        // Who told this rank tells the others, too; those that have left wait for this one to leave.
        if (!told_ && r != settings_.rank) wire().send(r, message);
      }
    }
    while (Clock::now() < deadline) {
      {
        const std::lock_guard lock(mutex());
        if (wire().is_idle()) break;
      }
      std::this_thread::sleep_for(milliseconds(1));
    }
  } catch (const std::exception&) {  // nobody is left to tell
  }
  {
    const std::lock_guard lock(mutex_);
    announced_ = true;
  }
  announcement_.notify_all();
}

void JobMonitor::announce_failure() noexcept {
  if (!settings_.own_thread_may_use_wire) return send_failure();
  std::unique_lock lock(mutex_);
  announcement_.wait_for(lock, milliseconds(1500), [this] { return announced_; });
}

void JobMonitor::leave(std::int64_t completed) noexcept {
  const auto is_over = [this] {
    return departures_ == settings_.ranks - 1 || settings_.failure->failed();
  };
  try {
    {
      const std::lock_guard lock(mutex());
      if (settings_.failure->failed()) return;
      said_goodbye_ = true;
      for (int i = 1; i < settings_.ranks; ++i) {
        wire().send((settings_.rank + i) % settings_.ranks,
                    {.topic = Topic::departure, .calls = completed});
      }
    }
    for (int round = 0;; ++round) {
      {
        const std::lock_guard lock(mutex());
        tick();
        if (is_over() && (wire().is_idle() || settings_.failure->failed())) return;
      }
      if (round < 100)
        std::this_thread::yield();
      else
        std::this_thread::sleep_for(std::chrono::microseconds(round < 1000 ? 50 : 1000));
    }
  } catch (const std::exception& error) {
    settings_.failure->fail(error.what(), settings_.rank);
  }
}

}  // namespace partita::collective
