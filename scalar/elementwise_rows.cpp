// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// The table of elementwise.def as data, and what can be checked about it while compiling.
#include <algorithm>

#include "partita/base/error.hpp"
#include "partita/scalar/elementwise.hpp"
#include "scalar/c_text.hpp"
#include "scalar/scalar.hpp"

namespace partita::ir {
namespace {

using enum Kinds;
constexpr Kinds wide = Kinds::floating | no_16_bit_floats;

/// range(low, high, ...): one pair per operand, the last of which repeats.
template <class... Bounds>
constexpr std::array<SampleRange, 3> range(Bounds... bounds) {
  static_assert(sizeof...(bounds) % 2 == 0 && sizeof...(bounds) <= 6, "range takes pairs");
  const double b[] = {double(bounds)...};
  std::array<SampleRange, 3> result{};
  for (std::size_t k = 0; k < 3; ++k) {
    const std::size_t from = std::min(2 * k, sizeof...(bounds) - 2);
    result[k] = {b[from], b[from + 1]};
  }
  return result;
}

constexpr ElementwiseRow table[] = {
#define ON(kinds, ...) RowCase{(kinds), #__VA_ARGS__},
#define GRAD(...) #__VA_ARGS__
#define PARTITA_ROW(name, op, signature, value, gradient, samples, ulp, doc) \
  {#name, op, Signature::signature, {{value}}, samples, ulp, doc, gradient},
#include "scalar/elementwise.def"
};

constexpr bool is_operand(std::string_view identifier, int operands) {
  return identifier.size() == 1 && identifier[0] >= 'x' && identifier[0] < 'x' + operands;
}

/// The text must mean in OpenCL C what it means here, so it may name only what both define.
constexpr bool names_are_known(const ElementwiseRow& r) {
  for (const RowCase& c : r.cases) {
    std::string_view text = c.text;
    for (CToken t = next_token(text); t.kind != CToken::end; t = next_token(text)) {
      if (t.kind != CToken::identifier || is_operand(t.text, arity(r.signature))) continue;
      if (std::ranges::find(scalar::names, t.text) == std::end(scalar::names)) return false;
    }
  }
  return true;
}

constexpr bool kinds_are_disjoint(const ElementwiseRow& r) {
  unsigned sum = 0;
  for (const RowCase& c : r.cases) sum += unsigned(c.kinds);
  return sum == unsigned(r.kinds());
}

/// One entry per operand, in terms of g, out, the operands, constants and rows.
constexpr bool gradient_is_well_formed(const ElementwiseRow& r) {
  std::string_view text = r.gradient;
  int entries = 1, depth = 0;
  for (CToken t = next_token(text); t.kind != CToken::end; t = next_token(text)) {
    if (t.text == "(") ++depth;
    if (t.text == ")") --depth;
    if (t.text == "," && depth == 0) ++entries;
    if (t.kind != CToken::identifier || is_operand(t.text, arity(r.signature))) continue;
    const bool known = t.text == "g" || t.text == "out" || t.text == "K" || t.text == "none" ||
                       t.text == "unknown" ||
                       std::ranges::find(table, t.text, &ElementwiseRow::name) != std::end(table);
    if (!known) return false;
  }
  return entries == arity(r.signature) && depth == 0;
}

constexpr const ElementwiseRow& find(std::string_view name) {
  return *std::ranges::find(table, name, &ElementwiseRow::name);
}

#define PARTITA_ROW(name, ...)                                                    \
  static_assert(names_are_known(find(#name)),                                     \
                "the value of " #name " names what scalar.hpp does not declare"); \
  static_assert(kinds_are_disjoint(find(#name)),                                  \
                "the value of " #name " has two cases for one kind");             \
  static_assert(gradient_is_well_formed(find(#name)),                             \
                "the gradient of " #name " needs one entry per operand, in terms of rows");
#include "scalar/elementwise.def"

constexpr ScalarHelper helper_table[] = {
#define PARTITA_HELPER(domain, result, name, parameters, ...) \
  {ScalarHelper::Domain::domain, #result, #name, #parameters, #__VA_ARGS__},
#include "scalar/scalar_helpers.def"
};

}  // namespace

std::span<const ElementwiseRow> elementwise_rows() { return table; }
std::span<const ScalarHelper> scalar_helpers() { return helper_table; }

const ElementwiseRow& elementwise_row(std::string_view name) {
  const auto found = std::ranges::find(table, name, &ElementwiseRow::name);
  if (found == std::end(table))
    throw_internal_error(cat("there is no elementwise row '", name, "'"));
  return *found;
}

ElementwiseFn elementwise_function(const ElementwiseRow& row, DType d) {
  return row_function(std::size_t(&row - table), d);
}

DType operand_dtype(Signature s, DType d, int k) {
  return s == Signature::choice && k == 0 ? DType::i1 : d;
}

DType result_dtype(Signature s, DType d) {
  switch (s) {
    case Signature::test:
    case Signature::compare:
      return DType::i1;
    case Signature::part:
      return part_dtype(d);
    case Signature::compose:
      return d == DType::f64 ? DType::c128 : DType::c64;
    default:
      return d;
  }
}

}  // namespace partita::ir
