// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "ops/support/derivative_support.hpp"

#include <numeric>

#include "partita/ir/factor_transform.hpp"
#include "partita/ir/interpreter.hpp"
#include "partita/ir/reduction.hpp"

namespace partita::ir::ops {

// --- Regions ------------------------------------------------------------------------------------

Values apply_region(const DerivativeContext& c, const Graph& region, const Values& arrays) {
  const Dims dims = arrays[0].type().dims;
  const std::int64_t count = arrays[0].type().count();
  Values results;
  if (count == 0) {
    for (const Value& v : region.results)
      results.push_back(c.zeros({.dtype = v.type().dtype, .dims = dims}));
    return results;
  }
  if (const std::string why = why_not_batched(region); !why.empty())
    c.refuse(cat("its region has no meaning on many elements at once: ", why));
  BatchMap map;
  for (std::size_t k = 0; k < arrays.size(); ++k)
    map[region.argument(int(k))] = {c.reshape(arrays[k], {count}), true};
  const BatchContext context{.into = c.graph, .size = count};
  for (const BatchedValue& v : batch_body(region, map, context))
    results.push_back(c.reshape(batched(v, context), dims));
  return results;
}

bool absorbs_constants(const Graph& region, std::span<const Value> inits) {
  std::vector<Tensor> arguments;
  for (const Value& v : inits) {
    if (!v.node->is("stablehlo.constant")) return false;
    const auto* value = v.node->attrs.find("value")->get_if<DenseRef>();
    arguments.push_back(std::make_shared<const HostArray>((*value)->to_array()));
  }
  const std::vector<Tensor> once = arguments;
  arguments.insert(arguments.end(), once.begin(), once.end());
  const Module none;
  const std::vector<Tensor> twice = Interpreter(none).run(region, arguments);
  for (std::size_t k = 0; k < once.size(); ++k)
    if (twice[k]->bytes != once[k]->bytes) return false;
  return true;
}

Values slices(const DerivativeContext& c, const Values& arrays, std::size_t d, std::int64_t from,
              std::int64_t to, std::int64_t step) {
  I64s start(arrays[0].type().dims.size(), 0), limit = arrays[0].type().dims,
                                               steps(start.size(), 1);
  start[d] = from;
  limit[d] = to;
  steps[d] = step;
  Values results;
  for (const Value& v : arrays)
    results.push_back(
        c.op("stablehlo.slice", {v},
             {{"start_indices", start}, {"limit_indices", limit}, {"strides", steps}}));
  return results;
}

Values combine_last(const DerivativeContext& c, const Graph& region, Values arrays) {
  const std::size_t last = arrays[0].type().dims.size() - 1;
  for (std::int64_t n = arrays[0].type().dims.back(); n > 1; n = (n + 1) / 2) {
    const std::int64_t even = n / 2 * 2;
    Values pairs = slices(c, arrays, last, 0, even, 2);
    const Values right = slices(c, arrays, last, 1, even, 2);
    pairs.insert(pairs.end(), right.begin(), right.end());
    Values combined = apply_region(c, region, pairs);
    if (n % 2 == 1) {
      const Values rest = slices(c, arrays, last, n - 1, n);
      for (std::size_t k = 0; k < combined.size(); ++k)
        combined[k] = c.op("stablehlo.concatenate", {combined[k], rest[k]},
                           {{"dimension", std::int64_t(last)}});
    }
    arrays = std::move(combined);
  }
  Dims dims = arrays[0].type().dims;
  dims.pop_back();
  for (Value& v : arrays) v = c.reshape(v, dims);
  return arrays;
}

Values vjp_of(DerivativeContext& c, const Values& cotangents,
              const std::function<Values()>& primal) {
  const std::size_t first = c.graph.nodes().size();
  const Values outputs = primal();
  Values wrt;
  std::vector<std::size_t> asked;
  for (std::size_t k = 0; k < c.node.operands().size(); ++k) {
    if (!c.wanted(k) || !has_tangent(c.node.operand(k).type())) continue;
    // A value that is an operand twice gets its cotangent once.
    if (std::find(wrt.begin(), wrt.end(), c.node.operand(k)) != wrt.end()) continue;
    wrt.push_back(c.node.operand(k));
    asked.push_back(k);
  }
  const Values found = reverse_region(c, "", c.graph, outputs, cotangents, wrt, first);
  Values results(c.node.operands().size());
  for (std::size_t i = 0; i < asked.size(); ++i) results[asked[i]] = found[i];
  return results;
}

Value transposed_vjp(DerivativeContext& c, Value cotangent,
                     const std::function<Value(Value)>& jvp) {
  const Value seed = c.zeros(c.node.operand(0).type());
  const std::size_t first = c.graph.nodes().size();
  const Values outputs{jvp(seed)}, cotangents{cotangent}, wrt{seed};
  return reverse_region(c, "", c.graph, outputs, cotangents, wrt, first)[0];
}

// --- Along one dimension ------------------------------------------------------------------------

namespace {

struct Along {
  I64s batching;  ///< all dimensions but the one
  Value at;       ///< with a last dimension of one component
};

Along along(const DerivativeContext& c, Value at, std::int64_t d) {
  Dims dims = at.type().dims;
  Along out{other_dims(at.type().rank(), I64s{d}), {}};
  dims.push_back(1);
  out.at = c.reshape(at, dims);
  return out;
}

}  // namespace

Value take_along(const DerivativeContext& c, Value v, Value at, std::int64_t d) {
  if (v.type().count() == 0 || at.type().count() == 0)
    return c.zeros({.dtype = v.type().dtype, .dims = at.type().dims});
  const Along a = along(c, at, d);
  return c.op("stablehlo.gather", {v, a.at},
              {{"offset_dims", I64s{}},
               {"collapsed_slice_dims", I64s{d}},
               {"operand_batching_dims", a.batching},
               {"start_indices_batching_dims", a.batching},
               {"start_index_map", I64s{d}},
               {"index_vector_dim", at.type().rank()},
               {"slice_sizes", I64s(v.type().dims.size(), 1)}});
}

Value put_along(const DerivativeContext& c, const Type& type, Value at, Value updates,
                std::int64_t d) {
  if (type.count() == 0 || at.type().count() == 0) return c.zeros(type);
  const Along a = along(c, at, d);
  std::vector<std::unique_ptr<Graph>> regions;
  regions.push_back(make_combiner(Combiner::sum, type.dtype));
  return create(c.graph, "stablehlo.scatter", {c.zeros(type), a.at, updates},
                {{"update_window_dims", I64s{}},
                 {"inserted_window_dims", I64s{d}},
                 {"input_batching_dims", a.batching},
                 {"scatter_indices_batching_dims", a.batching},
                 {"scatter_dims_to_operand_dims", I64s{d}},
                 {"index_vector_dim", at.type().rank()},
                 {"unique_indices", true}},
                std::move(regions))
      ->result();
}

Value by_component(const DerivativeContext& c, const I64s& numbers, const Type& indices,
                   std::int64_t vector_dim) {
  const bool is_same =
      std::ranges::all_of(numbers, [&](std::int64_t n) { return n == numbers[0]; });
  if (is_same) return c.splat(indices, numbers.empty() ? 0 : double(numbers[0]));
  HostArray list(Type{.dtype = DType::i64, .dims = {std::int64_t(numbers.size())}});
  std::ranges::copy(numbers, list.data<DType::i64>());
  const Value constant =
      create_constant(c.graph, make_dense(partita::convert(list, indices.dtype)));
  return c.broadcast(constant, indices.dims, I64s{vector_dim});
}

// --- Matrices -----------------------------------------------------------------------------------

Value matrix_product(const DerivativeContext& c, Value a, Value b, bool transposes_a,
                     bool transposes_b) {
  const std::int64_t rank = a.type().rank();
  I64s stack(std::size_t(rank - 2));
  std::iota(stack.begin(), stack.end(), 0);
  return c.op("stablehlo.dot_general", {a, b},
              {{"lhs_batching_dimensions", stack},
               {"rhs_batching_dimensions", stack},
               {"lhs_contracting_dimensions", I64s{transposes_a ? rank - 2 : rank - 1}},
               {"rhs_contracting_dimensions", I64s{transposes_b ? rank - 1 : rank - 2}}});
}

Value matrix_transpose(const DerivativeContext& c, Value v) {
  I64s order(v.type().dims.size());
  std::iota(order.begin(), order.end(), 0);
  std::swap(order[order.size() - 2], order.back());
  return c.transpose(v, order);
}

Value conjugate(const DerivativeContext& c, Value v) {
  return is_complex(v.type().dtype) ? c.op("chlo.conj", {v}) : v;
}

Value triangle(const DerivativeContext& c, Value v, bool lower, bool with_diagonal) {
  const Type index{.dtype = DType::i32, .dims = v.type().dims};
  const Value row = c.iota(index, index.rank() - 2), column = c.iota(index, index.rank() - 1);
  const char* direction = lower ? (with_diagonal ? "GE" : "GT") : (with_diagonal ? "LE" : "LT");
  return c.select(c.compare(direction, row, column), v, c.zeros(v.type()));
}

}  // namespace partita::ir::ops
