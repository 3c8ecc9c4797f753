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

/// Windows and output features whose sums are in registers.
constexpr std::size_t windows_at_once = 4;
constexpr std::int64_t features_at_once = 8;

/// Neighbouring windows, the features of one group, where their sums go.
struct WindowRun {
  const float* image;
  Index first;
  std::size_t count;
  std::int64_t group;
  float* result;
};

/// Sums over windows, with zeros for padding.
class WindowSums {
 public:
  WindowSums(const Convolve& step, const float* weights)
      : step_(step),
        weights_(weights),
        taps_(step),
        along_inputs_(step.weight_strides[step.window.size()]),
        along_outputs_(step.weight_strides[step.window.size() + 1]) {}

  void add_up(const WindowRun& run) const {
    for (std::int64_t f = 0; f < step_.outputs; f += features_at_once)
      add_up(run, f, std::min(features_at_once, step_.outputs - f));
  }

 private:
  using Sums = std::array<std::array<float, features_at_once>, windows_at_once>;
  /// Input features of each window at a tap, one after the other; of padding the same zero again.
  struct Inputs {
    std::array<const float*, windows_at_once> first{};
    std::array<std::int64_t, windows_at_once> step{};
  };

  void add_up(const WindowRun& run, std::int64_t first, std::int64_t features) const {
    Sums sums{};
    taps_.for_each([&](const Index& k) {
      Inputs inputs;
      const float* weights = weights_ + taps_.at(run.first, k).weight +
                             (run.group * step_.outputs + first) * along_outputs_;
      for (std::size_t w = 0; w < windows_at_once; ++w) {
        Index window = run.first;
        window[2] += std::int64_t(std::min(w, run.count - 1));
        const Tap tap = taps_.at(window, k);
        inputs.first[w] = tap.is_padding
                              ? &zero
                              : run.image + (tap.element * step_.groups + run.group) * step_.inputs;
        inputs.step[w] = tap.is_padding ? 0 : 1;
      }
      if (features == features_at_once && along_outputs_ == 1)
        add_lines(inputs, weights, sums);
      else
        add_elements(inputs, weights, features, sums);
    });
    for (std::size_t w = 0; w < run.count; ++w)
      std::copy_n(sums[w].begin(), features,
                  run.result + std::int64_t(w) * step_.groups * step_.outputs + first);
  }

  void add_lines(const Inputs& inputs, const float* weights, Sums& to) const {
    Sums sums = to;
    for (std::int64_t i = 0; i < step_.inputs; ++i, weights += along_inputs_)
      for (std::size_t w = 0; w < windows_at_once; ++w) {
        const float x = inputs.first[w][i * inputs.step[w]];
        for (std::size_t f = 0; f < std::size_t(features_at_once); ++f)
          sums[w][f] += x * weights[f];
      }
    to = sums;
  }

  void add_elements(const Inputs& inputs, const float* weights, std::int64_t features,
                    Sums& sums) const {
    for (std::int64_t i = 0; i < step_.inputs; ++i, weights += along_inputs_)
      for (std::size_t w = 0; w < windows_at_once; ++w)
        for (std::int64_t f = 0; f < features; ++f)
          sums[w][std::size_t(f)] +=
              inputs.first[w][i * inputs.step[w]] * weights[f * along_outputs_];
  }

  static constexpr float zero = 0;

  const Convolve& step_;
  const float* weights_;
  Taps taps_;
  std::int64_t along_inputs_, along_outputs_;
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
  const WindowSums sums(step, weights);
  const std::int64_t columns = window[2].count(),
                     runs = (columns - 1) / std::int64_t(windows_at_once) + 1;
  for (std::int64_t n = part.first_image; n < part.first_image + part.images; ++n)
    for_indices({part.rows, window[1].count(), runs}, [&](Index at) {
      at[0] += part.first_row;
      at[2] *= std::int64_t(windows_at_once);
      std::int64_t place = n;
      for (std::size_t d = 0; d < 3; ++d) place = place * window[d].count() + at[d];
      const std::size_t count = std::min(windows_at_once, std::size_t(columns - at[2]));
      for (std::int64_t g = 0; g < step.groups; ++g)
        sums.add_up(
            {source + n * image, at, count, g, result + (place * step.groups + g) * step.outputs});
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
