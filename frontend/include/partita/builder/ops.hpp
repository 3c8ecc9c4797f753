// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Functions of arrays beyond the elementwise table.  Dimensions below 0 count from the last.
#pragma once

#include <cstdint>
#include <vector>

#include "partita/builder/array.hpp"

namespace partita::build {

using Axes = std::vector<std::int64_t>;

// --- Types and shapes ---------------------------------------------------------------------------

Array convert(const Array& x, DType dtype);
Array reshape(const Array& x, const Dims& dims);
Array transpose(const Array& x, const Axes& permutation);
/// NumPy's rule: trailing dimensions aligned, extent 1 stretched.
Array broadcast_to(const Array& x, const Dims& dims);
/// Dimensions of extent 1 at these positions of the result.
Array expand_dims(const Array& x, const Axes& positions);
Array slice(const Array& x, const Dims& starts, const Dims& limits, const Dims& strides = {});
Array pad(const Array& x, double value, const Dims& low, const Dims& high);
Array concatenate(const Arrays& parts, std::int64_t dimension);
Array reverse(const Array& x, const Axes& dimensions);
/// `starts`: a scalar integer per dimension.
Array dynamic_slice(const Array& x, const Arrays& starts, const Dims& sizes);
Array dynamic_update_slice(const Array& x, const Array& update, const Arrays& starts);
/// Rows of `table` ([rows, …]) by index: [i…] of integers to [i…, …].
Array take(const Array& table, const Array& indices);
/// [i…] of integers to [i…, classes].
Array one_hot(const Array& indices, std::int64_t classes, DType dtype);

// --- Reductions over dimensions; none named: over all ---------------------------------------------

Array sum(const Array& x, const Axes& dimensions = {});
Array mean(const Array& x, const Axes& dimensions = {});
Array max(const Array& x, const Axes& dimensions = {});
Array min(const Array& x, const Axes& dimensions = {});

// --- Contractions -------------------------------------------------------------------------------

/// As numpy.matmul: [m,k]·[k,n], vectors on either side, leading dimensions in common are batches.
Array matmul(const Array& a, const Array& b);
/// StableHLO's dot_general: batch dimensions first, then those left of `a` and of `b`.
Array dot_general(const Array& a, const Array& b, const Axes& a_batch, const Axes& b_batch,
                  const Axes& a_contracted, const Axes& b_contracted);

// --- Neural networks ----------------------------------------------------------------------------

Array relu(const Array& x);
Array gelu(const Array& x);  ///< the form with tanh
Array softmax(const Array& x, std::int64_t dimension = -1);
Array log_softmax(const Array& x, std::int64_t dimension = -1);
Array logsumexp(const Array& x, std::int64_t dimension = -1);
/// Mean 0 and variance 1 along the last dimension, then gain and offset of that extent.
Array layer_norm(const Array& x, const Array& gain, const Array& offset, double epsilon = 1e-5);
/// Mean over all labels of −log softmax(logits)[label]; logits [i…, classes], labels [i…].
Array cross_entropy(const Array& logits, const Array& labels);
/// softmax(q·kᵀ/√d)·v over [batch…, length, d]; causal: position t sees positions up to t.
Array attention(const Array& q, const Array& k, const Array& v, bool causal);

}  // namespace partita::build
