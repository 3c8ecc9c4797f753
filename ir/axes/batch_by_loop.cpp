// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Batching of ops that have no dimension to put the batch in (random bits of a state): a loop over
// the new dimension that runs the op on each slice.
#include "ir/axes/batching.hpp"
#include "partita/ir/make_loop.hpp"

namespace partita::ir {

void batch_by_loop(const BatchJob& job) {
  const Maker b = job.maker();
  std::vector<Value> start;
  for (const Type& t : job.batched_types()) start.push_back(b.splat(t, 0));
  const auto step = [&](const Maker& in, Value at, std::span<const Value> carries) {
    std::vector<Value> operands;
    for (std::size_t k = 0; k < job.operands.size(); ++k) {
      const Value whole = job.plain(k);
      if (job.is_batched(k)) {
        const Dims& dims = whole.type().dims;
        operands.push_back(
            in.reshape(slice_along(in, whole, 0, at, 1), Dims(dims.begin() + 1, dims.end())));
      } else {
        operands.push_back(whole);
      }
    }
    Node* made =
        remake(job.node, in.graph, operands, job.node.attrs, job.node.result_types(), nullptr);
    std::vector<Value> next;
    for (std::size_t k = 0; k < carries.size(); ++k) {
      Dims dims = carries[k].type().dims;
      dims[0] = 1;
      next.push_back(
          with_slice_along(in, carries[k], 0, at, in.reshape(made->result(int(k)), dims)));
    }
    return next;
  };
  const std::vector<Value> results = make_counted_loop({b.graph, b.before, job.node.location()},
                                                       DType::i64, job.context.size, start, step);
  for (std::size_t k = 0; k < results.size(); ++k) job.set(int(k), results[k]);
}

}  // namespace partita::ir
