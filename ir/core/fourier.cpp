// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "partita/ir/fourier.hpp"

#include <algorithm>
#include <numbers>

namespace partita::ir {
namespace {

using Complex = std::complex<double>;

/// Every `step`-th element of a line.
struct Elements {
  const ComplexLine& line;
  std::size_t first, step, count;
};

ComplexLine transformed(const Elements& x, int sign);

ComplexLine convolved_with_chirp(const Elements& x, int sign) {
  const ChirpTransform by = chirp_transform(std::int64_t(x.count), sign);
  ComplexLine padded(std::size_t(by.length));
  for (std::size_t k = 0; k < x.count; ++k) padded[k] = x.line[x.first + k * x.step] * by.chirp[k];
  padded = fourier_transform(padded, -1);
  for (std::size_t k = 0; k < padded.size(); ++k) padded[k] *= by.kernel[k];
  padded = fourier_transform(padded, 1);
  padded.resize(x.count);
  for (std::size_t k = 0; k < x.count; ++k) padded[k] = padded[k] * by.chirp[k] / double(by.length);
  return padded;
}

ComplexLine transformed(const Elements& x, int sign) {
  const std::size_t n = x.count;
  if (n <= 1) return n == 0 ? ComplexLine{} : ComplexLine{x.line[x.first]};
  std::size_t p = 2;
  while (p < n && n % p != 0) ++p;
  if (p > std::size_t(largest_summed_factor)) return convolved_with_chirp(x, sign);
  const std::size_t m = n / p;
  std::vector<ComplexLine> parts;
  for (std::size_t r = 0; r < p; ++r)
    parts.push_back(transformed({x.line, x.first + r * x.step, x.step * p, m}, sign));
  const ComplexLine roots = roots_of_unity(std::int64_t(n), sign);
  ComplexLine out(n);
  for (std::size_t j = 0; j < n; ++j)
    for (std::size_t r = 0; r < p; ++r) out[j] += parts[r][j % m] * roots[r * j % n];
  return out;
}

/// The least that is at least n and 1, 3, 5 or 9 times a power of two.
std::int64_t smooth_length(std::int64_t n) {
  std::int64_t least = 0;
  for (const std::int64_t odd : {1, 3, 5, 9}) {
    std::int64_t length = odd;
    while (length < n) length *= 2;
    if (least == 0 || length < least) least = length;
  }
  return least;
}

}  // namespace

ComplexLine fourier_transform(const ComplexLine& x, int sign) {
  return transformed({x, 0, 1, x.size()}, sign);
}

ComplexLine roots_of_unity(std::int64_t n, int sign) {
  ComplexLine roots;
  for (std::int64_t k = 0; k < n; ++k)
    roots.push_back(std::polar(1.0, sign * 2 * std::numbers::pi * double(k) / double(n)));
  return roots;
}

std::int64_t largest_prime_factor(std::int64_t n) {
  std::int64_t largest = 1;
  for (std::int64_t p = 2; n > 1; ++p) {
    if (p * p > n) p = n;
    for (; n % p == 0; n /= p) largest = p;
  }
  return largest;
}

ChirpTransform chirp_transform(std::int64_t n, int sign) {
  ChirpTransform by{.length = smooth_length(2 * n - 1), .chirp = {}, .kernel = {}};
  // j² modulo 2n keeps the angle exact where j² / n would not be.
  std::int64_t square = 0;
  for (std::int64_t j = 0; j < n; ++j) {
    by.chirp.push_back(std::polar(1.0, sign * std::numbers::pi * double(square) / double(n)));
    square = (square + 2 * j + 1) % (2 * n);
  }
  ComplexLine filter(std::size_t(by.length));
  for (std::int64_t j = 0; j < n; ++j) {
    filter[std::size_t(j)] = std::conj(by.chirp[std::size_t(j)]);
    filter[std::size_t((by.length - j) % by.length)] = filter[std::size_t(j)];
  }
  by.kernel = fourier_transform(filter, -1);
  return by;
}

}  // namespace partita::ir
