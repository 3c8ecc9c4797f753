// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Times of steps for `--trace`: a bounded list per shard, printed as Chrome trace events.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

namespace partita {

class Trace {
 public:
  using Clock = std::chrono::steady_clock;

  explicit Trace(bool enabled) : enabled_(enabled) {}
  [[nodiscard]] bool enabled() const { return enabled_; }
  /// Time zero of this shard's events.
  void start_at(Clock::time_point zero) { zero_ = zero; }
  /// `name` is borrowed and outlives the trace.
  void add(const std::string& name, const char* category, Clock::time_point begin,
           Clock::time_point end);
  /// Events of process `rank` and thread `shard`, each followed by ",\n".
  [[nodiscard]] std::string events(int rank, int shard) const;

 private:
  struct Event {
    const std::string* name;
    const char* category;
    std::int64_t begin_ns, duration_ns;
  };
  static constexpr std::size_t max_events = 500'000;

  bool enabled_;
  Clock::time_point zero_{};
  std::vector<Event> events_;
  std::size_t dropped_ = 0;
};

}  // namespace partita
