// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// What the collectives of StableHLO share: checks of their groups, the grid around the process that
// evaluates, meeting others, factors.
#pragma once

#include "ops/support/support.hpp"
#include "partita/ir/collectives.hpp"
#include "partita/ir/interpreter.hpp"

namespace partita::ir::ops {

/// Rows of replica_groups or source_target_pairs, verified as far as it goes without the grid.
[[nodiscard]] std::vector<I64s> expect_lists(const InferContext& c, const char* name);
/// At least one operand, all of them arrays.
void expect_arrays(const InferContext& c);

/// Types of the arrays combined by the region, to whose type they are promoted.
[[nodiscard]] std::vector<Type> combined_types(const InferContext& c, std::span<const Type> arrays);

/// The processes around the one that evaluates; one alone where there is no grid.
struct Grid {
  std::int64_t replicas = 1, partitions = 1, self = 0;
};
[[nodiscard]] Grid grid_of(const EvalContext& c);
[[nodiscard]] std::vector<I64s> groups_of(const EvalContext& c);
/// The operands of every member of the group, in order.
[[nodiscard]] std::vector<std::vector<Tensor>> operands_of(const EvalContext& c, const I64s& group);

/// What members bring, combined in order by the node's region, whose type it is converted to.
[[nodiscard]] Tensor combined(const EvalContext& c, const std::vector<Tensor>& values);

/// An op with attributes `whole` that name dimensions which factors do not split, and those that all
/// collectives have; `groups` is replica_groups or source_target_pairs.
[[nodiscard]] OpDef collective(std::string name, std::string doc, InferFn infer, EvalFn eval,
                               std::vector<const char*> whole = {},
                               const char* groups = "replica_groups");

}  // namespace partita::ir::ops
