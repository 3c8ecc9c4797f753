// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// What scalar code needs in OpenCL C 1.2: type names, 16-bit floats, conversions.  No cl_khr_fp16:
// f16 is converted by vload_half and vstore_half, bf16 by integer arithmetic.
#include "backend-opencl/codegen/opencl_dialect.hpp"

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

constexpr std::string_view bf16_bits = R"(ui16 bf16_bits(f32 x) {
  const ui32 bits = as_uint(x);
  return isnan(x) ? (ui16)(bits >> 16 | 0x40u) : (ui16)((bits + 0x7fffu + (bits >> 16 & 1u)) >> 16);
}
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
#define fma_lanes(T, n, a, b, c) fma(a, b, c)
#define choose_lanes(T, n, c, a, b) select(b, a, c)
#define maximum_lanes(T, n, a, b) \
  select(b, a, (a > b) | (a != a) | ((a == b) & (bits_##T(n, a) >= 0)))
#define minimum_lanes(T, n, a, b) \
  select(b, a, (a < b) | (a != a) | ((a == b) & (bits_##T(n, a) < 0)))
#define sum_lanes(T, n, v) sum_##T##x##n(v)
)";

constexpr std::string_view vectors_f32 = R"(typedef float2 f32x2;
typedef float4 f32x4;
typedef float8 f32x8;
typedef float16 f32x16;
#define bits_f32(n, x) as_int##n(x)
f32 sum_f32x2(f32x2 v) { return v.x + v.y; }
f32 sum_f32x4(f32x4 v) { return sum_f32x2(v.lo + v.hi); }
f32 sum_f32x8(f32x8 v) { return sum_f32x4(v.lo + v.hi); }
f32 sum_f32x16(f32x16 v) { return sum_f32x8(v.lo + v.hi); }
)";

constexpr std::string_view vectors_f64 = R"(typedef double2 f64x2;
typedef double4 f64x4;
typedef double8 f64x8;
typedef double16 f64x16;
#define bits_f64(n, x) as_long##n(x)
f64 sum_f64x2(f64x2 v) { return v.x + v.y; }
f64 sum_f64x4(f64x4 v) { return sum_f64x2(v.lo + v.hi); }
f64 sum_f64x8(f64x8 v) { return sum_f64x4(v.lo + v.hi); }
f64 sum_f64x16(f64x16 v) { return sum_f64x8(v.lo + v.hi); }
)";

// Matrix units, by PTX where PARTITA_MATRIX_UNITS is 1 (kernel/ast/kernel.hpp says what the statements mean).  Where
// it is 2, without units: items exchange what they hold through local memory, for devices on which neither can be tried.
constexpr std::string_view matrix_exchange = R"(#ifdef PARTITA_MATRIX_UNITS
#if PARTITA_MATRIX_UNITS == 1
#define declare_matrix_exchange(items)
#else
#define declare_matrix_exchange(items) __local ui32 exchange[items * 6];
#define matrix_lane ((i32)get_local_id(0) % 32)
#define matrix_first ((i32)get_local_id(0) - matrix_lane)
#endif
#endif
)";

constexpr std::string_view load_matrices = R"(#ifdef PARTITA_MATRIX_UNITS
#if PARTITA_MATRIX_UNITS == 1
#define load_matrices(r0, r1, r2, r3, a, i) \
  __asm__ volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];" \
                   : "=r"(r0), "=r"(r1), "=r"(r2), "=r"(r3) \
                   : "r"((ui32)(size_t)((a) + (i))) : "memory")
#else
ui32 exchanged_row(__local const ui16* a, __local const ui32* exchange, i32 first, i32 lane, i32 m) {
  __local const ui16* row = a + exchange[first + m * 8 + lane / 4] + lane % 4 * 2;
  return row[0] | (ui32)row[1] << 16;
}
#define load_matrices(r0, r1, r2, r3, a, i) \
  exchange[get_local_id(0)] = (i); \
  barrier(CLK_LOCAL_MEM_FENCE); \
  r0 = exchanged_row(a, exchange, matrix_first, matrix_lane, 0); \
  r1 = exchanged_row(a, exchange, matrix_first, matrix_lane, 1); \
  r2 = exchanged_row(a, exchange, matrix_first, matrix_lane, 2); \
  r3 = exchanged_row(a, exchange, matrix_first, matrix_lane, 3); \
  barrier(CLK_LOCAL_MEM_FENCE)
#endif
#endif
)";

