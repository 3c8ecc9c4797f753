// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "ops/support/combiners.hpp"

#include <array>

#include "partita/scalar/elementwise.hpp"

namespace partita::ir::ops {
namespace {

/// What values of `dtype` are accumulated in.
DType accumulation_dtype(Combiner combiner, DType dtype) {
  if (!info(combiner).rounds) return dtype;
  return is_float(dtype) ? DType::f64 : is_complex(dtype) ? DType::c128 : dtype;
}

}  // namespace

Combiner expect_combiner(const InferContext& c, const std::string& text,
                         std::string_view expected) {
  const auto combiner = find_combiner(&CombinerInfo::mr, text);
  c.expect(combiner.has_value(), std::string(expected), cat("\"", text, "\""));
  return *combiner;
}

Accumulator::Accumulator(Combiner combiner, const Type& type)
    : type_(type), row_(info(combiner).row) {
  const Type wide{.dtype = accumulation_dtype(combiner, type.dtype), .dims = type.dims};
  value_ = combiner_identity(combiner, wide)->to_array();
}

void Accumulator::add(const HostArray& from, std::int64_t offset) {
  const std::byte* at = from.bytes.data() + std::size_t(offset) * byte_size(type_.dtype);
  HostArray wide;
  if (value_.type.dtype != type_.dtype) {
    HostArray slice(type_);
    if (!slice.bytes.empty()) std::memcpy(slice.bytes.data(), at, slice.bytes.size());
    wide = convert(slice, value_.type.dtype);
    at = wide.bytes.data();
  }
  const std::array<const void*, 2> operands{value_.bytes.data(), at};
  elementwise_function(elementwise_row(row_), value_.type.dtype)(
      operands.data(), value_.bytes.data(), std::size_t(type_.count()));
}

HostArray Accumulator::result() const { return convert(value_, type_.dtype); }

HostArray Accumulator::mean(std::int64_t count) const {
  HostArray mean = value_;
  if (mean.type.dtype == DType::f64) {
    for (std::int64_t i = 0; i < type_.count(); ++i) mean.data<DType::f64>()[i] /= double(count);
  } else {
    for (std::int64_t i = 0; i < type_.count(); ++i) mean.data<DType::c128>()[i] /= double(count);
  }
  return convert(mean, type_.dtype);
}

}  // namespace partita::ir::ops
