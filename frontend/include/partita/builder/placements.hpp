// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Map and reduce over the partitions of a placement.  A placed array has the placement's dimension
// first.
#pragma once

#include <optional>
#include <string>

#include "partita/builder/array.hpp"

namespace partita::build {

/// Partitions of a placement of the program that is being built; an unknown name is a user error.
std::int64_t partitions(const std::string& placement);

/// The same value for each partition.
Array broadcast(const std::string& placement, const Array& x);
Arrays broadcast(const std::string& placement, const Arrays& x);
/// Runs `body` on each partition's part of placed operands.  Arrays of enclosing bodies that it uses
/// are broadcast.
Arrays map(const std::string& placement, const Body& body, const Arrays& operands);
/// Inside a map: which partition, i32.
Array partition_index(const std::string& placement);

struct ReduceOptions {
  std::optional<Array> mask;  ///< [n] of i1: which partitions count
  /// What a mean, maximum or minimum of none is: "nan", "error", or "keep" (`kept` then).
  std::string on_zero_weight = "nan";
  Arrays kept;
};
Arrays reduce_sum(const std::string& placement, const Arrays& x, const ReduceOptions& options = {});
Arrays reduce_mean(const std::string& placement, const Arrays& x,
                   const ReduceOptions& options = {});
Arrays reduce_max(const std::string& placement, const Arrays& x, const ReduceOptions& options = {});
Arrays reduce_min(const std::string& placement, const Arrays& x, const ReduceOptions& options = {});
/// weights: [n], one for all operands.
Arrays reduce_weighted_mean(const std::string& placement, const Arrays& x, const Array& weights,
                            const ReduceOptions& options = {});

Array reduce_sum(const std::string& placement, const Array& x, const ReduceOptions& options = {});
Array reduce_mean(const std::string& placement, const Array& x, const ReduceOptions& options = {});
Array reduce_max(const std::string& placement, const Array& x, const ReduceOptions& options = {});
Array reduce_min(const std::string& placement, const Array& x, const ReduceOptions& options = {});

}  // namespace partita::build
