// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// The custom call cpu_csr_sparse_dense_ffi, as which JAX exports products of sparse matrices (jax.experimental.sparse,
// BCSR) for CPUs.  It stands for a gather of the right operand's rows, a product and a scatter that adds.
#include "ops/support/combiners.hpp"
#include "ops/support/custom_call.hpp"
#include "ops/support/expansion.hpp"
#include "partita/ir/window.hpp"

namespace partita::ir::ops {
namespace {

void expect_types(const InferContext& c, const Type& result) {
  const Type &data = c.operands[0], &ends = c.operands[1], &columns = c.operands[2],
             &dense = c.operands[3];
  c.expect(data.rank() == 1, "the elements as a list", to_string(data));
  c.expect(ends.rank() == 1 && is_integer(ends.dtype) && ends.dims[0] > 0,
           "where rows begin and the last ends, as a list of integers", to_string(ends));
  c.expect(columns.dims == data.dims && is_integer(columns.dtype),
           "an integer for the column of each element", to_string(columns));
  c.expect(dense.dtype == data.dtype && (dense.rank() == 1 || dense.rank() == 2),
           cat("a vector or a matrix of ", info(data.dtype).name), to_string(dense));
  Type wanted = dense;
  wanted.dims[0] = ends.dims[0] - 1;
  c.expect(result == wanted, cat("a result ", to_string(wanted)), to_string(result));
}

std::vector<std::unique_ptr<Graph>> adding(DType dtype) {
  std::vector<std::unique_ptr<Graph>> regions;
  regions.push_back(make_combiner(Combiner::sum, dtype));
  return regions;
}

/// Adds updates to elements or rows of `into`; those of places beyond its end are dropped.
Node* scatter_add(const Expansion& e, Value into, Value places, Value updates) {
  const Value at = e.maker().reshape(places, {places.type().dims[0], 1});
  return create(e.into, "stablehlo.scatter", {into, at, updates},
                {{"update_window_dims", other_dims(updates.type().rank(), I64s{0})},
                 {"inserted_window_dims", I64s{0}},
                 {"scatter_dims_to_operand_dims", I64s{0}},
                 {"index_vector_dim", 1}},
                adding(updates.type().dtype), {}, e.before, e.context.location);
}

/// The row of each of `count` elements: how many rows end at or before it.  Elements behind the last row have the number of
/// rows.
Value rows_of(const Expansion& e, Value bounds, std::int64_t count) {
  const Maker make = e.maker();
  const std::int64_t rows = bounds.type().dims[0] - 1;
  const Type type{.dtype = DType::i64, .dims = {count}};
  const Value ends = make.convert(make.part(bounds, 0, 1, rows), DType::i64);
  Node* const marks = scatter_add(e, make.splat(type, 0), ends, make.splat(ends.type(), 1));
  return create(
             e.into, "stablehlo.reduce_window",
             {marks->result(), make.splat(Type::scalar(DType::i64), 0)},
             {{"window_dimensions", I64s{count}}, {"padding", padding_attribute({count - 1, 0})}},
             adding(DType::i64), {}, e.before, e.context.location)
      ->result();
}

Node* expand(const Expansion& e) {
  expect_operand_count(e.context, 4);
  expect_types(e.context, e.result());
  const Maker make = e.maker();
  const Value data = e.operands[0], columns = e.operands[2], dense = e.operands[3];
  const Type& result = e.result();
  const std::int64_t count = data.type().dims[0];
  if (count == 0 || result.count() == 0 || dense.type().count() == 0)
    return make.splat(result, 0).node;
  I64s slice = dense.type().dims;
  slice[0] = 1;
  const Value rows = e.value("stablehlo.gather", {dense, make.reshape(columns, {count, 1})},
                             {{"offset_dims", other_dims(dense.type().rank(), I64s{0})},
                              {"collapsed_slice_dims", I64s{0}},
                              {"start_index_map", I64s{0}},
                              {"index_vector_dim", 1},
                              {"slice_sizes", slice}});
  const Value terms =
      make.op("stablehlo.multiply", {make.broadcast(data, rows.type().dims, {0}), rows});
  return scatter_add(e, make.splat(result, 0), rows_of(e, e.operands[1], count), terms);
}

}  // namespace

void register_csr_product(OpRegistry& registry) {
  OpDef op = custom_call_target(
      "cpu_csr_sparse_dense_ffi",
      "A sparse matrix, by rows, times a vector or a matrix: elements, where rows begin "
      "in their list, columns of elements.");
  op.samples = {
      R"(func.func @main(%a: tensor<6xf32>, %b: tensor<3x2xf32>) -> (tensor<4x2xf32>, tensor<4xf32>) {
  %r = stablehlo.constant dense<[0, 2, 2, 4, 6]> : tensor<5xi32>
  %c = stablehlo.constant dense<[0, 2, 0, 1, 1, 2]> : tensor<6xi32>
  %0 = stablehlo.custom_call @cpu_csr_sparse_dense_ffi(%a, %r, %c, %b) : (tensor<6xf32>, tensor<5xi32>, tensor<6xi32>, tensor<3x2xf32>) -> tensor<4x2xf32>
  %s = stablehlo.slice %a [0:3] : (tensor<6xf32>) -> tensor<3xf32>
  %1 = stablehlo.custom_call @cpu_csr_sparse_dense_ffi(%a, %r, %c, %s) : (tensor<6xf32>, tensor<5xi32>, tensor<6xi32>, tensor<3xf32>) -> tensor<4xf32>
  return %0, %1 : tensor<4x2xf32>, tensor<4xf32>
})"};
  add_expansion(registry, std::move(op), expand);
}

}  // namespace partita::ir::ops
