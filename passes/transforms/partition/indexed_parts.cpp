// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "passes/transforms/partition/indexed_parts.hpp"

#include <algorithm>

#include "partita/ir/op.hpp"

namespace partita::passes {

using ir::AxisPosition;
using ir::I64s;
using ir::Maker;
using ir::Node;
using ir::Value;

namespace {

bool contains(const I64s& list, std::int64_t x) { return std::ranges::find(list, x) != list.end(); }

struct IndexNames {
  const char *single,
      *addressed;  ///< attributes: dimensions of extent 1 in a window, of the index vector
};
constexpr IndexNames gather_names{"collapsed_slice_dims", "start_index_map"},
    scatter_names{"inserted_window_dims", "scatter_dims_to_operand_dims"};

const IndexNames& names_of(const Node& node) {
  return node.is("stablehlo.gather") ? gather_names : scatter_names;
}

/// Indices, as i64, with those along the dimension counted from the shard's first place.
class LocalIndices {
 public:
  LocalIndices(const Node& node, const AxisPosition& at, const MeshCut& cut, Value indices,
               ir::Graph& into)
      : node_(node),
        at_(at),
        make_{into},
        start_(make_.op("stablehlo.multiply",
                        {make_.convert(Reshard(into, cut).index(), DType::i64),
                         make_.splat(Type::scalar(DType::i64), double(at.inner))})) {
    // Beyond the array is beyond the array, also where the type has no sign.
    indices_ = signed_indices(make_, indices, node.operand(0).type().dims[std::size_t(at.dim)]);
  }

  /// All indices; along the dimension moved into the whole array first where they are clamped.
  [[nodiscard]] Value all(bool are_clamped) const {
    const Type& type = indices_.type();
    const Value local = make_.op("stablehlo.subtract", {places(are_clamped), spread(start_)});
    const std::int64_t vector = node_.attrs.i64("index_vector_dim");
    if (vector == type.rank()) return local;
    const I64s& addressed = node_.attrs.i64s(names_of(node_).addressed);
    const auto component = std::ranges::find(addressed, std::int64_t(at_.dim)) - addressed.begin();
    const Value is_component =
        make_.compare("EQ", make_.iota(type, vector), make_.splat(type, double(component)));
    return make_.op("stablehlo.select", {is_component, local, indices_});
  }

  /// By index vector: whether the shard has the place; `all` are what all() gave.
  [[nodiscard]] Value are_inside(Value all) const {
    const std::int64_t vector = node_.attrs.i64("index_vector_dim");
    Value along = all;
    if (vector != all.type().rank()) {
      const I64s& addressed = node_.attrs.i64s(names_of(node_).addressed);
      const auto component =
          std::ranges::find(addressed, std::int64_t(at_.dim)) - addressed.begin();
      Dims dims = all.type().dims;
      dims.erase(dims.begin() + vector);
      along = make_.reshape(make_.part(all, vector, component, 1), dims);
    }
    const Value least = make_.splat(along.type(), 0),
                end = make_.splat(along.type(), double(at_.inner));
    return make_.op("stablehlo.and",
                    {make_.compare("GE", along, least), make_.compare("LT", along, end)});
  }

 private:
  [[nodiscard]] Value spread(Value scalar) const {
    return make_.broadcast(scalar, indices_.type().dims, {});
  }
  [[nodiscard]] Value places(bool are_clamped) const {
    if (!are_clamped) return indices_;
    const std::int64_t extent = node_.operand(0).type().dims[std::size_t(at_.dim)];
    const Type& type = indices_.type();
    return make_.op(
        "stablehlo.maximum",
        {make_.op("stablehlo.minimum", {indices_, make_.splat(type, double(extent - 1))}),
         make_.splat(type, 0)});
  }

  const Node& node_;
  const AxisPosition& at_;
  Maker make_;
  Value start_, indices_;
};

}  // namespace

bool addresses(const Node& node, int dim) {
  const bool is_gather = node.is("stablehlo.gather");
  if (!is_gather && !(node.is("stablehlo.scatter") && node.operands().size() == 3)) return false;
  return contains(node.attrs.i64s_or_empty(names_of(node).single), dim) &&
         contains(node.attrs.i64s_or_empty(names_of(node).addressed), dim);
}

Value signed_indices(const Maker& make, Value indices, std::int64_t most) {
  if (indices.type().dtype == DType::ui64)
    indices = make.op("stablehlo.minimum", {indices, make.splat(indices.type(), double(most))});
  return make.convert(indices, DType::i64);
}

Value gather_part(const Node& node, const AxisPosition& at, const MeshCut& cut,
                  std::span<const Value> operands, ir::Graph& into) {
  const Maker make{into};
  const LocalIndices indices(node, at, cut, operands[1], into);
  const Value local = indices.all(true);
  const Value rows = make.op("stablehlo.gather", {operands[0], local}, node.attrs);
  const Type& type = rows.type();
  I64s vectors;
  for (std::int64_t d = 0; d < type.rank(); ++d)
    if (!contains(node.attrs.i64s_or_empty("offset_dims"), d)) vectors.push_back(d);
  const Value is_own = make.broadcast(indices.are_inside(local), type.dims, vectors);
  return make.op("stablehlo.select", {is_own, rows, make.splat(type, 0)});
}

Value scatter_part(const Node& node, const AxisPosition& at, const MeshCut& cut,
                   std::span<const Value> operands, ir::Graph& into) {
  const LocalIndices indices(node, at, cut, operands[1], into);
  std::vector<std::unique_ptr<ir::Graph>> regions;
  regions.push_back(ir::clone_graph(node.region(0)));
  return ir::create(into, node.name(), {operands[0], indices.all(false), operands[2]}, node.attrs,
                    std::move(regions), {}, nullptr, node.location())
      ->result();
}

}  // namespace partita::passes
