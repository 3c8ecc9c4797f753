// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "frontend/stablehlo/quantization.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "partita/base/error.hpp"

namespace partita::ir {

namespace {

using Granularity = Quantization::Granularity;

constexpr int max_storage_bits = 32;  // as in MLIR
constexpr int max_list_nesting = 16;

bool is_signed(DType d) { return info(d).kind == Kinds::signed_; }

// Reads one type; each part is false with a reason where it is not what it should be.
class QuantizationReader {
 public:
  QuantizationReader(std::string_view text, std::string& reason) : rest_(text), reason_(reason) {}

  std::optional<Quantization> read() {
    for (const auto part :
         {&QuantizationReader::read_storage, &QuantizationReader::read_range,
          &QuantizationReader::read_expressed, &QuantizationReader::read_granularity,
          &QuantizationReader::read_parameters})
      if (!(this->*part)()) return std::nullopt;
    return std::move(type_);
  }

 private:
  bool fail(std::string reason) {
    reason_ = std::move(reason);
    return false;
  }
  bool fail_form() {
    return fail("expected a quantized type such as !quant.uniform<i8:f32, 0.1:-30>");
  }
  bool eat(std::string_view text) {
    if (!rest_.starts_with(text)) return false;
    rest_.remove_prefix(text.size());
    return true;
  }
  template <class T>
  bool take_number(T& value) {
    const char* const end = rest_.data() + rest_.size();
    const auto [next, error] = std::from_chars(rest_.data(), end, value);
    if (error != std::errc{}) return false;
    rest_.remove_prefix(std::size_t(next - rest_.data()));
    return true;
  }
  std::string_view take_word() {
    const std::size_t size = std::min(rest_.find_first_of("<>:,{}"), rest_.size());
    const std::string_view word = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return word;
  }

  bool read_storage() {
    if (!eat("!quant.uniform<")) return fail_form();
    std::string word(take_word());
    if (word.starts_with('u') && !word.starts_with("ui")) word.insert(1, "i");
    const auto dtype = parse_dtype(word);
    const bool is_storage = dtype && is_integer(*dtype) && info(*dtype).kind != Kinds::boolean &&
                            word == to_string(*dtype) && info(*dtype).bits <= max_storage_bits;
    if (!is_storage)
      return fail("expected a storage type of at most 32 bits such as i4, i8, i16, u8");
    type_.storage = *dtype;
    return true;
  }

  bool read_range() {
    const std::int64_t low = least_integer(type_.storage), high = greatest_integer(type_.storage);
    type_.min = low;
    type_.max = high;
    if (!eat("<")) return true;
    if (!take_number(type_.min) || !eat(":") || !take_number(type_.max) || !eat(">"))
      return fail_form();
    if (type_.min < low || type_.min >= type_.max || type_.max > high)
      return fail(cat("expected a storage range within [", low, ", ", high, "]"));
    return true;
  }

  bool read_expressed() {
    if (!eat(":")) return fail_form();
    const std::string_view word = take_word();
    const auto dtype = parse_dtype(word);
    if (!dtype || !is_float(*dtype) || word != to_string(*dtype))
      return fail("expected an expressed type of floats");
    type_.expressed = *dtype;
    return true;
  }

  bool read_granularity() {
    if (!eat(":")) return true;
    if (!eat("{")) {
      type_.granularity = Granularity::axis;
      if (!take_number(type_.axis)) return fail_form();
      return type_.axis >= 0 || fail("expected an axis of at least 0");
    }
    type_.granularity = Granularity::blocks;
    if (eat("}")) return true;
    do {
      auto& [dim, size] = type_.blocks.emplace_back();
      if (!take_number(dim) || !eat(":") || !take_number(size)) return fail_form();
      const auto same_dim = [&, d = dim](const auto& block) { return block.first == d; };
      if (dim < 0 || size < 1 || std::ranges::count_if(type_.blocks, same_dim) > 1)
        return fail("expected positive sizes of blocks, for each dimension once");
    } while (eat(","));
    return eat("}") || fail_form();
  }

  bool read_parameters() {
    if (!eat(",")) return fail_form();
    if (type_.granularity == Granularity::tensor) {
      if (!read_parameter()) return false;
    } else if (!eat("{") || !read_list(type_.dims, 1)) {
      return reason_.empty() ? fail_form() : false;
    }
    if (type_.granularity == Granularity::axis && type_.dims.size() != 1) return fail_form();
    return (eat(">") && rest_.empty()) || fail_form();
  }

  // "{" has been taken; the extents of the list.
  bool read_list(Dims& dims, int depth) {
    if (depth > max_list_nesting) return fail_form();
    std::optional<Dims> inner;
    std::int64_t count = 0;
    do {
      Dims found;
      if (eat("{") ? !read_list(found, depth + 1) : !read_parameter()) return false;
      if (inner && *inner != found) return fail("expected lists of parameters of equal lengths");
      inner = std::move(found);
      ++count;
    } while (eat(","));
    if (!eat("}")) return fail_form();
    dims = {count};
    dims.insert(dims.end(), inner->begin(), inner->end());
    return true;
  }

