// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Ops that take shapes, paddings or sizes as operands.  All types here are static, so each stands for
// the op that has them as attributes.
#include "ops/support/expansion.hpp"
#include "ops/support/support.hpp"

namespace partita::ir::ops {
namespace {

/// Operand k is the shape of the result; where it is known it has to agree.
void expect_shape(const Expansion& e, std::size_t k, std::string_view what) {
  const Type& result = e.result();
  e.expect_integers(k, result.rank(), what);
  const auto known = e.known_integers(k);
  if (known && *known != I64s(result.dims.begin(), result.dims.end()))
    e.context.fail(cat(what, " of ", to_text(result.dims), " as the result has"), to_text(*known));
}

Node* expand_broadcast(const Expansion& e) {
  expect_operand_count(e.context, 2);
  expect_shape(e, 1, "output_dimensions");
  return e.make("stablehlo.broadcast_in_dim", {e.operands[0]},
                {{"broadcast_dimensions", e.context.attrs.i64s("broadcast_dimensions")}},
                {e.result()});
}

Node* expand_reshape(const Expansion& e) {
  expect_operand_count(e.context, 2);
  expect_shape(e, 1, "output_shape");
  return e.make("stablehlo.reshape", {e.operands[0]}, {}, {e.result()});
}

Node* expand_iota(const Expansion& e) {
  expect_operand_count(e.context, 1);
  expect_shape(e, 0, "output_shape");
  return e.make("stablehlo.iota", {}, {{"iota_dimension", e.context.attrs.i64("iota_dimension")}},
                {e.result()});
}

Node* expand_pad(const Expansion& e) {
  expect_operand_count(e.context, 5);
  const std::int64_t rank = e.operands[0].type().rank();
  Dict attrs;
  constexpr const char* names[] = {"edge_padding_low", "edge_padding_high", "interior_padding"};
  for (std::size_t k = 0; k < 3; ++k) {
    e.expect_integers(k + 2, rank, names[k]);
    attrs.set(names[k], e.integers(k + 2, names[k]));
  }
  return e.make("stablehlo.pad", {e.operands[0], e.operands[1]}, std::move(attrs), {e.result()});
}

/// Starts may be computed; the extent of the slice follows from the result and the strides.
Node* expand_slice(const Expansion& e) {
  expect_operand_count(e.context, 4);
  const Value operand = e.operands[0];
  const std::int64_t rank = operand.type().rank();
  constexpr const char* names[] = {"start_indices", "limit_indices", "strides"};
  for (std::size_t k = 0; k < 3; ++k) e.expect_integers(k + 1, rank, names[k]);
  const I64s strides = e.integers(3, "strides");
  const auto starts = e.known_integers(1), limits = e.known_integers(2);
  if (starts && limits)
    return e.make("stablehlo.slice", {operand},
                  {{"start_indices", *starts}, {"limit_indices", *limits}, {"strides", strides}},
                  {e.result()});
  const Type& result = e.result();
  e.context.expect(result.rank() == rank && result.dtype == operand.type().dtype,
                   cat("a result of rank ", rank, " and ", to_string(operand.type().dtype)),
                   to_string(result));
  std::vector<Value> values{operand};
  I64s sizes;
  const Type scalar = Type::scalar(e.operands[1].type().dtype);
  for (std::int64_t d = 0; d < rank; ++d) {
    const auto k = std::size_t(d);
    e.context.expect(strides[k] > 0, "positive strides", to_text(strides));
    sizes.push_back(result.dims[k] == 0 ? 0 : (result.dims[k] - 1) * strides[k] + 1);
    const Value one =
        e.value("stablehlo.slice", {e.operands[1]},
                {{"start_indices", I64s{d}}, {"limit_indices", I64s{d + 1}}, {"strides", I64s{1}}});
    values.push_back(e.value("stablehlo.reshape", {one}, {}, {scalar}));
  }
  const Value part =
      e.value("stablehlo.dynamic_slice", std::move(values), {{"slice_sizes", sizes}});
  return e.make(
      "stablehlo.slice", {part},
      {{"start_indices", I64s(sizes.size(), 0)}, {"limit_indices", sizes}, {"strides", strides}},
      {result});
}

std::int64_t dimension_of(const Expansion& e) {
  const std::int64_t dimension = e.context.attrs.i64("dimension");
  expect_dimensions(e.context, "dimension", I64s{dimension}, e.operands[0].type().rank());
  return e.operands[0].type().dims[std::size_t(dimension)];
}

Node* expand_get_size(const Expansion& e) {
  expect_operand_count(e.context, 1);
  HostArray size(Type::scalar(DType::i32));
  *size.data<DType::i32>() = std::int32_t(dimension_of(e));
  return e.make("stablehlo.constant", {}, {{"value", make_dense(size)}});
}

Node* expand_set_size(const Expansion& e) {
  expect_operand_count(e.context, 2);
  const std::int64_t extent = dimension_of(e);
  e.context.expect(e.operands[1].type() == Type::scalar(DType::i32), "a size of type tensor<i32>",
                   to_string(e.operands[1].type()));
  const auto size = e.known_integers(1);
  if (!size || size->front() != extent)
    e.context.fail(cat("a constant size of ", extent, ", the extent (shapes are static)"),
                   size ? cat(size->front()) : std::string("a size that is computed"));
  return e.make("stablehlo.reshape", {e.operands[0]}, {}, {e.operands[0].type()});
}

AttrSpec spec(std::string name, AttrKind kind, bool required = true) {
  return {.name = std::move(name), .kind = kind, .required = required};
}

void add(OpRegistry& registry, const char* name, const char* doc, std::vector<AttrSpec> attrs,
         std::vector<std::string> samples, ExpandFn expand) {
  OpDef op;
  op.name = name;
  op.doc = doc;
  op.attrs = std::move(attrs);
  op.samples = std::move(samples);
  add_expansion(registry, std::move(op), expand);
}

constexpr const char* movement_sample =
    R"(func.func @main(%a: tensor<3x1xf32>) -> (tensor<2x3x4xf32>, tensor<1x3xf32>, tensor<3x4xi32>, tensor<5x3xf32>) {
  %s = stablehlo.constant dense<[2, 3, 4]> : tensor<3xi64>
  %0 = "stablehlo.dynamic_broadcast_in_dim"(%a, %s) {broadcast_dimensions = array<i64: 1, 2>} : (tensor<3x1xf32>, tensor<3xi64>) -> tensor<2x3x4xf32>
  %t = stablehlo.constant dense<[1, 3]> : tensor<2xi32>
  %1 = stablehlo.dynamic_reshape %a, %t : (tensor<3x1xf32>, tensor<2xi32>) -> tensor<1x3xf32>
  %u = stablehlo.constant dense<[3, 4]> : tensor<2xi64>
  %2 = stablehlo.dynamic_iota %u, dim = 1 : (tensor<2xi64>) -> tensor<3x4xi32>
  %z = stablehlo.constant dense<0.5> : tensor<f32>
  %l = stablehlo.constant dense<[1, 1]> : tensor<2xi64>
  %i = stablehlo.constant dense<0> : tensor<2xi64>
  %3 = stablehlo.dynamic_pad %a, %z, %l, %l, %i : (tensor<3x1xf32>, tensor<f32>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) -> tensor<5x3xf32>
  return %0, %1, %2, %3 : tensor<2x3x4xf32>, tensor<1x3xf32>, tensor<3x4xi32>, tensor<5x3xf32>
})";

