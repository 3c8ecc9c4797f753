// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "backend-cpu/codegen/c_dialect.hpp"

#include <deque>

#include "backend-cpu/codegen/c_vectors.hpp"
#include "backend-cpu/codegen/vector_math.hpp"
#include "partita/base/error.hpp"

namespace partita::cpu::codegen {

using namespace kernel;
namespace {

using kernel::Dialect;
using kernel::Snippet;

// Complex values are vectors of two, so that +, - and the access to parts are what the rows expect.
// clang takes a compound literal in the type of a member of a union for one outside of functions.  gcc's partial
// redundancy elimination hands loads on to the next turn of a loop, which then stays scalar; clang knows no such option.
constexpr std::string_view always = R"(#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("no-tree-pre")
#endif
typedef _Bool i1;
typedef signed char i8;
typedef short i16;
typedef int i32;
typedef long i64;
typedef unsigned char ui8;
typedef unsigned short ui16;
typedef unsigned ui32;
typedef unsigned long ui64;
typedef float f32;
typedef double f64;
typedef _Complex float c64;
typedef _Complex double c128;
#define bool _Bool
#define true ((_Bool)1)
#define false ((_Bool)0)
#ifdef __clang__
#define bits_as(type, x) \
  ({ const __typeof__(x) from = (x); type to; __builtin_memcpy(&to, &from, sizeof to); to; })
#else
#define bits_as(type, x) (((union { __typeof__(x) from; type to; }){(x)}).to)
#endif
#define as_written(x) (x)
#ifdef __has_builtin
#if __has_builtin(__builtin_assoc_barrier)
#undef as_written
#define as_written(x) __builtin_assoc_barrier(x)
#endif
#endif
#define as_i32(x) bits_as(i32, x)
#define as_ui32(x) bits_as(ui32, x)
#define as_f32(x) bits_as(f32, x)
#define as_i64(x) bits_as(i64, x)
#define as_ui64(x) bits_as(ui64, x)
#define as_f64(x) bits_as(f64, x)
#define as_c64(x) bits_as(c64, x)
#define make_c64(re, im) __builtin_complex((f32)(re), (f32)(im))
#define make_c128(re, im) __builtin_complex((f64)(re), (f64)(im))
)";

// Subnormals are read by adding them to a number with the right exponent, and written likewise.  Floats are compared as such,
// which compilers do in no more and no fewer than 32 bits.
constexpr std::string_view f16_value = R"(static inline f32 f16_value(ui16 bits) {
  const i32 moved = (i32)bits << 13, magnitude = moved & 0x0fffe000;
  const f32 normal = as_f32(magnitude + 0x38000000), special = as_f32(magnitude | 0x7f800000);
  const f32 subnormal = as_f32(magnitude | 0x38800000) - as_f32(0x38800000);
  const f32 number = normal >= 65536.0f ? special : normal;
  return as_f32(as_i32(normal >= as_f32(0x38800000) ? number : subnormal) | (i32)((ui32)moved << 3 & 0x80000000u));
}
)";

// Of a number that f16 has.
constexpr std::string_view f16_bits = R"(static inline ui16 f16_bits(f32 x) {
  const i32 bits = as_i32(x), scaled = ((bits & 0x7fffffff) - 0x38000000) >> 13;
  const f32 magnitude = as_f32(bits & 0x7fffffff);
  const i32 normal = scaled < 0x7c00 ? scaled : 0x7c00, subnormal = as_i32(magnitude + 0.5f) - 0x3f000000;
  const i32 number = magnitude < as_f32(0x38800000) ? subnormal : normal;
  return (ui16)((bits >> 16 & 0x8000) | (x != x ? 0x7e00 : number));
}
)";

// Added to a power of two and taken off again: what is left has the bits that are kept.  From 2^16 on it is above 65504 with
// any power, or NaN.
constexpr std::string_view round_f16 = R"(static inline f32 round_f16(f32 x) {
  const ui32 bits = as_ui32(x);
  const i32 exponent = (i32)(bits & 0x7f800000u), least = exponent > 0x38800000 ? exponent : 0x38800000;
  const f32 power = as_f32((ui32)(least < 0x47800000 ? least : 0x47800000) + 0x6800000u);
  const f32 near = (as_f32(bits & 0x7fffffffu) + power) - power;
  return as_f32((bits & 0x80000000u) | as_ui32(near > 65504.0f ? as_f32(0x7f800000u) : near));
}
)";

