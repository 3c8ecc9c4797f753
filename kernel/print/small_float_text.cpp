// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "kernel/print/small_float_text.hpp"

#include <cstdio>

#include "partita/base/error.hpp"

namespace partita::kernel {
namespace {

constexpr FloatFormat f32 = info(DType::f32).format;

std::string hex(std::uint64_t bits) {
  char text[24];
  std::snprintf(text, sizeof text, "0x%llxu", static_cast<unsigned long long>(bits));
  return text;
}

std::string bits_type(const FloatFormat& format) {
  return std::string(info(info(integer_dtype(Kinds::unsigned_, format.bits())).stored).name);
}

std::string_view to_f32(const Dialect& d) { return d.reinterpret.at("f32"); }
std::string_view to_bits(const Dialect& d) { return d.reinterpret.at("ui32"); }

/// Bits of an f32 by which the mantissa of the format is shorter.
int shift_of(const FloatFormat& format) { return f32.mantissa_bits - format.mantissa_bits; }

/// What the exponent's field has more in f32, where f32 has it.
std::uint64_t rebias_of(const FloatFormat& format) {
  return std::uint64_t(f32.bias() - format.bias()) << f32.mantissa_bits;
}

/// The bits of the power of two whose last bit as an f32 counts what that of a subnormal number does.
std::uint64_t unit_of(const FloatFormat& format) {
  const int exponent = format.emin() - format.mantissa_bits + f32.mantissa_bits;
  return std::uint64_t(exponent + f32.bias()) << f32.mantissa_bits;
}

/// Of the powers of two without a sign: their bits are those of an f32's exponent.
std::string power_value(const Dialect& d, std::string_view name) {
  return cat(d.function, "f32 ", name, "_value(ui8 bits) {\n",  //
             "  return ", to_f32(d), "(bits == 0xffu ? ", hex(f32.nan()), " : bits == 0 ? ",
             hex(std::uint64_t{1} << (f32.mantissa_bits - 1)), " : (ui32)bits << ",
             f32.mantissa_bits, ");\n}\n");
}

// The leading bit of a number that is not subnormal is the last one that is kept: ties go up.
std::string power_bits(const Dialect& d, std::string_view name) {
  const std::uint64_t half = std::uint64_t{1} << (f32.mantissa_bits - 1);
  return cat(d.function, "ui8 ", name, "_bits(f32 x) {\n",  //
             "  const ui32 bits = ", to_bits(d), "(x);\n",
             "  const ui32 rounded = (bits + (bits < ", hex(2 * half), " ? ", hex(half - 1), " : ",
             hex(half), ")) >> ", f32.mantissa_bits, ";\n", "  return (ui8)(bits == 0 || bits > ",
             hex(f32.exponent_mask()), " ? 0xffu : rounded);\n}\n");
}

}  // namespace

// Subnormals are read by adding them to a number with the right exponent, and written likewise.
std::string small_float_value(const Dialect& d, std::string_view name, const FloatFormat& format) {
  if (!format.is_signed) return power_value(d, name);
  const std::string unit = hex(unit_of(format));
  const std::uint64_t special = f32.exponent_mask() | (format.has_infinity() ? 0 : f32.nan());
  const std::string above =
      format.last_number() < format.magnitude_mask() || format.has_infinity()
          ? cat("magnitude >= ", hex(format.has_infinity() ? format.overflow() : format.nan()),
                " ? special : ")
          : "";
  const std::string nan = format.specials == Specials::zero_nan
                              ? cat("bits == ", hex(format.nan()), " ? ", hex(f32.nan()), " : ")
                              : "";
  return cat(d.function, "f32 ", name, "_value(", bits_type(format), " bits) {\n",  //
             "  const ui32 magnitude = bits & ", hex(format.magnitude_mask()), ";\n",
             "  const ui32 sign = (ui32)(bits & ", hex(format.sign_mask()), ") << ",
             f32.bits() - format.bits(), ";\n",  //
             "  const ui32 wide = magnitude << ", shift_of(format), ";\n",
             "  const ui32 normal = wide + ", hex(rebias_of(format)), ";\n",
             above.empty() ? "" : cat("  const ui32 special = wide | ", hex(special), ";\n"),
             "  const ui32 subnormal = ", to_bits(d), "(", to_f32(d), "(magnitude | ", unit, ") - ",
             to_f32(d), "(", unit, "));\n",  //
             "  return ", to_f32(d), "(", nan, "sign | (", above,
             "magnitude >= ", hex(std::uint64_t{1} << format.mantissa_bits),
             " ? normal : subnormal));\n}\n");
}

std::string small_float_bits(const Dialect& d, std::string_view name, const FloatFormat& format) {
  if (!format.is_signed) return power_bits(d, name);
  const int shift = shift_of(format);
  const std::string unit = hex(unit_of(format)), last = hex(format.last_number());
  const std::uint64_t smallest = std::uint64_t(format.emin() + f32.bias()) << f32.mantissa_bits;
  const std::uint64_t less_than_half = (std::uint64_t{1} << (shift - 1)) - 1;
  const std::string sign =
      cat("(bits >> ", f32.bits() - format.bits(), " & ", hex(format.sign_mask()), ")");
  const std::string is_nan = cat("magnitude > ", hex(f32.exponent_mask())),
                    type = cat("(", bits_type(format), ")");
  const std::string result =
      format.nan_has_sign()
          ? cat(type, "(", sign, " | (", is_nan, " ? ", hex(format.nan()), " : finite))")
          : cat(type, "(", is_nan, " ? ", hex(format.nan()), " : ",
                format.specials == Specials::zero_nan ? "finite == 0 ? 0 : " : "", sign,
                " | finite)");
  return cat(d.function, bits_type(format), " ", name, "_bits(f32 x) {\n",  //
             "  const ui32 bits = ", to_bits(d), "(x), magnitude = bits & 0x7fffffffu;\n",
             "  const ui32 rounded = (magnitude - ", hex(rebias_of(format)), " + ",
             hex(less_than_half), " + (magnitude >> ", shift, " & 1u)) >> ", shift, ";\n",
             "  const ui32 normal = rounded <= ", last, " ? rounded : ", hex(format.overflow()),
             ";\n", "  const ui32 subnormal = ", to_bits(d), "(", to_f32(d), "(magnitude) + ",
             to_f32(d), "(", unit, ")) - ", unit, ";\n", "  const ui32 finite = magnitude < ",
             hex(smallest), " ? subnormal : normal;\n", "  return ", result, ";\n}\n");
}

SmallFloatFunction small_float_function(const Dialect& dialect, std::string_view name) {
  for (const DTypeInfo& d : dtype_infos) {
    if (d.kind != Kinds::floating || d.bits > 16) continue;
    const std::string value = cat(d.name, "_value"), bits = cat(d.name, "_bits");
    if (name == value) return {.text = small_float_value(dialect, d.name, d.format)};
    if (name == bits) return {.text = small_float_bits(dialect, d.name, d.format)};
    if (name == cat("round_", d.name))
      return {.text = cat(dialect.function, "f32 ", name, "(f32 x) { return ", value, "(", bits,
                          "(x)); }\n"),
              .needs = {value, bits}};
  }
  throw_internal_error(cat(dialect.name, " has no text for '", name, "'"));
}

}  // namespace partita::kernel
