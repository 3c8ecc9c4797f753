// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// The links of a job, whatever carries their messages: what they share, and one of them.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "partita/base/error.hpp"
#include "partita/base/log.hpp"
#include "runtime/collective/channel.hpp"
#include "runtime/collective/failure.hpp"
#include "runtime/collective/job_monitor.hpp"
#include "runtime/collective/rank_link.hpp"

namespace partita::collective {

/// What every channel of a link is told.
struct LinkSettings {
  int rank = 0, ranks = 1;
  bool leaves_host = false;                   ///< ranks are on several hosts, or said to be
  std::chrono::milliseconds timeout{60'000};  ///< after which a wait is worth a warning
  std::shared_ptr<FailureState> failure;
  /// Called with the control wire's mutex held, about every millisecond of a wait, with the rank that is waited for.
  std::function<void(int peer)> tick;
  std::shared_ptr<std::atomic<int>> waiting_for;  ///< becomes that rank, and -1 afterwards
};

/// The messages of one link.
class LinkChannel : public Channel {
 public:
  explicit LinkChannel(LinkSettings settings) : link_(std::move(settings)) {}
  int rank() const override { return link_.rank; }
  int ranks() const override { return link_.ranks; }
  bool leaves_host() const override { return link_.leaves_host; }
  /// Transfers of a call named `step` begin.
  void begin_call(const std::string& step) { step_ = step; }
  void hurry(bool someone_waits) { someone_waits_.store(someone_waits, std::memory_order_relaxed); }
  /// After a failure: ends every receive, so that nothing is written any more.
  virtual void abandon() noexcept = 0;

 protected:
  [[nodiscard]] const LinkSettings& link() const { return link_; }
  /// A peer's message has been waited for as long as is worth it.
  void warn_of_slowness(int peer) const {
    log(LogLevel::warning, cat("step '", step_, "': rank ", link_.rank, " still waits for rank ",
                               peer, ", which is alive"));
  }
  [[nodiscard]] const std::string& step() const { return step_; }
  [[nodiscard]] bool someone_waits() const {
    return someone_waits_.load(std::memory_order_relaxed);
  }

 private:
  LinkSettings link_;
  std::string step_;
  std::atomic<bool> someone_waits_{true};
};

/// What the links of a job share.
class JobTransport {
 public:
  virtual ~JobTransport() = default;
  /// Messages that go apart from those of other numbers; 0 is the job's own.  `tick` is called with the control wire's mutex
  /// held, about every millisecond of a wait, with the rank that is waited for.
  [[nodiscard]] virtual std::unique_ptr<LinkChannel> open(std::uint32_t number,
                                                          std::function<void(int)> tick) = 0;
  [[nodiscard]] virtual JobMonitor& monitor() = 0;
  [[nodiscard]] virtual const std::shared_ptr<FailureState>& failure() = 0;
  [[nodiscard]] virtual bool any_thread() const { return true; }
  /// Throws where this thread may send no messages.
  virtual void check_thread() const {}
  /// The job has failed.
  virtual void give_up() noexcept {}
};

class JobLink final : public RankLink {
 public:
  JobLink(std::shared_ptr<JobTransport> transport, std::uint32_t number)
      : transport_(std::move(transport)),
        is_of_job_(number == 0),
        channel_(transport_->open(number, [this](int awaited) { tick(awaited); })) {}

  Channel& channel() override { return *channel_; }
  std::unique_ptr<RankLink> open(std::uint32_t number) override {
    return std::make_unique<JobLink>(transport_, number);
  }
  const std::shared_ptr<FailureState>& failure() override { return transport_->failure(); }
  bool any_thread() const override { return transport_->any_thread(); }
  void begin_call(const std::string& step) override {
    transport_->check_thread();
    channel_->begin_call(step);
  }
  void hurry(bool someone_waits) override { channel_->hurry(someone_waits); }
  void set_calls(std::int64_t begun) override {
    if (is_of_job_) transport_->monitor().set_calls(begun);
  }
  void abandon_transfers() noexcept override { channel_->abandon(); }
  void announce_failure() noexcept override {
    transport_->give_up();
    transport_->monitor().announce_failure();
  }
  void leave(std::int64_t completed) noexcept override {
    if (is_of_job_) transport_->monitor().leave(completed);
  }

 private:
  using Clock = std::chrono::steady_clock;

  /// Who has left the job makes no calls of other links either; what it sent before is here within the grace.
  void tick(int awaited) {
    constexpr auto grace = std::chrono::seconds(1);
    JobMonitor& monitor = transport_->monitor();
    monitor.tick();
    if (is_of_job_) return;
    if (!monitor.has_left(awaited)) return gone_since_.reset();
    if (!gone_since_) gone_since_ = Clock::now();
    if (Clock::now() - *gone_since_ > grace)
      failure()->fail(cat("waited for rank ", awaited, ", which left the job"), awaited);
  }

  std::shared_ptr<JobTransport> transport_;
  const bool is_of_job_;
  std::unique_ptr<LinkChannel> channel_;
  std::optional<Clock::time_point> gone_since_;  ///< noticed so
};

}  // namespace partita::collective
