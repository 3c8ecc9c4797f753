// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Links between ranks that are slower than those at hand, for experiments: PARTITA_EMULATE_NET=bw:10Gbit,lat:50us.
#pragma once

#include <chrono>
#include <cstddef>
#include <limits>
#include <optional>
#include <string_view>

namespace partita::collective {

/// What each rank receives comes over a line of its own: messages one after the other at its rate, each later by
/// the latency.
struct EmulatedNet {
  using Seconds = std::chrono::duration<double>;
  double bytes_per_second = std::numeric_limits<double>::infinity();
  Seconds latency{0};

  /// How long a message of so many bytes keeps the line busy.
  [[nodiscard]] Seconds transfer(std::size_t bytes) const {
    return Seconds(double(bytes) / bytes_per_second);
  }
};

/// "bw:10Gbit,lat:50us": a rate in kbit, Mbit or Gbit a second and a latency in us, ms or s, of which either may be
/// missing.  A user error where it is anything else.
[[nodiscard]] EmulatedNet parse_emulated_net(std::string_view text);
/// That of PARTITA_EMULATE_NET; nothing where it is not set.
[[nodiscard]] std::optional<EmulatedNet> emulated_net();

}  // namespace partita::collective
