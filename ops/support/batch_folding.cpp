// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "ops/support/batch_folding.hpp"

namespace partita::ir::ops {

Value folded(const Maker& b, Value v, const Fold& fold) {
  Dims split = v.type().dims;
  const auto at = std::size_t(fold.dim) + 1;
  std::int64_t to = fold.dim;
  if (fold.groups != 1) {
    split[at] /= fold.groups;
    split.insert(split.begin() + std::ptrdiff_t(at), fold.groups);
    ++to;
  }
  Dims joined = v.type().dims;
  joined[at] *= joined[0];
  joined.erase(joined.begin());
  return b.reshape(b.transpose(b.reshape(v, split), moved_dim(std::ssize(split), 0, to)), joined);
}

Value unfolded(const Maker& b, Value v, const Fold& fold, std::int64_t size) {
  Dims split = v.type().dims;
  auto at = std::size_t(fold.dim);
  Dims result = split;
  result[at] /= size;
  result.insert(result.begin(), size);
  split[at] /= size * fold.groups;
  split.insert(split.begin() + std::ptrdiff_t(at), size);
  if (fold.groups != 1) {
    split.insert(split.begin() + std::ptrdiff_t(at), fold.groups);
    ++at;
  }
  return b.reshape(
      b.transpose(b.reshape(v, split), moved_dim(std::ssize(split), std::int64_t(at), 0)), result);
}

void set_zeros(const BatchJob& job) {
  for (int k = 0; k < job.node.result_count(); ++k)
    job.set(k, job.maker().splat(job.node.result_types()[std::size_t(k)], 0), false);
}

bool set_if_empty(const BatchJob& job) {
  for (const Type& t : job.node.result_types())
    if (t.count() != 0 && job.context.size != 0) return false;
  set_zeros(job);
  return true;
}

}  // namespace partita::ir::ops
