// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "backend-cpu/codegen/c_vectors.hpp"

#include <map>
#include <string>

#include "kernel/ast/kernel.hpp"
#include "partita/base/error.hpp"

namespace partita::cpu::codegen {

namespace {

// Operations on vectors of n elements of T.  maximum is that of scalar code: NaN if either is, -0 < +0.
// v - 0 is v for every v, -0 included.
constexpr std::string_view operations = R"(#define load_lanes(T, n, p) (*(const T##x##n##_at*)(p))
#define store_lanes(T, n, v, p) (*(T##x##n##_at*)(p) = (v))
#define splat_lanes(T, n, v) ((T)(v) - (T##x##n){0})
#define fma_lanes(T, n, a, b, c) fma_##T##x##n(a, b, c)
#define choose_lanes(T, n, c, a, b) choose_##T##x##n(c, a, b)
#define maximum_lanes(T, n, a, b) \
  choose_##T##x##n((a > b) | (a != a) | ((a == b) & ((T##x##n##_bits)(a) >= 0)), a, b)
#define minimum_lanes(T, n, a, b) \
  choose_##T##x##n((a < b) | (a != a) | ((a == b) & ((T##x##n##_bits)(a) < 0)), a, b)
#define sum_lanes(T, n, v) sum_##T##x##n(v)
#define same_lanes(T, n, c) ((T##x##n##_bits){0} - (int)(c))
#define truth_lanes(T, n, p) (__builtin_convertvector(*(const truthx##n##_at*)(p), T##x##n##_bits) != 0)
typedef unsigned char truthx2_at __attribute__((vector_size(2), aligned(1), may_alias));
typedef unsigned char truthx4_at __attribute__((vector_size(4), aligned(1), may_alias));
typedef unsigned char truthx8_at __attribute__((vector_size(8), aligned(1), may_alias));
typedef unsigned char truthx16_at __attribute__((vector_size(16), aligned(1), may_alias));
)";

/// Lanes [first, first + count) as arguments.
std::string lanes(int first, int count) {
  std::string text;
  for (int k = first; k < first + count; ++k) text += cat(", ", k);
  return text;
}

struct FusedProduct {
  int bits;                 ///< of a vector
  std::string_view needs;   ///< macro that says the machine has it
  std::string_view before;  ///< of the builtin's name, up to "ps" or "pd"
  std::string_view after, mask_f32, mask_f64;
};
constexpr FusedProduct fused_products[] = {
    {128, "__FMA__", "__builtin_ia32_vfmadd", "", "", ""},
    {256, "__FMA__", "__builtin_ia32_vfmadd", "256", "", ""},
    {512, "__AVX512F__", "__builtin_ia32_vfmadd", "512_mask", ", (unsigned short)-1, 4",
     ", (unsigned char)-1, 4"},
};

/// a b + c for all lanes: by an instruction, else by halves, else rounded twice.
std::string fused_product(std::string_view element, int n, int bits) {
  const std::string type = cat(element, "x", n);
  const std::string halves = cat(element, "x", n / 2);
  const bool is_double = element == "f64";
  std::string text;
  for (const FusedProduct& p : fused_products)
    if (p.bits == bits)
      text = cat("#if defined(", p.needs, ")\n  return ", p.before, is_double ? "pd" : "ps",
                 p.after, "(a, b, c", is_double ? p.mask_f64 : p.mask_f32, ");\n#el");
  const auto half = [&](std::string_view v, int first) {
    return cat("__builtin_shufflevector(", v, ", ", v, lanes(first, n / 2), ")");
  };
  if (bits > 128) {
    text += cat(text.empty() ? "#" : "", "if defined(__FMA__)\n");
    for (const int h : {0, 1})
      text += cat("  const ", halves, " r", h, " = fma_", halves, "(", half("a", h * n / 2), ", ",
                  half("b", h * n / 2), ", ", half("c", h * n / 2), ");\n");
    text += cat("  return __builtin_shufflevector(r0, r1", lanes(0, n), ");\n#el");
  }
  const std::string otherwise = "  return a * b + c;\n";
  text = text.empty() ? otherwise : cat(text, "se\n", otherwise, "#endif\n");
  return cat("static inline ", type, " fma_", type, "(", type, " a, ", type, " b, ", type,
             " c) {\n", text, "}\n");
}

/// a b + c for all lanes, modulo the range of integers.
std::string wrapped_product(std::string_view element, int n) {
  const std::string type = cat(element, "x", n), bits = cat("(", type, "_words)");
  return cat("static inline ", type, " fma_", type, "(", type, " a, ", type, " b, ", type,
             " c) {\n  return (", type, ")(", bits, "a * ", bits, "b + ", bits, "c);\n}\n");
}

/// The sum of the lanes; of integers as unsigned ones, which wrap.
std::string lane_sum(std::string_view element, int n, bool is_float) {
  const std::string type = cat(element, "x", n), half = cat(element, "x", n / 2);
  if (n == 2 && is_float)
    return cat("static inline ", element, " sum_", type, "(", type,
               " v) {\n  return v[0] + v[1];\n}\n");
  if (n == 2)
    return cat("static inline ", element, " sum_", type, "(", type, " v) {\n  const ", type,
               "_words w = (", type, "_words)v;\n  return (", element, ")(w[0] + w[1]);\n}\n");
  const std::string cast = is_float ? "" : cat("(", half, "_words)");
  const auto part = [&](int first) {
    return cat(cast, "__builtin_shufflevector(v, v", lanes(first, n / 2), ")");
  };
  return cat("static inline ", element, " sum_", type, "(", type, " v) {\n  return sum_", half, "(",
             is_float ? "" : cat("(", half, ")"), "(", part(0), " + ", part(n / 2), "));\n}\n");
}

std::string vectors_of(std::string_view element, int element_bits, bool is_float) {
  std::string text;
  for (const int n : {2, 4, 8, 16}) {
    const std::string type = cat(element, "x", n);
    const int bytes = n * element_bits / 8;
    text +=
        cat("typedef ", element, " ", type, " __attribute__((vector_size(", bytes, ")));\n",
            "typedef ", element, " ", type, "_at __attribute__((vector_size(", bytes, "), aligned(",
            element_bits / 8, "), may_alias));\n", "typedef i", element_bits, " ", type,
            "_bits __attribute__((vector_size(", bytes, ")));\n", "static inline ", type,
            " choose_", type, "(", type, "_bits c, ", type, " a, ", type, " b) {\n  return (", type,
            ")((c & (", type, "_bits)a) | (~c & (", type, "_bits)b));\n}\n");
    if (!is_float)
      text += cat("typedef unsigned ", element_bits == 64 ? "long" : "int", " ", type,
                  "_words __attribute__((vector_size(", bytes, ")));\n");
    text += is_float ? fused_product(element, n, n * element_bits) : wrapped_product(element, n);
    text += lane_sum(element, n, is_float);
  }
  return text;
}

}  // namespace

std::vector<kernel::Snippet> c_vectors() {
  static const std::map<std::string, std::string> texts = [] {
    std::map<std::string, std::string> all;
    for (const DType d : kernel::vector_dtypes)
      all[cat("vectors_", info(d).name)] =
          vectors_of(info(d).name, int(8 * byte_size(d)), is_float(d));
    return all;
  }();
  std::vector<kernel::Snippet> snippets{{"vectors", operations}};
  for (const auto& [name, text] : texts) snippets.push_back({name, text, {"vectors"}});
  return snippets;
}

}  // namespace partita::cpu::codegen
