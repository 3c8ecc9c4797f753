// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include <limits>

#include "ir/axes/batching.hpp"
#include "ops/support/derivative_support.hpp"
#include "ops/support/expansion.hpp"
#include "partita/ir/reduction.hpp"

namespace partita::ir::ops {
namespace {

/// The dimension numbers, and what follows from them.
struct GatherDims {
  const I64s &offset, &collapsed, &operand_batching, &indices_batching, &start_index_map,
      &slice_sizes;
  std::int64_t vector_dim;
  I64s window;        ///< operand dimensions that offset dimensions of the result run along
  I64s indices_rest;  ///< dimensions of the indices but the vector's, in order
  I64s batch;         ///< dimensions of the result for those
  GatherDims(const Dict& attrs, std::int64_t operand_rank, std::int64_t indices_rank)
      : offset(attrs.i64s("offset_dims")),
        collapsed(attrs.i64s("collapsed_slice_dims")),
        operand_batching(attrs.i64s("operand_batching_dims")),
        indices_batching(attrs.i64s("start_indices_batching_dims")),
        start_index_map(attrs.i64s("start_index_map")),
        slice_sizes(attrs.i64s("slice_sizes")),
        vector_dim(attrs.i64("index_vector_dim")),
        window(other_dims(operand_rank, collapsed, operand_batching)),
        indices_rest(other_dims(indices_rank, std::span(&vector_dim, 1))),
        batch(other_dims(std::int64_t(indices_rest.size() + offset.size()), offset)) {}
  explicit GatherDims(const Node& node)
      : GatherDims(node.attrs, node.operand(0).type().rank(), node.operand(1).type().rank()) {}
  GatherDims(const GatherDims&) = delete;

