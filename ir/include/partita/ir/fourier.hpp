// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Discrete Fourier transforms of any length in f64: by the factors of the length, and where a prime
// factor is large as a convolution with a chirp (L. Bluestein, "A linear filtering approach to the
// computation of discrete Fourier transform", 1970).  The interpreter transforms by it; lowering
// takes the tables for its kernels from it.
#pragma once

#include <complex>
#include <cstdint>
#include <vector>

namespace partita::ir {

using ComplexLine = std::vector<std::complex<double>>;

/// Σ x[k] · exp(sign · 2πi · k · j / n) for each j, n the length of x; `sign` is 1 or -1.
[[nodiscard]] ComplexLine fourier_transform(const ComplexLine& x, int sign);

/// exp(sign · 2πi · k / n) for k < n.
[[nodiscard]] ComplexLine roots_of_unity(std::int64_t n, int sign);

/// What is larger than this and a prime factor is not summed over.
inline constexpr std::int64_t largest_summed_factor = 64;
[[nodiscard]] std::int64_t largest_prime_factor(std::int64_t n);

/// The transform of length n as a cyclic convolution of a longer, smooth length: with c the chirp
/// and ^ the transform with sign -1,
///   out[j] = c[j] · s[j],  s^ = (c · x, then zeros)^ · kernel.
struct ChirpTransform {
  std::int64_t length = 0;
  ComplexLine chirp;   ///< n numbers
  ComplexLine kernel;  ///< `length` numbers
};
[[nodiscard]] ChirpTransform chirp_transform(std::int64_t n, int sign);

}  // namespace partita::ir
