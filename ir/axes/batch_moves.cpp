// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "ir/axes/batch_moves.hpp"

#include <algorithm>

#include "partita/base/error.hpp"
#include "partita/ir/reduction.hpp"

namespace partita::ir {
namespace {

bool is_common(const SliceTable& rows) {
  return std::ranges::all_of(rows, [&](const I64s& row) { return row == rows[0]; });
}

Dims behind(std::int64_t first, const Dims& rest) {
  Dims dims{first};
  dims.insert(dims.end(), rest.begin(), rest.end());
  return dims;
}

}  // namespace

Value BatchMoves::constant(const SliceTable& rows, const Dims& dims) const {
  HostArray array(Type{.dtype = DType::i64, .dims = dims});
  std::size_t at = 0;
  for (const I64s& row : rows)
    for (const std::int64_t x : row) array.data<DType::i64>()[at++] = x;
  PARTITA_ASSERT(std::int64_t(at) == array.type.count());
  return maker().constant(make_dense(array));
}

BatchedValue BatchMoves::take_from(Value all, const SliceTable& rows) const {
  const bool common = is_common(rows);
  const auto length = std::ssize(rows[0]);
  const std::size_t lead = common ? 1 : 2;
  const SliceTable used = common ? SliceTable{rows[0]} : rows;
  const Dims rest(all.type().dims.begin() + 1, all.type().dims.end());
  const Value indices = constant(used, common ? Dims{length} : Dims{std::ssize(rows), length});
  const Value taken = maker().op("stablehlo.gather", {all, indices},
                                 {{"offset_dims", counting(std::ssize(rest), lead)},
                                  {"collapsed_slice_dims", I64s{0}},
                                  {"start_index_map", I64s{0}},
                                  {"index_vector_dim", std::int64_t(lead)},
                                  {"slice_sizes", behind(1, rest)}});
  return {taken, !common};
}

BatchedValue BatchMoves::take(const BatchedValue& v, const SliceTable& slices) const {
  if (v.batched) return take_from(v.value, slices);
  const Dims shape = behind(std::ssize(slices[0]), v.value.type().dims);
  return {maker().broadcast(v.value, shape, counting(v.value.type().dims.size(), 1)), false};
}

BatchedValue BatchMoves::take_or_zero(const BatchedValue& v, const I64s& slices) const {
  SliceTable rows;
  HostArray mask(Type{.dtype = DType::i1, .dims = {std::ssize(slices)}});
  bool has_all = true;
  for (std::size_t p = 0; p < slices.size(); ++p) {
    rows.push_back({std::max<std::int64_t>(slices[p], 0)});
    mask.data<DType::i1>()[p] = slices[p] >= 0;
    has_all = has_all && slices[p] >= 0;
  }
  const BatchedValue taken = take(v, rows);
  Dims dims = taken.value.type().dims;
  dims.erase(dims.begin() + (taken.batched ? 1 : 0));
  const BatchedValue source{maker().reshape(taken.value, dims), taken.batched};
  if (has_all) return source;
  const Value whole = batched(source, context);
  const Maker b = maker();
  const Value is_sent = maker().constant(make_dense(mask));
  return {b.op("stablehlo.select",
               {b.broadcast(is_sent, whole.type().dims, {0}), whole, b.splat(whole.type(), 0)}),
          true};
}

BatchedValue BatchMoves::pieces(const BatchedValue& v, const SliceTable& starts,
                                const Dims& extents) const {
  const std::size_t rank = extents.size();
  const Dims& dims = v.value.type().dims;
  if (Dims(dims.begin() + (v.batched ? 1 : 0), dims.end()) == extents) return v;
  if (!v.batched && is_common(starts)) {
    I64s limits = starts[0];
    for (std::size_t d = 0; d < rank; ++d) limits[d] += extents[d];
    return {
        maker().op(
            "stablehlo.slice", {v.value},
            {{"start_indices", starts[0]}, {"limit_indices", limits}, {"strides", I64s(rank, 1)}}),
        false};
  }
  const Value indices = constant(starts, {std::ssize(starts), std::int64_t(rank)});
  Dict attrs{{"offset_dims", counting(rank, 1)},
             {"collapsed_slice_dims", I64s{}},
             {"start_index_map", counting(rank, v.batched ? 1 : 0)},
             {"index_vector_dim", 1},
             {"slice_sizes", v.batched ? behind(1, extents) : extents}};
  if (v.batched) {
    attrs.set("operand_batching_dims", I64s{0});
    attrs.set("start_indices_batching_dims", I64s{0});
  }
  return {maker().op("stablehlo.gather", {v.value, indices}, std::move(attrs)), true};
}

BatchedValue BatchMoves::merge(const BatchedValue& v, std::size_t from, std::size_t into) const {
  const std::size_t lead = v.batched ? 1 : 0;
  const Dims dims = v.value.type().dims;
  const I64s permutation =
      moved_dim(std::ssize(dims), std::int64_t(lead + from), std::int64_t(lead + into));
  Dims shape;
  for (std::size_t d = 0; d < permutation.size(); ++d) {
    const std::int64_t extent = dims[std::size_t(permutation[d])];
    if (d == lead + into + 1)
      shape.back() *= extent;
    else
      shape.push_back(extent);
  }
  const Maker b = maker();
  Value moved = v.value;
  if (!std::ranges::is_sorted(permutation))
    moved = b.op("stablehlo.transpose", {moved}, {{"permutation", permutation}});
  return {b.reshape(moved, shape), v.batched};
}

BatchedValue BatchMoves::assemble(const BatchedValue& v, const SliceTable& holders,
                                  const Dims& pieces) const {
  if (holders[0].size() == 1) {
    if (!v.batched) return v;
    const BatchedValue one = take(v, holders);
    Dims dims = one.value.type().dims;
    dims.erase(dims.begin() + (one.batched ? 1 : 0));
    return {maker().reshape(one.value, dims), one.batched};
  }
  BatchedValue all = take(v, holders);
  // [k, local…] -> [pieces…, local…], then each count of pieces joins its dimension.
  const std::size_t lead = all.batched ? 1 : 0;
  Dims shape = all.value.type().dims;
  shape.erase(shape.begin() + std::ptrdiff_t(lead));
  shape.insert(shape.begin() + std::ptrdiff_t(lead), pieces.begin(), pieces.end());
  all.value = maker().reshape(all.value, shape);
  // The first count joins its dimension, which stands behind the counts that are left.
  for (std::size_t d = 0; d < pieces.size(); ++d) all = merge(all, 0, pieces.size() - 1);
  return all;
}

Value BatchMoves::split_parts(const BatchedValue& v, std::size_t d, std::int64_t count) const {
  const Maker b = maker();
  Value all = batched(v, context);
  Dims shape = all.type().dims;
  shape[d + 1] /= count;
  Dims parts = shape;
  shape.insert(shape.begin() + std::ptrdiff_t(d + 1), count);
  all = b.reshape(all, shape);
  I64s permutation = counting(std::ssize(shape));
  permutation.erase(permutation.begin() + std::ptrdiff_t(d + 1));
  permutation.insert(permutation.begin() + 1, std::int64_t(d + 1));
  all = b.op("stablehlo.transpose", {all}, {{"permutation", permutation}});
  parts[0] *= count;
  return b.reshape(all, parts);
}

// --- Combining ----------------------------------------------------------------------------------

BatchedValue BatchMoves::combine(const BatchedValue& v, const SliceTable& slices,
                                 const Graph& region) const {
  const DType dtype = region.argument(0).type().dtype;
  const BatchedValue promoted{maker().convert(v.value, dtype), v.batched};
  const bool is_even =
      std::ranges::all_of(slices, [&](const I64s& row) { return row.size() == slices[0].size(); });
  const auto combiner = simple_combiner(region);
  return is_even && combiner ? reduced(promoted, slices, region, *combiner)
                             : folded(promoted, slices, region);
}

BatchedValue BatchMoves::reduced(const BatchedValue& v, const SliceTable& slices,
                                 const Graph& region, Combiner combiner) const {
  const BatchedValue all = take(v, slices);
  const Type scalar = Type::scalar(v.value.type().dtype);
  const Value init = maker().constant(combiner_identity(combiner, scalar));
  std::vector<std::unique_ptr<Graph>> regions;
  regions.push_back(clone_graph(region));
  return {
      create(context.into, "stablehlo.reduce", {all.value, init},
             {{"dimensions", I64s{all.batched ? 1 : 0}}}, std::move(regions), {}, context.before)
          ->result(),
      all.batched};
}

Value BatchMoves::apply(const Graph& region, Value a, Value b) const {
  const Dims dims = a.type().dims;
  const std::int64_t count = a.type().count();
  BatchMap map;
  map[region.argument(0)] = {maker().reshape(a, {count}), true};
  map[region.argument(1)] = {maker().reshape(b, {count}), true};
  const BatchContext elements{.into = context.into, .size = count, .before = context.before};
  const BatchedValue result = batch_body(region, map, elements)[0];
  return maker().reshape(batched(result, elements), dims);
}

BatchedValue BatchMoves::folded(const BatchedValue& v, const SliceTable& slices,
                                const Graph& region) const {
  const Maker b = maker();
  std::size_t longest = 0;
  for (const I64s& row : slices) longest = std::max(longest, row.size());
  const auto member = [&](std::size_t k) {
    I64s sources;
    for (const I64s& row : slices) sources.push_back(k < row.size() ? row[k] : row[0]);
    return batched(take_or_zero(v, sources), context);
  };
  Value total = member(0);
  for (std::size_t k = 1; k < longest; ++k) {
    HostArray mask(Type{.dtype = DType::i1, .dims = {std::ssize(slices)}});
    for (std::size_t p = 0; p < slices.size(); ++p)
      mask.data<DType::i1>()[p] = k < slices[p].size();
    const Value has = maker().constant(make_dense(mask));
    total = b.op("stablehlo.select", {b.broadcast(has, total.type().dims, {0}),
                                      apply(region, total, member(k)), total});
  }
  return {total, true};
}

}  // namespace partita::ir
