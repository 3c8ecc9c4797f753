// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// From integers to numbers and back.
#include <algorithm>

#include "frontend/stablehlo/quantized_ops.hpp"
#include "partita/ir/op.hpp"

namespace partita::ir {

namespace {

using Granularity = Quantization::Granularity;

bool is_uniform(const auto& values) {
  return std::ranges::all_of(values, [&](const auto& v) { return v == values.front(); });
}

// One parameter per element of `dims`.
Value spread(const Maker& m, const Quantization& q, const std::vector<double>& parameters,
             DType dtype, const Dims& dims) {
  const Type type{.dtype = dtype, .dims = dims};
  if (is_uniform(parameters)) return m.splat(type, parameters.front());
  HostArray array(Type{.dtype = dtype, .dims = q.dims});
  for (std::size_t k = 0; k < parameters.size(); ++k) {
    const DenseRef one = make_splat(Type::scalar(dtype), parameters[k]);
    std::ranges::copy(one->bytes(), array.bytes.begin() + std::ptrdiff_t(k * one->bytes().size()));
  }
  const Value all = m.constant(make_dense(array));
  if (q.granularity == Granularity::axis) return m.broadcast(all, dims, {q.axis});
  // Blocks are a dimension of their own: [n, m] -> [n, block, m, block] -> [n * block, m * block].
  Dims split;
  I64s at;
  for (std::size_t d = 0; d < dims.size(); ++d) {
    at.push_back(std::int64_t(split.size()));
    split.push_back(q.dims[d]);
    split.push_back(dims[d] / q.dims[d]);
  }
  return m.reshape(m.broadcast(all, split, at), dims);
}

std::vector<double> as_numbers(const std::vector<std::int64_t>& integers) {
  return {integers.begin(), integers.end()};
}

bool has_zero_points(const Quantization& q) {
  return std::ranges::any_of(q.zero_points, [](std::int64_t z) { return z != 0; });
}

// Whether a bound of the integers is a number of expressed type, or one to which conversion saturates.
bool is_exact(const Quantization& q, std::int64_t bound, bool is_bound_of_storage) {
  return is_bound_of_storage ||
         decode_float(q.expressed, encode_float(q.expressed, double(bound))) == double(bound);
}

Value clamp(const Maker& m, Value v, double low, double high) {
  const Type bound = Type::scalar(v.type().dtype);
  return m.op("stablehlo.clamp", {m.splat(bound, low), v, m.splat(bound, high)});
}

}  // namespace

Value dequantize(const Maker& m, Value integers, const Quantization& q) {
  const Dims& dims = integers.type().dims;
  if (has_zero_points(q)) {
    // Wide enough for every difference.
    const DType wide = info(q.storage).bits <= 16 ? DType::i32 : DType::i64;
    integers = m.op("stablehlo.subtract", {m.convert(integers, wide),
                                           spread(m, q, as_numbers(q.zero_points), wide, dims)});
  }
  return m.op("stablehlo.multiply",
              {m.convert(integers, q.expressed), spread(m, q, q.scales, q.expressed, dims)});
}

Value quantize(const Maker& m, Value numbers, const Quantization& q) {
  const Dims& dims = numbers.type().dims;
  Value v = m.op("stablehlo.divide", {numbers, spread(m, q, q.scales, q.expressed, dims)});
  if (has_zero_points(q))
    v = m.op("stablehlo.add", {v, spread(m, q, as_numbers(q.zero_points), q.expressed, dims)});
  v = clamp(m, v, double(q.min), double(q.max));
  v = m.convert(m.op("stablehlo.round_nearest_even", {v}), q.storage);
  const bool is_within = is_exact(q, q.min, q.min == least_integer(q.storage)) &&
                         is_exact(q, q.max, q.max == greatest_integer(q.storage));
  return is_within ? v : clamp(m, v, double(q.min), double(q.max));
}

}  // namespace partita::ir
