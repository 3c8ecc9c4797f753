// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Gathers from and scatters to an array that is cut along a dimension which the indices address, as the
// rows of a table: each shard does what falls into its part.
#pragma once

#include "passes/transforms/partition/reshard.hpp"

namespace partita::passes {

/// Whether indices of a gather or of a scatter of one array address single places along a dimension of
/// its first operand.
[[nodiscard]] bool addresses(const ir::Node& node, int dim);

/// Indices as i64; what is above `most` in a type without a sign is `most`.
[[nodiscard]] ir::Value signed_indices(const ir::Maker& make, ir::Value indices, std::int64_t most);

/// What a shard looks up in its part of the table, zeros where the row is another's: a term of the sum over
/// shards (of truth values: of the or).  `operands`: the part, and whole indices.
[[nodiscard]] ir::Value gather_part(const ir::Node& node, const ir::AxisPosition& at,
                                    const MeshCut& cut, std::span<const ir::Value> operands,
                                    ir::Graph& into);
/// The shard's part of what is scattered.  `operands`: the part, whole indices and updates.
[[nodiscard]] ir::Value scatter_part(const ir::Node& node, const ir::AxisPosition& at,
                                     const MeshCut& cut, std::span<const ir::Value> operands,
                                     ir::Graph& into);

}  // namespace partita::passes
