// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "passes/transforms/partition/scattered_terms.hpp"

#include <algorithm>

#include "partita/ir/op.hpp"
#include "partita/ir/reduction.hpp"
#include "passes/transforms/partition/flow_choice.hpp"
#include "passes/transforms/partition/indexed_parts.hpp"
#include "passes/transforms/partition/node_windows.hpp"

namespace partita::passes {

using ir::AxisPosition;
using ir::I64s;
using ir::Maker;
using ir::Node;
using ir::Value;

using At = std::optional<AxisPosition>;

namespace {

/// By which updates and what is there combine, where parts of them combine as well.
std::optional<Combiner> scatter_combiner(const Node& node) {
  if (!node.is("stablehlo.scatter") || node.operands().size() != 3) return std::nullopt;
  const auto combiner = ir::simple_combiner(node.region(0));
  const DType d = node.operand(0).type().dtype;
  return combiner && ir::is_combined_over_partitions(*combiner, d) ? combiner : std::nullopt;
}

/// A dimension along index vectors, in the indices and in the updates.
struct VectorDim {
  int indices = 0, updates = 0;
};
std::vector<VectorDim> vector_dims(const Node& scatter) {
  const I64s &window = scatter.attrs.i64s_or_empty("update_window_dims"),
             &batching = scatter.attrs.i64s_or_empty("scatter_indices_batching_dims");
  std::vector<VectorDim> dims;
  int in_indices = 0;
  for (int d = 0; d < scatter.operand(2).type().rank(); ++d) {
    if (index_in(window, d)) continue;
    if (in_indices == scatter.attrs.i64("index_vector_dim")) ++in_indices;
    if (!index_in(batching, in_indices)) dims.push_back({in_indices, d});
    ++in_indices;
  }
  return dims;
}

/// How both are taken where one of them is cut along index vectors.
struct Taken {
  AxisPosition indices, updates;
};
std::optional<Taken> taken(const Node& node, const HeldValues& held) {
  const At indices = held.position(node.operand(1)), updates = held.position(node.operand(2));
  for (const VectorDim& d : vector_dims(node)) {
    const At& at = updates && updates->dim == d.updates ? updates : indices;
    if (!at || at->outer != 1 || at->dim != (at == updates ? d.updates : d.indices)) continue;
    return Taken{{.dim = d.indices, .outer = 1, .inner = at->inner},
                 {.dim = d.updates, .outer = 1, .inner = at->inner}};
  }
  return std::nullopt;
}

bool is_identity(Value v, Combiner combiner) {
  if (!v.node->is("stablehlo.constant")) return false;
  const auto* value = v.node->attrs.find("value")->get_if<ir::DenseRef>();
  return value && **value == *ir::combiner_identity(combiner, v.type());
}

double size(Value v) { return double(v.type().bytes()); }

}  // namespace

bool make_scattered_terms(Node& node, const MeshCut& cut, const AxisPlan& plan, HeldValues& held,
                          ir::Graph& into) {
  const auto combiner = scatter_combiner(node);
  const auto at = combiner ? taken(node, held) : std::nullopt;
  if (!at) return false;
  const Value array = node.operand(0);
  const bool starts_from_nothing = is_identity(array, *combiner);
  const auto moved = [&](Value v, const At& wanted) {
    const At is = held.position(v);
    if (!is || is == wanted) return 0.0;
    return wanted ? 2 * size(v) / double(cut.size()) : size(v);
  };
  const double n = double(cut.size()), work = node_work(node),
               own = (plan.position(node.result()) ? 1 : 2) * size(array) + work / n +
                     (starts_from_nothing ? 0 : moved(array, {})) +
                     moved(node.operand(1), at->indices) + moved(node.operand(2), at->updates),
               others = moved(node.operand(1), {}) + moved(node.operand(2), {}) + work;
  if (own >= others) return false;
  const Maker make{into, nullptr, node.location()};
  const Reshard reshard(into, cut);
  const Value identity = make.constant(ir::combiner_identity(*combiner, array.type()));
  Value base = identity;
  if (!starts_from_nothing)
    base = make.op("stablehlo.select",
                   {make.compare("EQ", reshard.index(), make.splat(Type::scalar(DType::i32), 0)),
                    held.get(array, {}), identity});
  // What is scattered out of the array is not at all: so is padding.
  const std::int64_t extent = node.operand(1).type().dims[std::size_t(at->indices.dim)];
  Value indices = held.get(node.operand(1), at->indices);
  if (is_ragged(at->indices, cut.size(), extent)) {
    indices = signed_indices(make, indices, std::int64_t(1) << 62);
    indices =
        reshard.masked(indices, at->indices, extent, make.splat(Type::scalar(DType::i64), -1));
  }
  std::vector<std::unique_ptr<ir::Graph>> regions;
  regions.push_back(ir::clone_graph(node.region(0)));
  Node* const made =
      ir::create(into, node.name(), {base, indices, held.get(node.operand(2), at->updates)},
                 node.attrs, std::move(regions), {}, nullptr, node.location());
  made->hint = node.hint;
  held.set_partial(node.result(), into, made->result(), *combiner);
  return true;
}

}  // namespace partita::passes
