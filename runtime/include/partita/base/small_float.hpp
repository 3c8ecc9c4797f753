// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// 16-bit floating-point formats in software: encode from double, decode to float.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

namespace partita {

/// A binary floating-point format of at most 16 bits, laid out as IEEE-754 does.
template <int exponent_bits, int mantissa_bits>
struct SmallFloat {
  static constexpr int bias = (1 << (exponent_bits - 1)) - 1;
  static constexpr unsigned infinity = ((1u << exponent_bits) - 1) << mantissa_bits;

  /// Rounds to nearest even.  Taking a double avoids rounding twice on the way from f64.
  static constexpr std::uint16_t encode(double x) {
    const auto bits = std::bit_cast<std::uint64_t>(x);
    const unsigned sign = unsigned(bits >> 63) << (exponent_bits + mantissa_bits);
    const int exponent = int(bits >> 52 & 0x7ff) - 1023;
    std::uint64_t mantissa = bits & 0xfffffffffffff;
    if (exponent == 1024) {
      const unsigned quiet = mantissa ? 1u << (mantissa_bits - 1) : 0u;
      return std::uint16_t(sign | infinity | quiet);
    }
    int shift = 52 - mantissa_bits;
    unsigned result = 0;
    if (exponent + bias > 0) {
      result = unsigned(exponent + bias) << mantissa_bits;
    } else {
      mantissa |= std::uint64_t{1} << 52;
      shift += 1 - (exponent + bias);
      if (shift > 54) return std::uint16_t(sign);
    }
    if (exponent + bias > int(infinity >> mantissa_bits)) return std::uint16_t(sign | infinity);
    const std::uint64_t kept = mantissa >> shift;
    const std::uint64_t rest = mantissa - (kept << shift);
    const std::uint64_t half = std::uint64_t{1} << (shift - 1);
    // A carry out of the mantissa moves on into the exponent, as it should.
    result += unsigned(kept + std::uint64_t(rest > half || (rest == half && (kept & 1))));
    return std::uint16_t(sign | (result < infinity ? result : infinity));
  }

  static float decode(std::uint16_t bits) {
    const std::uint32_t sign = std::uint32_t(bits) >> (exponent_bits + mantissa_bits) << 31;
    const std::uint32_t magnitude = bits & ((1u << (exponent_bits + mantissa_bits)) - 1);
    const std::uint32_t mantissa = magnitude & ((1u << mantissa_bits) - 1);
    const int exponent = int(magnitude >> mantissa_bits);
    std::uint32_t result = sign | mantissa << (23 - mantissa_bits);
    if (magnitude >= infinity) {
      result |= 0xffu << 23;
    } else if (exponent > 0) {
      result |= std::uint32_t(exponent - bias + 127) << 23;
    } else {  // zero or subnormal
      result = sign |
               std::bit_cast<std::uint32_t>(std::ldexp(float(mantissa), 1 - bias - mantissa_bits));
    }
    return std::bit_cast<float>(result);
  }
};
using Float16 = SmallFloat<5, 10>;
using BFloat16 = SmallFloat<8, 7>;

}  // namespace partita
