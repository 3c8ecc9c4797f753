// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "passes/analysis/device_axes.hpp"

#include <algorithm>
#include <functional>

namespace partita::passes {

namespace {

using Axes = std::vector<std::size_t>;

std::vector<std::int64_t> prime_factors(std::int64_t n) {
  std::vector<std::int64_t> primes;
  for (std::int64_t p = 2; n > 1; ++p)
    for (; n % p == 0; n /= p) primes.push_back(p);
  return primes;
}

/// Whether axis k + 1 follows k wherever either is.
bool is_one_axis(const std::vector<Axes>& all, std::size_t k) {
  return std::ranges::all_of(all, [&](const Axes& axes) {
    const auto major = std::ranges::find(axes, k), minor = std::ranges::find(axes, k + 1);
    if (major == axes.end()) return minor == axes.end();
    return major + 1 == minor && minor != axes.end();
  });
}

/// Axes that nothing tells apart as one.
Dims joined(const Dims& extents, const std::vector<Axes>& all) {
  Dims wide;
  for (std::size_t k = 0; k < extents.size(); ++k)
    if (k > 0 && is_one_axis(all, k - 1))
      wide.back() *= extents[k];
    else
      wide.push_back(extents[k]);
  return wide;
}

}  // namespace

std::optional<Axes> axes_of(const DevicePieces& pieces, const Dims& extents) {
  // What one step along each axis adds to the number of the piece.
  const Dims strides = row_major_strides(extents);
  std::vector<std::int64_t> weights;
  for (const std::int64_t stride : strides)
    weights.push_back(stride < std::ssize(pieces.piece) ? pieces.piece[std::size_t(stride)] : 0);
  Axes axes;
  for (std::size_t k = 0; k < weights.size(); ++k)
    if (weights[k] != 0) axes.push_back(k);
  std::ranges::sort(axes, std::greater{}, [&](std::size_t k) { return weights[k]; });
  std::int64_t weight = 1;
  for (auto k = axes.rbegin(); k != axes.rend(); ++k) {
    if (weights[*k] != weight) return std::nullopt;
    weight *= extents[*k];
  }
  if (weight != pieces.count) return std::nullopt;
  for (std::size_t device = 0; device < pieces.piece.size(); ++device) {
    std::int64_t piece = 0;
    for (const std::size_t k : axes)
      piece += std::int64_t(device) / strides[k] % extents[k] * weights[k];
    if (pieces.piece[device] != piece) return std::nullopt;
  }
  return axes;
}

std::optional<Dims> fewest_axes(const std::vector<DevicePieces>& all, std::int64_t devices) {
  Dims extents = prime_factors(devices);
  // Sorted at first: all orders are tried.
  do {
    std::vector<Axes> found;
    for (const DevicePieces& pieces : all) {
      auto axes = axes_of(pieces, extents);
      if (!axes) break;
      found.push_back(*std::move(axes));
    }
    if (found.size() == all.size()) return joined(extents, found);
  } while (std::ranges::next_permutation(extents).found);
  return std::nullopt;
}

}  // namespace partita::passes
