// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// When the ranks of a job that nobody has here would have a sum: a model of the messages of runtime/collective, one
// after the other.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace partita::tool {

/// Each rank's link, both directions at once, to a network that all of them can fill.
struct LinkModel {
  std::string name;
  double bytes_per_s = 12.5e9, latency_s = 5e-6;
};

/// What a rank's processor has to do with what comes in.
struct HostModel {
  double message_s = 1e-6;    ///< for each message
  double combined_s = 2e-10;  ///< for each byte of a term
  double copied_s = 1e-10;    ///< for each byte of a result
};

/// When each rank has the sum of `bytes`, by when each brings its term (seconds from any moment). A link carries the
/// messages to a rank one after the other, from when they are sent; what has come is worked on in its order.
[[nodiscard]] std::vector<double> all_reduce_ends(const std::vector<double>& starts,
                                                  std::size_t bytes, const LinkModel& link,
                                                  const HostModel& host);

}  // namespace partita::tool
