// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Floating-point formats against their definition: every value and every border between two values of
// formats of 8 and 16 bits, in double arithmetic, which is exact for them.
#include "partita/base/small_float.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "partita/base/dtype.hpp"
#include "partita/base/error.hpp"

namespace partita {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

constexpr FloatFormat f16{5, 10}, bf16{8, 7}, f8e5m2{5, 2}, f8e4m3fn{4, 3, false};

/// What bits without sign stand for, as IEEE-754 says it.
double defined_value(const FloatFormat& format, unsigned magnitude) {
  const int exponent = int(magnitude >> format.mantissa_bits);
  const unsigned one = 1u << format.mantissa_bits, mantissa = magnitude & (one - 1);
  const int all_ones = (1 << format.exponent_bits) - 1;
  const bool is_special =
      format.has_infinity ? exponent == all_ones : exponent == all_ones && mantissa == one - 1;
  if (is_special) return format.has_infinity && mantissa == 0 ? infinity : NAN;
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
    // The next number would be as far away as the one before.
    const double last = value(largest()), step = last - value(largest() - 1);
    border(largest(), unsigned(format.overflow()), last + step / 2);
    for (const double x : {last + step, 1e300, infinity}) expect(x, unsigned(format.overflow()));
    for (const double x : {value(1) / 4, 1e-300, 5e-324}) expect(x, 0);
  }

 private:
  using Small = SmallFloat<format>;
  using Bits = typename Small::Bits;
  static constexpr auto sign = unsigned(format.sign_mask());

  static double value(unsigned magnitude) { return defined_value(format, magnitude); }
  static constexpr unsigned largest() {
    return unsigned(format.last_number()) - (format.has_infinity ? 1 : 0);
  }
  /// What x and -x are encoded as.
  static void expect(double x, unsigned magnitude) {
    const double positive = std::fabs(x);
    ASSERT_EQ(Small::encode(positive), Bits(magnitude)) << positive;
    ASSERT_EQ(Small::encode(-positive), Bits(magnitude | sign)) << -positive;
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
               FloatFormat{5, 2, false}>();
}

TEST(SmallFloat, rounds_to_nearest_even_at_every_border) {
  check_borders<f16, bf16, f8e5m2, f8e4m3fn, FloatFormat{4, 3}, FloatFormat{3, 4},
                FloatFormat{5, 2, false}>();
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
    EXPECT_EQ(decode_float(d, one | format.sign_mask()), -1) << to_string(d);
    EXPECT_EQ(encode_float(d, infinity), format.overflow()) << to_string(d);
  }
}

}  // namespace
}  // namespace partita
