// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Batching of ops that have no dimension to put the batch in (random bits of a state): a loop over
// the new dimension that runs the op on each slice.
#include "ir/axes/batching.hpp"

namespace partita::ir {
namespace {

/// Slice `at` along dimension 0.
Value slice_of(const Maker& b, Value array, Value at) {
  std::vector<Value> starts{at};
  Dims sizes = array.type().dims;
  for (std::size_t d = 1; d < sizes.size(); ++d) starts.push_back(b.splat(at.type(), 0));
  sizes[0] = 1;
  std::vector<Value> operands{array};
  operands.insert(operands.end(), starts.begin(), starts.end());
  const Value slice = b.op("stablehlo.dynamic_slice", operands,
                           {{"slice_sizes", I64s(sizes.begin(), sizes.end())}});
  return b.reshape(slice, Dims(sizes.begin() + 1, sizes.end()));
}

Value with_slice(const Maker& b, Value array, Value at, Value slice) {
  Dims dims = array.type().dims;
  dims[0] = 1;
  std::vector<Value> operands{array, b.reshape(slice, dims), at};
  for (std::size_t d = 1; d < dims.size(); ++d) operands.push_back(b.splat(at.type(), 0));
  return b.op("stablehlo.dynamic_update_slice", operands);
}

}  // namespace

void batch_by_loop(const BatchJob& job) {
  const Maker b = job.maker();
  const std::size_t n = job.operands.size();
  const std::vector<Type> types = job.batched_types();
  // Carried: the place, the operands, the results so far.
  std::vector<Value> carried{b.splat(Type::scalar(DType::i64), 0)};
  for (std::size_t k = 0; k < n; ++k) carried.push_back(job.plain(k));
  for (const Type& t : types) carried.push_back(b.splat(t, 0));
  auto condition = std::make_unique<Graph>(), body = std::make_unique<Graph>();
  for (const Value& v : carried) {
    condition->add_argument(v.type());
    body->add_argument(v.type());
  }
  const Maker test{*condition}, step{*body};
  const Value at = body->argument(0);
  condition->results = {
      test.compare("LT", condition->argument(0), test.splat(at.type(), double(job.context.size)))};
  std::vector<Value> operands;
  for (std::size_t k = 0; k < n; ++k) {
    const Value whole = body->argument(int(k) + 1);
    operands.push_back(job.is_batched(k) ? slice_of(step, whole, at) : whole);
  }
  Node* made = remake(job.node, *body, operands, job.node.attrs, job.node.result_types(), nullptr);
  body->results = {step.op("stablehlo.add", {at, step.splat(at.type(), 1)})};
  for (std::size_t k = 0; k < n; ++k) body->results.push_back(body->argument(int(k) + 1));
  for (std::size_t k = 0; k < types.size(); ++k)
    body->results.push_back(
        with_slice(step, body->argument(int(n + k) + 1), at, made->result(int(k))));
  std::vector<std::unique_ptr<Graph>> regions;
  regions.push_back(std::move(condition));
  regions.push_back(std::move(body));
  Node* loop = create(b.graph, "stablehlo.while", carried, {}, std::move(regions), {}, b.before,
                      job.node.location());
  for (std::size_t k = 0; k < types.size(); ++k) job.set(int(k), loop->result(int(n + k) + 1));
}

}  // namespace partita::ir
