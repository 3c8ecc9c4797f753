// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// What scalar code needs in OpenCL C 1.2: type names, 16-bit floats, conversions.  No cl_khr_fp16:
// f16 is converted by vload_half and vstore_half, bf16 by integer arithmetic.
#include "backend-opencl/codegen/opencl_dialect.hpp"

#include "backend-opencl/codegen/matrix_units.hpp"

namespace partita::opencl::codegen {

namespace {

constexpr std::string_view always = R"(#pragma OPENCL FP_CONTRACT OFF
typedef bool i1;
typedef char i8;
typedef short i16;
typedef int i32;
typedef long i64;
typedef uchar ui8;
typedef ushort ui16;
typedef uint ui32;
typedef ulong ui64;
typedef float f32;
typedef float2 c64;
)";

constexpr std::string_view with_f64 = R"(#pragma OPENCL EXTENSION cl_khr_fp64 : enable
typedef double f64;
typedef double2 c128;
)";

constexpr std::string_view f16_value =
    R"(f32 f16_value(ui16 bits) { return vload_half(0, (const half*)&bits); }
)";

constexpr std::string_view f16_bits = R"(ui16 f16_bits(f32 x) {
  ui16 bits;
  vstore_half_rte(x, 0, (half*)&bits);
  return bits;
}
)";

constexpr std::string_view bf16_value =
    R"(f32 bf16_value(ui16 bits) { return as_float((ui32)bits << 16); }
)";

// After rounding to odd, rounding to 16 bits is as if done once.
constexpr std::string_view narrow_f64 = R"(f32 narrow_f64(f64 x) {
  const f32 nearest = (f32)x;
  const ui32 bits = as_uint(nearest);
  if ((f64)nearest == x || isnan(x) || (bits & 1u)) return nearest;
  return as_float(fabs((f64)nearest) < fabs(x) ? bits + 1u : bits - 1u);
}
)";

constexpr std::string_view narrow_ui64 = R"(f32 narrow_ui64(ui64 x) {
  if (x < 0x1000000) return (f32)x;
  const i32 shift = 40 - (i32)clz(x);
  const ui64 rest = x << (64 - shift);
  return ldexp((f32)(x >> shift | (rest != 0 ? 1 : 0)), shift);
}
)";

constexpr std::string_view narrow_i64 = R"(f32 narrow_i64(i64 x) {
  return x < 0 ? -narrow_ui64(-(ui64)x) : narrow_ui64((ui64)x);
}
)";

// For GPUs: without branches, which items that run together would have to go through one after the other (and which Intel's
// compiler for CPUs gets wrong within others, tests/drivers).
constexpr std::string_view maximum_f32 = R"(f32 ieee_maximum_f32(f32 x, f32 y) {
  return ((x > y) | (x != x) | ((x == y) & (as_int(x) >= 0))) ? x : y;
}
)";

constexpr std::string_view maximum_f64 = R"(f64 ieee_maximum_f64(f64 x, f64 y) {
  return ((x > y) | (x != x) | ((x == y) & (as_long(x) >= 0))) ? x : y;
}
)";

