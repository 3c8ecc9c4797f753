// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "ops/reduce/reduce.hpp"
#include "ops/support/derivative_support.hpp"
#include "partita/ir/reduction.hpp"
#include "partita/scalar/elementwise.hpp"

namespace partita::ir::ops {
namespace {

std::vector<Type> infer(const InferContext& c) {
  c.expect(!c.operands.empty() && c.operands.size() % 2 == 0, "as many operands as initial values",
           cat(c.operands.size(), " operands"));
  const std::size_t n = c.operands.size() / 2;
  const Type& first = c.operands[0];
  const I64s& dimensions = c.attrs.i64s("dimensions");
  for (std::size_t k = 0; k < n; ++k) {
    const Type &operand = c.operands[k], &init = c.operands[n + k];
    c.expect(operand.dims == first.dims, cat("operand ", k, " of the shape of ", to_string(first)),
             to_string(operand));  // (C1)
    c.expect(init == Type::scalar(operand.dtype),
             cat("an initial value of type ", to_string(Type::scalar(operand.dtype))),
             to_string(init));  // (C2)
  }
  expect_dimensions(c, "dimensions", dimensions, first.rank());  // (C4)
  expect_unique(c, "dimensions", dimensions);                    // (C5)
  expect_combiner_region(c, c.operands.subspan(0, n));           // (C6)
  std::vector<Type> results;
  for (std::size_t k = 0; k < n; ++k) {  // (C3), (C7), (C8)
    Type& result = results.emplace_back(Type{.dtype = c.operands[k].dtype, .dims = {}});
    for (const std::int64_t d : other_dims(first.rank(), dimensions))
      result.dims.push_back(first.dims[std::size_t(d)]);
  }
  return results;
}

/// Strides in the result for each dimension of the operand; 0 along reduced ones.
Dims result_strides(const Node& node) {
  const Type& operand = node.operand(0).type();
  const Dims strides = row_major_strides(node.result_types()[0].dims);
  Dims by_operand_dim(operand.dims.size(), 0);
  std::size_t at = 0;
  for (const std::int64_t d : other_dims(operand.rank(), node.attrs.i64s("dimensions")))
    by_operand_dim[std::size_t(d)] = strides[at++];
  return by_operand_dim;
}

/// Sums and products of floats, in f64.
HostArray reduce_floats(const EvalContext& c, bool sums) {
  const HostArray &operand = *c.operands[0], &init = *c.operands[1];
  const Dims strides = result_strides(c.node);
  HostArray totals(Type{.dtype = DType::f64, .dims = c.result_type().dims});
  double* total = totals.data<DType::f64>();
  visit(operand.type.dtype, [&](auto dtype) {
    if constexpr (is_float(dtype)) {
      std::fill_n(total, totals.type.count(), double(load<dtype>(init.data<dtype>(), 0)));
      const auto* data = operand.data<dtype>();
      std::size_t i = 0;
      for_each_index(operand.type.dims, [&](std::span<const std::int64_t> index) {
        const double x = double(load<dtype>(data, i++));
        double& t = total[offset_of(index, strides)];
        t = sums ? t + x : t * x;
      });
    }
  });
  return convert(totals, operand.type.dtype);
}

HostArray reduce_by_row(const EvalContext& c, Combiner combiner) {
  const HostArray &operand = *c.operands[0], &init = *c.operands[1];
  const Dims strides = result_strides(c.node);
  const ElementwiseFn apply =
      elementwise_function(elementwise_row(info(combiner).row), operand.type.dtype);
  PARTITA_ASSERT(apply);
  HostArray result(c.result_type());
  copy_box(init, {0, Dims(result.type.dims.size(), 0)}, result, view_of(result.type),
           result.type.dims);
  const std::size_t size = byte_size(operand.type.dtype);
  const std::byte* x = operand.bytes.data();
  for_each_index(operand.type.dims, [&](std::span<const std::int64_t> index) {
    std::byte* total = result.bytes.data() + std::size_t(offset_of(index, strides)) * size;
    const void* operands[] = {total, x};
    apply(operands, total, 1);
    x += size;
  });
  return result;
}

std::vector<Tensor> reduce_by_region(const EvalContext& c) {
  const std::size_t n = c.operands.size() / 2;
  const Type& operand = c.operands[0]->type;
  const Dims strides = result_strides(c.node);
  std::vector<std::vector<Tensor>> totals(std::size_t(c.result_type().count()));
  for (auto& t : totals) t.assign(c.operands.begin() + std::ptrdiff_t(n), c.operands.end());
  std::int64_t i = 0;
  for_each_index(operand.dims, [&](std::span<const std::int64_t> index) {
    std::vector<Tensor>& total = totals[std::size_t(offset_of(index, strides))];
    std::vector<Tensor> arguments = total;
    for (std::size_t k = 0; k < n; ++k) arguments.push_back(element(*c.operands[k], i));
    total = c.run_region(0, std::move(arguments));
    ++i;
  });
  std::vector<Tensor> results;
  for (std::size_t k = 0; k < n; ++k) {
    HostArray result(c.result_type(int(k)));
    const std::size_t size = byte_size(result.type.dtype);
    for (std::size_t j = 0; j < totals.size(); ++j)
      std::memcpy(result.bytes.data() + j * size, totals[j][k]->bytes.data(), size);
    results.push_back(std::make_shared<const HostArray>(std::move(result)));
  }
  return results;
}

std::vector<Tensor> eval(const EvalContext& c) {
  const auto combiner = c.operands.size() == 2 ? simple_combiner(c.node.region(0)) : std::nullopt;
  if (!combiner) return reduce_by_region(c);
  if (is_float(c.operands[0]->type.dtype) && info(*combiner).rounds)
    return one(reduce_floats(c, *combiner == Combiner::sum));
  return one(reduce_by_row(c, *combiner));
}

FactorRule factors(const Node& node) {
  FactorRule rule = empty_rule(node);
  const std::size_t n = node.operands().size() / 2;
  const Type& operand = node.operand(0).type();
  const I64s& dimensions = node.attrs.i64s("dimensions");
  const auto combiner = n == 1 ? simple_combiner(node.region(0)) : std::nullopt;
  std::size_t at = 0;
  for (std::size_t d = 0; d < operand.dims.size(); ++d) {
    const bool is_reduced = contains(dimensions, std::int64_t(d));
    const int f = is_reduced ? rule.add_factor(operand.dims[d], FactorKind::reduced, combiner)
                             : rule.add_factor(operand.dims[d]);
    for (std::size_t k = 0; k < n; ++k) rule.operands[k][d] = {f};
    if (is_reduced) continue;
    for (auto& result : rule.results) result[at] = {f};
    ++at;
  }
  return rule;
}

/// The dimensions of the operand that are left, for broadcasts of results.
I64s kept_dims(const Node& node) {
  return other_dims(node.operand(0).type().rank(), node.attrs.i64s("dimensions"));
}

I64s all_dims(const Type& type) {
  I64s all;
  for (std::int64_t d = 0; d < type.rank(); ++d) all.push_back(d);
  return all;
}

/// Of extrema: shared by the elements, and the initial value, that are the result.
Values extremum_vjp(DerivativeContext& c, Value cotangent) {
  const Value x = c.node.operand(0), init = c.node.operand(1), y = c.node.result();
  const Dims& dims = x.type().dims;
  const I64s kept = kept_dims(c.node);
  const auto ones = [&](const Type& type) {
    return c.splat({.dtype = y.type().dtype, .dims = type.dims}, 1);
  };
  const Value is_it = c.compare("EQ", x, c.broadcast(y, dims, kept));
  Value count =
      c.sum(c.select(is_it, ones(x.type()), c.zeros(x.type())), c.node.attrs.i64s("dimensions"));
  const Value is_init = c.compare("EQ", c.broadcast(init, y.type().dims, {}), y);
  const bool from_init = c.wanted(1);
  if (from_init)
    count = c.op("stablehlo.add", {count, c.select(is_init, ones(y.type()), c.zeros(y.type()))});
  count = c.op("stablehlo.maximum", {count, ones(y.type())});
  const Value share = c.op("stablehlo.divide", {cotangent, count});
  Values results(2);
  if (c.wanted(0)) results[0] = c.select(is_it, c.broadcast(share, dims, kept), c.zeros(x.type()));
  if (from_init)
    results[1] = c.sum(c.select(is_init, share, c.zeros(y.type())), all_dims(y.type()));
  return results;
}

/// Of products: through a tree of products of halves, which needs no division.
Values product_vjp(DerivativeContext& c, Value cotangent) {
  const std::size_t first = c.graph.nodes().size();
  const Value x = c.node.operand(0), init = c.node.operand(1);
  const I64s& dimensions = c.node.attrs.i64s("dimensions");
  I64s order = kept_dims(c.node);
  order.insert(order.end(), dimensions.begin(), dimensions.end());
  Dims dims = c.node.result_types()[0].dims;
  std::int64_t n = 1;
  for (const std::int64_t d : dimensions) n *= x.type().dims[std::size_t(d)];
  dims.push_back(n);
  Value v = c.reshape(c.transpose(x, order), dims);
  const auto part = [&](std::int64_t from, std::int64_t to) {
    I64s start(dims.size(), 0), limit = v.type().dims;
    start.back() = from;
    limit.back() = to;
    return c.op(
        "stablehlo.slice", {v},
        {{"start_indices", start}, {"limit_indices", limit}, {"strides", I64s(dims.size(), 1)}});
  };
  for (; n > 1; n = (n + 1) / 2) {
    const Value halves = c.multiply(part(0, n / 2), part(n / 2, n / 2 * 2));
    v = n % 2 == 0 ? halves
                   : c.op("stablehlo.concatenate", {halves, part(n - 1, n)},
                          {{"dimension", std::int64_t(dims.size()) - 1}});
  }
  dims.pop_back();
  Value product = c.broadcast(init, dims, {});
  if (n == 1) product = c.multiply(product, c.reshape(v, dims));
  const Values outputs{product}, seeds{cotangent}, wrt{x, init};
  return reverse_region(c, "", c.graph, outputs, seeds, wrt, first);
}

/// Of sums.
Values sum_vjp(DerivativeContext& c, const Values& cotangents) {
  const std::size_t n = cotangents.size();
  Values results(2 * n);
  for (std::size_t k = 0; k < n; ++k) {
    if (!cotangents[k]) continue;
    if (c.wanted(k))
      results[k] = c.broadcast(cotangents[k], c.node.operand(k).type().dims, kept_dims(c.node));
    if (c.wanted(n + k)) results[n + k] = c.sum(cotangents[k], all_dims(cotangents[k].type()));
  }
  return results;
}

/// Nothing where the region is not one op of two arguments.
std::optional<Combiner> combiner_of(const DerivativeContext& c) {
  return c.node.operands().size() == 2 ? simple_combiner(c.node.region(0)) : std::nullopt;
}

/// Of any region: through a tree that combines the elements in order.
Values region_vjp(DerivativeContext& c, const Values& cotangents) {
  return vjp_of(c, cotangents, [&] {
    const std::size_t n = cotangents.size();
    const I64s& dimensions = c.node.attrs.i64s("dimensions");
    I64s order = kept_dims(c.node), sorted = dimensions;
    std::ranges::sort(sorted);
    order.insert(order.end(), sorted.begin(), sorted.end());
    const Dims& dims = c.node.result_types()[0].dims;
    Dims flat = dims;
    flat.push_back(1);
    for (const std::int64_t d : dimensions)
      flat.back() *= c.node.operand(0).type().dims[std::size_t(d)];
    Values totals, elements;
    for (std::size_t k = 0; k < n; ++k) {
      totals.push_back(c.broadcast(c.node.operand(n + k), dims, I64s{}));
      elements.push_back(c.reshape(c.transpose(c.node.operand(k), order), flat));
    }
    if (flat.back() == 0) return totals;
    const Values combined = combine_last(c, c.node.region(0), elements);
    totals.insert(totals.end(), combined.begin(), combined.end());
    return apply_region(c, c.node.region(0), totals);
  });
}

Values vjp(DerivativeContext& c, const Values& cotangents) {
  const std::optional<Combiner> combiner = combiner_of(c);
  if (!combiner) return region_vjp(c, cotangents);
  if (combiner == Combiner::sum) return sum_vjp(c, cotangents);
  if (combiner == Combiner::product) return product_vjp(c, cotangents[0]);
  return extremum_vjp(c, cotangents[0]);
}

Values jvp(DerivativeContext& c, const Values& tangents) {
  if (combiner_of(c) != Combiner::sum) return transposed_jvp(c, tangents);
  Values operands;
  for (std::size_t k = 0; k < tangents.size(); ++k)
    operands.push_back(c.or_zeros(tangents[k], c.node.operand(k).type()));
  return c.same(operands);
}

}  // namespace

void register_reduce(OpRegistry& registry) {
  OpDef op;
  op.name = "stablehlo.reduce";
  op.doc =
      "Combines the elements along dimensions, and the initial value, by a region, in any order.";
  op.attrs = {dims_attr("dimensions", {dim_index(DimRole::Side::operand, 0)})};
  op.infer = infer;
  op.eval = eval;
  op.derivative = Derivative::rules(jvp, vjp);
  op.shape = KernelShape::reduce;
  op.factors = factors;
  op.batch = batch_reduce;
  op.samples = {
      R"(func.func @main(%a: tensor<3x4xf32>, %init: tensor<f32>) -> tensor<3xf32> {
  %0 = stablehlo.reduce(%a init: %init) applies stablehlo.add across dimensions = [1] : (tensor<3x4xf32>, tensor<f32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
})",
      R"(func.func @main(%a: tensor<3x4x5xf32>, %b: tensor<4x3xi32>, %e: tensor<2x0xf64>) -> (tensor<3x5xf32>, tensor<f32>, tensor<4xi32>, tensor<2xf64>, tensor<3xi32>, tensor<3x4x5xf32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %two = stablehlo.constant dense<2.0> : tensor<f64>
  %0 = stablehlo.reduce(%a init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<3x4x5xf32>, tensor<f32>) -> tensor<3x5xf32>
  %1 = stablehlo.reduce(%a init: %low) applies stablehlo.maximum across dimensions = [2, 0, 1] : (tensor<3x4x5xf32>, tensor<f32>) -> tensor<f32>
  %2 = stablehlo.reduce(%b init: %one) applies stablehlo.multiply across dimensions = [1] : (tensor<4x3xi32>, tensor<i32>) -> tensor<4xi32>
  %3 = stablehlo.reduce(%e init: %two) applies stablehlo.add across dimensions = [1] : (tensor<2x0xf64>, tensor<f64>) -> tensor<2xf64>
  %4 = stablehlo.reduce(%b init: %one) applies stablehlo.or across dimensions = [0] : (tensor<4x3xi32>, tensor<i32>) -> tensor<3xi32>
  %5 = stablehlo.reduce(%a init: %zero) applies stablehlo.add across dimensions = [] : (tensor<3x4x5xf32>, tensor<f32>) -> tensor<3x4x5xf32>
  return %0, %1, %2, %3, %4, %5 : tensor<3x5xf32>, tensor<f32>, tensor<4xi32>, tensor<2xf64>, tensor<3xi32>, tensor<3x4x5xf32>
})",
      R"(func.func @main(%a: tensor<3x4xf32>) -> (tensor<3xf32>, tensor<3xi32>, tensor<4xf32>) {
  %i = stablehlo.iota dim = 1 : tensor<3x4xi32>
  %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %none = stablehlo.constant dense<0> : tensor<i32>
  %0:2 = "stablehlo.reduce"(%a, %i, %low, %none) ({
  ^bb0(%x: tensor<f32>, %k: tensor<i32>, %y: tensor<f32>, %l: tensor<i32>):
    %2 = stablehlo.compare GT, %x, %y : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %3 = stablehlo.compare EQ, %x, %y : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %4 = stablehlo.compare LT, %k, %l : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %5 = stablehlo.and %3, %4 : tensor<i1>
    %6 = stablehlo.or %2, %5 : tensor<i1>
    %7 = stablehlo.select %6, %x, %y : tensor<i1>, tensor<f32>
    %8 = stablehlo.select %6, %k, %l : tensor<i1>, tensor<i32>
    stablehlo.return %7, %8 : tensor<f32>, tensor<i32>
  }) {dimensions = array<i64: 1>} : (tensor<3x4xf32>, tensor<3x4xi32>, tensor<f32>, tensor<i32>) -> (tensor<3xf32>, tensor<3xi32>)
  %one = stablehlo.constant dense<1.0> : tensor<f32>
  %1 = "stablehlo.reduce"(%a, %one) ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %2 = stablehlo.abs %y : tensor<f32>
    %3 = stablehlo.abs %x : tensor<f32>
    %4 = stablehlo.maximum %3, %2 : tensor<f32>
    stablehlo.return %4 : tensor<f32>
  }) {dimensions = array<i64: 0>} : (tensor<3x4xf32>, tensor<f32>) -> tensor<4xf32>
  return %0#0, %0#1, %1 : tensor<3xf32>, tensor<3xi32>, tensor<4xf32>
})"};
  registry.add(std::move(op));
}

}  // namespace partita::ir::ops