constexpr std::string_view load_matrices_turned = R"(#ifdef PARTITA_MATRIX_UNITS
#if PARTITA_MATRIX_UNITS == 1
#define load_matrices_turned(r0, r1, r2, r3, a, i) \
  __asm__ volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];" \
                   : "=r"(r0), "=r"(r1), "=r"(r2), "=r"(r3) \
                   : "r"((ui32)(size_t)((a) + (i))) : "memory")
#else
ui32 exchanged_column(__local const ui16* a, __local const ui32* exchange, i32 first, i32 lane,
                      i32 m) {
  const i32 row = first + m * 8 + lane % 4 * 2;
  return a[exchange[row] + lane / 4] | (ui32)a[exchange[row + 1] + lane / 4] << 16;
}
#define load_matrices_turned(r0, r1, r2, r3, a, i) \
  exchange[get_local_id(0)] = (i); \
  barrier(CLK_LOCAL_MEM_FENCE); \
  r0 = exchanged_column(a, exchange, matrix_first, matrix_lane, 0); \
  r1 = exchanged_column(a, exchange, matrix_first, matrix_lane, 1); \
  r2 = exchanged_column(a, exchange, matrix_first, matrix_lane, 2); \
  r3 = exchanged_column(a, exchange, matrix_first, matrix_lane, 3); \
  barrier(CLK_LOCAL_MEM_FENCE)
#endif
#endif
)";

// Without units a sum is taken over all sixteen terms in their order.
constexpr std::string_view multiply_matrices_bf16 = R"(#ifdef PARTITA_MATRIX_UNITS
#if PARTITA_MATRIX_UNITS == 1
#define multiply_matrices_bf16(d0, d1, d2, d3, a0, a1, a2, a3, b0, b1) \
  __asm__ volatile("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, " \
                   "{%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};" \
                   : "+f"(d0), "+f"(d1), "+f"(d2), "+f"(d3) \
                   : "r"(a0), "r"(a1), "r"(a2), "r"(a3), "r"(b0), "r"(b1))
#else
#define exchanged_bf16(word, half) as_float((half) ? (word) & 0xffff0000u : (word) << 16)
f32 exchanged_sum_bf16(__local const ui32* exchange, i32 first, i32 row, i32 column) {
  f32 sum = 0;
  for (i32 k = 0; k < 16; ++k) {
    const i32 in_a = (first + row % 8 * 4 + k % 8 / 2) * 6 + row / 8 + k / 8 * 2;
    const i32 in_b = (first + column * 4 + k % 8 / 2) * 6 + 4 + k / 8;
    sum = fma(exchanged_bf16(exchange[in_a], k % 2), exchanged_bf16(exchange[in_b], k % 2), sum);
  }
  return sum;
}
#define multiply_matrices_bf16(d0, d1, d2, d3, a0, a1, a2, a3, b0, b1) \
  exchange_words(a0, a1, a2, a3, b0, b1); \
  d0 += exchanged_sum_bf16(exchange, matrix_first, matrix_lane / 4, matrix_lane % 4 * 2); \
  d1 += exchanged_sum_bf16(exchange, matrix_first, matrix_lane / 4, matrix_lane % 4 * 2 + 1); \
  d2 += exchanged_sum_bf16(exchange, matrix_first, matrix_lane / 4 + 8, matrix_lane % 4 * 2); \
  d3 += exchanged_sum_bf16(exchange, matrix_first, matrix_lane / 4 + 8, matrix_lane % 4 * 2 + 1); \
  barrier(CLK_LOCAL_MEM_FENCE)