constexpr std::string_view bf16_value =
    R"(static inline f32 bf16_value(ui16 bits) { return as_f32((ui32)bits << 16); }
)";

// Of a number that bf16 has.
constexpr std::string_view bf16_bits =
    R"(static inline ui16 bf16_bits(f32 x) { return (ui16)(as_ui32(x) >> 16); }
)";

constexpr std::string_view round_bf16 = R"(static inline f32 round_bf16(f32 x) {
  const ui32 bits = as_ui32(x), near = (bits + 0x7fffu + (bits >> 16 & 1u)) & 0xffff0000u;
  return as_f32(x != x ? (bits & 0xffff0000u) | 0x400000u : near);
}
)";

// After rounding to odd, rounding to 16 bits is as if done once.
constexpr std::string_view narrow_f64 = R"(static inline f32 narrow_f64(f64 x) {
  const f32 nearest = (f32)x;
  const ui32 bits = as_ui32(nearest);
  if ((f64)nearest == x || x != x || (bits & 1u)) return nearest;
  return as_f32(__builtin_fabs((f64)nearest) < __builtin_fabs(x) ? bits + 1u : bits - 1u);
}
)";

constexpr std::string_view narrow_ui64 = R"(static inline f32 narrow_ui64(ui64 x) {
  if (x < 0x1000000) return (f32)x;
  const i32 shift = 40 - __builtin_clzl(x);
  const ui64 rest = x << (64 - shift);
  return __builtin_ldexpf((f32)(x >> shift | (rest != 0 ? 1 : 0)), shift);
}
)";

constexpr std::string_view narrow_i64 = R"(static inline f32 narrow_i64(i64 x) {
  return x < 0 ? -narrow_ui64(-(ui64)x) : narrow_ui64((ui64)x);
}
)";

// Squares of f32 are exact as f64, and no sum of two overflows there.
constexpr std::string_view hypot_f32 = R"(static inline f32 hypot_f32(f32 x, f32 y) {
  const f32 length = (f32)__builtin_sqrt((f64)x * (f64)x + (f64)y * (f64)y);
  const f32 infinity = __builtin_inff();
  return (__builtin_fabsf(x) == infinity) | (__builtin_fabsf(y) == infinity) ? infinity : length;
}
)";

/// Functions of the C library, for which the compiler knows the names of both precisions.
constexpr std::string_view functions[] = {
    "acos",     "acosh", "asin",  "asinh", "atan",      "atanh", "cbrt",  "ceil",  "cos",
    "cosh",     "erf",   "erfc",  "exp",   "expm1",     "fabs",  "floor", "log",   "log1p",
    "rint",     "round", "sin",   "sinh",  "sqrt",      "tan",   "tanh",  "ilogb", "atan2",
    "copysign", "fmod",  "hypot", "pow",   "nextafter", "ldexp", "fma"};

struct IntegerRange {
  std::string_view dtype;
  std::string_view low, high;         ///< as floats: values at or below, at or above are clamped
  std::string_view max;               ///< what values at or above `high` give
  std::string_view top_f64, top_f32;  ///< the largest float that may be converted
};
constexpr IntegerRange integer_ranges[] = {
    {"i8", "-128.0", "127.0", "127", "127.0", "127.0"},
    {"i16", "-32768.0", "32767.0", "32767", "32767.0", "32767.0"},
    {"i32", "-2147483648.0", "2147483647.0", "2147483647", "2147483647.0", "2147483520.0"},
    {"i64", "-9223372036854775808.0", "9223372036854775808.0", "9223372036854775807L",
     "9223372036854774784.0", "9223371487098961920.0"},
    {"ui8", "0.0", "255.0", "255", "255.0", "255.0"},
    {"ui16", "0.0", "65535.0", "65535", "65535.0", "65535.0"},
    {"ui32", "0.0", "4294967295.0", "4294967295u", "4294967295.0", "4294967040.0"},
    {"ui64", "0.0", "18446744073709551616.0", "18446744073709551615ul", "18446744073709549568.0",
     "18446742974197923840.0"},
};

