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

/// Which bits of a format stand for no number.
enum class Specials : std::uint8_t {
  ieee,      ///< an exponent of all ones: infinity (mantissa zero) and NaNs
  last_nan,  ///< all ones but the sign: a NaN; no infinities
  zero_nan,  ///< what would be -0: the only NaN; no infinities
  none,      ///< all are numbers; what is too large becomes the largest, and a NaN -0
};

/// Sign, exponent and mantissa as IEEE-754 lays them out, with subnormals.  Without a sign there are neither
/// zeros nor subnormals, and with no mantissa either all numbers are powers of two.
struct FloatFormat {
  int exponent_bits = 0, mantissa_bits = 0;
  Specials specials = Specials::ieee;
  int more_bias = 0;  ///< than IEEE-754's formats of so many exponent bits have
  bool is_signed = true;

  [[nodiscard]] constexpr int bits() const { return is_signed + exponent_bits + mantissa_bits; }
  [[nodiscard]] constexpr int bias() const { return (1 << (exponent_bits - 1)) - 1 + more_bias; }
  /// IEEE-754's emin: exponent of the smallest number that is not subnormal.
  [[nodiscard]] constexpr int emin() const { return is_signed - bias(); }
  /// Exponent of the largest number.
  [[nodiscard]] constexpr int emax() const {
    const bool last_is_special =
        specials == Specials::ieee || (specials == Specials::last_nan && mantissa_bits == 0);
    return (1 << exponent_bits) - (last_is_special ? 2 : 1) - bias();
  }
  [[nodiscard]] constexpr bool has_infinity() const { return specials == Specials::ieee; }
  [[nodiscard]] constexpr bool has_nan() const { return specials != Specials::none; }
  [[nodiscard]] constexpr bool has_zero() const { return is_signed; }
  [[nodiscard]] constexpr bool has_minus_zero() const {
    return is_signed && specials != Specials::zero_nan;
  }
  /// Bits of the sign, of all but the sign, of the exponent's field.
  [[nodiscard]] constexpr std::uint64_t sign_mask() const {
    return std::uint64_t{is_signed} << (exponent_bits + mantissa_bits);
  }
  [[nodiscard]] constexpr std::uint64_t magnitude_mask() const {
    return (std::uint64_t{1} << (exponent_bits + mantissa_bits)) - 1;
  }
  [[nodiscard]] constexpr std::uint64_t exponent_mask() const {
    return ((std::uint64_t{1} << exponent_bits) - 1) << mantissa_bits;
  }
  /// What NaNs of arithmetic are encoded as; where each sign has one, without sign.
  [[nodiscard]] constexpr std::uint64_t nan() const {
    if (specials == Specials::ieee)
      return exponent_mask() | std::uint64_t{1} << (mantissa_bits - 1);
    return specials == Specials::last_nan ? magnitude_mask() : sign_mask();
  }
  [[nodiscard]] constexpr bool nan_has_sign() const {
    return is_signed && (specials == Specials::ieee || specials == Specials::last_nan);
  }
  /// What numbers round to that are too large, without sign: infinity, else NaN, else the largest.
  [[nodiscard]] constexpr std::uint64_t overflow() const {
    if (specials == Specials::ieee) return exponent_mask();
    return specials == Specials::none ? magnitude_mask() : nan();
  }
  /// The bits of the largest number, infinity included; larger ones without sign are NaNs.
  [[nodiscard]] constexpr std::uint64_t last_number() const {
    if (specials == Specials::ieee) return exponent_mask();
    return magnitude_mask() - (specials == Specials::last_nan ? 1 : 0);
  }
  [[nodiscard]] constexpr bool is_nan(std::uint64_t bits) const {
    if (specials == Specials::zero_nan) return bits == sign_mask();
    return (bits & magnitude_mask()) > last_number();
  }
  [[nodiscard]] constexpr bool operator==(const FloatFormat&) const = default;
};

/// Whether `wide` has every number of `narrow`, with infinities, NaN and -0.
[[nodiscard]] constexpr bool holds_all_of(FloatFormat wide, FloatFormat narrow) {
  if (narrow.has_infinity() && !wide.has_infinity()) return false;
  if (narrow.has_nan() && !wide.has_nan()) return false;
  if (narrow.has_minus_zero() && !wide.has_minus_zero()) return false;
  if (narrow.is_signed && !wide.is_signed) return false;
  // Where the exponents end alike, the NaN of one may take the place of the other's largest number.
  const bool has_largest =
      wide.emax() > narrow.emax() ||
      (wide.emax() == narrow.emax() &&
       (wide.specials != Specials::last_nan || wide.specials == narrow.specials ||
        wide.mantissa_bits > narrow.mantissa_bits));
  return has_largest && wide.mantissa_bits >= narrow.mantissa_bits &&
         wide.emin() - wide.mantissa_bits <= narrow.emin() - narrow.mantissa_bits;
}

