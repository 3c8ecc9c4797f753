// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// The table of elementwise.def as data, and what can be checked about it while compiling.
#include <algorithm>
#include <array>

#include "partita/base/error.hpp"
#include "partita/scalar/elementwise.hpp"
#include "partita_embedded/scalar_helpers.hpp"
#include "scalar/c_text.hpp"
#include "scalar/scalar.hpp"

namespace partita::scalar {
namespace {

using enum Kinds;
constexpr Kinds wide = Kinds::floating | no_small_floats;

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
#define PARTITA_ROW(name, op, signature, value, gradient, samples, ulp, cost, doc) \
  {#name, op, Signature::signature, {{value}}, samples, ulp, cost, doc, gradient},
#include "scalar/elementwise.def"
};

// --- Helpers, read from their files ----------------------------------------------------------------

constexpr std::string_view helper_start = "\nPARTITA_HELPER(";

/// Removes from `text` what stands before `end`, which is removed too, and a space after it.
constexpr std::string_view take(std::string_view& text, std::string_view end) {
  const std::size_t at = text.find(end);
  const std::string_view taken = text.substr(0, at);
  text.remove_prefix(at + end.size());
  if (text.starts_with(' ')) text.remove_prefix(1);
  return taken;
}

/// Characters of the block that `text` begins with.
constexpr std::size_t block_size(std::string_view text) {
  std::size_t size = 0;
  int depth = 0;
  do depth += (text[size] == '{') - (text[size] == '}');
  while (text[size++] != '}' || depth > 0);
  return size;
}

constexpr ScalarHelper::Domain domain_of(std::string_view name) {
  using enum ScalarHelper::Domain;
  return name == "real" ? real : name == "integer" ? integer : complex;
}

constexpr std::size_t count_helpers() {
  std::size_t n = 0;
  for (const embedded::File& file : embedded::scalar_helpers)
    for (auto at = file.text.find(helper_start); at != std::string_view::npos;
         at = file.text.find(helper_start, at + 1))
      ++n;
  return n;
}

constexpr auto read_helpers() {
  std::array<ScalarHelper, count_helpers()> helpers{};
  std::size_t n = 0;
  for (const embedded::File& file : embedded::scalar_helpers) {
    std::string_view text = file.text;
    for (; text.find(helper_start) != std::string_view::npos; ++n) {
      take(text, helper_start);
      helpers[n].domain = domain_of(take(text, ","));
      helpers[n].result = take(text, ",");
      helpers[n].name = take(text, ",");
      const std::size_t parameters = text.find(')') + 1;
      helpers[n].parameters = text.substr(0, parameters);
      text.remove_prefix(text.find('{'));
      helpers[n].body = text.substr(0, block_size(text));
      text.remove_prefix(helpers[n].body.size());
    }
  }
  return helpers;
}

constexpr auto helper_table = read_helpers();

constexpr bool is_declared(std::string_view name) {
  return std::ranges::find(helpers::names, name) != std::end(helpers::names) ||
         std::ranges::find(helper_table, name, &ScalarHelper::name) != helper_table.end();
}

// --- Rows -----------------------------------------------------------------------------------------

constexpr bool is_operand(std::string_view identifier, int operands) {
  return identifier.size() == 1 && identifier[0] >= 'x' && identifier[0] < 'x' + operands;
}

/// The text must mean in OpenCL C what it means here, so it may name only what both define.
constexpr bool names_are_known(const ElementwiseRow& r) {
  for (const RowCase& c : r.cases) {
    std::string_view text = c.text;
    for (CToken t = next_token(text); t.kind != CToken::end; t = next_token(text)) {
      if (t.kind != CToken::identifier || is_operand(t.text, arity(r.signature))) continue;
      if (!is_declared(t.text)) return false;
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

}  // namespace partita::scalar