/// Snippets whose text is made here; kept for as long as the views of the dialect.
std::string_view keep(std::string text) {
  static std::deque<std::string> texts;
  return texts.emplace_back(std::move(text));
}

void add_functions(std::vector<Snippet>& to) {
  const auto add = [&](std::string name, std::string text) {
    to.push_back({keep(std::move(name)), keep(std::move(text))});
  };
  for (const bool is_double : {false, true}) {
    const std::string_view type = is_double ? "f64" : "f32", suffix = is_double ? "" : "f";
    for (const std::string_view f : functions)
      add(cat(f, "_", type), cat("#define ", f, "_", type, " __builtin_", f, suffix, "\n"));
    for (const std::string_view f : {"isfinite", "isinf", "isnan"})
      add(cat(f, "_", type), cat("#define ", f, "_", type, "(x) (__builtin_", f, "(x) != 0)\n"));
    add(cat("signbit_", type),
        cat("#define signbit_", type, "(x) (__builtin_signbit", suffix, "(x) != 0)\n"));
    add(cat("rsqrt_", type),
        cat("#define rsqrt_", type, "(x) ((", type, ")1 / __builtin_sqrt", suffix, "(x))\n"));
    add(cat("product_", type),
        cat("#define product_", type, "(x, y) ((", type, ")as_written((x) * (y)))\n"));
    // Without the instruction a fused product would be a slow call.
    add(cat("multiply_add_", type),
        cat("#ifdef __FMA__\n#define multiply_add_", type, " __builtin_fma", suffix,
            "\n#else\n#define multiply_add_", type, "(x, y, z) ((x) * (y) + (z))\n#endif\n"));
    // lgamma itself writes a global.
    add(cat("lgamma_", type),
        cat(type, " lgamma", suffix, "_r(", type, ", int*);\nstatic inline ", type, " lgamma_",
            type, "(", type, " x) {\n  int sign;\n  return lgamma", suffix, "_r(x, &sign);\n}\n"));
  }
  for (const int bits : {8, 16, 32, 64})
    for (const bool is_signed : {false, true}) {
      const std::string type = cat(is_signed ? "i" : "ui", bits), same = cat("ui", bits);
      const std::string wide = cat(is_signed ? "i" : "ui", 2 * bits);
      add(cat("popcount_", type),
          cat("static inline ", type, " popcount_", type, "(", type, " x) { return (", type,
              ")__builtin_popcountl((", same, ")x); }\n"));
      add(cat("clz_", type),
          cat("static inline ", type, " clz_", type, "(", type, " x) {\n  return (", type,
              ")(x ? __builtin_clzl((", same, ")x) - ", 64 - bits, " : ", bits, ");\n}\n"));
      add(cat("mul_hi_", type),
          bits < 64
              ? cat("static inline ", type, " mul_hi_", type, "(", type, " x, ", type,
                    " y) { return (", type, ")((", wide, ")x * (", wide, ")y >> ", bits, "); }\n")
              : cat("static inline ", type, " mul_hi_", type, "(", type, " x, ", type,
                    " y) {\n  return (", type, ")((", is_signed ? "" : "unsigned ",
                    "__int128)x * (", is_signed ? "" : "unsigned ", "__int128)y >> 64);\n}\n"));
    }
}

/// Floats to integers without branches; narrow ones by way of i32, for which there are vectors.
void add_conversions(std::vector<Snippet>& to) {
  for (const IntegerRange& r : integer_ranges)
    for (const bool is_double : {true, false}) {
      const std::string_view type = is_double ? "f64" : "f32", suffix = is_double ? "" : "f",
                             top = is_double ? r.top_f64 : r.top_f32;
      const bool is_narrow = r.dtype.ends_with("8") || r.dtype.ends_with("16");
      const std::string name = cat("saturate_", r.dtype, is_double ? "" : "_f32");
      std::string text = cat("static inline ", r.dtype, " ", name, "(", type, " x) {\n  ", type,
                             " near = x > ", top, suffix, " ? ", top, suffix, " : x;\n");
      text += cat("  near = near < ", r.low, suffix, " ? ", r.low, suffix,
                  " : near;\n  near = x != x ? 0 : near;\n");
      const std::string value = cat("(", r.dtype, ")", is_narrow ? "(i32)" : "", "near");
      text += top == r.high
                  ? cat("  return ", value, ";\n}\n")
                  : cat("  const ", r.dtype, " value = ", value, ";\n  return x >= ", r.high,
                        suffix, " ? ", r.max, " : value;\n}\n");
      to.push_back({keep(name), keep(std::move(text))});
    }
}

