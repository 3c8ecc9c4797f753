// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Batching of reductions.  An initial value for each slice needs more than a further dimension: the
// identity where the combiner has one, else a loop over the reduced elements.
#include <algorithm>

#include "ir/axes/batching.hpp"
#include "ops/reduce/reduce.hpp"
#include "partita/ir/make_loop.hpp"
#include "partita/ir/reduction.hpp"

namespace partita::ir::ops {
namespace {

/// Starts from the identity, and combines each slice's initial value with the result.
void reduce_from_identity(const BatchJob& job, Combiner combiner) {
  const Maker b = job.maker();
  BatchJob without = job;
  const DenseRef identity = combiner_identity(combiner, job.node.operand(1).type());
  without.operands[1] = {b.constant(identity), false};
  batch_leading(without, {true, false});
  const Value reduced = job.made(0);
  const Value init = b.broadcast(job.plain(1), reduced.type().dims, {0});
  job.set(0, b.op(cat("stablehlo.", info(combiner).op), {init, reduced}));
}

/// Dimensions of the batched operand: reduced ones in front, then the batch and those that stay.
struct LoopShape {
  I64s permutation;
  std::int64_t steps = 1, slices = 1;

  explicit LoopShape(const BatchJob& job) : slices(job.context.size) {
    const Dims& dims = job.node.operand(0).type().dims;
    const I64s& reduced = job.node.attrs.i64s("dimensions");
    I64s kept{0};
    for (std::int64_t d = 0; d < std::int64_t(dims.size()); ++d) {
      const bool is_reduced = std::find(reduced.begin(), reduced.end(), d) != reduced.end();
      (is_reduced ? permutation : kept).push_back(d + 1);
      (is_reduced ? steps : slices) *= dims[std::size_t(d)];
    }
    permutation.insert(permutation.end(), kept.begin(), kept.end());
  }
};

/// One step: the region on every slice at once, of the values so far and a row of each operand.
std::vector<Value> reduce_row(const BatchJob& job, std::span<const Value> so_far,
                              const std::vector<Value>& rows, const Maker& body) {
  const Graph& region = job.node.region(0);
  BatchMap map;
  for (std::size_t k = 0; k < rows.size(); ++k) {
    map[region.argument(int(k))] = {so_far[k], true};
    map[region.argument(int(rows.size() + k))] = {rows[k], true};
  }
  const BatchContext slices{.into = body.graph, .size = rows[0].type().dims[0]};
  std::vector<Value> next;
  for (const BatchedValue& v : batch_body(region, map, slices)) next.push_back(batched(v, slices));
  return next;
}

/// Element by element, for a region that is not one of the usual ones.
void reduce_by_loop(const BatchJob& job) {
  const Maker b = job.maker();
  const LoopShape shape(job);
  const std::size_t n = job.operands.size() / 2;
  std::vector<Value> elements, start;
  const std::vector<Type> results = job.batched_types();
  for (std::size_t k = 0; k < n; ++k) {
    const Value moved =
        b.op("stablehlo.transpose", {job.with_batch(k)}, {{"permutation", shape.permutation}});
    elements.push_back(b.reshape(moved, {shape.steps, shape.slices}));
    start.push_back(
        b.reshape(b.broadcast(job.with_batch(n + k), results[k].dims, {0}), {shape.slices}));
  }
  const std::vector<Value> reduced = make_counted_loop(
      b, DType::i64, shape.steps, start,
      [&](const Maker& body, Value step, std::span<const Value> so_far) {
        std::vector<Value> rows;
        for (const Value& v : elements)
          rows.push_back(body.reshape(slice_along(body, v, 0, step, 1), {shape.slices}));
        return reduce_row(job, so_far, rows, body);
      });
  for (std::size_t k = 0; k < n; ++k) job.set(int(k), b.reshape(reduced[k], results[k].dims));
}

}  // namespace

void batch_reduce(const BatchJob& job) {
  const std::size_t n = job.operands.size() / 2;
  bool inits_batched = false;
  for (std::size_t k = n; k < 2 * n; ++k) inits_batched |= job.is_batched(k);
  if (!inits_batched) {
    std::vector<bool> data(2 * n, false);
    std::fill_n(data.begin(), n, true);
    return batch_leading(job, data);
  }
  const auto combiner = n == 1 ? simple_combiner(job.node.region(0)) : std::nullopt;
  if (combiner)
    reduce_from_identity(job, *combiner);
  else
    reduce_by_loop(job);
}

}  // namespace partita::ir::ops
