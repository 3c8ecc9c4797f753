// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "plugin/element_types.hpp"

#include <array>
#include <string_view>

#include "partita/base/error.hpp"
#include "plugin/error.hpp"

namespace partita::pjrt {

namespace {

/// StableHLO's names at PJRT's numbers.
constexpr std::array<std::string_view, 30> names{"",
                                                 "i1",
                                                 "i8",
                                                 "i16",
                                                 "i32",
                                                 "i64",
                                                 "ui8",
                                                 "ui16",
                                                 "ui32",
                                                 "ui64",
                                                 "f16",
                                                 "f32",
                                                 "f64",
                                                 "bf16",
                                                 "complex<f32>",
                                                 "complex<f64>",
                                                 "f8E5M2",
                                                 "f8E4M3FN",
                                                 "f8E4M3B11FNUZ",
                                                 "f8E5M2FNUZ",
                                                 "f8E4M3FNUZ",
                                                 "i4",
                                                 "ui4",
                                                 "token",
                                                 "i2",
                                                 "ui2",
                                                 "f8E4M3",
                                                 "f8E3M4",
                                                 "f8E8M0FNU",
                                                 "f4E2M1FN"};

}  // namespace

int number_of(DType dtype) {
  const std::string_view name = to_string(dtype);
  for (std::size_t k = 1; k < names.size(); ++k)
    if (names[k] == name) return int(k);
  return 0;
}

DType dtype_of(int number) {
  const bool is_known = number > 0 && std::size_t(number) < names.size();
  const auto dtype = is_known ? parse_dtype(names[std::size_t(number)]) : std::nullopt;
  if (!dtype)
    throw Failure(abi::unimplemented,
                  is_known
                      ? cat("element type ", names[std::size_t(number)], " is not part of partita")
                      : cat("element type ", number, " of PJRT is not part of partita"));
  return *dtype;
}

}  // namespace partita::pjrt
