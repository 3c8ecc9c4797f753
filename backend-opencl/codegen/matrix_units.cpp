// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "backend-opencl/codegen/matrix_units.hpp"

#include <string>
#include <string_view>
#include <utility>

namespace partita::opencl::codegen {
namespace {

constexpr std::string_view exchange = R"(#ifdef PARTITA_MATRIX_UNITS
#if PARTITA_MATRIX_UNITS == 1
#define declare_matrix_exchange(items)
#else
#define declare_matrix_exchange(items) __local ui32 exchange[items * 6];
#define matrix_lane ((i32)get_local_id(0) % 32)
#define matrix_first ((i32)get_local_id(0) - matrix_lane)
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

// Item i says where line i of four matrices begins; each item gets two neighbours of a line, or of a column.
constexpr std::string_view load = R"(#ifdef PARTITA_MATRIX_UNITS
#if PARTITA_MATRIX_UNITS == 1
#define NAME(r0, r1, r2, r3, a, i) \
  __asm__ volatile("ldmatrix.sync.aligned.m8n8.x4TURNED.shared.b16 {%0, %1, %2, %3}, [%4];" \
                   : "=r"(r0), "=r"(r1), "=r"(r2), "=r"(r3) \
                   : "r"((ui32)(size_t)((a) + (i))) : "memory")
#else
__attribute__((noinline)) ui32 exchanged_NAME(__local const ui16* a, __local const ui32* exchange, i32 first, i32 lane, i32 m) {
PAIR
}
#define NAME(r0, r1, r2, r3, a, i) \
  exchange[get_local_id(0)] = (i); \
  barrier(CLK_LOCAL_MEM_FENCE); \
  r0 = exchanged_NAME(a, exchange, matrix_first, matrix_lane, 0); \
  r1 = exchanged_NAME(a, exchange, matrix_first, matrix_lane, 1); \
  r2 = exchanged_NAME(a, exchange, matrix_first, matrix_lane, 2); \
  r3 = exchanged_NAME(a, exchange, matrix_first, matrix_lane, 3); \
  barrier(CLK_LOCAL_MEM_FENCE)
#endif
#endif
)";

constexpr std::string_view pair_of_line =
    R"(  __local const ui16* row = a + exchange[first + m * 8 + lane / 4] + lane % 4 * 2;
  return row[0] | (ui32)row[1] << 16;)";
constexpr std::string_view pair_of_column = R"(  const i32 row = first + m * 8 + lane % 4 * 2;
  return a[exchange[row] + lane / 4] | (ui32)a[exchange[row + 1] + lane / 4] << 16;)";

// Without units a sum is taken over all terms in their order.  Not inlined: of hundreds of copies of the loop device compilers
// would take minutes.
constexpr std::string_view multiply = R"(#ifdef PARTITA_MATRIX_UNITS
#if PARTITA_MATRIX_UNITS == 1
#define multiply_matrices_TYPE(d0, d1, d2, d3, a0, a1, a2, a3, b0, b1) \
  __asm__ volatile("mma.sync.aligned.m16n8kTERMS.row.col.f32.TYPE.TYPE.f32 {%0, %1, %2, %3}, " \
                   "{%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};" \
                   : "+f"(d0), "+f"(d1), "+f"(d2), "+f"(d3) \
                   : "r"(a0), "r"(a1), "r"(a2), "r"(a3), "r"(b0), "r"(b1))
#else
#define exchanged_TYPE(word, k) VALUE
__attribute__((noinline)) f32 exchanged_sum_TYPE(__local const ui32* exchange, i32 first, i32 row, i32 column) {
  f32 sum = 0;
  for (i32 k = 0; k < TERMS; ++k) {
    const i32 in_a = (first + row % 8 * 4 + k % (TERMS / 2) * 8 / TERMS) * 6 + row / 8 + k / (TERMS / 2) * 2;
    const i32 in_b = (first + column * 4 + k % (TERMS / 2) * 8 / TERMS) * 6 + 4 + k / (TERMS / 2);
    sum = fma(exchanged_TYPE(exchange[in_a], k), exchanged_TYPE(exchange[in_b], k), sum);
  }
  return sum;
}
#define multiply_matrices_TYPE(d0, d1, d2, d3, a0, a1, a2, a3, b0, b1) \
  exchange_words(a0, a1, a2, a3, b0, b1); \
  d0 += exchanged_sum_TYPE(exchange, matrix_first, matrix_lane / 4, matrix_lane % 4 * 2); \
  d1 += exchanged_sum_TYPE(exchange, matrix_first, matrix_lane / 4, matrix_lane % 4 * 2 + 1); \
  d2 += exchanged_sum_TYPE(exchange, matrix_first, matrix_lane / 4 + 8, matrix_lane % 4 * 2); \
  d3 += exchanged_sum_TYPE(exchange, matrix_first, matrix_lane / 4 + 8, matrix_lane % 4 * 2 + 1); \
  barrier(CLK_LOCAL_MEM_FENCE)
