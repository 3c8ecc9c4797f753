// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "ir/axes/batching.hpp"
#include "ops/scatter/scatter_derivative.hpp"
#include "ops/support/support.hpp"
#include "partita/ir/reduction.hpp"
#include "partita/scalar/elementwise.hpp"

namespace partita::ir::ops {
namespace {

/// The dimension numbers, and what follows from them.
struct ScatterDims {
  const I64s &update_window, &inserted, &input_batching, &indices_batching, &to_operand;
  std::int64_t vector_dim;
  I64s window;        ///< operand dimensions that window dimensions of the updates run along
  I64s indices_rest;  ///< dimensions of the indices but the vector's, in order
  I64s batch;         ///< dimensions of the updates for those
  ScatterDims(const Dict& attrs, std::int64_t operand_rank, std::int64_t indices_rank)
      : update_window(attrs.i64s("update_window_dims")),
        inserted(attrs.i64s("inserted_window_dims")),
        input_batching(attrs.i64s("input_batching_dims")),
        indices_batching(attrs.i64s("scatter_indices_batching_dims")),
        to_operand(attrs.i64s("scatter_dims_to_operand_dims")),
        vector_dim(attrs.i64("index_vector_dim")),
        window(other_dims(operand_rank, inserted, input_batching)),
        indices_rest(other_dims(indices_rank, std::span(&vector_dim, 1))),
        batch(other_dims(std::int64_t(indices_rest.size() + update_window.size()), update_window)) {
  }
  ScatterDims(const ScatterDims&) = delete;
};

/// Operands: n inputs, the indices, n updates.
std::size_t input_count(std::size_t operands) { return operands / 2; }

void expect_dim_lists(const InferContext& c, const ScatterDims& s, const Type& input,
                      const Type& indices) {
  const std::int64_t rank = input.rank(), indices_rank = indices.rank();
  c.expect(
      rank == std::int64_t(s.update_window.size() + s.inserted.size() + s.input_batching.size()),
      cat(rank,
          " entries in update_window_dims, inserted_window_dims and input_batching_dims together"),
      cat(to_text(s.update_window), ", ", to_text(s.inserted), " and ",
          to_text(s.input_batching)));  // (C2)
  c.expect(s.vector_dim >= 0 && s.vector_dim <= indices_rank,
           cat("index_vector_dim within [0, ", indices_rank, "]"),
           cat(s.vector_dim));                              // (C22)
  expect_unique(c, "update_window_dims", s.update_window);  // (C7)
  expect_sorted(c, "update_window_dims", s.update_window);
  const std::int64_t batches = indices_rank - (s.vector_dim < indices_rank ? 1 : 0);
  expect_dimensions(c, "update_window_dims", s.update_window,
                    batches + std::int64_t(s.update_window.size()));  // (C8)
  I64s both = s.inserted;
  both.insert(both.end(), s.input_batching.begin(), s.input_batching.end());
  expect_unique(c, "inserted_window_dims and input_batching_dims", both);                   // (C9)
  expect_sorted(c, "inserted_window_dims", s.inserted);                                     // (C10)
  expect_dimensions(c, "inserted_window_dims", s.inserted, rank);                           // (C11)
  expect_sorted(c, "input_batching_dims", s.input_batching);                                // (C12)
  expect_dimensions(c, "input_batching_dims", s.input_batching, rank);                      // (C13)
  expect_unique(c, "scatter_indices_batching_dims", s.indices_batching);                    // (C14)
  expect_dimensions(c, "scatter_indices_batching_dims", s.indices_batching, indices_rank);  // (C15)
  c.expect(!contains(s.indices_batching, s.vector_dim),
           "index_vector_dim not among scatter_indices_batching_dims",
           cat(s.vector_dim));  // (C16)
  c.expect(s.input_batching.size() == s.indices_batching.size(),
           cat(s.input_batching.size(), " entries in scatter_indices_batching_dims"),
           to_text(s.indices_batching));  // (C17)
  for (std::size_t k = 0; k < s.input_batching.size(); ++k) {
    const std::int64_t a = input.dims[std::size_t(s.input_batching[k])],
                       b = indices.dims[std::size_t(s.indices_batching[k])];
    c.expect(a == b, "equal extents of batching dimensions", cat(a, " and ", b));  // (C18)
  }
  const std::int64_t components =
      s.vector_dim < indices_rank ? indices.dims[std::size_t(s.vector_dim)] : 1;
  c.expect(std::int64_t(s.to_operand.size()) == components,
           cat(components, " entries in scatter_dims_to_operand_dims"),
           to_text(s.to_operand));  // (C19)
  I64s mapped = s.to_operand;
  mapped.insert(mapped.end(), s.input_batching.begin(), s.input_batching.end());
  expect_unique(c, "scatter_dims_to_operand_dims and input_batching_dims", mapped);  // (C20)
  expect_dimensions(c, "scatter_dims_to_operand_dims", s.to_operand, rank);          // (C21)
}

void expect_updates(const InferContext& c, const ScatterDims& s, const Type& input,
                    const Type& indices, const Type& updates) {
  const auto rank = std::int64_t(s.update_window.size() + s.batch.size());
  c.expect(updates.rank() == rank, cat("updates of rank ", rank), to_string(updates));  // (C4)
  for (std::size_t k = 0; k < s.batch.size(); ++k) {
    const std::int64_t wanted = indices.dims[std::size_t(s.indices_rest[k])];
    c.expect(updates.dims[std::size_t(s.batch[k])] == wanted,
             cat("extent ", wanted, " in dimension ", s.batch[k], " of the updates"),
             to_string(updates));
  }
  for (std::size_t k = 0; k < s.window.size(); ++k) {
    const std::int64_t most = input.dims[std::size_t(s.window[k])];
    c.expect(
        updates.dims[std::size_t(s.update_window[k])] <= most,
        cat("an extent within ", most, " in dimension ", s.update_window[k], " of the updates"),
        to_string(updates));
  }
}

std::vector<Type> infer(const InferContext& c) {
  c.expect(c.operands.size() >= 3 && c.operands.size() % 2 == 1,
           "inputs, indices and as many updates", cat(c.operands.size(), " operands"));  // (C5)
  const std::size_t n = input_count(c.operands.size());
  const Type &input = c.operands[0], &indices = c.operands[n], &updates = c.operands[n + 1];
  c.expect(is_integer(indices.dtype), "scatter indices of integers", to_string(indices));
  for (std::size_t k = 0; k < n; ++k) {
    const Type &x = c.operands[k], &u = c.operands[n + 1 + k];
    c.expect(x.dims == input.dims, cat("input ", k, " of the shape of ", to_string(input)),
             to_string(x));  // (C1)
    c.expect(u.dims == updates.dims, cat("update ", k, " of the shape of ", to_string(updates)),
             to_string(u));                                                              // (C3)
    c.expect(u.dtype == x.dtype, cat("updates of ", to_string(x.dtype)), to_string(u));  // (C6)
  }
  const ScatterDims s(c.attrs, input.rank(), indices.rank());
  expect_dim_lists(c, s, input, indices);
  expect_updates(c, s, input, indices, updates);
  expect_combiner_region(c, c.operands.subspan(0, n));                  // (C23)
  return {c.operands.begin(), c.operands.begin() + std::ptrdiff_t(n)};  // (C24), (C25)
}

/// Calls f(element of the inputs, element of the updates) for each update that lies inside.
template <class F>
void for_each_update(const EvalContext& c, F&& f) {
  const std::size_t n = input_count(c.operands.size());
  const Type &input = c.operands[0]->type, &indices = c.operands[n]->type,
             &updates = c.operands[n + 1]->type;
  const ScatterDims s(c.node.attrs, input.rank(), indices.rank());
  const I64s values = index_values(*c.operands[n]);
  const Dims index_strides = row_major_strides(indices.dims),
             strides = row_major_strides(input.dims);
  std::int64_t update = -1;
  for_each_index(updates.dims, [&](std::span<const std::int64_t> index) {
    ++update;
    std::int64_t at = 0;  // of the index vector
    for (std::size_t k = 0; k < s.batch.size(); ++k)
      at += index[std::size_t(s.batch[k])] * index_strides[std::size_t(s.indices_rest[k])];
    Dims target(input.dims.size(), 0);
    for (std::size_t k = 0; k < s.window.size(); ++k)
      target[std::size_t(s.window[k])] = index[std::size_t(s.update_window[k])];
    for (std::size_t k = 0; k < s.input_batching.size(); ++k) {
      const auto in_batch =
          std::find(s.indices_rest.begin(), s.indices_rest.end(), s.indices_batching[k]);
      target[std::size_t(s.input_batching[k])] =
          index[std::size_t(s.batch[std::size_t(in_batch - s.indices_rest.begin())])];
    }
    for (std::size_t k = 0; k < s.to_operand.size(); ++k) {
      const std::int64_t step = s.vector_dim < indices.rank()
                                    ? index_strides[std::size_t(s.vector_dim)] * std::int64_t(k)
                                    : 0;
      const auto d = std::size_t(s.to_operand[k]);
      const std::int64_t start = values[std::size_t(at + step)];
      // Compared before adding: an index may be anything.
      if (start < -target[d] || start >= input.dims[d] - target[d]) return;
      target[d] += start;
    }
    f(offset_of(target, strides), update);
  });
}

/// A region that is one row, element by element as the region would be run.
HostArray combine_by_row(const EvalContext& c, Combiner combiner) {
  HostArray result = *c.operands[0];
  const HostArray& updates = *c.operands[2];
  const ElementwiseFn apply =
      elementwise_function(elementwise_row(info(combiner).row), result.type.dtype);
  PARTITA_ASSERT(apply);
  const auto size = std::int64_t(byte_size(result.type.dtype));
  for_each_update(c, [&](std::int64_t to, std::int64_t from) {
    std::byte* element = result.bytes.data() + to * size;
    const void* operands[] = {element, updates.bytes.data() + from * size};
    apply(operands, element, 1);
  });
  return result;
}

std::vector<Tensor> eval(const EvalContext& c) {
  const std::size_t n = input_count(c.operands.size());
  const Graph& region = c.node.region(0);
  const auto combiner = n == 1 ? simple_combiner(region) : std::nullopt;
  if (combiner) return one(combine_by_row(c, *combiner));
  std::vector<HostArray> results;
  for (std::size_t k = 0; k < n; ++k) results.push_back(*c.operands[k]);
  const auto put = [&](std::size_t k, std::int64_t to, const std::byte* bytes) {
    const std::size_t size = byte_size(results[k].type.dtype);
    std::memcpy(results[k].bytes.data() + std::size_t(to) * size, bytes, size);
  };
  const bool assigns = returns_update(region);
  for_each_update(c, [&](std::int64_t to, std::int64_t from) {
    std::vector<Tensor> arguments;
    for (std::size_t k = 0; k < n; ++k) {
      const HostArray& update = *c.operands[n + 1 + k];
      if (assigns)
        put(k, to, update.bytes.data() + std::size_t(from) * byte_size(update.type.dtype));
      else
        arguments.push_back(element(results[k], to));
    }
    if (assigns) return;
    for (std::size_t k = 0; k < n; ++k) arguments.push_back(element(*c.operands[n + 1 + k], from));
    const std::vector<Tensor> combined = c.run_region(0, std::move(arguments));
    for (std::size_t k = 0; k < n; ++k) put(k, to, combined[k]->bytes.data());
  });
  std::vector<Tensor> tensors;
  for (HostArray& result : results)
    tensors.push_back(std::make_shared<const HostArray>(std::move(result)));
  return tensors;
}

FactorRule factors(const Node& node) {
  const std::size_t n = input_count(node.operands().size());
  const Type &input = node.operand(0).type(), &updates = node.operand(n + 1).type();
  const ScatterDims s(node.attrs, input.rank(), node.operand(n).type().rank());
  FactorRule rule = empty_rule(node);
  const auto share = [&](std::size_t input_dim, std::size_t update_dim) {
    const int f = rule.add_factor(input.dims[input_dim]);
    for (std::size_t k = 0; k < n; ++k)
      rule.operands[k][input_dim] = rule.results[k][input_dim] =
          rule.operands[n + 1 + k][update_dim] = {f};
    return f;
  };
  for (std::size_t k = 0; k < s.input_batching.size(); ++k) {
    const auto in_batch =
        std::find(s.indices_rest.begin(), s.indices_rest.end(), s.indices_batching[k]);
    const auto update_dim = std::size_t(s.batch[std::size_t(in_batch - s.indices_rest.begin())]);
    rule.operands[n][std::size_t(s.indices_batching[k])] = {
        share(std::size_t(s.input_batching[k]), update_dim)};
  }
  for (std::size_t k = 0; k < s.window.size(); ++k) {
    const auto d = std::size_t(s.window[k]), u = std::size_t(s.update_window[k]);
    if (updates.dims[u] == input.dims[d] && !contains(s.to_operand, s.window[k])) share(d, u);
  }
  replicate_rest(node, rule);
  return rule;
}

constexpr const char* samples[] = {
    R"(func.func @main(%a: tensor<5xf32>, %i: tensor<4x1xi32>, %u: tensor<4xf32>) -> tensor<5xf32> {
  %0 = "stablehlo.scatter"(%a, %i, %u) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = false}> ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %r = stablehlo.add %p, %q : tensor<f32>
    stablehlo.return %r : tensor<f32>
  }) : (tensor<5xf32>, tensor<4x1xi32>, tensor<4xf32>) -> tensor<5xf32>
  return %0 : tensor<5xf32>
})",
    R"(func.func @main(%a: tensor<5x3xf32>, %i: tensor<4x1xi32>, %u: tensor<4x3xf32>, %b: tensor<2x6x3xf32>, %k: tensor<2x4x1xi32>, %w: tensor<2x4x3xf32>, %j: tensor<2xi32>, %x: tensor<2x2xf32>, %s: tensor<i32>, %y: tensor<3xf32>) -> (tensor<5x3xf32>, tensor<2x6x3xf32>, tensor<5x3xf32>, tensor<5x3xf32>, tensor<5x3xf32>) {
  %0 = "stablehlo.scatter"(%a, %i, %u) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = false}> ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %r = stablehlo.add %p, %q : tensor<f32>
    stablehlo.return %r : tensor<f32>
  }) : (tensor<5x3xf32>, tensor<4x1xi32>, tensor<4x3xf32>) -> tensor<5x3xf32>
  %1 = "stablehlo.scatter"(%b, %k, %w) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [2], inserted_window_dims = [1], input_batching_dims = [0], scatter_indices_batching_dims = [0], scatter_dims_to_operand_dims = [1], index_vector_dim = 2>, unique_indices = false}> ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %r = stablehlo.maximum %p, %q : tensor<f32>
    stablehlo.return %r : tensor<f32>
  }) : (tensor<2x6x3xf32>, tensor<2x4x1xi32>, tensor<2x4x3xf32>) -> tensor<2x6x3xf32>
  %2 = "stablehlo.scatter"(%a, %j, %x) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [0, 1], scatter_dims_to_operand_dims = [1, 0], index_vector_dim = 0>, unique_indices = true}> ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    stablehlo.return %q : tensor<f32>
  }) : (tensor<5x3xf32>, tensor<2xi32>, tensor<2x2xf32>) -> tensor<5x3xf32>
  %3 = "stablehlo.scatter"(%a, %s, %y) <{indices_are_sorted = true, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [0], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 0>, unique_indices = true}> ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %r = stablehlo.subtract %p, %q : tensor<f32>
    stablehlo.return %r : tensor<f32>
  }) : (tensor<5x3xf32>, tensor<i32>, tensor<3xf32>) -> tensor<5x3xf32>
  %4 = "stablehlo.scatter"(%a, %i, %u) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = false}> ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %r = stablehlo.minimum %q, %p : tensor<f32>
    stablehlo.return %r : tensor<f32>
  }) : (tensor<5x3xf32>, tensor<4x1xi32>, tensor<4x3xf32>) -> tensor<5x3xf32>
  return %0, %1, %2, %3, %4 : tensor<5x3xf32>, tensor<2x6x3xf32>, tensor<5x3xf32>, tensor<5x3xf32>, tensor<5x3xf32>
})",
    R"(func.func @main(%a: tensor<6xf32>, %b: tensor<6xi32>, %i: tensor<3x1xi32>, %u: tensor<3xf32>, %v: tensor<3xi32>) -> (tensor<6xf32>, tensor<6xi32>) {
  %0:2 = "stablehlo.scatter"(%a, %b, %i, %u, %v) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = false}> ({
  ^bb0(%p: tensor<f32>, %q: tensor<i32>, %r: tensor<f32>, %s: tensor<i32>):
    %1 = stablehlo.maximum %p, %r : tensor<f32>
    %2 = stablehlo.add %q, %s : tensor<i32>
    stablehlo.return %1, %2 : tensor<f32>, tensor<i32>
  }) : (tensor<6xf32>, tensor<6xi32>, tensor<3x1xi32>, tensor<3xf32>, tensor<3xi32>) -> (tensor<6xf32>, tensor<6xi32>)
  return %0#0, %0#1 : tensor<6xf32>, tensor<6xi32>
})"};

