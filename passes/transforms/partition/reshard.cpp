// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "passes/transforms/partition/reshard.hpp"

#include "ir/axes/dim_edit.hpp"
#include "partita/base/error.hpp"
#include "partita/ir/collectives.hpp"
#include "partita/ir/mesh.hpp"
#include "partita/ir/op.hpp"
#include "partita/ir/reduction.hpp"

namespace partita::passes {

using ir::AxisPosition;
using ir::I64s;
using ir::Value;

Type part_type(Type whole, const std::optional<AxisPosition>& at) {
  if (at) whole.dims[std::size_t(at->dim)] = at->outer * at->inner;
  return whole;
}

Value Reshard::index() const {
  return make_.op("mr.shard_index", {}, {{"axes", ir::List({ir::Attribute(cut_.name())})}});
}

/// Shards that differ along the axis alone, in its order.
ir::Attribute Reshard::groups() const {
  return ir::id_table(ir::groups_along(cut_.mesh, cut_.axis));
}

Value Reshard::padded(Value v, int dim, std::int64_t front, std::int64_t back) const {
  if (front == 0 && back == 0) return v;
  const Type& type = v.type();
  I64s none(type.dims.size(), 0), low = none, high = none;
  low[std::size_t(dim)] = front;
  high[std::size_t(dim)] = back;
  return make_.op(
      "stablehlo.pad", {v, make_.splat(Type::scalar(type.dtype), 0)},
      {{"edge_padding_low", low}, {"edge_padding_high", high}, {"interior_padding", none}});
}

Value Reshard::padded_to(Value v, int dim, std::int64_t extent) const {
  return padded(v, dim, 0, extent - v.type().dims[std::size_t(dim)]);
}

/// [.., outer * n * inner, ..] as [n, .., outer * inner, ..].
Value Reshard::split_to_front(Value whole, const AxisPosition& at) const {
  const auto d = std::size_t(at.dim);
  const std::int64_t n = cut_.size();
  Value v = padded_to(whole, at.dim, at.outer * n * at.inner);
  Dims apart = v.type().dims, joined = part_type(whole.type(), at).dims;
  apart[d] = at.outer;
  apart.insert(apart.begin() + std::ptrdiff_t(d) + 1, {n, at.inner});
  joined.insert(joined.begin(), n);
  v = make_.transpose(make_.reshape(v, apart), ir::moved_dim(std::ssize(apart), at.dim + 1, 0));
  return make_.reshape(v, joined);
}

Value Reshard::merge_from_front(Value stacked, const AxisPosition& at) const {
  const auto d = std::size_t(at.dim);
  const std::int64_t n = cut_.size();
  Dims apart = stacked.type().dims, joined(apart.begin() + 1, apart.end());
  apart[d + 1] = at.outer;
  apart.insert(apart.begin() + std::ptrdiff_t(d) + 2, at.inner);
  joined[d] = at.outer * n * at.inner;
  return make_.reshape(make_.transpose(make_.reshape(stacked, apart),
                                       ir::moved_dim(std::ssize(apart), 0, at.dim + 1)),
                       joined);
}

Value Reshard::slice(Value whole, const AxisPosition& at) const {
  const Type part = part_type(whole.type(), at);
  std::vector<Value> operands{at.outer == 1 ? padded_to(whole, at.dim, cut_.size() * at.inner)
                                            : split_to_front(whole, at)};
  const Value index = this->index(), zero = make_.splat(index.type(), 0);
  const Value start =
      make_.op("stablehlo.multiply",
               {index, make_.splat(index.type(), at.outer == 1 ? double(at.inner) : 1)});
  const std::size_t along = at.outer == 1 ? std::size_t(at.dim) : 0;
  I64s sizes = operands[0].type().dims;
  sizes[along] = at.outer == 1 ? at.inner : 1;
  for (std::size_t d = 0; d < sizes.size(); ++d) operands.push_back(d == along ? start : zero);
  return make_.reshape(make_.op("stablehlo.dynamic_slice", operands, {{"slice_sizes", sizes}}),
                       part.dims);
}

Value Reshard::stack(Value own) const {
  return make_.op("mr.mesh_all_gather", {own}, {{"groups", groups()}});
}

Value Reshard::gather(Value part, const AxisPosition& at, std::int64_t extent) const {
  return make_.part(merge_from_front(stack(part), at), at.dim, 0, extent);
}

Value Reshard::exchange(Value part, const AxisPosition& from, std::int64_t extent,
                        const AxisPosition& to) const {
  const Value pieces =
      make_.op("mr.mesh_all_to_all", {split_to_front(part, to)}, {{"groups", groups()}});
  return make_.part(merge_from_front(pieces, from), from.dim, 0, extent);
}

Value Reshard::combine(Value partial, Combiner combiner) const {
  return make_.op("mr.mesh_all_reduce", {partial},
                  {{"groups", groups()}, {"combiner", std::string(info(combiner).mr)}});
}

Value Reshard::combine_scatter(Value partial, Combiner combiner, const AxisPosition& at) const {
  return make_.op("mr.mesh_reduce_scatter", {split_to_front(partial, at)},
                  {{"groups", groups()}, {"combiner", std::string(info(combiner).mr)}});
}

Value Reshard::shift(Value own, std::int64_t hop, const std::vector<std::int64_t>& targets) const {
  std::vector<I64s> pairs;
  for (const I64s& group : ir::groups_along(cut_.mesh, cut_.axis))
    for (const std::int64_t i : targets)
      if (i + hop >= 0 && i + hop < cut_.size())
        pairs.push_back({group[std::size_t(i + hop)], group[std::size_t(i)]});
  return make_.op("mr.mesh_permute", {own}, {{"pairs", ir::id_table(pairs)}});
}

Value Reshard::permuted(Value own, const I64s& sources) const {
  std::vector<I64s> pairs;
  for (const I64s& group : ir::groups_along(cut_.mesh, cut_.axis))
    for (std::size_t i = 0; i < sources.size(); ++i)
      pairs.push_back({group[std::size_t(sources[i])], group[i]});
  return make_.op("mr.mesh_permute", {own}, {{"pairs", ir::id_table(pairs)}});
}

Value Reshard::masked(Value part, const AxisPosition& at, std::int64_t extent,
                      Combiner combiner) const {
  if (!is_ragged(at, cut_.size(), extent)) return part;
  return masked(part, at, extent,
                make_.constant(ir::combiner_identity(combiner, Type::scalar(part.type().dtype))));
}

Value Reshard::masked(Value part, const AxisPosition& at, std::int64_t extent, Value filler) const {
  if (!is_ragged(at, cut_.size(), extent)) return part;
  const Value place = places(part.type(), at);
  return make_.op("stablehlo.select",
                  {make_.compare("LT", place, make_.splat(place.type(), double(extent))), part,
                   make_.broadcast(filler, part.type().dims, {})});
}

Value Reshard::places(const Type& part, const AxisPosition& at, DType dtype) const {
  const Type places{.dtype = dtype, .dims = part.dims};
  const Value start =
      make_.op("stablehlo.multiply",
               {make_.convert(index(), dtype), make_.splat(Type::scalar(dtype), double(at.inner))});
  return make_.op("stablehlo.add",
                  {make_.iota(places, at.dim), make_.broadcast(start, places.dims, {})});
}

}  // namespace partita::passes