/// Elements of a format of at most 16 bits, in the low bits of Bits.
template <FloatFormat format>
struct SmallFloat {
  static_assert(format.bits() <= 16 && format.exponent_bits <= 8);
  static_assert(format.is_signed ? format.mantissa_bits >= 1
                                 : format.mantissa_bits == 0 && format.exponent_bits == 8 &&
                                       format.specials == Specials::last_nan);
  using Bits = std::conditional_t<format.bits() <= 8, std::uint8_t, std::uint16_t>;
  static constexpr int bias = format.bias(), mantissa_bits = format.mantissa_bits;
  static constexpr unsigned overflow = unsigned(format.overflow()), nan = unsigned(format.nan()),
                            last = unsigned(format.last_number()),
                            sign_mask = unsigned(format.sign_mask()),
                            last_exponent = unsigned(format.exponent_mask() >> mantissa_bits);

  /// Rounds to nearest even.  Taking a double avoids rounding twice on the way from f64.
  static constexpr Bits encode(double x) {
    const auto bits = std::bit_cast<std::uint64_t>(x);
    const bool is_negative = bits >> 63 != 0;
    const unsigned sign = is_negative ? sign_mask : 0;
    const int exponent = int(bits >> 52 & 0x7ff) - 1023;
    std::uint64_t mantissa = bits & 0xfffffffffffff;
    if (exponent == 1024 && mantissa != 0) return Bits((format.nan_has_sign() ? sign : 0) | nan);
    if (exponent == 1024) return with_sign(is_negative, overflow);
    int shift = 52 - mantissa_bits;
    unsigned result = 0;
    bool is_odd = false;
    if (exponent + bias > 0) {
      result = unsigned(exponent + bias) << mantissa_bits;
      is_odd = mantissa_bits == 0;  // the leading bit is the last one that is kept
    } else {
      mantissa |= std::uint64_t{1} << 52;
      shift += 1 - (exponent + bias);
      if (shift > 54) return with_sign(is_negative, 0, (bits << 1) == 0);
    }
    if (exponent + bias > int(last_exponent)) return with_sign(is_negative, overflow);
    const std::uint64_t kept = mantissa >> shift;
    const std::uint64_t rest = mantissa - (kept << shift);
    const std::uint64_t half = std::uint64_t{1} << (shift - 1);
    is_odd = is_odd || (kept & 1) != 0;
    // A carry out of the mantissa moves on into the exponent, as it should.
    result += unsigned(kept + std::uint64_t(rest > half || (rest == half && is_odd)));
    return with_sign(is_negative, result <= last ? result : overflow);
  }

  static float decode(Bits bits) {
    const std::uint32_t sign = (bits & sign_mask) != 0 ? 1u << 31 : 0;
    const std::uint32_t magnitude = bits & unsigned(format.magnitude_mask());
    const std::uint32_t mantissa = magnitude & ((1u << mantissa_bits) - 1);
    const int exponent = int(magnitude >> mantissa_bits);
    std::uint32_t result = sign | mantissa << (23 - mantissa_bits);
    if (format.specials == Specials::zero_nan && sign != 0 && magnitude == 0) {
      result = 0x7fc00000;
    } else if (format.specials == Specials::last_nan && magnitude > last) {
      result = sign | 0x7fc00000;
    } else if (format.specials == Specials::ieee && magnitude >= overflow) {
      result |= 0xffu << 23;
    } else if (exponent > 0) {
      result |= std::uint32_t(exponent - bias + 127) << 23;
    } else if (!format.is_signed) {
      result = std::bit_cast<std::uint32_t>(std::ldexp(1.0f, -bias));
    } else {  // zero or subnormal
      result = sign |
               std::bit_cast<std::uint32_t>(std::ldexp(float(mantissa), 1 - bias - mantissa_bits));
    }
    return std::bit_cast<float>(result);
  }

 private:
  /// The bits of a number; of one that the format has not: a NaN.
  static constexpr Bits with_sign(bool is_negative, unsigned magnitude, bool is_zero = false) {
    if (!format.is_signed) return Bits(is_negative || is_zero ? nan : magnitude);
    if (format.specials == Specials::zero_nan && magnitude == 0) return 0;
    return Bits((is_negative ? sign_mask : 0) | magnitude);
  }
};

}  // namespace partita
