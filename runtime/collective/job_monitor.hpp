// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Knows whether the other ranks are alive.  Every rank sends heartbeats to the next one from a
// thread of its own, so a rank that is silent for the timeout is dead or stopped, however long its
// steps are.  Whoever notices that, or fails itself, tells all ranks why.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "runtime/collective/control_wire.hpp"
#include "runtime/collective/failure.hpp"
#include "runtime/collective/process_watch.hpp"

namespace partita::collective {

class JobMonitor {
 public:
  struct Peer {
    int pid = 0;
    bool same_host = false;
  };
  struct Settings {
    std::unique_ptr<ControlWire> wire;
    int rank = 0, ranks = 1;
    std::chrono::milliseconds timeout{60'000};
    bool own_thread_may_use_wire = true;  ///< otherwise no heartbeats; it is used in tick() alone
    bool catch_termination = false;       ///< SIGTERM becomes a failure of the job
    std::shared_ptr<FailureState> failure;
    std::function<int()> waiting_for;  ///< rank whose message is waited for, or -1
    std::vector<Peer> peers;           ///< per rank
  };
  explicit JobMonitor(Settings settings);
  ~JobMonitor();
  JobMonitor(const JobMonitor&) = delete;
  JobMonitor& operator=(const JobMonitor&) = delete;

  /// Looks for messages, sends a heartbeat if one is due, judges silence.  The wire's mutex held.
  void tick();
  /// Whether a rank has left the job in order.  The wire's mutex held.
  [[nodiscard]] bool has_left(int rank) const { return departed_[std::size_t(rank)] >= 0; }
  /// So many collective calls were begun here.
  void set_calls(std::int64_t begun) { calls_.store(begun, std::memory_order_relaxed); }
  /// After a failure: returns when all ranks were told (or can be told no more).
  void announce_failure() noexcept;
  /// Says that no call follows `completed` and waits for the same from everybody, or a failure.
  void leave(std::int64_t completed) noexcept;

 private:
  using Clock = std::chrono::steady_clock;
  using Message = ControlWire::Message;
  using Topic = ControlWire::Topic;

  void run();
  void tick_safely() noexcept;
  void watch_after_failure();
  void on_process_end(int rank);
  void on_termination();
  [[nodiscard]] bool settle(std::chrono::milliseconds at_most, int rank);
  void receive_messages();
  void take_message(const Message& message, int from);
  [[nodiscard]] ControlWire& wire() const { return *settings_.wire; }
  [[nodiscard]] FairMutex& mutex() const { return wire().mutex(); }
  void send_heartbeat(Clock::time_point now);
  void judge_silence(Clock::time_point now);
  void judge_departures();
  void send_failure() noexcept;

  Settings settings_;
  const std::chrono::milliseconds period_;
  const int next_, previous_;
  ProcessWatch watch_;
  std::optional<TerminationNotice> termination_notice_;

  // Under the wire's mutex.
  Clock::time_point last_sent_, last_heard_, last_tick_;
  std::vector<std::int64_t> departed_;  ///< per rank: calls it made before it left, or -1
  int departures_ = 0;
  bool announced_from_here_ = false, told_ = false;
  bool said_goodbye_ = false;

  std::atomic<std::int64_t> calls_{0};
  std::atomic<bool> stopping_{false};
  std::mutex mutex_;
  std::condition_variable announcement_;
  bool announced_ = false;
  FailureState::Listener listener_;
  std::thread thread_;
};

}  // namespace partita::collective
