// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "ops/support/start_indices.hpp"

namespace partita::ir::ops {

Value stacked_starts(const BatchJob& job, std::size_t first) {
  const Maker b = job.maker();
  std::vector<Value> columns;
  for (std::size_t k = first; k < job.operands.size(); ++k)
    columns.push_back(b.reshape(job.with_batch(k), {job.context.size, 1}));
  return columns.size() == 1 ? columns[0]
                             : b.op("stablehlo.concatenate", columns, {{"dimension", 1}});
}

void batch_same_place(const BatchJob& job, std::size_t first_start) {
  const DimEdit leading{0, job.context.size};
  std::vector<Value> operands;
  for (std::size_t k = 0; k < first_start; ++k) operands.push_back(job.with_batch(k));
  if (first_start < job.operands.size())
    operands.push_back(job.maker().splat(job.plain(first_start).type(), 0));
  else
    operands.push_back(job.maker().splat(Type::scalar(DType::i32), 0));
  for (std::size_t k = first_start; k < job.operands.size(); ++k) operands.push_back(job.plain(k));
  job.set_all(remake(job.node, job.context.into, std::move(operands),
                     attrs_with_inserted(job.node, {leading}, {leading}), job.batched_types(),
                     job.context.before));
}

Removal remove_with_start(const RemovalJob& job, std::size_t first_start) {
  RemovalJob without = job;
  if (const AxisPosition p = *job.flow.results[0]; is_whole(p))
    without.operands.erase(without.operands.begin() +
                           std::ptrdiff_t(first_start + std::size_t(p.dim)));
  return remove_plain(without);
}

}  // namespace partita::ir::ops
