// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Ops without kernels of their own that other ops can write: top_k becomes a sort, of the elements
// together with their positions, and a slice.
#include "partita/base/error.hpp"
#include "partita/ir/maker.hpp"
#include "partita/ir/op.hpp"
#include "partita/passes/pass.hpp"
#include "passes/analysis/sorted_prefix.hpp"

namespace partita::passes::transforms {
namespace {

using ir::Graph;
using ir::I64s;
using ir::Node;
using ir::Value;

/// First argument of a pair greater than the second, floats in their total order.
std::unique_ptr<Graph> greater_first(const std::vector<DType>& dtypes) {
  auto region = std::make_unique<Graph>();
  for (const DType d : dtypes)
    for (int side = 0; side < 2; ++side) region->add_argument(Type::scalar(d));
  ir::Dict attrs = ir::comparison_attributes("GT");
  if (is_float(dtypes[0]))
    attrs.set("compare_type", ir::EnumAttr{"stablehlo", "comparison_type", "TOTALORDER"});
  region->results = {ir::create_value(*region, "stablehlo.compare",
                                      {region->argument(0), region->argument(1)}, attrs)};
  return region;
}

std::vector<Value> expand_top_k(ir::Module&, Node& node) {
  const Type& type = node.operand(0).type();
  const std::size_t last = type.dims.size() - 1;
  const Type positions{.dtype = DType::i32, .dims = type.dims};
  const Value iota =
      ir::create_value(*node.graph(), "stablehlo.iota", {},
                       {{"iota_dimension", std::int64_t(last)}}, {&positions, 1}, &node);
  return sorted_prefix(node, {node.operand(0), iota}, greater_first({type.dtype, DType::i32}),
                       last);
}

using Expansion = std::vector<Value> (*)(ir::Module&, Node&);

Expansion expansion_of(const Node& node) {
  struct Row {
    std::string_view op;
    Expansion expand;
  };
  static constexpr Row rows[] = {{"chlo.top_k", expand_top_k}};
  for (const Row& row : rows)
    if (row.op == node.op().name) return row.expand;
  return nullptr;
}

void run(ir::Module& module, PassContext&) {
  for (const auto& f : module.functions) {
    std::vector<Node*> nodes;
    ir::walk(*f->body, [&](Node& node) {
      if (expansion_of(node) != nullptr) nodes.push_back(&node);
    });
    for (Node* node : nodes) {
      const std::vector<Value> results = expansion_of(*node)(module, *node);
      for (std::size_t k = 0; k < results.size(); ++k) {
        const Value old = node->result(int(k));
        f->body->replace_uses({{old, results[k]}});
      }
    }
    if (!nodes.empty()) ir::remove_dead_nodes(*f->body);
  }
}

}  // namespace

PassInfo pass_expand_sorts();
PassInfo pass_expand_sorts() {
  return {.name = "expand-sorts",
          .doc = "Writes top_k as a sort and a slice.",
          .needs = Stage::parsed,
          .gives = Stage::parsed,
          .idempotent = true,
          .run = run};
}

}  // namespace partita::passes::transforms
