// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Floating-point formats against their definition: every value and every border between two values of
// formats of 4 to 16 bits, in double arithmetic, which is exact for them; and against ml_dtypes.
#include "partita/base/small_float.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>

#include "partita/base/dtype.hpp"
#include "partita/base/error.hpp"

namespace partita {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

constexpr FloatFormat f16{5, 10}, bf16{8, 7}, f8e5m2{5, 2}, f8e4m3fn{4, 3, Specials::last_nan},
    f8e4m3fnuz{4, 3, Specials::zero_nan, 1}, f8e4m3b11fnuz{4, 3, Specials::zero_nan, 4},
    f8e5m2fnuz{5, 2, Specials::zero_nan, 1}, f6e3m2fn{3, 2, Specials::none},
    f4e2m1fn{2, 1, Specials::none};

/// What bits without sign stand for, as IEEE-754 says it.
double defined_value(const FloatFormat& format, unsigned magnitude) {
  const int exponent = int(magnitude >> format.mantissa_bits);
  const unsigned one = 1u << format.mantissa_bits, mantissa = magnitude & (one - 1);
  const int all_ones = (1 << format.exponent_bits) - 1;
  if (format.specials == Specials::ieee && exponent == all_ones)
    return mantissa == 0 ? infinity : NAN;
  if (format.specials == Specials::last_nan && exponent == all_ones && mantissa == one - 1)
    return NAN;
  if (exponent == 0) return std::ldexp(mantissa, format.emin() - format.mantissa_bits);
  return std::ldexp(one + mantissa, exponent - format.bias() - format.mantissa_bits);
}

template <FloatFormat format>
class Checked {
 public:
  void values() const {
    for (unsigned magnitude = 0; magnitude < sign; ++magnitude) {
      const double expected = defined_value(format, magnitude);
      for (const unsigned s : {0u, sign}) {
        const float found = Small::decode(Bits(magnitude | s));
        if (magnitude == 0 && s != 0 && !format.has_minus_zero()) {
          ASSERT_TRUE(std::isnan(found));
          ASSERT_EQ(Small::encode(found), sign);
          continue;
        }
        ASSERT_EQ(std::signbit(found), s != 0) << magnitude;
        if (std::isnan(expected)) {
          ASSERT_TRUE(std::isnan(found)) << magnitude;
          expect(found, unsigned(format.nan()));
        } else {
          ASSERT_EQ(double(found), s != 0 ? -expected : expected) << magnitude;
          expect(found, magnitude);
        }
      }
    }
  }

  void borders() const {
    for (unsigned low = 0; low < largest(); ++low)
      border(low, low + 1, (value(low) + value(low + 1)) / 2);
    // The next number would be as far away as the one before; of ties an even one is the last.
    const double last = value(largest()), step = last - value(largest() - 1);
    const double middle = last + step / 2;
    expect(middle, largest() % 2 == 0 ? largest() : unsigned(format.overflow()));
    expect(std::nextafter(middle, 0), largest());
    expect(std::nextafter(middle, infinity), unsigned(format.overflow()));
    for (const double x : {last + step, 1e300, infinity}) expect(x, unsigned(format.overflow()));
    for (const double x : {value(1) / 4, 1e-300, 5e-324}) expect(x, 0);
  }

 private:
  using Small = SmallFloat<format>;
  using Bits = typename Small::Bits;
  static constexpr auto sign = unsigned(format.sign_mask());