/// Extrema of floats without branches; and floats as integers of the same order, -0 before +0, with NaN
/// as the last or the first of them, and back.
void add_extrema(std::vector<Snippet>& to) {
  for (const bool is_double : {false, true}) {
    const std::string f = is_double ? "f64" : "f32", i = is_double ? "i64" : "i32";
    const std::string shift = is_double ? "63" : "31",
                      magnitude = is_double ? "0x7fffffffffffffffL" : "0x7fffffff";
    // Processors' extrema are their second operand where either is NaN or both are equal: the two orders differ in one of
    // them being NaN, whose bits the other's leave NaN, or in the sign of zero.
    for (const bool is_maximum : {false, true}) {
      const std::string name = cat(is_maximum ? "ieee_maximum_" : "ieee_minimum_", f),
                        sign = is_maximum ? " > " : " < ";
      std::string text = cat("static inline ", f, " ", name, "(", f, " x, ", f, " y) {\n  const ",
                             f, " a = x", sign, "y ? x : y, b = y", sign, "x ? y : x;\n  const ", i,
                             " bits = as_", i, "(a) | as_", i, "(b)");
      text += is_maximum ? cat(", other = as_", i, "(a) ^ as_", i, "(b);\n  return as_", f,
                               "(bits ^ (other & ~", magnitude, "));\n}\n")
                         : cat(";\n  return as_", f, "(bits);\n}\n");
      to.push_back({keep(name), keep(std::move(text))});
    }
    to.push_back(
        {keep(cat("in_order_", f)),
         keep(cat("static inline ", i, " in_order_", f, "(", f, " x, bool nan_is_last) {\n  const ",
                  i, " bits = as_", i, "(x);\n  return x != x ? (", i, ")(nan_is_last ? ",
                  magnitude, " : -", magnitude, " - 1) : bits ^ (bits >> ", shift, " & ", magnitude,
                  ");\n}\n"))});
    to.push_back({keep(cat("out_of_order_", f)),
                  keep(cat("static inline ", f, " out_of_order_", f, "(", i, " x) {\n  return as_",
                           f, "(x ^ (x >> ", shift, " & ", magnitude, "));\n}\n"))});
  }
}

Dialect make_dialect() {
  // What comes first is found first: vector functions before the library's.
  std::vector<Snippet> snippets = vector_math();
  std::vector<Snippet> own{
      {"f16_value", f16_value},     {"f16_bits", f16_bits},
      {"round_f16", round_f16},     {"bf16_value", bf16_value},
      {"bf16_bits", bf16_bits},     {"hypot_f32", hypot_f32},
      {"round_bf16", round_bf16},   {"narrow_f64", narrow_f64},
      {"narrow_ui64", narrow_ui64}, {"narrow_i64", narrow_i64, {"narrow_ui64"}},
  };
  snippets.insert(snippets.end(), own.begin(), own.end());
  for (const Snippet& s : c_vectors()) snippets.push_back(s);
  add_conversions(snippets);
  add_extrema(snippets);
  add_functions(snippets);
  return {
      .name = "C11",
      .always = always,
      .with_f64 = "",
      .snippets = std::move(snippets),
      .function = "static inline ",
      .long_suffix = "L",
      .reinterpret = {{"i32", "as_i32"},
                      {"ui32", "as_ui32"},
                      {"f32", "as_f32"},
                      {"i64", "as_i64"},
                      {"ui64", "as_ui64"},
                      {"f64", "as_f64"},
                      {"c64", "as_c64"}},
      .make_c64 = "make_c64",
      .make_c128 = "make_c128",
      .real = {"__real__ ", ""},
      .imag = {"__imag__ ", ""},
  };
}

}  // namespace

const Dialect& c_dialect() {
  static const Dialect dialect = make_dialect();
  return dialect;
}

}  // namespace partita::cpu::codegen
