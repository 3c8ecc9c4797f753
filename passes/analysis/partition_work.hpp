// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// What the program of one partition takes, from shapes alone.
#pragma once

#include <cstdint>
#include <map>

#include "partita/base/dtype.hpp"
#include "partita/ir/graph.hpp"

namespace partita::passes {

/// What one partition's program does.
struct PartitionWork {
  double launches = 0;
  std::map<DType, double> operations;  ///< of contractions
  double bytes = 0;                    ///< of what other operations and contractions read and write
  std::int64_t held_bytes = 0;         ///< arguments and the largest value made on the way
};
[[nodiscard]] PartitionWork partition_work(const ir::Graph& body);

}  // namespace partita::passes
