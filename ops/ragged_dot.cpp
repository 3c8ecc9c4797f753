// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// chlo.ragged_dot: a contraction in which consecutive parts of one dimension of the left operand, the
// groups, meet different parts of the right one.  It stands for a dot_general of a left operand that
// holds zeros outside of each group, along a further last dimension of groups.
#include <numeric>

#include "ir/axes/dim_edit.hpp"
#include "ops/support/expansion.hpp"
#include "ops/support/support.hpp"

namespace partita::ir::ops {
namespace {

struct RaggedDims {
  const I64s &lhs_batch, &rhs_batch, &lhs_contract, &rhs_contract, &ragged, &group;
  explicit RaggedDims(const Dict& attrs)
      : lhs_batch(attrs.i64s("lhs_batching_dimensions")),
        rhs_batch(attrs.i64s("rhs_batching_dimensions")),
        lhs_contract(attrs.i64s("lhs_contracting_dimensions")),
        rhs_contract(attrs.i64s("rhs_contracting_dimensions")),
        ragged(attrs.i64s("lhs_ragged_dimensions")),
        group(attrs.i64s("rhs_group_dimensions")) {}
};

/// Dimensions of the left operand that sizes of groups may differ along: those of the ragged
/// dimension's kind that come before it, after the batch.
I64s prefix_dims(const RaggedDims& d, std::int64_t rank) {
  const std::int64_t ragged = d.ragged[0];
  const auto before = [&](const I64s& list) {
    return I64s(list.begin(), std::find(list.begin(), list.end(), ragged));
  };
  I64s dims = before(d.lhs_batch);
  if (contains(d.lhs_batch, ragged)) return dims;
  const I64s more = contains(d.lhs_contract, ragged)
                        ? before(d.lhs_contract)
                        : before(other_dims(rank, d.lhs_batch, d.lhs_contract));
  dims.insert(dims.end(), more.begin(), more.end());
  return dims;
}

void expect_dims(const Expansion& e, const RaggedDims& d) {
  const InferContext& c = e.context;
  const Type &lhs = c.operands[0], &rhs = c.operands[1], &sizes = c.operands[2];
  c.expect(d.ragged.size() == 1, "one ragged dimension", to_text(d.ragged));
  expect_dimensions(c, "lhs_ragged_dimensions", d.ragged, lhs.rank());
  expect_dimensions(c, "lhs_batching_dimensions", d.lhs_batch, lhs.rank());
  expect_dimensions(c, "lhs_contracting_dimensions", d.lhs_contract, lhs.rank());
  expect_dimensions(c, "rhs_group_dimensions", d.group, rhs.rank());
  c.expect(sizes.rank() >= 1 && is_integer(sizes.dtype), "sizes of groups as integers",
           to_string(sizes));
  const bool is_free =
      !contains(d.lhs_batch, d.ragged[0]) && !contains(d.lhs_contract, d.ragged[0]);
  c.expect(d.group.size() == (is_free ? 1 : 0),
           is_free ? "one group dimension" : "no group dimension", to_text(d.group));
  if (is_free)
    c.expect(rhs.dims[std::size_t(d.group[0])] == sizes.dims.back(),
             cat("a group dimension of ", sizes.dims.back()), to_string(rhs));
  if (sizes.rank() == 1) return;
  Dims wanted;
  for (const std::int64_t k : prefix_dims(d, lhs.rank()))
    wanted.push_back(lhs.dims[std::size_t(k)]);
  wanted.push_back(sizes.dims.back());
  c.expect(sizes.dims == wanted, cat("sizes of groups of shape ", to_text(wanted)),
           to_string(sizes));
}

/// Positions at which groups end: sums of sizes up to each, along the last dimension.
Value group_ends(const Expansion& e, Value sizes) {
  Type pairs = sizes.type();
  const std::int64_t last = sizes.type().rank() - 1;
  pairs.dims.push_back(pairs.dims.back());
  I64s dims(std::size_t(last + 1), 0);
  std::iota(dims.begin(), dims.end(), 0);
  dims.back() = last + 1;  // [..., end, group]
  const Maker make = e.maker();
  const Value spread = make.broadcast(sizes, pairs.dims, dims);
  const Value end = make.iota(pairs, last + 1), group = make.iota(pairs, last);
  const Value counts = make.compare("LE", end, group);
  return make.sum(make.op("stablehlo.select", {counts, spread, make.splat(pairs, 0)}), {last + 1});
}

/// The left operand with a last dimension of groups, zero where a position is not in the group.
Value grouped_lhs(const Expansion& e, const RaggedDims& d) {
  const Value lhs = e.operands[0];
  const Maker make = e.maker();
  const Value sizes = make.convert(e.operands[2], DType::i64);
  const Value ends = group_ends(e, sizes);
  const Value starts = make.op("stablehlo.subtract", {ends, sizes});
  Type type = lhs.type();
  type.dims.push_back(sizes.type().dims.back());
  const Type positions{.dtype = DType::i64, .dims = type.dims};
  const std::int64_t rank = lhs.type().rank();
  I64s lhs_dims(std::size_t(rank), 0), size_dims;
  std::iota(lhs_dims.begin(), lhs_dims.end(), 0);
  if (sizes.type().rank() > 1) size_dims = prefix_dims(d, rank);
  size_dims.push_back(rank);
  const auto spread = [&](Value v) { return make.broadcast(v, positions.dims, size_dims); };
  const Value at = make.iota(positions, d.ragged[0]);
  const Value inside = make.op("stablehlo.and", {make.compare("GE", at, spread(starts)),
                                                 make.compare("LT", at, spread(ends))});
  const Value repeated = make.broadcast(lhs, type.dims, lhs_dims);
  return make.op("stablehlo.select", {inside, repeated, make.splat(type, 0)});
}

Node* expand(const Expansion& e) {
  expect_operand_count(e.context, 3);
  const RaggedDims d(e.context.attrs);
  expect_dims(e, d);
  const Type& result = e.result();
  Dict attrs{{"lhs_batching_dimensions", d.lhs_batch},
             {"rhs_batching_dimensions", d.rhs_batch},
             {"lhs_contracting_dimensions", d.lhs_contract},
             {"rhs_contracting_dimensions", d.rhs_contract}};
  // Groups of a batch dimension say nothing: each index has its own part of both operands.
  if (contains(d.lhs_batch, d.ragged[0]))
    return e.make("stablehlo.dot_general", {e.operands[0], e.operands[1]}, std::move(attrs),
                  {result});
  const std::int64_t rank = e.operands[0].type().rank();
  const Value lhs = grouped_lhs(e, d);
  if (!contains(d.lhs_contract, d.ragged[0])) {
    I64s left = d.lhs_contract, right = d.rhs_contract;
    left.push_back(rank);
    right.push_back(d.group[0]);
    attrs.set("lhs_contracting_dimensions", left);
    attrs.set("rhs_contracting_dimensions", right);
    return e.make("stablehlo.dot_general", {lhs, e.operands[1]}, std::move(attrs), {result});
  }
  // The groups follow the other free dimensions of the left operand, and go to the front.
  const std::int64_t place = rank - std::int64_t(d.lhs_contract.size());
  e.context.expect(result.rank() > place, cat("a result of rank above ", place), to_string(result));
  Type moved = result;
  moved.dims.erase(moved.dims.begin());
  moved.dims.insert(moved.dims.begin() + place, result.dims[0]);
  const Value product =
      e.value("stablehlo.dot_general", {lhs, e.operands[1]}, std::move(attrs), {moved});
  return e.make("stablehlo.transpose", {product},
                {{"permutation", moved_dim(result.rank(), place, 0)}});
}

}  // namespace

void register_ragged_dot(OpRegistry& registry) {
  const auto field = [](const char* name) {
    return field_of({.name = name, .kind = AttrKind::i64s}, "ragged_dot_dimension_numbers",
                    "chlo.ragged_dot");
  };
  OpDef op;
  op.name = "chlo.ragged_dot";
  op.doc =
      "stablehlo.dot_general of groups: consecutive parts of the ragged dimension, of given sizes, "
      "meet a part of the right operand each, or give a part of the result each.";
  op.attrs = {field("lhs_batching_dimensions"),
              field("rhs_batching_dimensions"),
              field("lhs_contracting_dimensions"),
              field("rhs_contracting_dimensions"),
              field("lhs_ragged_dimensions"),
              field("rhs_group_dimensions"),
              AttrSpec{.name = "precision_config", .kind = AttrKind::any, .required = false}};
  op.samples = {
      R"(func.func @main(%a: tensor<5x3xf32>, %b: tensor<2x3x4xf32>, %s: tensor<2xi32>, %c: tensor<5x4xf32>) -> (tensor<5x4xf32>, tensor<2x3x4xf32>) {
  %0 = "chlo.ragged_dot"(%a, %b, %s) {ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_batching_dimensions = [], rhs_batching_dimensions = [], lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [0], rhs_group_dimensions = [0]>} : (tensor<5x3xf32>, tensor<2x3x4xf32>, tensor<2xi32>) -> tensor<5x4xf32>
  %1 = "chlo.ragged_dot"(%a, %c, %s) {ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_batching_dimensions = [], rhs_batching_dimensions = [], lhs_contracting_dimensions = [0], rhs_contracting_dimensions = [0], lhs_ragged_dimensions = [0], rhs_group_dimensions = []>} : (tensor<5x3xf32>, tensor<5x4xf32>, tensor<2xi32>) -> tensor<2x3x4xf32>
  return %0, %1 : tensor<5x4xf32>, tensor<2x3x4xf32>
})"};
  add_expansion(registry, std::move(op), expand);
}

}  // namespace partita::ir::ops