  /// Result dimension of the indices' batching dimension k.
  [[nodiscard]] std::size_t result_of_batching(std::size_t k) const {
    const auto at = std::find(indices_rest.begin(), indices_rest.end(), indices_batching[k]);
    return std::size_t(batch[std::size_t(at - indices_rest.begin())]);
  }
};

void expect_dim_lists(const InferContext& c, const GatherDims& g, const Type& operand,
                      const Type& indices) {
  const std::int64_t rank = operand.rank(), indices_rank = indices.rank();
  c.expect(
      rank == std::int64_t(g.offset.size() + g.collapsed.size() + g.operand_batching.size()),
      cat(rank, " entries in offset_dims, collapsed_slice_dims and operand_batching_dims together"),
      cat(to_text(g.offset), ", ", to_text(g.collapsed), " and ",
          to_text(g.operand_batching)));  // (C1)
  c.expect(g.vector_dim >= 0 && g.vector_dim <= indices_rank,
           cat("index_vector_dim within [0, ", indices_rank, "]"),
           cat(g.vector_dim));  // (C2)
  const std::int64_t components =
      g.vector_dim < indices_rank ? indices.dims[std::size_t(g.vector_dim)] : 1;
  c.expect(std::int64_t(g.start_index_map.size()) == components,
           cat(components, " entries in start_index_map"),
           to_text(g.start_index_map));       // (C3)
  expect_unique(c, "offset_dims", g.offset);  // (C4)
  expect_sorted(c, "offset_dims", g.offset);
  const auto batches = std::int64_t(indices_rank - (g.vector_dim < indices_rank ? 1 : 0));
  expect_dimensions(c, "offset_dims", g.offset, batches + std::int64_t(g.offset.size()));  // (C5)
  I64s both = g.collapsed;
  both.insert(both.end(), g.operand_batching.begin(), g.operand_batching.end());
  expect_unique(c, "collapsed_slice_dims and operand_batching_dims", both);               // (C6)
  expect_sorted(c, "collapsed_slice_dims", g.collapsed);                                  // (C7)
  expect_dimensions(c, "collapsed_slice_dims", g.collapsed, rank);                        // (C8)
  expect_sorted(c, "operand_batching_dims", g.operand_batching);                          // (C10)
  expect_dimensions(c, "operand_batching_dims", g.operand_batching, rank);                // (C11)
  expect_unique(c, "start_indices_batching_dims", g.indices_batching);                    // (C13)
  expect_dimensions(c, "start_indices_batching_dims", g.indices_batching, indices_rank);  // (C14)
  c.expect(!contains(g.indices_batching, g.vector_dim),
           "index_vector_dim not among start_indices_batching_dims",
           cat(g.vector_dim));  // (C15)
  I64s mapped = g.start_index_map;
  mapped.insert(mapped.end(), g.operand_batching.begin(), g.operand_batching.end());
  expect_unique(c, "start_index_map and operand_batching_dims", mapped);  // (C18)
  expect_dimensions(c, "start_index_map", g.start_index_map, rank);       // (C19)
}

std::vector<Type> infer(const InferContext& c) {
  expect_operand_count(c, 2);
  const Type &operand = c.operands[0], &indices = c.operands[1];
  c.expect(is_integer(indices.dtype), "start indices of integers", to_string(indices));
  const GatherDims g(c.attrs, operand.rank(), indices.rank());
  expect_dim_lists(c, g, operand, indices);
  c.expect(g.operand_batching.size() == g.indices_batching.size(),
           cat(g.operand_batching.size(), " entries in start_indices_batching_dims"),
           to_text(g.indices_batching));  // (C16)
  for (std::size_t k = 0; k < g.operand_batching.size(); ++k) {
    const std::int64_t a = operand.dims[std::size_t(g.operand_batching[k])],
                       b = indices.dims[std::size_t(g.indices_batching[k])];
    c.expect(a == b, "equal extents of batching dimensions", cat(a, " and ", b));  // (C17)
  }
  expect_size(c, "slice_sizes", g.slice_sizes, operand.rank());  // (C20)
  for (std::size_t d = 0; d < operand.dims.size(); ++d) {
    const bool at_most_one =
        contains(g.collapsed, std::int64_t(d)) || contains(g.operand_batching, std::int64_t(d));
    const std::int64_t most =
        at_most_one ? std::min<std::int64_t>(operand.dims[d], 1) : operand.dims[d];
    c.expect(g.slice_sizes[d] >= 0 && g.slice_sizes[d] <= most,
             cat("a slice size within [0, ", most, "] in dimension ", d),
             cat(g.slice_sizes[d]));  // (C9), (C12), (C21)
  }
  Type result{.dtype = operand.dtype,
              .dims = Dims(g.offset.size() + g.batch.size())};  // (C22), (C23)
  for (std::size_t k = 0; k < g.batch.size(); ++k)
    result.dims[std::size_t(g.batch[k])] = indices.dims[std::size_t(g.indices_rest[k])];
  for (std::size_t k = 0; k < g.offset.size(); ++k)
    result.dims[std::size_t(g.offset[k])] = g.slice_sizes[std::size_t(g.window[k])];
  return {result};
}

std::vector<Tensor> eval(const EvalContext& c) {
  const HostArray& operand = *c.operands[0];
  const GatherDims g(c.node);
  HostArray result(c.result_type());
  const I64s indices = index_values(*c.operands[1]);
  const Type& indices_type = c.operands[1]->type;
  const Dims index_strides = row_major_strides(indices_type.dims),
             strides = row_major_strides(result.type.dims);
  const Dims operand_strides = row_major_strides(operand.type.dims);
  Dims batch_dims, window_dims;
  View source, target;
  for (const std::int64_t d : g.indices_rest)
    batch_dims.push_back(indices_type.dims[std::size_t(d)]);
  for (std::size_t k = 0; k < g.window.size(); ++k) {
    window_dims.push_back(g.slice_sizes[std::size_t(g.window[k])]);
    source.strides.push_back(operand_strides[std::size_t(g.window[k])]);
    target.strides.push_back(strides[std::size_t(g.offset[k])]);
  }
  if (std::find(g.slice_sizes.begin(), g.slice_sizes.end(), 0) != g.slice_sizes.end())
    return one(std::move(result));
  for_each_index(batch_dims, [&](std::span<const std::int64_t> batch) {
    std::int64_t at = 0;  // of the index vector
    target.offset = 0;
    for (std::size_t k = 0; k < batch.size(); ++k) {
      at += batch[k] * index_strides[std::size_t(g.indices_rest[k])];
      target.offset += batch[k] * strides[std::size_t(g.batch[k])];
    }
    Dims start(operand.type.dims.size(), 0);
    for (std::size_t k = 0; k < g.start_index_map.size(); ++k) {
      const auto d = std::size_t(g.start_index_map[k]);
      const std::int64_t step = g.vector_dim < indices_type.rank()
                                    ? index_strides[std::size_t(g.vector_dim)] * std::int64_t(k)
                                    : 0;
      start[d] = std::clamp<std::int64_t>(indices[std::size_t(at + step)], 0,
                                          operand.type.dims[d] - g.slice_sizes[d]);
    }
    for (std::size_t k = 0; k < g.operand_batching.size(); ++k) {
      const auto in_batch =
          std::find(g.indices_rest.begin(), g.indices_rest.end(), g.indices_batching[k]);
      start[std::size_t(g.operand_batching[k])] =
          batch[std::size_t(in_batch - g.indices_rest.begin())];
    }
    source.offset = offset_of(start, operand_strides);
    copy_box(operand, source, result, target, window_dims);
  });
  return one(std::move(result));
}

FactorRule factors(const Node& node) {
  const GatherDims g(node);
  FactorRule rule = empty_rule(node);
  const Type& result = node.result_types()[0];
  for (std::size_t k = 0; k < g.batch.size(); ++k) {
    const auto d = std::size_t(g.batch[k]);
    rule.results[0][d] =
        rule.operands[1][std::size_t(g.indices_rest[k])] = {rule.add_factor(result.dims[d])};
  }
  for (std::size_t k = 0; k < g.operand_batching.size(); ++k)
    rule.operands[0][std::size_t(g.operand_batching[k])] = rule.results[0][g.result_of_batching(k)];
  for (std::size_t k = 0; k < g.window.size(); ++k) {
    const auto d = std::size_t(g.window[k]);
    const std::int64_t extent = node.operand(0).type().dims[d];
    if (g.slice_sizes[d] != extent || contains(g.start_index_map, g.window[k])) continue;
    rule.operands[0][d] = rule.results[0][std::size_t(g.offset[k])] = {rule.add_factor(extent)};
  }
  replicate_rest(node, rule);
  return rule;
}

scalar::ExprId lower(const Node& node, int, scalar::ExprPool& pool,
                     std::span<const scalar::ExprId> index, const LoadFn& load) {
  const GatherDims g(node);
  const Dims& dims = node.operand(0).type().dims;
  std::vector<scalar::ExprId> source(dims.size(), pool.index(0));
  std::vector<scalar::ExprId> at(node.operand(1).type().dims.size(), pool.index(0));
  for (std::size_t k = 0; k < g.batch.size(); ++k)
    at[std::size_t(g.indices_rest[k])] = index[std::size_t(g.batch[k])];
  for (std::size_t k = 0; k < g.window.size(); ++k)
    source[std::size_t(g.window[k])] = index[std::size_t(g.offset[k])];
  for (std::size_t k = 0; k < g.operand_batching.size(); ++k)
    source[std::size_t(g.operand_batching[k])] = index[g.result_of_batching(k)];
  for (std::size_t k = 0; k < g.start_index_map.size(); ++k) {
    const auto d = std::size_t(g.start_index_map[k]);
    const std::int64_t limit = dims[d] - g.slice_sizes[d];
    if (limit == 0) continue;
    if (g.vector_dim < std::int64_t(at.size()))
      at[std::size_t(g.vector_dim)] = pool.index(std::int64_t(k));
    source[d] = pool.add(source[d], pool.to_index_within(load(1, at), 0, limit));
  }
  return load(0, source);
}

/// The indices as they are used, where a slice would stick out of the operand otherwise.
Value clamped_indices(const DerivativeContext& c, const GatherDims& g) {
  const Dims& dims = c.node.operand(0).type().dims;
  const Value raw = c.node.operand(1);
  I64s limits;
  for (const std::int64_t d : g.start_index_map)
    limits.push_back(dims[std::size_t(d)] - g.slice_sizes[std::size_t(d)]);
  const bool fits = raw.type().dtype == DType::i32 && std::ranges::all_of(limits, [](auto n) {
                      return n <= std::numeric_limits<std::int32_t>::max();
                    });
  const Value indices = c.convert(raw, fits ? DType::i32 : DType::i64);
  return c.op("stablehlo.clamp", {c.zeros(Type::scalar(indices.type().dtype)), indices,
                                  by_component(c, limits, indices.type(), g.vector_dim)});
}

/// A scatter that adds, with the same dimension numbers.
Values vjp(DerivativeContext& c, const Values& cotangents) {
  const GatherDims g(c.node);
  const Type& type = c.node.operand(0).type();
  if (c.node.result_types()[0].count() == 0 || type.count() == 0) return {};
  std::vector<std::unique_ptr<Graph>> regions;
  regions.push_back(make_combiner(Combiner::sum, type.dtype));
  Dict attrs{{"update_window_dims", g.offset},
             {"inserted_window_dims", g.collapsed},
             {"input_batching_dims", g.operand_batching},
             {"scatter_indices_batching_dims", g.indices_batching},
             {"scatter_dims_to_operand_dims", g.start_index_map},
             {"index_vector_dim", g.vector_dim},
             {"indices_are_sorted", c.node.attrs.flag("indices_are_sorted")},
             {"unique_indices", false}};
  return {create(c.graph, "stablehlo.scatter",
                 {c.zeros(type), clamped_indices(c, g), cotangents[0]}, std::move(attrs),
                 std::move(regions))
              ->result()};
}

/// The slice sizes are an operand.
Node* expand_dynamic(const Expansion& e) {
  expect_operand_count(e.context, 3);
  e.expect_integers(2, e.operands[0].type().rank(), "slice_sizes");
  Dict attrs = e.context.attrs;
  attrs.set("slice_sizes", e.integers(2, "slice_sizes"));
  return e.make("stablehlo.gather", {e.operands[0], e.operands[1]}, std::move(attrs));
}

constexpr const char* dynamic_sample =
    R"(func.func @main(%a: tensor<5x3xf32>, %i: tensor<4x1xi32>) -> tensor<4x3xf32> {
  %s = stablehlo.constant dense<[1, 3]> : tensor<2xi32>
  %0 = "stablehlo.dynamic_gather"(%a, %i, %s) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = false}> : (tensor<5x3xf32>, tensor<4x1xi32>, tensor<2xi32>) -> tensor<4x3xf32>
  return %0 : tensor<4x3xf32>
})";