  static double value(unsigned magnitude) { return defined_value(format, magnitude); }
  static constexpr unsigned largest() {
    return unsigned(format.last_number()) - (format.has_infinity() ? 1 : 0);
  }
  /// What x and -x are encoded as.
  static void expect(double x, unsigned magnitude) {
    const double positive = std::fabs(x);
    ASSERT_EQ(Small::encode(positive), Bits(magnitude)) << positive;
    const bool has_sign = magnitude != 0 || format.has_minus_zero();
    ASSERT_EQ(Small::encode(-positive), Bits(magnitude | (has_sign ? sign : 0))) << -positive;
  }
  /// Ties go to the even one.
  static void border(unsigned low, unsigned high, double middle) {
    expect(middle, low % 2 == 0 ? low : high);
    expect(std::nextafter(middle, 0), low);
    expect(std::nextafter(middle, infinity), high);
  }
};

template <FloatFormat... formats>
void check_values() {
  (Checked<formats>().values(), ...);
}
template <FloatFormat... formats>
void check_borders() {
  (Checked<formats>().borders(), ...);
}

TEST(SmallFloat, every_value_is_decoded_and_encoded_back) {
  check_values<f16, bf16, f8e5m2, f8e4m3fn, FloatFormat{4, 3}, FloatFormat{3, 4},
               FloatFormat{5, 2, Specials::last_nan}, f8e4m3fnuz, f8e4m3b11fnuz, f8e5m2fnuz,
               f6e3m2fn, f4e2m1fn>();
}

TEST(SmallFloat, rounds_to_nearest_even_at_every_border) {
  check_borders<f16, bf16, f8e5m2, f8e4m3fn, FloatFormat{4, 3}, FloatFormat{3, 4},
                FloatFormat{5, 2, Specials::last_nan}, f8e4m3fnuz, f8e4m3b11fnuz, f8e5m2fnuz,
                f6e3m2fn, f4e2m1fn>();
}

TEST(SmallFloat, powers_of_two_have_no_sign_and_no_zero) {
  using Power = SmallFloatOf<DType::f8e8m0fnu>;
  for (int k = 0; k < 255; ++k) {
    const double x = std::ldexp(1.0, k - 127);
    ASSERT_EQ(Power::decode(std::uint8_t(k)), x);
    ASSERT_EQ(Power::encode(x), k);
    if (k == 0) continue;
    // Ties go up.
    ASSERT_EQ(Power::encode(std::nextafter(1.5 * x, 0)), k);
    ASSERT_EQ(Power::encode(1.5 * x), k + 1);
  }
  EXPECT_TRUE(std::isnan(Power::decode(0xff)));
  // Below the smallest number all are it.
  EXPECT_EQ(Power::encode(1e-300), 0);
  EXPECT_EQ(Power::encode(0x1.1p-127), 1);
  for (const double x : {0.0, -0.0, -1.0, 1e300, infinity, -infinity, double(NAN)})
    EXPECT_EQ(Power::encode(x), 0xff) << x;
}

/// Adds numbers up, each times its own odd factor.
class Sum {
 public:
  void add(std::uint64_t x) { sum_ += x * (2654435761 * count_++ + 12345); }
  [[nodiscard]] std::uint64_t value() const { return sum_; }

