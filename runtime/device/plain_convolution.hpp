// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// A Convolve step by plain loops, for devices without a library for it.
#pragma once

#include <array>
#include <cstdint>

#include "partita/artifact/plan.hpp"

namespace partita {

/// Windows of a step by three dimensions; those that it lacks have one element.
[[nodiscard]] std::array<ConvolveWindow, 3> window_of_three(const Convolve& step);

/// Images, and windows along the first spatial dimension.
struct ConvolvePart {
  std::int64_t first_image = 0, images = 0, first_row = 0, rows = 0;
};
/// Computes some of the results.  Padding is multiplied too: where a weight is not finite, the sum is no number.
void convolve_plainly(const Convolve& step, const ConvolvePart& part, const float* source,
                      const float* weights, float* result);

/// Whether windows meet padding.
[[nodiscard]] bool has_padding(const Convolve& step);
/// Whether all weights of some output features (of all groups) are.
[[nodiscard]] bool are_finite(const Convolve& step, const float* weights, std::int64_t first,
                              std::int64_t features);
/// What a library leaves out that skips padding: zeros times weights that are not finite.
void add_padding(const Convolve& step, const float* weights, float* result);

}  // namespace partita
