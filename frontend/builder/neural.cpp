// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Layers and losses, made of the functions of ops.hpp.
#include <cmath>
#include <limits>
#include <numbers>

#include "frontend/builder/scope.hpp"
#include "partita/builder/elementwise.hpp"
#include "partita/builder/ops.hpp"

namespace partita::build {
namespace {

/// x less its maximum along a dimension, which no derivative needs to see.
Array shifted(const Array& x, std::int64_t dimension) {
  return x - expand_dims(max(x, {dimension}), {dimension});
}

Array kept_sum(const Array& x, std::int64_t dimension) {
  return expand_dims(sum(x, {dimension}), {dimension});
}

}  // namespace

Array relu(const Array& x) { return maximum(x, 0); }

Array gelu(const Array& x) {
  const double scale = std::sqrt(2 / std::numbers::pi);
  return 0.5 * x * (1 + tanh(scale * (x + 0.044715 * x * x * x)));
}

Array softmax(const Array& x, std::int64_t dimension) {
  const Array e = exponential(shifted(x, dimension));
  return e / kept_sum(e, dimension);
}

Array log_softmax(const Array& x, std::int64_t dimension) {
  const Array s = shifted(x, dimension);
  return s - log(kept_sum(exponential(s), dimension));
}

Array logsumexp(const Array& x, std::int64_t dimension) {
  const Array top = max(x, {dimension});
  return top + log(sum(exponential(x - expand_dims(top, {dimension})), {dimension}));
}

Array layer_norm(const Array& x, const Array& gain, const Array& offset, double epsilon) {
  const Array centred = x - expand_dims(mean(x, {-1}), {-1});
  const Array variance = expand_dims(mean(centred * centred, {-1}), {-1});
  return centred * rsqrt(variance + epsilon) * gain + offset;
}

Array cross_entropy(const Array& logits, const Array& labels) {
  const Array wanted = one_hot(labels, logits.dim(-1), logits.dtype());
  return -sum(log_softmax(logits) * wanted) / double(labels.type().count());
}

Array attention(const Array& q, const Array& k, const Array& v, bool causal) {
  const std::int64_t rank = q.rank();
  Axes batch;
  for (std::int64_t d = 0; d + 2 < rank; ++d) batch.push_back(d);
  Array scores = dot_general(q, k, batch, batch, {rank - 1}, {rank - 1});
  scores = scores / std::sqrt(double(q.dim(-1)));
  if (causal) {
    const Type positions{.dtype = DType::i32, .dims = {scores.dim(-2), scores.dim(-1)}};
    const Array is_past = iota(positions, 1) <= iota(positions, 0);
    scores = where(is_past, scores, -std::numeric_limits<double>::infinity());
  }
  return matmul(softmax(scores), v);
}

}  // namespace partita::build
