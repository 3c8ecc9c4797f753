// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "runtime/device/plain_convolution.hpp"

#include <algorithm>
#include <bit>
#include <vector>

namespace partita {
namespace {

using Index = std::array<std::int64_t, 3>;

/// Calls visit(index) for all indices below `extents`, the last dimension first.
template <class F>
void for_indices(const Index& extents, const F& visit) {
  for (Index at{}; at[0] < extents[0]; ++at[0])
    for (at[1] = 0; at[1] < extents[1]; ++at[1])
      for (at[2] = 0; at[2] < extents[2]; ++at[2]) visit(at);
}

/// An element of the window: where it lies, or that it is padding.
struct Tap {
  std::int64_t element = 0;  ///< among the source's elements of an image
  std::int64_t weight = 0;   ///< from the first of the weights
  bool is_padding = false;
};

/// The elements of a step's windows.
class Taps {
 public:
  explicit Taps(const Convolve& step) : window_(window_of_three(step)) {
    const std::size_t rank = step.window.size();
    for (std::size_t d = 0; d < rank; ++d) strides_[d] = step.weight_strides[d];
  }
  [[nodiscard]] const std::array<ConvolveWindow, 3>& window() const { return window_; }
  [[nodiscard]] Tap at(const Index& window, const Index& k) const {
    Tap tap;
    for (std::size_t d = 0; d < 3; ++d) {
      const ConvolveWindow& w = window_[d];
      const std::int64_t at = window[d] * w.stride - w.low + k[d] * w.dilation;
      tap.is_padding |= at < 0 || at >= w.input;
      tap.element = tap.element * w.input + at;
      tap.weight += k[d] * strides_[d];
    }
    return tap;
  }
  template <class F>
  void for_each(const F& visit) const {
    for_indices({window_[0].size, window_[1].size, window_[2].size}, visit);
  }

 private:
  std::array<ConvolveWindow, 3> window_;
  Index strides_{};
};

/// The sums of one window and group.
class WindowSums {
 public:
  WindowSums(const Convolve& step, const float* weights)
      : step_(step),
        weights_(weights),
        taps_(step),
        input_stride_(step.weight_strides[step.window.size()]),
        output_stride_(step.weight_strides[step.window.size() + 1]),
        sums_(std::size_t(step.outputs)) {}

  const std::vector<float>& of(const float* image, const Index& window, std::int64_t group) {
    std::ranges::fill(sums_, 0.0F);
    const std::int64_t features = step_.groups * step_.inputs;
    taps_.for_each([&](const Index& k) {
      const Tap tap = taps_.at(window, k);
      const float* w = weights_ + tap.weight + group * step_.outputs * output_stride_;
      const std::int64_t first = tap.element * features + group * step_.inputs;
      for (std::int64_t i = 0; i < step_.inputs; ++i)
        add(tap.is_padding ? 0.0F : image[first + i], w + i * input_stride_);
    });
    return sums_;
  }

 private:
  void add(float x, const float* weights) {
    if (output_stride_ == 1)
      for (std::size_t f = 0; f < sums_.size(); ++f) sums_[f] += x * weights[f];
    else
      for (std::size_t f = 0; f < sums_.size(); ++f)
        sums_[f] += x * weights[std::int64_t(f) * output_stride_];
  }

  const Convolve& step_;
  const float* weights_;
  Taps taps_;
  std::int64_t input_stride_, output_stride_;
  std::vector<float> sums_;
};

/// The largest of the bits of some numbers' sizes, which is that of a number that is not finite, if there is one.
std::uint32_t largest_bits(const float* values, std::int64_t count, std::int64_t stride) {
  constexpr std::uint32_t size = 0x7fffffff;
  std::uint32_t largest = 0;
  if (stride == 1)
    for (std::int64_t i = 0; i < count; ++i)
      largest = std::max(largest, std::bit_cast<std::uint32_t>(values[i]) & size);
  else
    for (std::int64_t i = 0; i < count; ++i)
      largest = std::max(largest, std::bit_cast<std::uint32_t>(values[i * stride]) & size);
  return largest;
}

}  // namespace

std::array<ConvolveWindow, 3> window_of_three(const Convolve& step) {
  std::array<ConvolveWindow, 3> window{};
  std::ranges::copy(step.window, window.begin());
  return window;
}

void convolve_plainly(const Convolve& step, const ConvolvePart& part, const float* source,
                      const float* weights, float* result) {
  const auto window = window_of_three(step);
  const std::int64_t image = step.source_count() / std::max<std::int64_t>(step.batch, 1);
  WindowSums sums(step, weights);
  for (std::int64_t n = part.first_image; n < part.first_image + part.images; ++n)
    for_indices({part.rows, window[1].count(), window[2].count()}, [&](Index at) {
      at[0] += part.first_row;
      std::int64_t place = n;
      for (std::size_t d = 0; d < 3; ++d) place = place * window[d].count() + at[d];
      for (std::int64_t g = 0; g < step.groups; ++g)
        std::ranges::copy(sums.of(source + n * image, at, g),
                          result + (place * step.groups + g) * step.outputs);
    });
}

bool has_padding(const Convolve& step) {
  return std::ranges::any_of(step.window,
                             [](const ConvolveWindow& w) { return w.low > 0 || w.high > 0; });
}

bool are_finite(const Convolve& step, const float* weights, std::int64_t first,
                std::int64_t features) {
  constexpr std::uint32_t infinity = 0x7f800000;
  const std::size_t rank = step.window.size();
  const std::int64_t along_inputs = step.weight_strides[rank],
                     along_outputs = step.weight_strides[rank + 1];
  const bool by_outputs = along_outputs <= along_inputs;
  std::uint32_t largest = 0;
  const Taps taps(step);
  taps.for_each([&](const Index& k) {
    const float* w = weights + taps.at({}, k).weight + first * along_outputs;
    for (std::int64_t i = 0; i < (by_outputs ? step.inputs : features); ++i)
      largest = std::max(
          largest, by_outputs ? largest_bits(w + i * along_inputs, features, along_outputs)
                              : largest_bits(w + i * along_outputs, step.inputs, along_inputs));
  });
  return largest < infinity;
}

void add_padding(const Convolve& step, const float* weights, float* result) {
  const Taps taps(step);
  const auto& window = taps.window();
  const std::int64_t features = step.groups * step.outputs;
  const std::size_t rank = step.window.size();
  // Of each tap and feature: the sum of zeros times weights.
  std::vector<std::vector<float>> sums;
  taps.for_each([&](const Index& k) {
    const float* w = weights + taps.at({}, k).weight;
    std::vector<float>& sum = sums.emplace_back(std::size_t(features));
    for (std::int64_t i = 0; i < step.inputs; ++i)
      for (std::int64_t f = 0; f < features; ++f)
        sum[std::size_t(f)] +=
            0.0F * w[i * step.weight_strides[rank] + f * step.weight_strides[rank + 1]];
  });
  for (std::int64_t n = 0; n < step.batch; ++n)
    for_indices({window[0].count(), window[1].count(), window[2].count()}, [&](const Index& at) {
      std::size_t number = 0;
      taps.for_each([&](const Index& k) {
        const std::vector<float>& sum = sums[number++];
        if (!taps.at(at, k).is_padding) return;
        for (std::int64_t f = 0; f < features; ++f) result[f] += sum[std::size_t(f)];
      });
      result += features;
    });
}

}  // namespace partita
