// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "examples/diloco_lm/model.hpp"

#include <algorithm>
#include <cmath>

namespace diloco_lm {
namespace {

using partita::Dims;
using partita::DType;
using partita::HostArray;
using partita::Type;
using partita::build::Array;
using partita::build::Arrays;
namespace build = partita::build;

enum class Initial { gains, offsets, weights };

struct Leaf {
  Dims dims;
  Initial initial;
};

std::vector<Leaf> leaves_of(const Sizes& s) {
  const std::int64_t d = s.width;
  std::vector<Leaf> leaves{{{s.vocabulary, d}, Initial::weights},
                           {{s.length, d}, Initial::weights},
                           {{d}, Initial::gains},
                           {{d}, Initial::offsets}};
  for (std::int64_t layer = 0; layer < s.layers; ++layer)
    for (const Leaf& leaf : {Leaf{{d}, Initial::gains}, Leaf{{d}, Initial::offsets},
                             Leaf{{d, 3 * d}, Initial::weights}, Leaf{{d, d}, Initial::weights},
                             Leaf{{d}, Initial::gains}, Leaf{{d}, Initial::offsets},
                             Leaf{{d, 4 * d}, Initial::weights}, Leaf{{4 * d}, Initial::offsets},
                             Leaf{{4 * d, d}, Initial::weights}, Leaf{{d}, Initial::offsets}})
      leaves.push_back(leaf);
  return leaves;
}

/// Hands out the leaves in order.
class Reader {
 public:
  explicit Reader(const Arrays& leaves) : leaves_(leaves) {}
  const Array& next() { return leaves_.at(at_++); }

 private:
  const Arrays& leaves_;
  std::size_t at_ = 0;
};

/// [batch, length, a] by [a, b].
Array dense(const Array& x, const Array& weights) {
  return build::dot_general(x, weights, {}, {}, {2}, {0});
}

Array normalised(const Array& x, Reader& leaves) {
  const Array &gain = leaves.next(), &offset = leaves.next();
  return build::layer_norm(x, gain, offset);
}

/// Part `index` of queries, keys and values, as [batch, heads, length, width of a head].
Array heads_of(const Array& all, std::int64_t index, std::int64_t heads) {
  const std::int64_t batch = all.dim(0), length = all.dim(1), width = all.dim(2) / 3;
  const Array part = build::slice(all, {0, 0, index * width}, {batch, length, (index + 1) * width});
  return build::transpose(build::reshape(part, {batch, length, heads, width / heads}),
                          {0, 2, 1, 3});
}

Array attention(const Array& x, Reader& leaves, std::int64_t heads) {
  const Array all = dense(x, leaves.next());
  const Array mixed = build::attention(heads_of(all, 0, heads), heads_of(all, 1, heads),
                                       heads_of(all, 2, heads), true);
  return dense(build::reshape(build::transpose(mixed, {0, 2, 1, 3}), x.dims()), leaves.next());
}

Array perceptron(const Array& x, Reader& leaves) {
  const Array &w1 = leaves.next(), &b1 = leaves.next(), &w2 = leaves.next(), &b2 = leaves.next();
  return dense(build::gelu(dense(x, w1) + b1), w2) + b2;
}

}  // namespace

std::vector<Type> parameter_types(const Sizes& sizes) {
  std::vector<Type> types;
  for (const Leaf& leaf : leaves_of(sizes))
    types.push_back({.dtype = DType::f32, .dims = leaf.dims});
  return types;
}

std::vector<HostArray> initial_parameters(const Sizes& sizes, std::mt19937& random) {
  std::vector<HostArray> arrays;
  for (const Leaf& leaf : leaves_of(sizes)) {
    HostArray array({.dtype = DType::f32, .dims = leaf.dims});
    std::normal_distribution<float> normal(0, 1 / std::sqrt(float(leaf.dims[0])));
    std::generate_n(array.data<DType::f32>(), array.type.count(), [&] {
      return leaf.initial == Initial::weights ? normal(random)
                                              : float(leaf.initial == Initial::gains);
    });
    arrays.push_back(std::move(array));
  }
  return arrays;
}

Array loss(const Sizes& sizes, const Arrays& params, const Array& tokens) {
  Reader leaves(params);
  const std::int64_t batch = tokens.dim(0), length = tokens.dim(1) - 1;
  const Array inputs = build::slice(tokens, {0, 0}, {batch, length});
  const Array labels = build::slice(tokens, {0, 1}, {batch, length + 1});
  const Array embedding = leaves.next(), positions = leaves.next();
  const Array last_gain = leaves.next(), last_offset = leaves.next();
  Array x = dense(build::one_hot(inputs, sizes.vocabulary, DType::f32), embedding) + positions;
  for (std::int64_t layer = 0; layer < sizes.layers; ++layer) {
    const Array rows = normalised(x, leaves);
    x = x + attention(rows, leaves, sizes.heads);
    const Array columns = normalised(x, leaves);
    x = x + perceptron(columns, leaves);
  }
  const Array hidden = build::layer_norm(x, last_gain, last_offset);
  return build::cross_entropy(build::dot_general(hidden, embedding, {}, {}, {2}, {1}), labels);
}

}  // namespace diloco_lm
