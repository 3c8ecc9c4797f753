// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Algebra of operations with regions: reductions over nothing, branches and loops that are decided.
#include <algorithm>

#include "ir/interpreter/constants.hpp"
#include "partita/ir/reduction.hpp"
#include "passes/transforms/simplify/rewriter.hpp"

namespace partita::passes {
namespace {

using ir::I64s;
using ir::Node;
using ir::Value;

/// The combiner of a reduce of one operand whose initial value changes nothing.
std::optional<Combiner> plain_combiner(const Node& node) {
  if (node.operands().size() != 2) return std::nullopt;
  auto combiner = ir::simple_combiner(node.region(0));
  if (combiner && !is_identity_of(*combiner, node.operand(1))) combiner.reset();
  return combiner;
}

/// Dimensions of one element need no reduction.
Replacement reduce(Node& node, Rewriter& r) {
  const auto combiner = plain_combiner(node);
  if (!combiner) return {};
  const Value x = node.operand(0);
  I64s kept, dropped_dims;
  Dims dims;
  const I64s& reduced = node.attrs.i64s("dimensions");
  for (std::size_t d = 0; d < x.type().dims.size(); ++d) {
    if (std::ranges::find(reduced, std::int64_t(d)) == reduced.end()) {
      dims.push_back(x.type().dims[d]);
    } else if (x.type().dims[d] != 1) {
      kept.push_back(std::int64_t(dims.size()));
      dims.push_back(x.type().dims[d]);
    }
  }
  if (kept.empty()) return {r.reshape(x, node.result_types()[0])};
  if (kept.size() == reduced.size()) return {};
  const Value narrow = r.reshape(x, {.dtype = x.type().dtype, .dims = dims});
  std::vector<std::unique_ptr<ir::Graph>> regions;
  regions.push_back(ir::clone_graph(node.region(0)));
  return {r.create("stablehlo.reduce", {narrow, node.operand(1)}, {{"dimensions", kept}},
                   std::move(regions))
              ->result()};
}

/// Reductions one after the other are one where the order cannot matter.
Replacement reduce_twice(Node& node, Rewriter& r) {
  const auto combiner = plain_combiner(node);
  const Value x = node.operand(0);
  if (!combiner || !x.node->is("stablehlo.reduce") || r.uses(x) != 1 ||
      plain_combiner(*x.node) != combiner)
    return {};
  if (info(*combiner).rounds && !intersects(info(x.type().dtype).kind, Kinds::bits)) return {};
  const Value inner = x.node->operand(0);
  I64s dims = x.node->attrs.i64s("dimensions"), remaining;
  for (std::int64_t d = 0; d < inner.type().rank(); ++d)
    if (std::ranges::find(dims, d) == dims.end()) remaining.push_back(d);
  for (const std::int64_t d : node.attrs.i64s("dimensions"))
    dims.push_back(remaining[std::size_t(d)]);
  std::ranges::sort(dims);
  std::vector<std::unique_ptr<ir::Graph>> regions;
  regions.push_back(ir::clone_graph(node.region(0)));
  return {r.create("stablehlo.reduce", {inner, node.operand(1)}, {{"dimensions", dims}},
                   std::move(regions))
              ->result()};
}

Replacement decided_branch(Node& node, Rewriter& r) {
  if (node.result_count() == 0) return {};
  const auto index = integers_of(node.operand(0), 1);
  if (!index) return {};
  const auto count = std::int64_t(node.regions().size());
  std::int64_t branch = (*index)[0];
  if (node.is("stablehlo.if"))
    branch = branch != 0 ? 0 : 1;
  else if (branch < 0 || branch >= count)
    branch = count - 1;
  ir::ValueMap<Value> map;
  return r.inline_body(node.region(std::size_t(branch)), map);
}

/// A loop whose condition is never true.
Replacement loop_that_does_not_run(Node& node, Rewriter&) {
  if (node.operands().empty() || !is_splat(node.region(0).results[0], 0)) return {};
  return node.operands();
}

}  // namespace

void add_region_rules(RuleTable& table) {
  table["stablehlo.reduce"].push_back(reduce);
  table["stablehlo.reduce"].push_back(reduce_twice);
  table["stablehlo.case"].push_back(decided_branch);
  table["stablehlo.if"].push_back(decided_branch);
  table["stablehlo.while"].push_back(loop_that_does_not_run);
}

}  // namespace partita::passes
