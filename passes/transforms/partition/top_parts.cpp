// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "passes/transforms/partition/top_parts.hpp"

#include <algorithm>
#include <cstddef>
#include <limits>

#include "ir/axes/dim_edit.hpp"
#include "partita/ir/op.hpp"
#include "partita/ir/reduction.hpp"

namespace partita::passes {

using ir::AxisPosition;
using ir::I64s;
using ir::Maker;
using ir::Node;
using ir::Value;

namespace {

/// How many of a part can be among the largest of the whole.
std::int64_t kept_of_part(const Node& node, const AxisPosition& at) {
  return std::min(node.attrs.i64("k"), at.inner);
}

/// An element that no other one is below, in the total order of floats too.
Value lowest(const Maker& make, DType d) {
  if (!is_float(d)) return make.constant(ir::combiner_identity(Combiner::max, Type::scalar(d)));
  HostArray bits(Type::scalar(d));
  std::ranges::fill(bits.bytes, std::byte(0xff));
  return make.constant(ir::make_dense(bits));
}

/// Of every shard one after the other along the last dimension.
Value joined(const Maker& make, const Reshard& reshard, Value own) {
  const Value all = reshard.stack(own);
  const std::int64_t rank = own.type().rank();
  Dims dims = own.type().dims;
  dims.back() *= all.type().dims[0];
  return make.reshape(make.transpose(all, ir::moved_dim(rank + 1, 0, int(rank) - 1)), dims);
}

/// Elements of `from` at `places` along the last dimension.
Value at_places(const Maker& make, Value from, Value places) {
  const std::int64_t kept = places.type().dims.back();
  const std::int64_t rows = places.type().count() / kept;
  const Value flat = make.reshape(from, {rows, from.type().dims.back()});
  const Type rows_of{.dtype = DType::i32, .dims = {rows, kept, 1}};
  Node* indices = ir::create(make.graph, "stablehlo.concatenate",
                             {make.iota(rows_of, 0), make.reshape(places, {rows, kept, 1})},
                             {{"dimension", std::int64_t(2)}});
  const Value taken = make.op("stablehlo.gather", {flat, indices->result()},
                              {{"offset_dims", I64s{}},
                               {"collapsed_slice_dims", I64s{0, 1}},
                               {"start_index_map", I64s{0, 1}},
                               {"index_vector_dim", std::int64_t(2)},
                               {"slice_sizes", I64s{1, 1}}});
  return make.reshape(taken, places.type().dims);
}

}  // namespace

bool is_top_along(const Node& node, int dim) {
  return node.is("chlo.top_k") && node.attrs.i64("k") != 0 &&
         dim == node.operand(0).type().rank() - 1 &&
         node.operand(0).type().dims.back() <= std::numeric_limits<std::int32_t>::max() / 2;
}

PartsCost top_parts_cost(const Node& node, const AxisPosition& at, const MeshCut& cut) {
  const Type& type = node.operand(0).type();
  const double rows = double(type.count()) / double(type.dims.back());
  const double element = double(byte_size(type.dtype) + byte_size(DType::i32));
  return {.bytes = rows * double(cut.size() * kept_of_part(node, at)) * element, .calls = 2};
}

std::vector<Value> top_parts(const Node& node, const AxisPosition& at, const MeshCut& cut,
                             std::span<const Value> operands, ir::Graph& into) {
  const Maker make{into};
  const Reshard reshard(into, cut);
  const std::int64_t extent = node.operand(0).type().dims.back();
  const auto top = [&](Value v, std::int64_t k) {
    Node* const made =
        ir::create(into, node.name(), {v}, {{"k", k}}, {}, {}, nullptr, node.location());
    return std::pair{made->result(0), made->result(1)};
  };
  Value part = operands[0];
  // What ties with the lowest of elements stands before padding.
  part = reshard.masked(part, at, extent, lowest(make, part.type().dtype));
  const auto [own, places] = top(part, kept_of_part(node, at));
  const Value first =
      make.op("stablehlo.multiply",
              {reshard.index(), make.splat(Type::scalar(DType::i32), double(at.inner))});
  const Value in_whole =
      make.op("stablehlo.add", {places, make.broadcast(first, places.type().dims, {})});
  const Value candidates = joined(make, reshard, own), from = joined(make, reshard, in_whole);
  const auto [values, chosen] = top(candidates, node.attrs.i64("k"));
  return {values, at_places(make, from, chosen)};
}

}  // namespace partita::passes