 private:
  std::uint64_t sum_ = 0, count_ = 0;
};

// Sums of what ml_dtypes 0.6 makes of all elements and of some three million f32: all values and middles of formats of so
// few bits, and what lies beside each.  A NaN's sign is not kept by types without others.
TEST(SmallFloat, is_converted_as_ml_dtypes_does) {
  struct Expected {
    DType dtype;
    std::uint64_t decoded, encoded;
    unsigned nan;
  };
  constexpr Expected all[] = {
      {DType::f4e2m1fn, 0xc32614b4d7000000, 0xd127ec20d7021fdc, 0x08},
      {DType::f8e3m4, 0xf3bd002b55800000, 0x9c4c7d2946acfacb, 0x78},
      {DType::f8e4m3, 0x12a0254b5d800000, 0xe49ebd6b74a7f757, 0x7c},
      {DType::f8e4m3b11fnuz, 0x92faf6629ec00000, 0x0041b20e388461e3, 0x80},
      {DType::f8e4m3fn, 0xfe3e677b6e000000, 0x2d6e07ad0abf1ec0, 0x7f},
      {DType::f8e4m3fnuz, 0x4f434c5df3c00000, 0x4c5c4092b9f461e3, 0x80},
      {DType::f8e5m2, 0x30d8329b32800000, 0x37530833fd68df9d, 0x7e},
      {DType::f8e5m2fnuz, 0x6290a43735c00000, 0x5d5d9f5f2e6a95e3, 0x80},
      {DType::f8e8m0fnu, 0x3b0b5b6670400000, 0x3619bc649949298e, 0xff},
  };
  for (const Expected& expected : all) {
    const DType d = expected.dtype;
    Sum decoded, encoded;
    for (unsigned bits = 0; bits < 1u << info(d).bits; ++bits) {
      const auto value = float(decode_float(d, bits));
      decoded.add(std::isnan(value) ? 0x7fc00000 : std::bit_cast<std::uint32_t>(value));
    }
    for (std::uint32_t top = 0; top < 1u << 20; ++top)
      for (const std::uint32_t low : {0u, 1u, 0xfffu})
        if (const auto x = std::bit_cast<float>(top << 12 | low); !std::isnan(x))
          encoded.add(encode_float(d, double(x)) + 1);
    EXPECT_EQ(decoded.value(), expected.decoded) << to_string(d);
    EXPECT_EQ(encoded.value(), expected.encoded) << to_string(d);
    EXPECT_EQ(encode_float(d, NAN), expected.nan) << to_string(d);
  }
}

TEST(SmallFloat, has_the_values_that_are_known_of_formats) {
  EXPECT_EQ(SmallFloat<f16>::encode(65504), 0x7bff);
  EXPECT_EQ(SmallFloat<f16>::encode(65520), 0x7c00);
  EXPECT_EQ(SmallFloat<bf16>::decode(0x7f7f), 0x1.fep127f);
  EXPECT_EQ(SmallFloat<f8e5m2>::decode(0x7b), 57344);
  EXPECT_EQ(SmallFloat<f8e5m2>::encode(61440), 0x7c);
  EXPECT_EQ(SmallFloat<f8e5m2>::encode(NAN), 0x7e);
  EXPECT_EQ(SmallFloat<f8e4m3fn>::decode(0x7e), 448);
  EXPECT_EQ(SmallFloat<f8e4m3fn>::decode(0x01), 0x1p-9f);
  EXPECT_EQ(SmallFloat<f8e4m3fn>::encode(464), 0x7e);
  EXPECT_EQ(SmallFloat<f8e4m3fn>::encode(-464.1), 0xff);
  EXPECT_EQ(SmallFloat<f8e4m3fn>::encode(infinity), 0x7f);
}

TEST(FloatFormat, knows_which_other_it_holds) {
  const FloatFormat f32 = info(DType::f32).format;
  for (const FloatFormat& small : {f16, bf16, f8e5m2, f8e4m3fn})
    EXPECT_TRUE(holds_all_of(f32, small) && holds_all_of(small, small));
  EXPECT_TRUE(holds_all_of(f16, f8e5m2) && holds_all_of(f16, f8e4m3fn));
  EXPECT_TRUE(holds_all_of(bf16, f8e5m2) && !holds_all_of(bf16, f16) && !holds_all_of(f16, bf16));
  // 448 is beyond the one, infinity beyond the other.
  EXPECT_FALSE(holds_all_of(FloatFormat{4, 3}, f8e4m3fn));
  EXPECT_FALSE(holds_all_of(f8e4m3fn, FloatFormat{4, 3}));
  // A NaN, and -0.
  EXPECT_TRUE(holds_all_of(f8e4m3fn, f4e2m1fn) && !holds_all_of(f8e4m3fnuz, f4e2m1fn));
  EXPECT_FALSE(holds_all_of(f6e3m2fn, f8e4m3fnuz));
  EXPECT_TRUE(holds_all_of(f6e3m2fn, f4e2m1fn) && !holds_all_of(f4e2m1fn, f6e3m2fn));
  const FloatFormat powers = info(DType::f8e8m0fnu).format;
  EXPECT_TRUE(holds_all_of(f32, powers) && holds_all_of(bf16, powers));
  EXPECT_FALSE(holds_all_of(f16, powers) || holds_all_of(powers, f4e2m1fn));
}

TEST(FloatFormat, holds_another_exactly_when_every_value_survives) {
  for (const DType wide : all_dtypes)
    for (const DType narrow : all_dtypes) {
      if (!is_small_float(wide) || !is_small_float(narrow)) continue;
      bool survive = true;
      for (std::uint64_t bits = 0; bits < std::uint64_t{1} << info(narrow).bits; ++bits) {
        const double x = decode_float(narrow, bits), y = decode_float(wide, encode_float(wide, x));
        survive = survive &&
                  (std::isnan(x) ? std::isnan(y) : x == y && std::signbit(x) == std::signbit(y));
      }
      EXPECT_EQ(holds_all_of(info(wide).format, info(narrow).format), survive)
          << to_string(wide) << " of " << to_string(narrow);
    }
}

TEST(DTypeTable, other_facts_follow_from_its_columns) {
  EXPECT_EQ(info(DType::f16).value, DType::f32);
  EXPECT_EQ(info(DType::f16).stored, DType::ui16);
  EXPECT_EQ(info(DType::i1).value, DType::i1);
  EXPECT_EQ(info(DType::i1).stored, DType::ui8);
  EXPECT_EQ(info(DType::i1).bits, 1);
  EXPECT_EQ(info(DType::c64).bits, 64);
  EXPECT_EQ(part_dtype(DType::c128), DType::f64);
  EXPECT_EQ(travel_dtype(DType::bf16), DType::f32);
  EXPECT_EQ(accumulator_dtype(DType::f64), DType::f64);
  EXPECT_EQ(bits_dtype(DType::f16), DType::ui16);
  EXPECT_EQ(integer_dtype(Kinds::signed_, 33), DType::i64);
  EXPECT_EQ(info(DType::i4).value, DType::i8);
  EXPECT_EQ(info(DType::i4).stored, DType::i8);
  EXPECT_EQ(info(DType::i4).bits, 4);
  EXPECT_EQ(byte_size(DType::ui2), 1u);
  EXPECT_EQ(info(DType::f4e2m1fn).bits, 4);
  EXPECT_EQ(bits_dtype(DType::f4e2m1fn), DType::ui4);
  EXPECT_TRUE(is_narrow_integer(DType::ui2) && !is_narrow_integer(DType::i8));
  EXPECT_EQ(travel_dtype(DType::i4), DType::i8);
  EXPECT_TRUE(in_place_of(DType::i4, DType::f8e8m0fnu) && in_place_of(DType::i8, DType::i8));
  EXPECT_FALSE(in_place_of(DType::i4, DType::i8) || in_place_of(DType::f8e5m2, DType::i4));
  for (const DType d : all_dtypes) {
    EXPECT_EQ(is_small_float(d), is_float(d) && info(d).bits <= 16) << to_string(d);
    if (!is_float(d)) {
      EXPECT_THROW(static_cast<void>(encode_float(d, 1)), Error);
      EXPECT_THROW(static_cast<void>(decode_float(d, 1)), Error);
      continue;
    }
    const FloatFormat& format = info(d).format;
    const std::uint64_t one = std::uint64_t(format.bias()) << format.mantissa_bits;
    EXPECT_EQ(encode_float(d, 1), one) << to_string(d);
    EXPECT_EQ(decode_float(d, one | format.sign_mask()), format.is_signed ? -1 : 1) << to_string(d);
    EXPECT_EQ(encode_float(d, infinity), format.overflow()) << to_string(d);
  }
}

template <DType d, int low, int high>
void check_wrapping() {
  static_assert(lowest_integer<d> == low && highest_integer<d> == high);
  for (int x = -300; x <= 300; ++x) {
    const int count = high - low + 1, wrapped = ((x - low) % count + count) % count + low;
    ASSERT_EQ(round_to<d>(x), wrapped) << x;
    ASSERT_EQ(StorageType<d>(stored_bits(d, std::uint64_t(x))), wrapped) << x;
    StorageType<d> stored{};
    store<d>(ValueType<d>(x), &stored, 0);
    ASSERT_EQ(stored, wrapped) << x;
    ASSERT_EQ(load<d>(&stored, 0), wrapped) << x;
  }
}

TEST(NarrowIntegers, keep_the_low_bits_extended) {
  check_wrapping<DType::i2, -2, 1>();
  check_wrapping<DType::i4, -8, 7>();
  check_wrapping<DType::i8, -128, 127>();
  check_wrapping<DType::ui2, 0, 3>();
  check_wrapping<DType::ui4, 0, 15>();
  EXPECT_EQ(stored_bits(DType::i4, 0xf8), 0xf8u);
  EXPECT_EQ(stored_bits(DType::i4, 0x08), 0xf8u);
  EXPECT_EQ(stored_bits(DType::f4e2m1fn, 0xf8), 0x08u);
  EXPECT_EQ(stored_bits(DType::f64, ~std::uint64_t{0}), ~std::uint64_t{0});
}

}  // namespace
}  // namespace partita
