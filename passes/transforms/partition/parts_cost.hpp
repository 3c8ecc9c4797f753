// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// What it costs to make a node of parts, beside what is counted of any node.
#pragma once

namespace partita::passes {

struct PartsCost {
  double bytes =
      0;  ///< that a shard receives, and what it computes more, in bytes that could travel meanwhile
  double calls = 0;  ///< of collectives, one after the other
};

}  // namespace partita::passes
