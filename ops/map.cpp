// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// stablehlo.map: a region on scalars, for each index of the operands.  It stands for the region with
// a batch dimension added.
#include <numeric>

#include "ops/support/expansion.hpp"
#include "ops/support/support.hpp"
#include "partita/ir/factor_transform.hpp"

namespace partita::ir::ops {
namespace {

void expect_region(const Expansion& e) {
  const InferContext& c = e.context;
  c.expect(c.regions.size() == 1, "1 region", cat(c.regions.size()));
  const Graph& region = *c.regions[0];
  c.expect(std::size_t(region.argument_count()) == c.operands.size(),
           cat("a region with ", c.operands.size(), " arguments"), cat(region.argument_count()));
  for (std::size_t k = 0; k < c.operands.size(); ++k) {
    const Type wanted = Type::scalar(c.operands[k].dtype);
    const Type& found = region.argument(int(k)).type();
    c.expect(found == wanted, cat("argument ", k, " of the region of type ", to_string(wanted)),
             to_string(found));
  }
  c.expect(region.results.size() == 1, "a region with 1 result", cat(region.results.size()));
  const Type& result = region.results[0].type();
  c.expect(result.rank() == 0 && !result.is_token, "a region with a scalar as result",
           to_string(result));  // (C4)
}

Node* expand(const Expansion& e) {
  const InferContext& c = e.context;
  c.expect(!c.operands.empty(), "at least 1 operand", "none");
  const Dims& dims = c.operands[0].dims;
  for (const Type& type : c.operands)
    c.expect(type.dims == dims, cat("operands of the shape of ", to_string(c.operands[0])),
             to_string(type));  // (C1)
  I64s all(dims.size());
  std::iota(all.begin(), all.end(), 0);
  const I64s& dimensions = c.attrs.i64s("dimensions");
  c.expect(dimensions == all, cat(to_text(all), " as dimensions"), to_text(dimensions));  // (C3)
  expect_region(e);
  const Graph& region = *c.regions[0];
  const Type result{.dtype = region.results[0].type().dtype, .dims = dims};
  const std::int64_t count = result.count();
  if (count == 0)
    return e.make("stablehlo.constant", {}, {{"value", make_splat(result, 0)}}, {result});
  if (const std::string why = why_not_batched(region); !why.empty())
    c.fail("a region of ops that work on many elements at once", why);
  BatchMap map;
  for (std::size_t k = 0; k < c.operands.size(); ++k)
    map[region.argument(int(k))] = {e.value("stablehlo.reshape", {e.operands[k]}, {},
                                            {Type{.dtype = c.operands[k].dtype, .dims = {count}}}),
                                    true};
  const BatchContext context{.into = e.into, .size = count, .before = e.before};
  const Value flat = batched(batch_body(region, map, context)[0], context);
  return e.make("stablehlo.reshape", {flat}, {}, {result});
}

}  // namespace

void register_map(OpRegistry& registry) {
  OpDef op;
  op.name = "stablehlo.map";
  op.doc = "A region on scalars, applied to the elements of the operands at each index.";
  op.attrs = {AttrSpec{.name = "dimensions", .kind = AttrKind::i64s}};
  op.samples = {
      R"(func.func @main(%a: tensor<2x3xf32>, %b: tensor<2x3xf32>, %s: tensor<i32>) -> (tensor<2x3xf32>, tensor<2x3xi32>, tensor<i32>) {
  %0 = "stablehlo.map"(%a, %b) ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %c = stablehlo.constant dense<2.0> : tensor<f32>
    %1 = stablehlo.multiply %x, %c : tensor<f32>
    %2 = stablehlo.compare LT, %x, %y : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %3 = "stablehlo.if"(%2) ({
      stablehlo.return %1 : tensor<f32>
    }, {
      %4 = stablehlo.cosine %y : tensor<f32>
      stablehlo.return %4 : tensor<f32>
    }) : (tensor<i1>) -> tensor<f32>
    stablehlo.return %3 : tensor<f32>
  }) {dimensions = array<i64: 0, 1>} : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  %5 = "stablehlo.map"(%a) ({
  ^bb0(%x: tensor<f32>):
    %c = stablehlo.constant dense<7> : tensor<i32>
    stablehlo.return %c : tensor<i32>
  }) {dimensions = array<i64: 0, 1>} : (tensor<2x3xf32>) -> tensor<2x3xi32>
  %6 = "stablehlo.map"(%s) ({
  ^bb0(%x: tensor<i32>):
    %c = stablehlo.negate %x : tensor<i32>
    stablehlo.return %c : tensor<i32>
  }) {dimensions = array<i64>} : (tensor<i32>) -> tensor<i32>
  return %0, %5, %6 : tensor<2x3xf32>, tensor<2x3xi32>, tensor<i32>
})"};
  add_expansion(registry, std::move(op), expand);
}

}  // namespace partita::ir::ops
