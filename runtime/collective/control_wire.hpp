// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Short messages between the ranks of a job, beside those of its calls: by them the ranks know of each other.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "runtime/collective/fair_mutex.hpp"

namespace partita::collective {

class ControlWire {
 public:
  enum class Topic : std::int32_t { heartbeat, failure, departure };
  /// The only kind of message; shorter than Open MPI's limit for eager messages.
  struct Message {
    Topic topic = Topic::heartbeat;
    std::int32_t rank = -1;  ///< failure: who failed
    std::int64_t calls = 0;  ///< departure: after how many calls
    std::array<char, 480> text{};
  };
  struct Received {
    Message message;
    int from;
  };

  virtual ~ControlWire() = default;
  /// Held by whoever calls one of the others.
  [[nodiscard]] virtual FairMutex& mutex() = 0;
  /// Starts a message, which is copied.
  virtual void send(int to, const Message& message) = 0;
  /// Goes on with what was started; whether all of it has been sent.
  [[nodiscard]] virtual bool is_idle() = 0;
  /// The next message that has come.
  [[nodiscard]] virtual std::optional<Received> receive() = 0;
  /// A rank of which no message can come any more, each once: its process or its host is gone.
  [[nodiscard]] virtual std::optional<int> lost() { return std::nullopt; }
};

}  // namespace partita::collective
