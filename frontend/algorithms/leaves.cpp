// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "partita/algorithms/leaves.hpp"

#include "frontend/builder/scope.hpp"
#include "partita/base/error.hpp"
#include "partita/builder/ops.hpp"

namespace partita::algorithms {

Arrays each(const Arrays& a, const std::function<Array(const Array&)>& f) {
  Arrays results;
  for (const Array& x : a) results.push_back(f(x));
  return results;
}

Arrays each(const Arrays& a, const Arrays& b,
            const std::function<Array(const Array&, const Array&)>& f) {
  if (a.size() != b.size()) build::refuse("each", cat(a.size(), " leaves"), cat(b.size()));
  Arrays results;
  for (std::size_t k = 0; k < a.size(); ++k) results.push_back(f(a[k], b[k]));
  return results;
}

Arrays joined(const Arrays& a, const Arrays& b) {
  Arrays all = a;
  all.insert(all.end(), b.begin(), b.end());
  return all;
}

Arrays part(const Arrays& leaves, std::size_t first, std::size_t count) {
  if (first + count > leaves.size())
    build::refuse("part", cat("at least ", first + count, " leaves"), cat(leaves.size()));
  const auto begin = leaves.begin() + std::ptrdiff_t(first);
  return {begin, begin + std::ptrdiff_t(count)};
}

Array as_type(const Array& factor, DType dtype) {
  if (factor.is_literal()) return build::full(Type::scalar(dtype), factor.literal());
  return factor.dtype() == dtype ? factor : build::convert(factor, dtype);
}

Arrays add_scaled(const Arrays& a, const Array& factor, const Arrays& b) {
  return each(a, b,
              [&](const Array& x, const Array& y) { return x + as_type(factor, x.dtype()) * y; });
}

}  // namespace partita::algorithms