  bool read_parameter() {
    double scale = 0;
    std::int64_t zero_point = 0;
    if (!take_number(scale)) return fail_form();
    if (eat(":") && !take_number(zero_point)) return fail_form();
    const DType d = type_.expressed;
    const double rounded = decode_float(d, encode_float(d, scale));
    if (!std::isfinite(rounded) || rounded <= 0 || scale < decode_float(d, 1))
      return fail(cat("expected scales that are positive numbers of ", to_string(d)));
    if (zero_point < type_.min || zero_point > type_.max)
      return fail(cat("expected zero points within [", type_.min, ", ", type_.max, "]"));
    type_.scales.push_back(rounded);
    type_.zero_points.push_back(zero_point);
    return true;
  }

  std::string_view rest_;
  std::string& reason_;
  Quantization type_;
};

void append_parameter(std::string& text, const Quantization& q, std::size_t k) {
  char digits[32];
  const auto [end, error] = std::to_chars(digits, digits + sizeof digits, q.scales[k]);
  text.append(digits, end);
  if (q.zero_points[k] != 0) text += cat(":", q.zero_points[k]);
}

// The parameters from number `first` on along dimension `dim` and those behind it.
void append_list(std::string& text, const Quantization& q, std::size_t dim, std::size_t& first) {
  if (dim == q.dims.size()) return append_parameter(text, q, first++);
  for (std::int64_t k = 0; k < q.dims[dim]; ++k) {
    text += k == 0 ? "{" : ",";
    append_list(text, q, dim + 1, first);
  }
  text += "}";
}

}  // namespace

std::int64_t least_integer(DType storage) {
  return is_signed(storage) ? -(std::int64_t{1} << (info(storage).bits - 1)) : std::int64_t{0};
}
std::int64_t greatest_integer(DType storage) {
  return (std::int64_t{1} << (info(storage).bits - (is_signed(storage) ? 1 : 0))) - 1;
}

bool same(const QuantizationRef& a, const QuantizationRef& b) {
  return a == b || (a && b && *a == *b);
}

std::optional<Quantization> parse_quantization(std::string_view text, std::string& reason) {
  reason.clear();
  return QuantizationReader(text, reason).read();
}

std::string to_string(const Quantization& q) {
  std::string text = cat("!quant.uniform<", to_string(q.storage));
  if (q.min != least_integer(q.storage) || q.max != greatest_integer(q.storage))
    text += cat("<", q.min, ":", q.max, ">");
  text += cat(":", to_string(q.expressed));
  if (q.granularity == Granularity::axis) text += cat(":", q.axis);
  if (q.granularity == Granularity::blocks) {
    text += ":{";
    for (const auto& [dim, size] : q.blocks)
      text += cat(text.ends_with('{') ? "" : ",", dim, ":", size);
    text += "}";
  }
  text += ", ";
  std::size_t first = 0;
  append_list(text, q, 0, first);
  return text + ">";
}

std::string misfit(const Quantization& q, const Dims& dims) {
  const auto rank = std::int64_t(dims.size());
  if (q.granularity == Granularity::axis) {
    if (q.axis >= rank) return cat("expected an axis below the rank, ", rank);
    const std::int64_t extent = dims[std::size_t(q.axis)];
    return extent == q.dims[0] ? std::string() : cat("expected ", extent, " scales");
  }
  if (q.granularity == Granularity::tensor) return {};
  Dims sizes = dims;
  for (const auto& [dim, size] : q.blocks) {
    if (dim >= rank) return cat("expected blocks along dimensions below the rank, ", rank);
    sizes[std::size_t(dim)] = size;
  }
  Dims counts;
  for (std::size_t d = 0; d < dims.size(); ++d) {
    if (sizes[d] == 0 || dims[d] % sizes[d] != 0)
      return cat("expected blocks whose size divides dimension ", d);
    counts.push_back(dims[d] / sizes[d]);
  }
  if (counts == q.dims) return {};
  std::string extents;
  for (const std::int64_t count : counts) extents += cat(extents.empty() ? "" : "x", count);
  return cat("expected ", extents, " scales");
}

std::string to_string(const WrittenType& type) {
  if (!type.quantization) return to_string(type.stored());
  std::string text = "tensor<";
  for (const std::int64_t extent : type.dims) text += cat(extent, "x");
  return cat(text, to_string(*type.quantization), ">");
}

std::vector<Type> stored(const std::vector<WrittenType>& types) {
  return {types.begin(), types.end()};
}
std::vector<Value> stored(const std::vector<WrittenValue>& values) {
  return {values.begin(), values.end()};
}

}  // namespace partita::ir
