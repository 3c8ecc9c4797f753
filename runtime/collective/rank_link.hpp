// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// What a group of local shards needs of the other ranks: a channel for the data, and news of
// failures in both directions.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "runtime/collective/channel.hpp"
#include "runtime/collective/failure.hpp"

namespace partita::collective {

class RankLink {
 public:
  virtual ~RankLink() = default;
  [[nodiscard]] virtual Channel& channel() = 0;
  /// Another link between the same ranks, whose messages go apart from those of others: each rank that has shards in it
  /// opens it by the same number, from 1 to the largest.  Its failures are the job's.  Who leaves it has not left the job.
  [[nodiscard]] virtual std::unique_ptr<RankLink> open(std::uint32_t number) = 0;
  static constexpr std::uint32_t largest_number = 0xfffffffe;
  /// Shared with the group; set by whichever learns of a failure first.
  [[nodiscard]] virtual const std::shared_ptr<FailureState>& failure() = 0;

  /// Whether any thread may use the channel; otherwise only the one that made the communicator.
  [[nodiscard]] virtual bool any_thread() const = 0;
  /// Transfers of a call begin, on this thread.  Throws where it may not use the channel.
  virtual void begin_call(const std::string& step) = 0;
  /// Whether a thread waits for the messages: then they are looked for more often.
  virtual void hurry(bool someone_waits) = 0;
  /// So many collective calls were begun here.
  virtual void set_calls(std::int64_t begun) = 0;

  /// After a failure: ends all transfers, so that no buffer of the caller is touched any more.
  virtual void abandon_transfers() noexcept = 0;
  /// After a failure: returns when the other ranks were told, or after a second.
  virtual void announce_failure() noexcept = 0;
  /// Tells the other ranks that no call follows the `completed` ones and waits until each has said
  /// so or the job has failed.
  virtual void leave(std::int64_t completed) noexcept = 0;
};

}  // namespace partita::collective
