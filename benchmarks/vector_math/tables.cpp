// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "benchmarks/vector_math/vector_math.hpp"
#include "partita_generated/vector_levels.hpp"

// Of loops.c.
#define PARTITA_DECLARE(level)                                                    \
  extern "C" const partita::vector_math::Loop<float> partita_loops_f32_##level[]; \
  extern "C" const partita::vector_math::Loop<double> partita_loops_f64_##level[];
PARTITA_VECTOR_LEVELS(PARTITA_DECLARE)

namespace partita::vector_math {
namespace {

using Real = long double;

// value_<name>(x, y): the function as <cmath> has it.
#define PARTITA_UNARY(name) \
  template <class T>        \
  T value_##name(T x, T) {  \
    return std::name(x);    \
  }
#define PARTITA_BINARY(name) \
  template <class T>         \
  T value_##name(T x, T y) { \
    return std::name(x, y);  \
  }
PARTITA_UNARY(acos)
PARTITA_UNARY(acosh)
PARTITA_UNARY(asin)
PARTITA_UNARY(asinh)
PARTITA_UNARY(atan)
PARTITA_UNARY(atanh)
PARTITA_UNARY(cbrt)
PARTITA_UNARY(cos)
PARTITA_UNARY(cosh)
PARTITA_UNARY(erf)
PARTITA_UNARY(erfc)
PARTITA_UNARY(exp)
PARTITA_UNARY(expm1)
PARTITA_UNARY(log)
PARTITA_UNARY(log1p)
PARTITA_UNARY(sin)
PARTITA_UNARY(sinh)
PARTITA_UNARY(sqrt)
PARTITA_UNARY(tan)
PARTITA_UNARY(tanh)
PARTITA_BINARY(atan2)
PARTITA_BINARY(pow)
template <class T>
T value_logistic(T x, T) {
  return 1 / (1 + std::exp(-x));
}
template <class T>
T value_rsqrt(T x, T) {
  return 1 / std::sqrt(x);
}
bool is_supported([[maybe_unused]] std::string_view level) {
#if defined(__x86_64__)
  if (level == "v2") return __builtin_cpu_supports("sse4.2") != 0;
  if (level == "v3") return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  if (level == "v4")
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
           __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw");
#endif
  return true;
}

}  // namespace

const std::vector<Function>& functions() {
  static const std::vector<Function> all = {
#define PARTITA_FUNCTION(name, arity, f32, f64, lo, hi) \
  {#name, arity, f32, f64, lo, hi, value_##name<float>, value_##name<double>, value_##name<Real>},
#include "benchmarks/vector_math/functions.def"
  };
  return all;
}

const std::vector<Level>& levels() {
  const auto count = functions().size();
  static const std::vector<Level> all = {
#define PARTITA_LEVEL(level)                                       \
  {#level,                                                         \
   is_supported(#level),                                           \
   {partita_loops_f32_##level, partita_loops_f32_##level + count}, \
   {partita_loops_f64_##level, partita_loops_f64_##level + count}},
      PARTITA_VECTOR_LEVELS(PARTITA_LEVEL)};
  return all;
}

}  // namespace partita::vector_math
