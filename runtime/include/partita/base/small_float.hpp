// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Binary floating-point formats as data, and those of at most 16 bits in software: encode from double,
// decode to float.  All is derived from the widths of the fields.  Which formats are element types is
// said in dtype.def.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <type_traits>

namespace partita {

/// Sign, exponent and mantissa as IEEE-754 lays them out, with subnormals.  An exponent of all ones
/// stands for infinity (mantissa zero) and NaNs; without infinities it is that of numbers, but for one
/// NaN of each sign, all bits of which are ones.
struct FloatFormat {
  int exponent_bits = 0, mantissa_bits = 0;
  bool has_infinity = true;

  [[nodiscard]] constexpr int bits() const { return 1 + exponent_bits + mantissa_bits; }
  [[nodiscard]] constexpr int bias() const { return (1 << (exponent_bits - 1)) - 1; }
  /// IEEE-754's emin: exponent of the smallest number that is not subnormal.
  [[nodiscard]] constexpr int emin() const { return 1 - bias(); }
  /// Bits of the sign, of the exponent's field.
  [[nodiscard]] constexpr std::uint64_t sign_mask() const {
    return std::uint64_t{1} << (bits() - 1);
  }
  [[nodiscard]] constexpr std::uint64_t exponent_mask() const {
    return ((std::uint64_t{1} << exponent_bits) - 1) << mantissa_bits;
  }
  /// What NaNs of arithmetic are encoded as, without sign.
  [[nodiscard]] constexpr std::uint64_t nan() const {
    return has_infinity ? exponent_mask() | std::uint64_t{1} << (mantissa_bits - 1)
                        : sign_mask() - 1;
  }
  /// What numbers round to that are too large, without sign: infinity, else NaN.
  [[nodiscard]] constexpr std::uint64_t overflow() const {
    return has_infinity ? exponent_mask() : nan();
  }
  /// The bits of the largest number, infinity included; larger ones without sign are NaNs.
  [[nodiscard]] constexpr std::uint64_t last_number() const {
    return has_infinity ? exponent_mask() : nan() - 1;
  }
  [[nodiscard]] constexpr bool operator==(const FloatFormat&) const = default;
};

/// Whether `wide` has every number of `narrow`, infinities included.
[[nodiscard]] constexpr bool holds_all_of(FloatFormat wide, FloatFormat narrow) {
  const bool loses_infinity = narrow.has_infinity && !wide.has_infinity;
  // Without infinities the last exponent is one of numbers.
  const bool loses_largest =
      wide.has_infinity && !narrow.has_infinity && wide.exponent_bits == narrow.exponent_bits;
  return wide.exponent_bits >= narrow.exponent_bits && wide.mantissa_bits >= narrow.mantissa_bits &&
         !loses_infinity && !loses_largest;
}

/// Elements of a format of at most 16 bits.
template <FloatFormat format>
struct SmallFloat {
  static_assert(format.bits() == 8 || format.bits() == 16);
  static_assert(format.exponent_bits <= 8 && format.mantissa_bits >= 1);
  using Bits = std::conditional_t<format.bits() == 8, std::uint8_t, std::uint16_t>;
  static constexpr int bias = format.bias(), mantissa_bits = format.mantissa_bits;
  static constexpr unsigned overflow = unsigned(format.overflow()), nan = unsigned(format.nan()),
                            last_exponent = unsigned(format.exponent_mask() >> mantissa_bits);

  /// Rounds to nearest even.  Taking a double avoids rounding twice on the way from f64.
  static constexpr Bits encode(double x) {
    const auto bits = std::bit_cast<std::uint64_t>(x);
    const unsigned sign = unsigned(bits >> 63) << (format.bits() - 1);
    const int exponent = int(bits >> 52 & 0x7ff) - 1023;
    std::uint64_t mantissa = bits & 0xfffffffffffff;
    if (exponent == 1024) return Bits(sign | (mantissa ? nan : overflow));
    int shift = 52 - mantissa_bits;
    unsigned result = 0;
    if (exponent + bias > 0) {
      result = unsigned(exponent + bias) << mantissa_bits;
    } else {
      mantissa |= std::uint64_t{1} << 52;
      shift += 1 - (exponent + bias);
      if (shift > 54) return Bits(sign);
    }
    if (exponent + bias > int(last_exponent)) return Bits(sign | overflow);
    const std::uint64_t kept = mantissa >> shift;
    const std::uint64_t rest = mantissa - (kept << shift);
    const std::uint64_t half = std::uint64_t{1} << (shift - 1);
    // A carry out of the mantissa moves on into the exponent, as it should.
    result += unsigned(kept + std::uint64_t(rest > half || (rest == half && (kept & 1))));
    return Bits(sign | (result < overflow ? result : overflow));
  }

  static float decode(Bits bits) {
    const std::uint32_t sign = std::uint32_t(bits) >> (format.bits() - 1) << 31;
    const std::uint32_t magnitude = bits & unsigned(format.sign_mask() - 1);
    const std::uint32_t mantissa = magnitude & ((1u << mantissa_bits) - 1);
    const int exponent = int(magnitude >> mantissa_bits);
    std::uint32_t result = sign | mantissa << (23 - mantissa_bits);
    if (magnitude >= overflow) {
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

}  // namespace partita