void batch(const BatchJob& job) {
  const DimEdit leading{0, job.context.size};
  const std::size_t n = job.operands.size() / 2;
  const bool indices = job.is_batched(n);
  Dict attrs = attrs_with_inserted(
      job.node, {leading, indices ? std::optional(leading) : std::nullopt, leading}, {});
  if (indices) {
    prepend(attrs, "input_batching_dims", 0);
    prepend(attrs, "scatter_indices_batching_dims", 0);
    attrs.erase("indices_are_sorted");
  } else {
    prepend(attrs, "update_window_dims", 0);
  }
  std::vector<Value> operands;
  for (std::size_t k = 0; k < job.operands.size(); ++k)
    operands.push_back(k == n ? job.plain(k) : job.with_batch(k));
  job.set_all(remake(job.node, job.context.into, std::move(operands), std::move(attrs),
                     job.batched_types(), job.context.before));
}

}  // namespace

void register_scatter(OpRegistry& registry) {
  using Side = DimRole::Side;
  const auto field = [](AttrSpec spec) {
    return field_of(std::move(spec), "scatter_dimension_numbers", "stablehlo.scatter");
  };
  OpDef op;
  op.name = "stablehlo.scatter";
  op.doc =
      "The inputs with updates combined into them at indices from an array; an update outside is "
      "skipped.";
  // Roles count operands as for one input: 0 the input, 1 the indices, 2 the update.
  op.attrs = {field(dims_attr("update_window_dims", {dim_index(Side::operand, 2)})),
              field(dims_attr("inserted_window_dims", {dim_index(Side::operand, 0)})),
              field(dims_attr("input_batching_dims", {dim_index(Side::operand, 0)})),
              field(dims_attr("scatter_indices_batching_dims", {dim_index(Side::operand, 1)})),
              field(dims_attr("scatter_dims_to_operand_dims", {dim_index(Side::operand, 0)})),
              field(dim_attr("index_vector_dim", {dim_index(Side::operand, 1)})),
              flag_attr("indices_are_sorted"),
              flag_attr("unique_indices")};
  op.infer = infer;
  op.eval = eval;
  op.derivative = scatter_derivative();
  op.shape = KernelShape::scatter;
  op.factors = factors;
  op.batch = batch;
  op.may_alias = {{0, 0}};
  op.samples = {std::begin(samples), std::end(samples)};
  registry.add(std::move(op));
}

}  // namespace partita::ir::ops
