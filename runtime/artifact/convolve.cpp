// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include <numeric>

#include "partita/artifact/plan.hpp"

namespace partita {
namespace {

template <class F>
std::int64_t product(const std::vector<ConvolveWindow>& window, const F& factor) {
  return std::accumulate(
      window.begin(), window.end(), std::int64_t{1},
      [&](std::int64_t all, const ConvolveWindow& w) { return all * factor(w); });
}

}  // namespace

std::int64_t Convolve::source_count() const {
  return batch * groups * inputs * product(window, [](const auto& w) { return w.input; });
}

std::int64_t Convolve::result_count() const {
  return batch * groups * outputs * product(window, [](const auto& w) { return w.count(); });
}

std::int64_t Convolve::weight_span() const {
  std::int64_t span = 1;
  for (std::size_t d = 0; d < window.size(); ++d) span += (window[d].size - 1) * weight_strides[d];
  span += (inputs - 1) * weight_strides[window.size()];
  return span + (groups * outputs - 1) * weight_strides[window.size() + 1];
}

double Convolve::multiply_adds() const {
  return double(result_count()) * double(inputs) *
         double(product(window, [](const auto& w) { return w.size; }));
}

}  // namespace partita
