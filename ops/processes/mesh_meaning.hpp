// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// What collectives over a mesh mean, alike for the synchronous ops and for mr.mesh_start: types and values.
// Groups list numbers of shards of the mesh; all have one size g, and together they hold every shard once.
#pragma once

#include "ops/support/support.hpp"
#include "partita/ir/mesh.hpp"

namespace partita::ir::ops {

/// Verifies operands, groups or pairs, and the combiner; types of the results.
[[nodiscard]] std::vector<Type> mesh_result_types(const InferContext& c, MeshCollective kind);
/// Meets the others of the group; a user error where the mesh has another number of shards than the groups.
[[nodiscard]] std::vector<Tensor> eval_mesh_collective(const EvalContext& c, MeshCollective kind);

}  // namespace partita::ir::ops
