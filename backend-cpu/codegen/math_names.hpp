// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Which functions of kernels/vector_math_*.c stand for the functions that rows and helpers call by
// their OpenCL names.  What is not here (lgamma, fmod, nextafter, …) is the C library's.
#pragma once

#include <string_view>

namespace partita::passes {

struct MathName {
  std::string_view opencl;
  std::string_view f32, f64;  ///< by type of the operands; f16 and bf16 are computed in f32
};

inline constexpr MathName math_names[] = {
#define PARTITA_MATH_NAME(name) \
  { #name, "pm_" #name "_f32", "pm_" #name "_f64" }
    PARTITA_MATH_NAME(acos),
    PARTITA_MATH_NAME(acosh),
    PARTITA_MATH_NAME(asin),
    PARTITA_MATH_NAME(asinh),
    PARTITA_MATH_NAME(atan),
    PARTITA_MATH_NAME(atan2),
    PARTITA_MATH_NAME(atanh),
    PARTITA_MATH_NAME(cbrt),
    PARTITA_MATH_NAME(cos),
    PARTITA_MATH_NAME(cosh),
    PARTITA_MATH_NAME(erf),
    PARTITA_MATH_NAME(erf_inv),
    PARTITA_MATH_NAME(erfc),
    PARTITA_MATH_NAME(exp),
    PARTITA_MATH_NAME(expm1),
    PARTITA_MATH_NAME(log),
    PARTITA_MATH_NAME(log1p),
    PARTITA_MATH_NAME(pow),
    PARTITA_MATH_NAME(rsqrt),
    PARTITA_MATH_NAME(sin),
    PARTITA_MATH_NAME(sinh),
    PARTITA_MATH_NAME(sqrt),
    PARTITA_MATH_NAME(tan),
    PARTITA_MATH_NAME(tanh),
#undef PARTITA_MATH_NAME
    {"sigmoid", "pm_logistic_f32", "pm_logistic_f64"},
};

}  // namespace partita::passes
