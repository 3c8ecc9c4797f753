// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "ops/sorting/sort.hpp"
#include "ir/axes/batching.hpp"

#include "ops/support/derivative_support.hpp"
#include "partita/ir/sorting.hpp"

namespace partita::ir::ops {

std::size_t sort_dimension(const Dict& attrs, std::int64_t rank) {
  const std::int64_t d = attrs.i64("dimension", -1);
  return std::size_t(d < 0 ? d + rank : d);
}

std::vector<std::int64_t> merge_sorted(
    std::int64_t n, const std::function<bool(std::int64_t, std::int64_t)>& is_less) {
  std::vector<std::int64_t> order, merged;
  for (std::int64_t k = 0; k < n; ++k) {
    auto at = order.insert(order.end(), k);
    const auto first = order.begin() + k / insertion_run * insertion_run;
    for (; at != first && is_less(*at, *(at - 1)); --at) std::iter_swap(at, at - 1);
  }
  merged.resize(order.size());
  for (std::int64_t run = insertion_run; run < n; run *= 2) {
    for (std::int64_t begin = 0; begin < n; begin += 2 * run) {
      const std::int64_t middle = std::min(begin + run, n), end = std::min(begin + 2 * run, n);
      std::int64_t left = begin, right = middle;
      for (std::int64_t to = begin; to < end; ++to) {
        // The left one of two equals goes first, which makes the sort stable.
        const bool takes_left =
            right == end ||
            (left < middle && !is_less(order[std::size_t(right)], order[std::size_t(left)]));
        merged[std::size_t(to)] = order[std::size_t(takes_left ? left++ : right++)];
      }
    }
    std::swap(order, merged);
  }
  return order;
}

std::vector<HostArray> sorted_together(std::span<const Tensor> inputs, std::size_t dimension,
                                       const Comparator& compare, std::int64_t kept) {
  const Dims& dims = inputs[0]->type.dims;
  const std::int64_t n = dims[dimension], stride = row_major_strides(dims)[dimension];
  std::vector<HostArray> results;
  for (const Tensor& input : inputs) {
    Type type = input->type;
    type.dims[dimension] = kept;
    results.emplace_back(type);
  }
  Dims starts = dims;
  starts[dimension] = std::min<std::int64_t>(n, 1);
  const Dims strides = row_major_strides(dims),
             result_strides = row_major_strides(results[0].type.dims);
  for_each_index(starts, [&](std::span<const std::int64_t> index) {
    const std::int64_t from = offset_of(index, strides), to = offset_of(index, result_strides);
    const std::vector<std::int64_t> order = merge_sorted(n, [&](std::int64_t a, std::int64_t b) {
      return compare(from + a * stride, from + b * stride);
    });
    for (std::size_t k = 0; k < results.size(); ++k) {
      const std::size_t size = byte_size(results[k].type.dtype);
      for (std::int64_t i = 0; i < kept; ++i)
        std::memcpy(
            results[k].bytes.data() + std::size_t(to + i * stride) * size,
            inputs[k]->bytes.data() + std::size_t(from + order[std::size_t(i)] * stride) * size,
            size);
    }
  });
  return results;
}

namespace {

std::vector<Type> infer(const InferContext& c) {
  c.expect(!c.operands.empty(), "at least 1 operand", "none");  // (C1)
  const Type& first = c.operands[0];
  for (std::size_t k = 1; k < c.operands.size(); ++k)
    c.expect(c.operands[k].dims == first.dims,
             cat("operand ", k, " of the shape of ", to_string(first)),
             to_string(c.operands[k]));  // (C3)
  const std::int64_t dimension = c.attrs.i64("dimension", -1);
  c.expect(dimension >= -first.rank() && dimension < first.rank(),
           cat("dimension within [", -first.rank(), ", ", first.rank(), ")"),
           cat(dimension));  // (C4)
  c.expect(c.regions.size() == 1, "1 region", cat(c.regions.size()));
  const Graph& region = *c.regions[0];
  c.expect(std::size_t(region.argument_count()) == 2 * c.operands.size(),
           cat("a comparator with ", 2 * c.operands.size(), " arguments"),
           cat(region.argument_count()));
  for (int k = 0; k < region.argument_count(); ++k) {
    const Type wanted = Type::scalar(c.operands[std::size_t(k / 2)].dtype);
    c.expect(region.argument(k).type() == wanted,
             cat("argument ", k, " of the comparator of type ", to_string(wanted)),
             to_string(region.argument(k).type()));
  }
  c.expect(region.results.size() == 1 && region.results[0].type() == Type::scalar(DType::i1),
           "a comparator with 1 result tensor<i1>",
           region.results.size() == 1 ? to_string(region.results[0].type())
                                      : cat(region.results.size(), " results"));  // (C5)
  return {c.operands.begin(), c.operands.end()};                                  // (C2)
}

std::vector<Tensor> eval(const EvalContext& c) {
  const std::size_t dimension = sort_dimension(c.node.attrs, c.operands[0]->type.rank());
  const Comparator compare = [&](std::int64_t a, std::int64_t b) {
    std::vector<Tensor> arguments;
    for (const Tensor& operand : c.operands) {
      arguments.push_back(element(*operand, a));
      arguments.push_back(element(*operand, b));
    }
    return *c.run_region(0, std::move(arguments))[0]->data<DType::i1>() != 0;
  };
  std::vector<Tensor> results;
  for (HostArray& r :
       sorted_together(c.operands, dimension, compare, c.operands[0]->type.dims[dimension]))
    results.push_back(std::make_shared<const HostArray>(std::move(r)));
  return results;
}

FactorRule factors(const Node& node) {
  FactorRule rule = empty_rule(node);
  const Dims& dims = node.operand(0).type().dims;
  const std::size_t dimension = sort_dimension(node.attrs, std::int64_t(dims.size()));
  for (std::size_t d = 0; d < dims.size(); ++d) {
    const int f =
        rule.add_factor(dims[d], d == dimension ? FactorKind::replicated : FactorKind::parallel);
    for (auto& operand : rule.operands) operand[d] = {f};
    for (auto& result : rule.results) result[d] = {f};
  }
  return rule;
}

/// A sort in the node's place that also says where elements come from.
struct PlacedSort {
  Values results;  ///< of the node
  Value places;
};
PlacedSort placed_sort(DerivativeContext& c, Node* before) {
  const Dims& dims = c.node.operand(0).type().dims;
  const std::size_t d = sort_dimension(c.node.attrs, std::int64_t(dims.size()));
  PlacedSort out;
  const std::size_t count = c.node.operands().size();
  for (std::size_t k = 0; k < count; ++k) {
    const Node& from = *c.node.operand(k).node;
    out.results.push_back(c.node.result(int(k)));
    if (from.is("stablehlo.iota") && from.attrs.i64("iota_dimension") == std::int64_t(d) &&
        (c.node.operand(k).type().dtype == DType::i32 ||
         c.node.operand(k).type().dtype == DType::i64))
      out.places = c.node.result(int(k));
  }
  if (out.places) return out;
  const Type type{.dtype = dims[d] < std::int64_t(1) << 31 ? DType::i32 : DType::i64, .dims = dims};
  auto region = clone_graph(c.node.region(0));
  region->add_argument(Type::scalar(type.dtype));
  region->add_argument(Type::scalar(type.dtype));
  Values operands = c.node.operands();
  operands.push_back(create_value(c.graph, "stablehlo.iota", {},
                                  {{"iota_dimension", std::int64_t(d)}}, {&type, 1}, before));
  std::vector<std::unique_ptr<Graph>> regions;
  regions.push_back(std::move(region));
  Node* made = create(c.graph, "stablehlo.sort", operands, c.node.attrs, std::move(regions), {},
                      before, c.node.location());
  for (std::size_t k = 0; k < count; ++k) out.results[k] = made->result(int(k));
  out.places = made->result(int(count));
  c.sweep.replace(c.node, out.results);
  return out;
}

Values vjp(DerivativeContext& c, const Values& cotangents) {
  const Value places = placed_sort(c, &c.node).places;
  const std::size_t d = sort_dimension(c.node.attrs, c.node.operand(0).type().rank());
  Values results(cotangents.size());
  for (std::size_t k = 0; k < cotangents.size(); ++k)
    if (cotangents[k] && c.wanted(k))
      results[k] = put_along(c, c.node.operand(k).type(), places, cotangents[k], std::int64_t(d));
  return results;
}

Values jvp(DerivativeContext& c, const Values& tangents) {
  const Value places = placed_sort(c, nullptr).places;
  const std::size_t d = sort_dimension(c.node.attrs, c.node.operand(0).type().rank());
  Values results;
  for (const Value& t : tangents)
    results.push_back(t ? take_along(c, t, places, std::int64_t(d)) : Value{});
  return results;
}

constexpr const char* samples[] = {
    R"(func.func @main(%a: tensor<3x40x2xf32>, %b: tensor<70xi32>, %e: tensor<2x0xf64>, %o: tensor<4x1xi8>) -> (tensor<3x40x2xf32>, tensor<70xi32>, tensor<2x0xf64>, tensor<4x1xi8>) {
  %0 = "stablehlo.sort"(%a) <{dimension = 1 : i64, is_stable = false}> ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %r = stablehlo.compare LT, %p, %q, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %r : tensor<i1>
  }) : (tensor<3x40x2xf32>) -> tensor<3x40x2xf32>
  %1 = "stablehlo.sort"(%b) <{dimension = -1 : i64, is_stable = true}> ({
  ^bb0(%p: tensor<i32>, %q: tensor<i32>):
    %r = stablehlo.compare GT, %p, %q : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %r : tensor<i1>
  }) : (tensor<70xi32>) -> tensor<70xi32>
  %2 = "stablehlo.sort"(%e) <{dimension = 0 : i64, is_stable = true}> ({
  ^bb0(%p: tensor<f64>, %q: tensor<f64>):
    %r = stablehlo.compare LT, %p, %q : (tensor<f64>, tensor<f64>) -> tensor<i1>
    stablehlo.return %r : tensor<i1>
  }) : (tensor<2x0xf64>) -> tensor<2x0xf64>
  %3 = "stablehlo.sort"(%o) <{dimension = 1 : i64, is_stable = true}> ({
  ^bb0(%p: tensor<i8>, %q: tensor<i8>):
    %r = stablehlo.compare LT, %p, %q : (tensor<i8>, tensor<i8>) -> tensor<i1>
    stablehlo.return %r : tensor<i1>
  }) : (tensor<4x1xi8>) -> tensor<4x1xi8>
  return %0, %1, %2, %3 : tensor<3x40x2xf32>, tensor<70xi32>, tensor<2x0xf64>, tensor<4x1xi8>
})",
    R"(func.func @main(%a: tensor<5x37xi32>, %b: tensor<5x37xf32>, %c: tensor<5x37xi1>) -> (tensor<5x37xi32>, tensor<5x37xf32>, tensor<5x37xi1>, tensor<5x37xi32>, tensor<5x37xi32>) {
  %i = stablehlo.iota dim = 1 : tensor<5x37xi32>
  %0:3 = "stablehlo.sort"(%a, %b, %c) <{dimension = 1 : i64, is_stable = true}> ({
  ^bb0(%p: tensor<i32>, %q: tensor<i32>, %r: tensor<f32>, %s: tensor<f32>, %t: tensor<i1>, %u: tensor<i1>):
    %2 = stablehlo.compare LT, %p, %q : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %3 = stablehlo.compare EQ, %p, %q : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %4 = stablehlo.compare GT, %r, %s, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %5 = stablehlo.and %3, %4 : tensor<i1>
    %6 = stablehlo.or %2, %5 : tensor<i1>
    stablehlo.return %6 : tensor<i1>
  }) : (tensor<5x37xi32>, tensor<5x37xf32>, tensor<5x37xi1>) -> (tensor<5x37xi32>, tensor<5x37xf32>, tensor<5x37xi1>)
  %1:2 = "stablehlo.sort"(%a, %i) <{dimension = 0 : i64, is_stable = true}> ({
  ^bb0(%p: tensor<i32>, %q: tensor<i32>, %r: tensor<i32>, %s: tensor<i32>):
    %2 = stablehlo.compare GE, %q, %p : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %3 = stablehlo.compare NE, %q, %p : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %4 = stablehlo.and %2, %3 : tensor<i1>
    stablehlo.return %4 : tensor<i1>
  }) : (tensor<5x37xi32>, tensor<5x37xi32>) -> (tensor<5x37xi32>, tensor<5x37xi32>)
  return %0#0, %0#1, %0#2, %1#0, %1#1 : tensor<5x37xi32>, tensor<5x37xf32>, tensor<5x37xi1>, tensor<5x37xi32>, tensor<5x37xi32>
})"};

}  // namespace

void register_sort(OpRegistry& registry) {
  OpDef op;
  op.name = "stablehlo.sort";
  op.doc =
      "The operands' slices along a dimension, reordered together so that the comparator holds for "
      "no element and one before it; always stable.";
  AttrSpec dimension = dim_attr("dimension", {dim_index(DimRole::Side::operand, 0)});
  dimension.required = false;
  op.attrs = {dimension, flag_attr("is_stable")};
  op.infer = infer;
  op.eval = eval;
  op.shape = KernelShape::procedure;
  op.factors = factors;
  op.batch = batch_leading_everywhere;
  op.derivative = Derivative::rules(jvp, vjp);
  op.samples = {std::begin(samples), std::end(samples)};
  registry.add(std::move(op));
}

}  // namespace partita::ir::ops