// Operations on vectors of n elements of T.  maximum is that of scalar code: NaN if either is, -0 < +0.
constexpr std::string_view vectors = R"(#define load_lanes(T, n, p) vload##n(0, p)
#define store_lanes(T, n, v, p) vstore##n(v, 0, p)
#define splat_lanes(T, n, v) ((T##x##n)(v))
#define fma_lanes(T, n, a, b, c) fma_##T(n, a, b, c)
#define choose_lanes(T, n, c, a, b) select(b, a, c)
#define maximum_lanes(T, n, a, b) \
  select(b, a, (a > b) | (a != a) | ((a == b) & (bits_##T(n, a) >= 0)))
#define minimum_lanes(T, n, a, b) \
  select(b, a, (a < b) | (a != a) | ((a == b) & (bits_##T(n, a) < 0)))
#define sum_lanes(T, n, v) sum_##T##x##n(v)
#define same_lanes(T, n, c) same_##T(n, c)
#define truth_lanes(T, n, p) (truth_##T(n, p) != 0)
)";

constexpr std::string_view vectors_f32 = R"(typedef float2 f32x2;
typedef float4 f32x4;
typedef float8 f32x8;
typedef float16 f32x16;
#define fma_f32(n, a, b, c) fma(a, b, c)
#define bits_f32(n, x) as_int##n(x)
#define same_f32(n, x) ((int##n)(-(int)(x)))
#define truth_f32(n, p) convert_int##n(vload##n(0, p))
f32 sum_f32x2(f32x2 v) { return v.x + v.y; }
f32 sum_f32x4(f32x4 v) { return sum_f32x2(v.lo + v.hi); }
f32 sum_f32x8(f32x8 v) { return sum_f32x4(v.lo + v.hi); }
f32 sum_f32x16(f32x16 v) { return sum_f32x8(v.lo + v.hi); }
)";

constexpr std::string_view vectors_f64 = R"(typedef double2 f64x2;
typedef double4 f64x4;
typedef double8 f64x8;
typedef double16 f64x16;
#define fma_f64(n, a, b, c) fma(a, b, c)
#define bits_f64(n, x) as_long##n(x)
#define same_f64(n, x) ((long##n)(-(long)(x)))
#define truth_f64(n, p) convert_long##n(vload##n(0, p))
f64 sum_f64x2(f64x2 v) { return v.x + v.y; }
f64 sum_f64x4(f64x4 v) { return sum_f64x2(v.lo + v.hi); }
f64 sum_f64x8(f64x8 v) { return sum_f64x4(v.lo + v.hi); }
f64 sum_f64x16(f64x16 v) { return sum_f64x8(v.lo + v.hi); }
)";

/// Of integers; what overflows is computed in words, which wrap.
std::string integer_vectors(DType d) {
  const std::string_view name = info(d).name;
  const bool is_signed = info(d).kind == Kinds::signed_;
  const std::string word = byte_size(d) == 8 ? "ulong" : "uint",
                    element = is_signed ? word.substr(1) : word;
  std::string text;
  for (const int n : {2, 4, 8, 16}) text += cat("typedef ", element, n, " ", name, "x", n, ";\n");
  text += cat("#define fma_", name, "(n, a, b, c) as_", element, "##n(as_", word, "##n(a) * as_",
              word, "##n(b) + as_", word, "##n(c))\n", name, " sum_", name, "x2(", name,
              "x2 v) { return (", name, ")((", word, ")v.x + (", word, ")v.y); }\n");
  for (const int n : {4, 8, 16})
    text += cat(name, " sum_", name, "x", n, "(", name, "x", n, " v) { return sum_", name, "x",
                n / 2, "(as_", element, n / 2, "(as_", word, n / 2, "(v.lo) + as_", word, n / 2,
                "(v.hi))); }\n");
  return text;
}

kernel::Dialect make_dialect() {
  static const std::string i32 = integer_vectors(DType::i32), ui32 = integer_vectors(DType::ui32),
                           i64 = integer_vectors(DType::i64), ui64 = integer_vectors(DType::ui64);
  return {
      .name = "OpenCL C 1.2",
      .always = always,
      .with_f64 = with_f64,
      .snippets =
          {
              {"vectors", vectors},
              {"vectors_f32", vectors_f32, {"vectors"}},
              {"vectors_f64", vectors_f64, {"vectors"}},
              {"vectors_i32", i32, {"vectors"}},
              {"vectors_ui32", ui32, {"vectors"}},
              {"vectors_i64", i64, {"vectors"}},
              {"vectors_ui64", ui64, {"vectors"}},
              {"f16_value", f16_value},
              {"f16_bits", f16_bits},
              {"round_f16",
               "f32 round_f16(f32 x) { return f16_value(f16_bits(x)); }\n",
               {"f16_value", "f16_bits"}},
              {"bf16_value", bf16_value},
              {"bf16_bits", bf16_bits},
              {"round_bf16",
               "f32 round_bf16(f32 x) { return bf16_value(bf16_bits(x)); }\n",
               {"bf16_value", "bf16_bits"}},
              {"narrow_f64", narrow_f64},
              {"narrow_ui64", narrow_ui64},
              {"narrow_i64", narrow_i64, {"narrow_ui64"}},
              {"saturate_i8", "#define saturate_i8 convert_char_sat\n"},
              {"saturate_i16", "#define saturate_i16 convert_short_sat\n"},
              {"saturate_i32", "#define saturate_i32 convert_int_sat\n"},
              {"saturate_i64", "#define saturate_i64 convert_long_sat\n"},
              {"saturate_ui8", "#define saturate_ui8 convert_uchar_sat\n"},
              {"saturate_ui16", "#define saturate_ui16 convert_ushort_sat\n"},
              {"saturate_ui32", "#define saturate_ui32 convert_uint_sat\n"},
              {"saturate_ui64", "#define saturate_ui64 convert_ulong_sat\n"},
          },
      .function = "",
      .long_suffix = "L",
      .reinterpret = {{"i32", "as_int"},
                      {"ui32", "as_uint"},
                      {"f32", "as_float"},
                      {"i64", "as_long"},
                      {"ui64", "as_ulong"},
                      {"f64", "as_double"},
                      {"c64", "as_float2"}},
      .make_c64 = "(c64)",
      .make_c128 = "(c128)",
      .real = {"", ".x"},
      .imag = {"", ".y"},
      .wide = {{"i8", "char"},
               {"i16", "short"},
               {"i32", "int"},
               {"i64", "long"},
               {"ui8", "uchar"},
               {"ui16", "ushort"},
               {"ui32", "uint"},
               {"ui64", "ulong"},
               {"f32", "float"},
               {"f64", "double"}},
  };
}

}  // namespace

const kernel::Dialect& opencl_dialect(DeviceClass device_class) {
  static const kernel::Dialect dialect = make_dialect();
  static const kernel::Dialect of_many_items = [] {
    kernel::Dialect d = make_dialect();
    // In front: what is there twice is as devices with units have it.
    const std::vector<kernel::Snippet>& units = matrix_unit_snippets();
    d.snippets.insert(d.snippets.begin(), units.begin(), units.end());
    d.snippets.insert(
        d.snippets.end(),
        {{"combine_sum_at_once", "#define combine_sum_at_once(p, v) atomic_add(p, v)\n"},
         {"combine_max_at_once", "#define combine_max_at_once(p, v) atomic_max(p, v)\n"},
         {"combine_min_at_once", "#define combine_min_at_once(p, v) atomic_min(p, v)\n"},
         {"combine_logical_and_at_once",
          "#define combine_logical_and_at_once(p, v) atomic_and(p, v)\n"},
         {"combine_logical_or_at_once",
          "#define combine_logical_or_at_once(p, v) atomic_or(p, v)\n"}});
    d.snippets.push_back({"ieee_maximum_f32", maximum_f32});
    d.snippets.push_back({"ieee_maximum_f64", maximum_f64});
    return d;
  }();
  return device_class == DeviceClass::simt ? of_many_items : dialect;
}

}  // namespace partita::opencl::codegen
