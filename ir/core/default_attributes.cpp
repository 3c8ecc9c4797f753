// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "ir/core/default_attributes.hpp"

#include <algorithm>
#include <array>

namespace partita::ir {

namespace {

/// What an absent attribute means.
enum class Default : unsigned char {
  no,
  all_no,  ///< also of booleans by dimension
  zero,
  one,
  minus_one,
  zeros,
  ones,
  empty,
  unspecified,  ///< the enumeration's value for that
};

struct Row {
  std::string_view op, attribute;
  Default kind;
};

constexpr std::array rows{
#define PARTITA_DEFAULT(op, attribute, kind) Row{op, attribute, Default::kind},
#include "ir/core/default_attributes.def"
};

bool is_integer(const Attribute& a, std::int64_t value) {
  const auto* integer = a.get_if<Integer>();
  return integer != nullptr && integer->value == value;
}

bool holds_only(const Attribute& a, std::int64_t value) {
  if (const auto* list = a.get_if<I64s>())
    return std::ranges::all_of(*list, [&](std::int64_t v) { return v == value; });
  const auto* dense = a.get_if<DenseRef>();
  if (dense == nullptr || (*dense)->type().dtype != DType::i64) return false;
  if ((*dense)->type().count() == 0) return true;
  return (*dense)->is_splat() && *(*dense)->to_array().data<DType::i64>() == value;
}

bool is_empty(const Attribute& a) {
  if (const auto* text = a.get_if<std::string>()) return text->empty();
  if (const auto* list = a.get_if<List>()) return list->items.empty();
  if (const auto* list = a.get_if<I64s>()) return list->empty();
  if (const auto* dict = a.get_if<Dict>()) return dict->empty();
  const auto* dense = a.get_if<DenseRef>();
  return dense != nullptr && (*dense)->type().count() == 0;
}

bool is_unspecified(const Attribute& a) {
  if (const auto* value = a.get_if<EnumAttr>())
    return value->value == "DEFAULT" || value->value == "NOTYPE";
  if (const auto* list = a.get_if<List>()) return std::ranges::all_of(list->items, is_unspecified);
  const auto* raw = a.get_if<RawAttr>();
  return raw != nullptr &&
         raw->text ==
             "#stablehlo.result_accuracy<atol = 0.000000e+00, rtol = 0.000000e+00, ulps = 0, "
             "mode = #stablehlo<result_accuracy_mode DEFAULT>>";
}

bool is_default(const Attribute& a, Default kind) {
  switch (kind) {
    case Default::no:
      return a.get_if<bool>() != nullptr && !*a.get_if<bool>();
    case Default::all_no: {
      const auto* bools = a.get_if<Bools>();
      return bools != nullptr && std::ranges::find(bools->values, true) == bools->values.end();
    }
    case Default::zero:
      return is_integer(a, 0);
    case Default::one:
      return is_integer(a, 1);
    case Default::minus_one:
      return is_integer(a, -1);
    case Default::zeros:
      return holds_only(a, 0);
    case Default::ones:
      return holds_only(a, 1);
    case Default::empty:
      return is_empty(a);
    case Default::unspecified:
      return is_unspecified(a);
  }
  return false;
}

}  // namespace

bool is_default_attribute(std::string_view op, const NamedAttribute& attribute) {
  const auto of_op = std::ranges::equal_range(rows, op, {}, &Row::op);
  return std::ranges::any_of(of_op, [&](const Row& row) {
    return row.attribute == attribute.name && is_default(attribute.value, row.kind);
  });
}

}  // namespace partita::ir
