// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Ops that are another op with fewer attributes: dot, broadcast, torch_index_select, chlo.constant.
#include <numeric>

#include "ops/support/expansion.hpp"
#include "ops/support/support.hpp"

namespace partita::ir::ops {
namespace {

Node* expand_dot(const Expansion& e) {
  expect_operand_count(e.context, 2);
  const Type &lhs = e.operands[0].type(), &rhs = e.operands[1].type();
  e.context.expect(lhs.rank() >= 1 && lhs.rank() <= 2 && rhs.rank() >= 1 && rhs.rank() <= 2,
                   "vectors or matrices", cat(to_string(lhs), " and ", to_string(rhs)));
  Dict attrs{{"lhs_batching_dimensions", I64s{}},
             {"rhs_batching_dimensions", I64s{}},
             {"lhs_contracting_dimensions", I64s{lhs.rank() - 1}},
             {"rhs_contracting_dimensions", I64s{0}}};
  if (const Attribute* precision = e.context.attrs.find("precision_config"))
    attrs.set("precision_config", *precision);
  const auto declared = e.context.declared_results;
  return e.make("stablehlo.dot_general", {e.operands.begin(), e.operands.end()}, std::move(attrs),
                {declared.begin(), declared.end()});
}

/// New dimensions are the first ones.
Node* expand_broadcast(const Expansion& e) {
  expect_operand_count(e.context, 1);
  const I64s& sizes = e.context.attrs.i64s("broadcast_sizes");
  for (const std::int64_t size : sizes)
    e.context.expect(size >= 0, "broadcast_sizes that are not negative", to_text(sizes));
  const Type& operand = e.operands[0].type();
  Type result{.dtype = operand.dtype, .dims = {sizes.begin(), sizes.end()}};
  result.dims.insert(result.dims.end(), operand.dims.begin(), operand.dims.end());
  I64s dims(operand.dims.size());
  std::iota(dims.begin(), dims.end(), std::int64_t(sizes.size()));
  return e.make("stablehlo.broadcast_in_dim", {e.operands[0]},
                {{"broadcast_dimensions", std::move(dims)}}, {result});
}

Node* expand_constant(const Expansion& e) {
  return e.make("stablehlo.constant", {}, {{"value", *e.context.attrs.find("value")}});
}

/// The result is operand[:dim], index[batch_dims:], operand[dim + 1:].
Node* expand_index_select(const Expansion& e) {
  expect_operand_count(e.context, 2);
  const Type &operand = e.operands[0].type(), &index = e.operands[1].type();
  const std::int64_t given = e.context.attrs.i64("dim"),
                     batches = e.context.attrs.i64("batch_dims");
  const std::int64_t rank = operand.rank(), dim = given < 0 ? given + rank : given;
  e.context.expect(dim >= 0 && dim < rank, cat("dim within [", -rank, ", ", rank, ")"), cat(given));
  e.context.expect(batches >= 0 && batches <= dim && batches <= index.rank(),
                   cat("batch_dims within [0, ", std::min(dim, index.rank()), "]"), cat(batches));
  I64s batch(std::size_t(batches), 0), offset, sizes(operand.dims.begin(), operand.dims.end());
  std::iota(batch.begin(), batch.end(), 0);
  const std::int64_t inserted = index.rank() - batches;
  for (std::int64_t d = batches; d < operand.rank(); ++d)
    if (d != dim) offset.push_back(d < dim ? d : d - 1 + inserted);
  for (std::int64_t d = 0; d < batches; ++d) sizes[std::size_t(d)] = 1;
  e.context.expect(operand.dims[std::size_t(dim)] > 0, "elements to select from",
                   to_string(operand));
  sizes[std::size_t(dim)] = 1;
  return e.make("stablehlo.gather", {e.operands[0], e.operands[1]},
                {{"offset_dims", offset},
                 {"collapsed_slice_dims", I64s{dim}},
                 {"operand_batching_dims", batch},
                 {"start_indices_batching_dims", batch},
                 {"start_index_map", I64s{dim}},
                 {"index_vector_dim", index.rank()},
                 {"slice_sizes", sizes}});
}

AttrSpec spec(std::string name, AttrKind kind, bool required = true) {
  return {.name = std::move(name), .kind = kind, .required = required};
}

void add(OpRegistry& registry, const char* name, const char* doc, std::vector<AttrSpec> attrs,
         const char* sample, ExpandFn expand) {
  OpDef op;
  op.name = name;
  op.doc = doc;
  op.attrs = std::move(attrs);
  op.samples = {sample};
  add_expansion(registry, std::move(op), expand);
}

}  // namespace

void register_short_forms(OpRegistry& registry) {
  add(registry, "stablehlo.dot", "stablehlo.dot_general of vectors and matrices.",
      {spec("precision_config", AttrKind::any, false)},
      R"(func.func @main(%a: tensor<3x4xf32>, %b: tensor<4x2xf32>, %v: tensor<4xf32>) -> (tensor<3x2xf32>, tensor<3xf32>, tensor<f32>) {
  %0 = stablehlo.dot %a, %b, precision = [DEFAULT, DEFAULT] : (tensor<3x4xf32>, tensor<4x2xf32>) -> tensor<3x2xf32>
  %1 = stablehlo.dot %a, %v : (tensor<3x4xf32>, tensor<4xf32>) -> tensor<3xf32>
  %2 = stablehlo.dot %v, %v : (tensor<4xf32>, tensor<4xf32>) -> tensor<f32>
  return %0, %1, %2 : tensor<3x2xf32>, tensor<3xf32>, tensor<f32>
})",
      expand_dot);
  add(registry, "stablehlo.broadcast", "stablehlo.broadcast_in_dim with new first dimensions.",
      {spec("broadcast_sizes", AttrKind::i64s)},
      R"(func.func @main(%a: tensor<3xf32>) -> tensor<2x4x3xf32> {
  %0 = stablehlo.broadcast %a, sizes = [2, 4] : (tensor<3xf32>) -> tensor<2x4x3xf32>
  return %0 : tensor<2x4x3xf32>
})",
      expand_broadcast);
  add(registry, "chlo.constant", "stablehlo.constant.", {spec("value", AttrKind::dense)},
      R"(func.func @main() -> tensor<2xf32> {
  %0 = chlo.constant dense<[1.5, -2.0]> : tensor<2xf32>
  return %0 : tensor<2xf32>
})",
      expand_constant);
  add(registry, "stablehlo.torch_index_select",
      "stablehlo.gather of slices along dim, for each index of batch_dims first dimensions.",
      {spec("dim", AttrKind::i64), spec("batch_dims", AttrKind::i64)},
      R"(func.func @main(%a: tensor<2x5x3xf32>, %i: tensor<2x4xi32>) -> (tensor<2x4x3xf32>, tensor<2x5x2x4xf32>) {
  %0 = "stablehlo.torch_index_select"(%a, %i) {dim = 1 : i64, batch_dims = 1 : i64} : (tensor<2x5x3xf32>, tensor<2x4xi32>) -> tensor<2x4x3xf32>
  %1 = "stablehlo.torch_index_select"(%a, %i) {dim = 2 : i64, batch_dims = 0 : i64} : (tensor<2x5x3xf32>, tensor<2x4xi32>) -> tensor<2x5x2x4xf32>
  return %0, %1 : tensor<2x4x3xf32>, tensor<2x5x2x4xf32>
})",
      expand_index_select);
}

}  // namespace partita::ir::ops
