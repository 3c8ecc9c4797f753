// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Ranks as threads of this process: messages are handed over only when both sides have asked for them, so an algorithm
// that needs buffering inside MPI hangs here.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstring>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "runtime/collective/algorithms.hpp"

namespace partita::testing {

/// Where the threads' messages meet.
class Exchange {
 public:
  struct Side {
    std::span<std::byte> data;
    std::shared_ptr<bool> done;
  };
  std::shared_ptr<bool> post(int from, int to, bool incoming, std::span<std::byte> data) {
    const std::lock_guard lock(mutex_);
    auto& [sends, receives] = pairs_[{from, to}];
    const Side side{data, std::make_shared<bool>(false)};
    (incoming ? receives : sends).push_back(side);
    while (!sends.empty() && !receives.empty()) {
      const Side sent = sends.front(), received = receives.front();
      sends.pop_front();
      receives.pop_front();
      if (sent.data.size() != received.data.size()) throw std::logic_error("sizes differ");
      std::memcpy(received.data.data(), sent.data.data(), sent.data.size());
      *sent.done = *received.done = true;
      changed_.notify_all();
    }
    return side.done;
  }
  void wait(const bool& done) {
    std::unique_lock lock(mutex_);
    if (!changed_.wait_for(lock, std::chrono::seconds(20), [&] { return done; }))
      throw std::logic_error("deadlock");
  }
  [[nodiscard]] bool is_empty() const {
    for (const auto& [key, pair] : pairs_) {
      if (!pair.first.empty() || !pair.second.empty()) return false;
    }
    return true;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::map<std::pair<int, int>, std::pair<std::deque<Side>, std::deque<Side>>> pairs_;
};

class ThreadChannel final : public collective::Channel {
 public:
  ThreadChannel(Exchange& exchange, int rank, int ranks, bool leaves_host)
      : exchange_(exchange), rank_(rank), ranks_(ranks), leaves_host_(leaves_host) {}
  int rank() const override { return rank_; }
  int ranks() const override { return ranks_; }
  bool leaves_host() const override { return leaves_host_; }
  Ticket send(int to, std::span<const std::byte> data) override {
    // The exchange only reads what is sent.
    return add(rank_, to, false, {const_cast<std::byte*>(data.data()), data.size()});
  }
  Ticket receive(int from, std::span<std::byte> data) override {
    return add(from, rank_, true, data);
  }

 protected:
  void wait_for(Ticket ticket) override { exchange_.wait(*done_[std::size_t(ticket)]); }

 private:
  Ticket add(int from, int to, bool incoming, std::span<std::byte> data) {
    EXPECT_NE(from, to);
    if (data.empty()) return none;
    done_.push_back(exchange_.post(from, to, incoming, data));
    return Ticket(done_.size() - 1);
  }
  Exchange& exchange_;
  int rank_, ranks_;
  bool leaves_host_;
  std::vector<std::shared_ptr<bool>> done_;
};

/// Runs `body` on every rank and checks that no message is left over.
inline void on_ranks(int ranks, std::size_t chunk_bytes,
                     const std::function<void(collective::Ranks)>& body, bool leaves_host = false) {
  Exchange exchange;
  std::vector<std::thread> threads;
  std::vector<std::string> errors(static_cast<std::size_t>(ranks));
  for (int r = 0; r < ranks; ++r) {
    threads.emplace_back([&, r] {
      ThreadChannel channel(exchange, r, ranks, leaves_host);
      std::vector<std::byte> scratch;
      try {
        body({channel, {.chunk_bytes = chunk_bytes}, scratch});
      } catch (const std::exception& error) {
        errors[std::size_t(r)] = error.what();
      }
    });
  }
  for (auto& thread : threads) thread.join();
  for (const auto& error : errors) EXPECT_EQ(error, "");
  EXPECT_TRUE(exchange.is_empty());
}

}  // namespace partita::testing
