// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "partita/ir/window.hpp"

#include <algorithm>
#include <charconv>
#include <cstring>

#include "partita/base/error.hpp"

namespace partita::ir {
namespace {

/// The entries of a list attribute; `otherwise` for each of `rank` when it is absent.
I64s entries(const Dict& attrs, std::string_view name, std::size_t rank, std::int64_t otherwise) {
  return attrs.contains(name) ? attrs.i64s(name) : I64s(rank, otherwise);
}

std::string_view trim(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\n')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\n')) text.remove_suffix(1);
  return text;
}

std::optional<std::int64_t> to_number(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || value < 0) return std::nullopt;
  return value;
}

/// Splits at commas outside of brackets.
std::vector<std::string_view> items_of(std::string_view text) {
  std::vector<std::string_view> items;
  text = trim(text);
  std::size_t begin = 0;
  int depth = 0;
  for (std::size_t k = 0; k <= text.size() && !text.empty(); ++k) {
    const char c = k < text.size() ? text[k] : ',';
    depth += c == '[' ? 1 : c == ']' ? -1 : 0;
    if (c != ',' || depth != 0) continue;
    items.push_back(trim(text.substr(begin, k - begin)));
    begin = k + 1;
  }
  return items;
}

/// One bracketed group: letters name the two other dimensions, numbers the spatial ones.
bool parse_group(std::string_view text, char first, std::int64_t& a, char second, std::int64_t& b,
                 I64s& spatial) {
  text = trim(text);
  if (!text.starts_with('[') || !text.ends_with(']')) return false;
  const auto items = items_of(text.substr(1, text.size() - 2));
  if (items.size() < 2) return false;
  spatial.assign(items.size() - 2, -1);
  a = b = -1;
  for (std::size_t d = 0; d < items.size(); ++d) {
    const auto at = std::int64_t(d);
    if (items[d].size() == 1 && (items[d][0] == first || items[d][0] == second)) {
      std::int64_t& named = items[d][0] == first ? a : b;
      if (named != -1) return false;
      named = at;
      continue;
    }
    const auto number = to_number(items[d]);
    if (!number || *number >= std::int64_t(spatial.size()) || spatial[std::size_t(*number)] != -1)
      return false;
    spatial[std::size_t(*number)] = at;
  }
  return a != -1 && b != -1;
}

/// "raw input_batch_dimension = 0, …"
std::optional<ConvolutionDims> parse_raw(std::string_view text) {
  ConvolutionDims d;
  for (const std::string_view item : items_of(text)) {
    const std::size_t equals = item.find('=');
    if (equals == std::string_view::npos) return std::nullopt;
    const std::string_view key = trim(item.substr(0, equals)),
                           value = trim(item.substr(equals + 1));
    I64s* list = key == "input_spatial_dimensions"    ? &d.input_spatial
                 : key == "kernel_spatial_dimensions" ? &d.kernel_spatial
                 : key == "output_spatial_dimensions" ? &d.output_spatial
                                                      : nullptr;
    if (list != nullptr) {
      if (!value.starts_with('[') || !value.ends_with(']')) return std::nullopt;
      for (const std::string_view entry : items_of(value.substr(1, value.size() - 2))) {
        const auto number = to_number(entry);
        if (!number) return std::nullopt;
        list->push_back(*number);
      }
      continue;
    }
    std::int64_t* field = key == "input_batch_dimension"             ? &d.input_batch
                          : key == "input_feature_dimension"         ? &d.input_feature
                          : key == "kernel_input_feature_dimension"  ? &d.kernel_input
                          : key == "kernel_output_feature_dimension" ? &d.kernel_output
                          : key == "output_batch_dimension"          ? &d.output_batch
                          : key == "output_feature_dimension"        ? &d.output_feature
                                                                     : nullptr;
    const auto number = to_number(value);
    if (field == nullptr || !number) return std::nullopt;
    *field = *number;
  }
  return d;
}

std::string group_text(char first, std::int64_t a, char second, std::int64_t b,
                       const I64s& spatial) {
  std::vector<std::string> names(spatial.size() + 2);
  names.at(std::size_t(a)) = std::string(1, first);
  names.at(std::size_t(b)) = std::string(1, second);
  for (std::size_t k = 0; k < spatial.size(); ++k)
    names.at(std::size_t(spatial[k])) = std::to_string(k);
  std::string text = "[";
  for (std::size_t k = 0; k < names.size(); ++k) text += (k == 0 ? "" : ", ") + names[k];
  return text + "]";
}

constexpr std::string_view conv_prefix = "#stablehlo.conv<";

}  // namespace

std::int64_t WindowDim::count() const {
  const std::int64_t padded = low + spread() + high;
  const std::int64_t reach = size == 0 ? 0 : (size - 1) * window_dilation + 1;
  if (padded <= 0 || reach > padded) return 0;
  return (padded - reach) / stride + 1;
}

I64s padding_pairs(const Dict& attrs, std::size_t rank) {
  const Attribute* found = attrs.find("padding");
  const auto* dense = found == nullptr ? nullptr : found->get_if<DenseRef>();
  if (dense == nullptr) return I64s(2 * rank, 0);
  const HostArray array = convert((*dense)->to_array(), DType::i64);
  const auto* data = array.data<DType::i64>();
  return I64s(data, data + array.type.count());
}

Attribute padding_attribute(const I64s& pairs) {
  HostArray array(Type{.dtype = DType::i64, .dims = {std::int64_t(pairs.size() / 2), 2}});
  std::copy(pairs.begin(), pairs.end(), array.data<DType::i64>());
  return make_dense(array);
}

