// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "partita/ir/reduction.hpp"

#include "partita/ir/op.hpp"

namespace partita::ir {

std::optional<Combiner> simple_combiner(const Graph& region) {
  if (region.argument_count() != 2 || region.results.size() != 1 || region.nodes().size() != 1)
    return std::nullopt;
  const Node& node = *region.nodes()[0];
  if (region.results[0] != Value{region.nodes()[0], 0} || node.operands().size() != 2)
    return std::nullopt;
  const Value x = region.argument(0), y = region.argument(1);
  const bool of_both = (node.operand(0) == x && node.operand(1) == y) ||
                       (node.operand(0) == y && node.operand(1) == x);
  if (!of_both || !node.name().starts_with("stablehlo.")) return std::nullopt;
  const auto combiner = find_combiner(&CombinerInfo::op, node.name().substr(10));
  if (!combiner || !combines(*combiner, x.type().dtype)) return std::nullopt;
  return combiner;
}

bool returns_update(const Graph& region) {
  const int n = region.argument_count() / 2;
  if (int(region.results.size()) != n) return false;
  for (int k = 0; k < n; ++k)
    if (region.results[std::size_t(k)] != region.argument(n + k)) return false;
  return true;
}

bool starts_from_identity(const Node& node, Combiner combiner) {
  if (!node.is("stablehlo.reduce")) return true;
  for (std::size_t k = node.result_types().size(); k < node.operands().size(); ++k) {
    const Value init = node.operand(k);
    if (!init.node->is("stablehlo.constant")) return false;
    const auto& dense = **init.node->attrs.find("value")->get_if<DenseRef>();
    if (!(dense == *combiner_identity(combiner, init.type()))) return false;
  }
  return true;
}

DenseRef combiner_identity(Combiner combiner, const Type& type) {
  return std::make_shared<const Dense>(type, identity_of(combiner, type.dtype).bytes, true);
}

std::unique_ptr<Graph> make_combiner(Combiner combiner, DType dtype) {
  auto region = std::make_unique<Graph>();
  const Value x = region->add_argument(Type::scalar(dtype)),
              y = region->add_argument(Type::scalar(dtype));
  region->results = {create_value(*region, cat("stablehlo.", info(combiner).op), {x, y})};
  return region;
}

bool is_combined_over_partitions(Combiner combiner, DType dtype) {
  return !info(combiner).mr.empty() && combines(combiner, dtype) &&
         !(combiner == Combiner::sum && dtype == DType::i1);
}

}  // namespace partita::ir