#endif
#endif
)";

constexpr std::string_view multiply_matrices_f16 = R"(#ifdef PARTITA_MATRIX_UNITS
#if PARTITA_MATRIX_UNITS == 1
#define multiply_matrices_f16(d0, d1, d2, d3, a0, a1, a2, a3, b0, b1) \
  __asm__ volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, " \
                   "{%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};" \
                   : "+f"(d0), "+f"(d1), "+f"(d2), "+f"(d3) \
                   : "r"(a0), "r"(a1), "r"(a2), "r"(a3), "r"(b0), "r"(b1))
#else
#define exchanged_f16(word, half) f16_value((ui16)((half) ? (word) >> 16 : (word)))
f32 exchanged_sum_f16(__local const ui32* exchange, i32 first, i32 row, i32 column) {
  f32 sum = 0;
  for (i32 k = 0; k < 16; ++k) {
    const i32 in_a = (first + row % 8 * 4 + k % 8 / 2) * 6 + row / 8 + k / 8 * 2;
    const i32 in_b = (first + column * 4 + k % 8 / 2) * 6 + 4 + k / 8;
    sum = fma(exchanged_f16(exchange[in_a], k % 2), exchanged_f16(exchange[in_b], k % 2), sum);
  }
  return sum;
}
#define multiply_matrices_f16(d0, d1, d2, d3, a0, a1, a2, a3, b0, b1) \
  exchange_words(a0, a1, a2, a3, b0, b1); \
  d0 += exchanged_sum_f16(exchange, matrix_first, matrix_lane / 4, matrix_lane % 4 * 2); \
  d1 += exchanged_sum_f16(exchange, matrix_first, matrix_lane / 4, matrix_lane % 4 * 2 + 1); \
  d2 += exchanged_sum_f16(exchange, matrix_first, matrix_lane / 4 + 8, matrix_lane % 4 * 2); \
  d3 += exchanged_sum_f16(exchange, matrix_first, matrix_lane / 4 + 8, matrix_lane % 4 * 2 + 1); \
  barrier(CLK_LOCAL_MEM_FENCE)
#endif
#endif
)";

constexpr std::string_view exchange_words =
    R"(#if defined(PARTITA_MATRIX_UNITS) && PARTITA_MATRIX_UNITS != 1
#define exchange_words(a0, a1, a2, a3, b0, b1) \
  exchange[get_local_id(0) * 6] = a0; \
  exchange[get_local_id(0) * 6 + 1] = a1; \
  exchange[get_local_id(0) * 6 + 2] = a2; \
  exchange[get_local_id(0) * 6 + 3] = a3; \
  exchange[get_local_id(0) * 6 + 4] = b0; \
  exchange[get_local_id(0) * 6 + 5] = b1; \
  barrier(CLK_LOCAL_MEM_FENCE)
#endif
)";

kernel::Dialect make_dialect() {
  return {
      .name = "OpenCL C 1.2",
      .always = always,
      .with_f64 = with_f64,
      .snippets =
          {
              {"vectors", vectors},
              {"vectors_f32", vectors_f32, {"vectors"}},
              {"vectors_f64", vectors_f64, {"vectors"}},
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
              {"matrix_exchange", matrix_exchange},
              {"exchange_words", exchange_words, {"matrix_exchange"}},
              {"load_matrices", load_matrices, {"matrix_exchange"}},
              {"load_matrices_turned", load_matrices_turned, {"matrix_exchange"}},
              {"multiply_matrices_bf16", multiply_matrices_bf16, {"exchange_words"}},
              {"multiply_matrices_f16", multiply_matrices_f16, {"exchange_words", "f16_value"}},
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
      .real = ".x",
      .imag = ".y",
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
    d.snippets.push_back({"ieee_maximum_f32", maximum_f32});
    d.snippets.push_back({"ieee_maximum_f64", maximum_f64});
    return d;
  }();
  return device_class == DeviceClass::simt ? of_many_items : dialect;
}

}  // namespace partita::opencl::codegen