#endif
#endif
)";

// 16 bytes from memory to local memory, beside what the item does next.
constexpr std::string_view copy = R"(#ifdef PARTITA_MATRIX_UNITS
#if PARTITA_MATRIX_UNITS == 1
#define copy_ahead(a, to, b, from) \
  __asm__ volatile("cp.async.cg.shared.global [%0], [%1], 16;" \
                   :: "r"((ui32)(size_t)((a) + (to))), "l"((size_t)((b) + (from))) : "memory")
#else
#define copy_ahead(a, to, b, from) \
  *(__local uint4*)((a) + (to)) = *(__global const uint4*)((b) + (from))
#endif
#endif
)";

// The same of an element of 4 or 8 bytes.
constexpr std::string_view copy_element = R"(#ifdef PARTITA_MATRIX_UNITS
#if PARTITA_MATRIX_UNITS == 1
#define copy_element_ahead(a, to, b, from) \
  __asm__ volatile("cp.async.ca.shared.global [%0], [%1], %2;" \
                   :: "r"((ui32)(size_t)((a) + (to))), "l"((size_t)((b) + (from))), "n"(sizeof(*(a))) : "memory")
#else
#define copy_element_ahead(a, to, b, from) (a)[to] = (b)[from]
#endif
#endif
)";

// An item waits for what it has begun to copy, but for what it began since the last `late` times.
constexpr std::string_view wait = R"(#ifdef PARTITA_MATRIX_UNITS
#if PARTITA_MATRIX_UNITS == 1
#define wait_for_copies(late) \
  __asm__ volatile("cp.async.commit_group;\n\tcp.async.wait_group " #late ";" ::: "memory")
#else
#define wait_for_copies(late)
#endif
#endif
)";

// Devices with the units round in one instruction; that of pairs is the faster one.
constexpr std::string_view bf16_bits_of_units =
    R"(#if defined(PARTITA_MATRIX_UNITS) && PARTITA_MATRIX_UNITS == 1
ui16 bf16_bits(f32 x) {
  ui32 bits;
  __asm__("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(bits) : "f"(0.0f), "f"(x));
  return (ui16)bits;
}
#else
WITHOUT#endif
)";

std::string replaced(std::string_view text,
                     const std::vector<std::pair<std::string_view, std::string_view>>& words) {
  std::string result(text);
  for (const auto& [word, by] : words)
    for (std::size_t at = result.find(word); at != std::string::npos;
         at = result.find(word, at + by.size()))
      result.replace(at, word.size(), by);
  return result;
}

constexpr std::string_view half_of_word = "TYPE_value((ui16)((k) % 2 ? (word) >> 16 : (word)))";

std::string multiply_of(std::string_view type, std::string_view terms, std::string_view value) {
  return replaced(multiply, {{"VALUE", value}, {"TERMS", terms}, {"TYPE", type}});
}

}  // namespace

const std::vector<kernel::Snippet>& matrix_unit_snippets() {
  static const std::string lines =
      replaced(load, {{"NAME", "load_matrices"}, {"TURNED", ""}, {"PAIR", pair_of_line}});
  static const std::string columns = replaced(
      load, {{"NAME", "load_matrices_turned"}, {"TURNED", ".trans"}, {"PAIR", pair_of_column}});
  static const std::string bf16 = multiply_of("bf16", "16", half_of_word),
                           f16 = multiply_of("f16", "16", half_of_word),
                           tf32 = multiply_of("tf32", "8", "as_float((word) & 0xffffe000u)"),
                           bits = replaced(bf16_bits_of_units, {{"WITHOUT", bf16_bits}});
  static const std::vector<kernel::Snippet> all{
      {"matrix_exchange", exchange},
      {"exchange_words", exchange_words, {"matrix_exchange"}},
      {"load_matrices", lines, {"matrix_exchange"}},
      {"load_matrices_turned", columns, {"matrix_exchange"}},
      {"copy_ahead", copy},
      {"copy_element_ahead", copy_element},
      {"wait_for_copies", wait},
      {"multiply_matrices_bf16", bf16, {"exchange_words", "bf16_value"}},
      {"multiply_matrices_f16", f16, {"exchange_words", "f16_value"}},
      {"multiply_matrices_tf32", tf32, {"exchange_words"}},
      {"bf16_bits", bits},
  };
  return all;
}

}  // namespace partita::opencl::codegen
