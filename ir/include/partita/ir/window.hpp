// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Sliding windows: what the attributes of convolution, reduce_window and select_and_scatter say, one
// dimension at a time, so that verification, evaluation, kernels and batching share one arithmetic.
// The attributes are taken as verified.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "partita/ir/graph.hpp"

namespace partita::ir {

/// One dimension: element k of window o lies at position(o, k) of the dilated operand; positions
/// outside of [0, spread()) and between the elements are padding.
struct WindowDim {
  std::int64_t extent = 1;  ///< of the operand
  std::int64_t size = 1, stride = 1, low = 0, high = 0, base_dilation = 1, window_dilation = 1;
  bool is_reversed = false;

  /// Extent of the dilated operand.
  [[nodiscard]] std::int64_t spread() const {
    return extent == 0 ? 0 : (extent - 1) * base_dilation + 1;
  }
  /// Number of windows: the extent of the result.
  [[nodiscard]] std::int64_t count() const;
  [[nodiscard]] std::int64_t position(std::int64_t window, std::int64_t k) const {
    return window * stride + (is_reversed ? size - 1 - k : k) * window_dilation - low;
  }
  /// The operand's index at a position; nothing where there is padding.
  [[nodiscard]] std::optional<std::int64_t> source(std::int64_t position) const {
    if (position < 0 || position >= spread() || position % base_dilation != 0) return std::nullopt;
    return position / base_dilation;
  }
  /// Whether window o is element o of the operand.
  [[nodiscard]] bool is_identity() const {
    return size == 1 && stride == 1 && low == 0 && high == 0 && base_dilation == 1;
  }
  /// Whether windows lie side by side and cover the operand.
  [[nodiscard]] bool is_tiling() const {
    return low == 0 && high == 0 && base_dilation == 1 && (size == 1 || window_dilation == 1) &&
           stride == size && extent % size == 0;
  }
  bool operator==(const WindowDim&) const = default;
};

/// Of reduce_window or select_and_scatter, by dimension of the operand.  Absent attributes: strides
/// and dilations of 1, no padding.
[[nodiscard]] std::vector<WindowDim> window_dims(const Type& operand, const Dict& attrs);
/// Pairs (low, high) of a `padding` attribute, flat; zeros for `rank` dimensions when it is absent.
[[nodiscard]] I64s padding_pairs(const Dict& attrs, std::size_t rank);
/// The attribute for such pairs.
[[nodiscard]] Attribute padding_attribute(const I64s& pairs);

/// Which dimensions of a convolution's operands and result are what.
struct ConvolutionDims {
  std::int64_t input_batch = 0, input_feature = 0, kernel_input = 0, kernel_output = 0,
               output_batch = 0, output_feature = 0;
  I64s input_spatial, kernel_spatial, output_spatial;
  bool operator==(const ConvolutionDims&) const = default;
};
/// "[b, 0, f]x[0, i, o]->[b, 0, f]", or the fields by name after `raw`; nothing when it is neither
/// or names a dimension twice.
[[nodiscard]] std::optional<ConvolutionDims> parse_convolution_dims(std::string_view text);
/// The bracketed form.
[[nodiscard]] std::string to_text(const ConvolutionDims& dims);
/// Of a `dimension_numbers` attribute, "#stablehlo.conv<…>", and back.
[[nodiscard]] std::optional<ConvolutionDims> convolution_dims(const Attribute& attribute);
[[nodiscard]] Attribute dimension_numbers(const ConvolutionDims& dims);

/// All that a convolution's attributes say.
struct Convolution {
  ConvolutionDims dims;
  std::vector<WindowDim> window;  ///< by spatial dimension; extents are the input's
  std::int64_t feature_groups = 1, batch_groups = 1;
  std::int64_t batch = 1;   ///< extent of the output's batch dimension
  std::int64_t input = 1;   ///< input features of one group
  std::int64_t output = 1;  ///< output features of one group

  Convolution(const Type& lhs, const Type& rhs, const Dict& attrs);
  [[nodiscard]] std::int64_t groups() const { return feature_groups * batch_groups; }
  /// Extents of the result, in its order of dimensions.
  [[nodiscard]] Dims result_dims() const;
};

/// Elements of a window.
[[nodiscard]] std::int64_t element_count(const std::vector<WindowDim>& window);

/// How a reduce_window is a scan: each window ends (or begins) at its own element and reaches over
/// all elements before (or after) it.
struct ScanShape {
  std::int64_t dimension = 0;
  bool is_reverse = false;
};
[[nodiscard]] std::optional<ScanShape> scan_shape(const std::vector<WindowDim>& window);

}  // namespace partita::ir
