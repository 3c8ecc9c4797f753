// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Discrete Fourier transforms on the host, of lines of any array, whose length is a product of small primes.
#pragma once

#include <cstdint>
#include <span>

#include "partita/base/threads.hpp"
#include "runtime/fourier/lines.hpp"

namespace partita::fourier {

/// Whether a line of so many numbers, at least one, is transformed here: no prime factor is above largest_radix.
[[nodiscard]] bool has_code(std::int64_t length);

/// Machine code that this processor runs; the last is the fastest.
template <class T>
[[nodiscard]] std::span<const Code<T>> codes();
extern template std::span<const Code<float>> codes();
extern template std::span<const Code<double>> codes();

/// Transforms of arrays [outer, n, inner] along their second dimension, unscaled forward and by 1 / length inverse, as
/// StableHLO's fft: n is length, or length / 2 + 1 where that end is half of a spectrum, of which imaginary parts that
/// would have to be zero are not read.  Complex numbers are pairs of T.
template <class T>
class Transform {
 public:
  /// Of a length, that of the complex or real end, that there is code for.
  Transform(Form form, bool inverse, std::int64_t length, std::int64_t outer, std::int64_t inner,
            const Code<T>& code = codes<T>().back());

  /// Transforms `in` to `out`, which do not overlap, or are the same complex numbers; from several threads at once too.
  void run(const T* in, T* out, const Threads& threads = {}) const;

 private:
  Lines<T> lines_;
  Code<T> code_;
  std::int64_t most_parts_ = 1;  // that are worth a thread
};

extern template class Transform<float>;
extern template class Transform<double>;

}  // namespace partita::fourier
