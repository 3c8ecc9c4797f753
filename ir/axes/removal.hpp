// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// What rules that take an axis out of a node (`OpDef::remove_axis`) are given and share;
// factor_transform.hpp is the interface.
#pragma once

#include <utility>

#include "ir/axes/dim_edit.hpp"
#include "partita/base/error.hpp"
#include "partita/ir/factor_transform.hpp"

namespace partita::ir {

/// One node being made again for one index of an axis of extent n.  Operands are without it.
struct RemovalJob {
  const Node& node;
  const AxisFlow& flow;
  std::int64_t n;
  std::vector<Value> operands;
  const RemovalContext& context;

  [[nodiscard]] Maker maker() const { return {context.into, context.before}; }
  [[nodiscard]] Type result_type(std::size_t k = 0) const {
    return type_without(node.result_types()[k], flow.results[k]);
  }
  [[nodiscard]] std::vector<Type> result_types() const {
    std::vector<Type> types;
    for (std::size_t k = 0; k < node.result_types().size(); ++k) types.push_back(result_type(k));
    return types;
  }
  [[nodiscard]] Value index() const {
    PARTITA_ASSERT(context.partition_index);
    return context.partition_index();
  }
};

/// Whether the axis is the whole dimension, which goes then; else the dimension shrinks.
[[nodiscard]] inline bool is_whole(const AxisPosition& p) { return p.outer * p.inner == 1; }

/// Attributes without the axis, by their dimension roles.
[[nodiscard]] Dict attributes_without(const RemovalJob& job);
/// The same op on operands without the axis: what holds for ops without a rule of their own.
[[nodiscard]] Removal remove_plain(const RemovalJob& job);
/// For ops that say something about each dimension: a removed one comes back with extent 1, and goes
/// from the results again.
[[nodiscard]] Removal remove_keeping_rank(const RemovalJob& job, Dict attrs);
[[nodiscard]] inline Removal remove_from_each_dim(const RemovalJob& job) {
  return remove_keeping_rank(job, job.node.attrs);
}
/// `while`, `case`, `if`: regions without the axis.
[[nodiscard]] Removal remove_control_flow(const RemovalJob& job);

}  // namespace partita::ir
