// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Every vector math function, on every instruction set that this machine has, is within its bound of
// the exact value on samples of all exponents and gives the special values of IEEE 754.
#include "benchmarks/vector_math/vector_math.hpp"

#include <gtest/gtest.h>

#include <string>

namespace partita::vector_math {
namespace {

constexpr int usual = 30000;

/// Largest error over the samples, and where; the exact values are computed once for all levels.
template <class T>
void check(const Function& f, std::size_t index) {
  const int per_exponent = sizeof(T) == 4 ? 60 : 12;
  std::vector<T> x = sample<T>(f, per_exponent, usual, 1);
  std::vector<T> y = x;
  if (f.arity == 2) {
    y = sample<T>(f, per_exponent, usual, 2);
    std::shuffle(y.begin(), y.end(), std::mt19937_64(3));
    for (const T first : special_values<T>())
      for (const T second : special_values<T>()) {
        x.push_back(first);
        y.push_back(second);
      }
  }
  std::vector<long double> exact(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) exact[i] = f.exact(x[i], y[i]);
  for (const Level& level : levels()) {
    if (!level.supported) continue;
    std::vector<T> actual(x.size());
    level.loops<T>()[index](long(x.size()), x.data(), y.data(), actual.data());
    double worst = 0;
    std::size_t at = 0;
    for (std::size_t i = 0; i < x.size(); ++i)
      if (const double e = ulps(actual[i], exact[i]); e > worst) worst = e, at = i;
    EXPECT_LE(worst, f.bound<T>()) << f.name << " on " << level.name << " of " << 8 * sizeof(T)
                                   << " bits at x = " << std::hexfloat << x[at] << ", y = " << y[at]
                                   << ": " << actual[at] << " for " << exact[at];
  }
}

class VectorMath : public ::testing::TestWithParam<std::size_t> {};

TEST_P(VectorMath, f32_is_within_its_bound) { check<float>(functions()[GetParam()], GetParam()); }

TEST_P(VectorMath, f64_is_within_its_bound) { check<double>(functions()[GetParam()], GetParam()); }

INSTANTIATE_TEST_SUITE_P(, VectorMath, ::testing::Range(std::size_t(0), functions().size()),
                         [](const auto& info) {
                           return std::string(functions()[info.param].name);
                         });

}  // namespace
}  // namespace partita::vector_math