void batch(const BatchJob& job) {
  const DimEdit leading{0, job.context.size};
  const bool operand = job.is_batched(0), indices = job.is_batched(1);
  Dict attrs = attrs_with_inserted(job.node,
                                   {operand ? std::optional(leading) : std::nullopt,
                                    indices ? std::optional(leading) : std::nullopt},
                                   {leading});
  if (operand && indices) {
    prepend(attrs, "operand_batching_dims", 0);
    prepend(attrs, "start_indices_batching_dims", 0);
    I64s sizes = attrs.i64s("slice_sizes");
    sizes[0] = std::min<std::int64_t>(1, job.context.size);
    attrs.set("slice_sizes", sizes);
    attrs.erase("indices_are_sorted");
  } else if (operand) {
    prepend(attrs, "offset_dims", 0);
  } else {
    attrs.erase("indices_are_sorted");
  }
  job.set_all(remake(job.node, job.context.into, {job.plain(0), job.plain(1)}, std::move(attrs),
                     job.batched_types(), job.context.before));
}

}  // namespace

void register_gather(OpRegistry& registry) {
  using Side = DimRole::Side;
  const auto field = [](AttrSpec spec) {
    return field_of(std::move(spec), "dimension_numbers", "stablehlo.gather");
  };
  OpDef op;
  op.name = "stablehlo.gather";
  op.doc =
      "Slices of the operand at start indices from an array, each moved into the operand where it "
      "sticks out.";
  op.attrs = {field(dims_attr("offset_dims", {dim_index(Side::result, 0)})),
              field(dims_attr("collapsed_slice_dims", {dim_index(Side::operand, 0)})),
              field(dims_attr("operand_batching_dims", {dim_index(Side::operand, 0)})),
              field(dims_attr("start_indices_batching_dims", {dim_index(Side::operand, 1)})),
              field(dims_attr("start_index_map", {dim_index(Side::operand, 0)})),
              field(dim_attr("index_vector_dim", {dim_index(Side::operand, 1)})),
              dims_attr("slice_sizes", {per_dim(Side::operand, 0, Fill::extent)}),
              flag_attr("indices_are_sorted")};
  op.infer = infer;
  op.eval = eval;
  op.derivative = Derivative::linear_in({0}, vjp);
  op.shape = KernelShape::loops;
  op.elements = Elements::gathered;
  op.lower = lower;
  op.factors = factors;
  op.batch = batch;
  op.samples = {
      R"(func.func @main(%a: tensor<5x3xf32>, %i: tensor<4x1xi32>, %j: tensor<2x4xi32>, %b: tensor<2x6x3xf32>, %k: tensor<2x4x1xi32>, %s: tensor<i32>) -> (tensor<4x3xf32>, tensor<4x2x2xf32>, tensor<2x4x3xf32>, tensor<3xf32>, tensor<2x4x5xf32>) {
  %0 = "stablehlo.gather"(%a, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1, 3>}> : (tensor<5x3xf32>, tensor<4x1xi32>) -> tensor<4x3xf32>
  %1 = "stablehlo.gather"(%a, %j) <{dimension_numbers = #stablehlo.gather<offset_dims = [1, 2], start_index_map = [1, 0], index_vector_dim = 0>, indices_are_sorted = false, slice_sizes = array<i64: 2, 2>}> : (tensor<5x3xf32>, tensor<2x4xi32>) -> tensor<4x2x2xf32>
  %2 = "stablehlo.gather"(%b, %k) <{dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [0], start_index_map = [1], index_vector_dim = 2>, indices_are_sorted = false, slice_sizes = array<i64: 1, 1, 3>}> : (tensor<2x6x3xf32>, tensor<2x4x1xi32>) -> tensor<2x4x3xf32>
  %3 = "stablehlo.gather"(%a, %s) <{dimension_numbers = #stablehlo.gather<offset_dims = [0], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 0>, indices_are_sorted = true, slice_sizes = array<i64: 1, 3>}> : (tensor<5x3xf32>, tensor<i32>) -> tensor<3xf32>
  %4 = "stablehlo.gather"(%a, %j) <{dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [1], start_index_map = [1], index_vector_dim = 2>, indices_are_sorted = false, slice_sizes = array<i64: 5, 1>}> : (tensor<5x3xf32>, tensor<2x4xi32>) -> tensor<2x4x5xf32>
  return %0, %1, %2, %3, %4 : tensor<4x3xf32>, tensor<4x2x2xf32>, tensor<2x4x3xf32>, tensor<3xf32>, tensor<2x4x5xf32>
})"};
  OpDef dynamic;
  dynamic.name = "stablehlo.dynamic_gather";
  dynamic.doc = "stablehlo.gather, with slice sizes that follow from constants.";
  for (const AttrSpec& spec : op.attrs)
    if (spec.name != "slice_sizes") dynamic.attrs.push_back(spec);
  dynamic.samples = {dynamic_sample};
  add_expansion(registry, std::move(dynamic), expand_dynamic);
  registry.add(std::move(op));
}

}  // namespace partita::ir::ops