std::vector<WindowDim> window_dims(const Type& operand, const Dict& attrs) {
  const std::size_t rank = operand.dims.size();
  const I64s sizes = entries(attrs, "window_dimensions", rank, 1),
             strides = entries(attrs, "window_strides", rank, 1),
             base = entries(attrs, "base_dilations", rank, 1),
             dilations = entries(attrs, "window_dilations", rank, 1),
             padding = padding_pairs(attrs, rank);
  std::vector<WindowDim> window;
  for (std::size_t d = 0; d < rank; ++d)
    window.push_back({.extent = operand.dims[d],
                      .size = sizes[d],
                      .stride = strides[d],
                      .low = padding[2 * d],
                      .high = padding[2 * d + 1],
                      .base_dilation = base[d],
                      .window_dilation = dilations[d]});
  return window;
}

std::optional<ConvolutionDims> parse_convolution_dims(std::string_view text) {
  text = trim(text);
  if (text.starts_with("raw")) return parse_raw(text.substr(3));
  const std::size_t x = text.find("]x["), arrow = text.find("]->[");
  const std::size_t loose_x = text.find('x'), loose_arrow = text.find("->");
  if (loose_x == std::string_view::npos || loose_arrow == std::string_view::npos ||
      loose_x > loose_arrow)
    return std::nullopt;
  const std::size_t cut = x == std::string_view::npos ? loose_x : x + 1,
                    end = arrow == std::string_view::npos ? loose_arrow : arrow + 1;
  ConvolutionDims d;
  const bool is_fine =
      parse_group(text.substr(0, cut), 'b', d.input_batch, 'f', d.input_feature, d.input_spatial) &&
      parse_group(text.substr(cut + 1, end - cut - 1), 'i', d.kernel_input, 'o', d.kernel_output,
                  d.kernel_spatial) &&
      parse_group(text.substr(end + 2), 'b', d.output_batch, 'f', d.output_feature,
                  d.output_spatial);
  return is_fine ? std::optional(d) : std::nullopt;
}

std::string to_text(const ConvolutionDims& d) {
  return cat(group_text('b', d.input_batch, 'f', d.input_feature, d.input_spatial), "x",
             group_text('i', d.kernel_input, 'o', d.kernel_output, d.kernel_spatial), "->",
             group_text('b', d.output_batch, 'f', d.output_feature, d.output_spatial));
}

std::optional<ConvolutionDims> convolution_dims(const Attribute& attribute) {
  const auto* raw = attribute.get_if<RawAttr>();
  if (raw == nullptr || !raw->text.starts_with(conv_prefix) || !raw->text.ends_with('>'))
    return std::nullopt;
  return parse_convolution_dims(std::string_view(raw->text).substr(
      conv_prefix.size(), raw->text.size() - conv_prefix.size() - 1));
}

Attribute dimension_numbers(const ConvolutionDims& dims) {
  return RawAttr{cat(conv_prefix, to_text(dims), ">")};
}

Convolution::Convolution(const Type& lhs, const Type& rhs, const Dict& attrs) {
  const Attribute* numbers = attrs.find("dimension_numbers");
  const auto parsed = numbers == nullptr ? std::nullopt : convolution_dims(*numbers);
  if (!parsed) throw_internal_error("a convolution without dimension numbers");
  dims = *parsed;
  const std::size_t rank = dims.input_spatial.size();
  const I64s strides = entries(attrs, "window_strides", rank, 1),
             base = entries(attrs, "lhs_dilation", rank, 1),
             dilations = entries(attrs, "rhs_dilation", rank, 1),
             padding = padding_pairs(attrs, rank);
  const Attribute* found = attrs.find("window_reversal");
  const auto* reversal = found == nullptr ? nullptr : found->get_if<Bools>();
  for (std::size_t k = 0; k < rank; ++k)
    window.push_back({.extent = lhs.dims[std::size_t(dims.input_spatial[k])],
                      .size = rhs.dims[std::size_t(dims.kernel_spatial[k])],
                      .stride = strides[k],
                      .low = padding[2 * k],
                      .high = padding[2 * k + 1],
                      .base_dilation = base[k],
                      .window_dilation = dilations[k],
                      .is_reversed = reversal != nullptr && reversal->values[k]});
  feature_groups = attrs.i64("feature_group_count", 1);
  batch_groups = attrs.i64("batch_group_count", 1);
  batch = lhs.dims[std::size_t(dims.input_batch)] / batch_groups;
  input = lhs.dims[std::size_t(dims.input_feature)] / feature_groups;
  output = rhs.dims[std::size_t(dims.kernel_output)] / groups();
}

Dims Convolution::result_dims() const {
  Dims result(window.size() + 2);
  result[std::size_t(dims.output_batch)] = batch;
  result[std::size_t(dims.output_feature)] = output * groups();
  for (std::size_t k = 0; k < window.size(); ++k)
    result[std::size_t(dims.output_spatial[k])] = window[k].count();
  return result;
}

std::int64_t element_count(const std::vector<WindowDim>& window) {
  std::int64_t count = 1;
  for (const WindowDim& w : window) count *= w.size;
  return count;
}

std::optional<ScanShape> scan_shape(const std::vector<WindowDim>& window) {
  std::optional<ScanShape> found;
  for (std::size_t d = 0; d < window.size(); ++d) {
    const WindowDim& w = window[d];
    if (w.is_identity()) continue;
    const bool is_forward = w.low == w.size - 1 && w.high == 0,
               is_reverse = w.high == w.size - 1 && w.low == 0;
    if (found || w.size != w.extent || w.stride != 1 || w.base_dilation != 1 ||
        w.window_dilation != 1 || (!is_forward && !is_reverse))
      return std::nullopt;
    found = ScanShape{.dimension = std::int64_t(d), .is_reverse = !is_forward};
  }
  return found;
}

}  // namespace partita::ir
