// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// The stages of a Fourier transform by the factors of its length (Stockham's order), and the tables of powers of roots of unity
// that they multiply by.
#pragma once

#include <optional>
#include <vector>

#include "lowering/context/context.hpp"
#include "lowering/context/kernel_body.hpp"
#include "lowering/ops/fft/fourier_lines.hpp"

namespace partita::lowering {

/// Factors of one stage multiply to at most this, but for larger primes.
inline constexpr std::int64_t largest_radix = 16;
/// Between launches, where one or two stages do not suffice, to no more than this: more stages of fewer
/// registers take less time, to compile too.
inline constexpr std::int64_t small_radix = 8;

/// The largest radix of stages that are launches.
[[nodiscard]] std::int64_t usual_radix(std::int64_t n);

/// The radix of each stage, none above `largest` but for primes: prime factors in ascending order, each with those before it as
/// long as it goes.
[[nodiscard]] std::vector<std::int64_t> radices(std::int64_t n, std::int64_t largest);
/// As many stages with the smallest radices that give no more: 32 is 8 times 4 rather than 16 times 2, which has more to write
/// out.  Not for groups, whose neighbours would write to the same banks with them.
[[nodiscard]] std::vector<std::int64_t> even_radices(std::int64_t n, std::int64_t largest);

struct Stage {
  std::int64_t done, radix, rest;  ///< the product of the factors before it, its own, those to come
  bool is_first, is_last;
  bool counts_rest;  ///< q is counted fastest, in items and in what is written
  bool reads_rest;   ///< in what is read

  /// Of a stage that is a sum: whether its table has the factor of every term of every frequency, for which
  /// no exponents are reduced.
  [[nodiscard]] bool has_whole_table() const { return radix * radix * done <= (1 << 16); }
};

/// Arrays of real and imaginary parts.
struct Planes {
  Location re, im;

  /// The element `at` of both, whose dtype is `part`.
  [[nodiscard]] ComplexParts load(KernelBody& body, DType part, scalar::ExprId at) const;
};

/// Tables of the powers that a stage multiplies by; nothing where all of them are 1.  Of a stage that is a sum: powers of
/// the root of unity of all stages so far, u · p for all its frequencies p by rows of u, or where those are many in their
/// order; else u · p, all p of a stage by rows of u, for u from 1.
[[nodiscard]] std::optional<Planes> roots_of(Context& context, const Stage& stage, bool is_summed,
                                             const FourierLines& lines);
/// Of lines of pairs: exp(sign · 2πi · k / 2n) for k from 0 to n.
[[nodiscard]] Planes roots_of_pairs(Context& context, const FourierLines& lines);

}  // namespace partita::lowering
