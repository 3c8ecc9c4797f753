// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "ops/windows/window_axes.hpp"
#include "ops/windows/window_derivatives.hpp"
#include "ops/windows/window_support.hpp"

namespace partita::ir::ops {
namespace {

void expect_region(const InferContext& c, std::size_t r, const char* name, DType element,
                   DType result) {
  const Graph& region = *c.regions[r];
  const Type argument = Type::scalar(element);
  const bool is_fine = region.argument_count() == 2 && region.argument(0).type() == argument &&
                       region.argument(1).type() == argument && region.results.size() == 1 &&
                       region.results[0].type() == Type::scalar(result);
  c.expect(is_fine,
           cat("a region '", name, "' from two ", to_string(argument), " to ",
               to_string(Type::scalar(result))),
           "another one");
}

std::vector<Type> infer(const InferContext& c) {
  expect_operand_count(c, 3);
  const Type &operand = c.operands[0], &source = c.operands[1], &init = c.operands[2];
  const std::size_t rank = operand.dims.size();
  c.expect(source.dtype == operand.dtype, cat("a source of ", to_string(operand.dtype)),
           to_string(source));  // (C1)
  c.expect(init == Type::scalar(operand.dtype),
           cat("an initial value of type ", to_string(Type::scalar(operand.dtype))),
           to_string(init));                           // (C3)
  expect_positive_list(c, "window_dimensions", rank);  // (C4), (C5)
  expect_positive_list(c, "window_strides", rank);     // (C6), (C7)
  expect_padding(c, rank);                             // (C8)
  c.expect(c.regions.size() == 2, "2 regions", cat(c.regions.size()));
  expect_region(c, 0, "select", operand.dtype, DType::i1);       // (C9)
  expect_region(c, 1, "scatter", operand.dtype, operand.dtype);  // (C10)
  const std::vector<WindowDim> window = window_dims(operand, c.attrs);
  expect_reach(c, window);
  Type windows{.dtype = operand.dtype, .dims = {}};
  for (const WindowDim& w : window) windows.dims.push_back(w.count());
  c.expect(source == windows, cat("a source of type ", to_string(windows)),
           to_string(source));  // (C2)
  return {operand};             // (C11), (C12)
}

/// Linear index in the operand of the element that a window selects; -1 when it holds none.
std::int64_t selected(const EvalContext& c, const std::vector<WindowDim>& window,
                      std::span<const std::int64_t> at) {
  const HostArray& operand = *c.operands[0];
  const Dims strides = row_major_strides(operand.type.dims);
  Dims sizes;
  for (const WindowDim& w : window) sizes.push_back(w.size);
  std::int64_t best = -1;
  for_each_index(sizes, [&](std::span<const std::int64_t> k) {
    std::int64_t offset = 0;
    for (std::size_t d = 0; d < window.size(); ++d) {
      const auto source = window[d].source(window[d].position(at[d], k[d]));
      if (!source) return;
      offset += *source * strides[d];
    }
    if (best < 0) {
      best = offset;
      return;
    }
    const auto stays = c.run_region(0, {element(operand, best), element(operand, offset)});
    if (stays[0]->bytes[0] == std::byte{0}) best = offset;
  });
  return best;
}

std::vector<Tensor> eval(const EvalContext& c) {
  const HostArray &operand = *c.operands[0], &source = *c.operands[1], &init = *c.operands[2];
  const std::vector<WindowDim> window = window_dims(operand.type, c.node.attrs);
  HostArray result(operand.type);
  copy_box(init, {0, Dims(operand.type.dims.size(), 0)}, result, view_of(result.type),
           result.type.dims);
  const std::size_t size = byte_size(operand.type.dtype);
  std::int64_t i = 0;
  for_each_index(source.type.dims, [&](std::span<const std::int64_t> at) {
    const std::int64_t target = selected(c, window, at), from = i++;
    if (target < 0) return;
    const auto total = c.run_region(1, {element(result, target), element(source, from)});
    std::memcpy(result.bytes.data() + std::size_t(target) * size, total[0]->bytes.data(), size);
  });
  return one(std::move(result));
}

FactorRule factors(const Node& node) {
  FactorRule rule = empty_rule(node);
  const std::vector<WindowDim> window = window_dims(node.operand(0).type(), node.attrs);
  for (std::size_t d = 0; d < window.size(); ++d) {
    const WindowDim& w = window[d];
    if (!w.is_identity() && (!w.is_tiling() || w.count() == 0)) continue;
    const int f = rule.add_factor(w.count());
    std::vector<int> of_operand{f};
    if (w.size > 1) of_operand.push_back(rule.add_factor(w.size, FactorKind::replicated));
    rule.operands[0][d] = rule.results[0][d] = of_operand;
    rule.operands[1][d] = {f};
  }
  replicate_rest(node, rule);
  return rule;
}

constexpr const char* samples[] = {
    R"(func.func @main(%a: tensor<2x6x4xf32>, %s: tensor<2x3x2xf32>, %b: tensor<5x3xi32>, %t: tensor<5x2xi32>, %c: tensor<7xf32>, %u: tensor<3xf32>, %e: tensor<0x2xf32>, %v: tensor<2x2xf32>, %p: tensor<f32>) -> (tensor<2x6x4xf32>, tensor<5x3xi32>, tensor<7xf32>, tensor<0x2xf32>, tensor<f32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %0 = "stablehlo.select_and_scatter"(%a, %s, %zero) <{window_dimensions = array<i64: 1, 2, 2>, window_strides = array<i64: 1, 2, 2>, padding = dense<0> : tensor<3x2xi64>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %z = stablehlo.compare GE, %x, %y, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %z : tensor<i1>
  }, {
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %z = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %z : tensor<f32>
  }) : (tensor<2x6x4xf32>, tensor<2x3x2xf32>, tensor<f32>) -> tensor<2x6x4xf32>
  %1 = "stablehlo.select_and_scatter"(%b, %t, %one) <{window_dimensions = array<i64: 3, 2>, padding = dense<[[1, 1], [1, -1]]> : tensor<2x2xi64>}> ({
  ^bb0(%x: tensor<i32>, %y: tensor<i32>):
    %z = stablehlo.compare LT, %x, %y, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %z : tensor<i1>
  }, {
  ^bb0(%x: tensor<i32>, %y: tensor<i32>):
    %m = stablehlo.multiply %x, %x : tensor<i32>
    %z = stablehlo.subtract %m, %y : tensor<i32>
    stablehlo.return %z : tensor<i32>
  }) : (tensor<5x3xi32>, tensor<5x2xi32>, tensor<i32>) -> tensor<5x3xi32>
  %2 = "stablehlo.select_and_scatter"(%c, %u, %zero) <{window_dimensions = array<i64: 2>, window_strides = array<i64: 3>, padding = dense<[[2, 0]]> : tensor<1x2xi64>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %z = stablehlo.compare GT, %x, %y, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %z : tensor<i1>
  }, {
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %z = stablehlo.maximum %x, %y : tensor<f32>
    stablehlo.return %z : tensor<f32>
  }) : (tensor<7xf32>, tensor<3xf32>, tensor<f32>) -> tensor<7xf32>
  %3 = "stablehlo.select_and_scatter"(%e, %v, %zero) <{window_dimensions = array<i64: 2, 1>, padding = dense<[[1, 2], [0, 0]]> : tensor<2x2xi64>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %z = stablehlo.compare GE, %x, %y, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %z : tensor<i1>
  }, {
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %z = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %z : tensor<f32>
  }) : (tensor<0x2xf32>, tensor<2x2xf32>, tensor<f32>) -> tensor<0x2xf32>
  %4 = "stablehlo.select_and_scatter"(%p, %p, %zero) <{}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %z = stablehlo.compare GE, %x, %y, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %z : tensor<i1>
  }, {
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %z = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %z : tensor<f32>
  }) : (tensor<f32>, tensor<f32>, tensor<f32>) -> tensor<f32>
  return %0, %1, %2, %3, %4 : tensor<2x6x4xf32>, tensor<5x3xi32>, tensor<7xf32>, tensor<0x2xf32>, tensor<f32>
})"};

}  // namespace

void register_select_and_scatter(OpRegistry& registry) {
  OpDef op;
  op.name = "stablehlo.select_and_scatter";
  op.doc =
      "Selects one element of each window of the operand and combines the source's element of that "
      "window into its place. Windows take their turn in row-major order.";
  op.attrs = {window_attr("window_dimensions"), window_attr("window_strides"), padding_attr(true)};
  op.infer = infer;
  op.eval = eval;
  op.shape = KernelShape::window;
  op.factors = factors;
  op.batch = batch_select_and_scatter;
  op.remove_axis = remove_from_windows;
  op.derivative = select_and_scatter_derivative();
  op.samples = {std::begin(samples), std::end(samples)};
  registry.add(std::move(op));
}

}  // namespace partita::ir::ops