constexpr const char* slice_sample =
    R"(func.func @main(%a: tensor<5x6xf32>, %s: tensor<2xi32>) -> (tensor<2x3xf32>, tensor<2x2xf32>) {
  %l = stablehlo.constant dense<[4, 6]> : tensor<2xi32>
  %t = stablehlo.constant dense<[2, 1]> : tensor<2xi32>
  %0 = stablehlo.real_dynamic_slice %a, %s, %l, %t : (tensor<5x6xf32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>) -> tensor<2x3xf32>
  %c = stablehlo.constant dense<[1, 4]> : tensor<2xi32>
  %1 = stablehlo.real_dynamic_slice %a, %c, %l, %t : (tensor<5x6xf32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>) -> tensor<2x2xf32>
  return %0, %1 : tensor<2x3xf32>, tensor<2x2xf32>
})";

constexpr const char* size_sample =
    R"(func.func @main(%a: tensor<5x3xf32>) -> (tensor<i32>, tensor<5x3xf32>) {
  %0 = stablehlo.get_dimension_size %a, dim = 0 : (tensor<5x3xf32>) -> tensor<i32>
  %1 = stablehlo.set_dimension_size %a, %0, dim = 0 : (tensor<5x3xf32>, tensor<i32>) -> tensor<5x3xf32>
  return %0, %1 : tensor<i32>, tensor<5x3xf32>
})";

}  // namespace

void register_dynamic_forms(OpRegistry& registry) {
  add(registry, "stablehlo.dynamic_broadcast_in_dim",
      "stablehlo.broadcast_in_dim; the shape operand must agree with the static result.",
      {spec("broadcast_dimensions", AttrKind::i64s),
       spec("known_expanding_dimensions", AttrKind::i64s, false),
       spec("known_nonexpanding_dimensions", AttrKind::i64s, false)},
      {movement_sample}, expand_broadcast);
  add(registry, "stablehlo.dynamic_reshape",
      "stablehlo.reshape; the shape operand must agree with the static result.", {}, {},
      expand_reshape);
  add(registry, "stablehlo.dynamic_iota",
      "stablehlo.iota; the shape operand must agree with the static result.",
      {spec("iota_dimension", AttrKind::i64)}, {}, expand_iota);
  add(registry, "stablehlo.dynamic_pad", "stablehlo.pad, with paddings that follow from constants.",
      {}, {}, expand_pad);
  add(registry, "stablehlo.real_dynamic_slice",
      "stablehlo.slice, or with starts that are computed stablehlo.dynamic_slice; strides must "
      "follow from constants.",
      {}, {slice_sample}, expand_slice);
  add(registry, "stablehlo.get_dimension_size", "The extent of a dimension: a constant.",
      {spec("dimension", AttrKind::i64)}, {size_sample}, expand_get_size);
  add(registry, "stablehlo.set_dimension_size",
      "The operand, where the size is the extent; others are refused, as shapes are static.",
      {spec("dimension", AttrKind::i64)}, {}, expand_set_size);
}

}  // namespace partita::ir::ops
