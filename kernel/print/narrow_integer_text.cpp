// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "kernel/print/narrow_integer_text.hpp"

#include "partita/base/error.hpp"

namespace partita::kernel {
namespace {

struct Narrow {
  std::string type;  ///< in which it is computed
  int bits, unused;
  bool is_signed;
};

/// The low bits of a variable as an unsigned number of 32 bits.
std::string low_bits(const Narrow& n) { return cat("((ui32)x & ", (1u << n.bits) - 1, "u)"); }

std::string wrapped(const Narrow& n) {
  if (!n.is_signed) return cat("(", n.type, ")", low_bits(n));
  return cat("(", n.type, ")((", n.type, ")((ui32)x << ", n.unused, ") >> ", n.unused, ")");
}

std::string limited(const Narrow& n) {
  const int most = (1 << (n.bits - (n.is_signed ? 1 : 0))) - 1;
  const std::string below = cat("x > ", most, " ? ", most, " : x");
  return cat("(", n.type, ")(", n.is_signed ? cat("x < ", -most - 1, " ? ", -most - 1, " : ") : "",
             below, ")");
}

std::string popcount(const Narrow& n) {
  std::string sum;
  for (int k = 0; k < n.bits; ++k) sum += cat(k == 0 ? "" : " + ", "((ui32)x >> ", k, " & 1u)");
  return cat("(", n.type, ")(", sum, ")");
}

std::string leading_zeros(const Narrow& n) {
  std::string choice;
  for (int k = 0; k < n.bits; ++k)
    choice += cat(low_bits(n), " > ", (1u << (n.bits - 1 - k)) - 1, "u ? ", k, " : ");
  return cat("(", n.type, ")(", choice, n.bits, ")");
}

std::string body_of(std::string_view function, const Narrow& n) {
  if (function == "wrap_") return wrapped(n);
  if (function == "limit_") return limited(n);
  if (function == "popcount_") return popcount(n);
  if (function == "clz_") return leading_zeros(n);
  return cat("(", n.type, ")(x * y >> ", n.bits, ")");
}

}  // namespace

std::optional<std::string> narrow_integer_function(const Dialect& dialect, std::string_view name) {
  for (const DType d : all_dtypes) {
    if (!is_narrow_integer(d) || !name.ends_with(cat("_", info(d).name))) continue;
    const std::string_view function = name.substr(0, name.size() - info(d).name.size());
    for (const std::string_view known : {"wrap_", "limit_", "popcount_", "clz_", "mul_hi_"}) {
      if (function != known) continue;
      const std::string type(info(info(d).value).name);
      const Narrow n{.type = type,
                     .bits = info(d).bits,
                     .unused = 8 * int(byte_size(d)) - info(d).bits,
                     .is_signed = info(d).kind == Kinds::signed_};
      return cat(dialect.function, type, " ", name, "(", type, " x",
                 known == "mul_hi_" ? cat(", ", type, " y") : "", ") { return ",
                 body_of(function, n), "; }\n");
    }
  }
  return std::nullopt;
}

}  // namespace partita::kernel
