// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "ir/core/attribute_check.hpp"

#include <algorithm>
#include <charconv>

#include "ir/core/default_attributes.hpp"

namespace partita::ir {

namespace {

std::optional<Attribute> to_boolean(const Attribute& a) {
  if (a.get_if<bool>()) return a;
  if (a.get_if<Unit>()) return Attribute(true);
  if (const auto* i = a.get_if<Integer>(); i && (i->type == "i1" || i->value == 0 || i->value == 1))
    return Attribute(i->value != 0);
  return std::nullopt;
}

std::optional<Attribute> to_i64(const Attribute& a) {
  if (a.get_if<Integer>()) return a;
  return std::nullopt;
}

// "array<i32: 1, 2>" as it is kept when the element type is not i64.
std::optional<I64s> parse_raw_array(std::string_view text) {
  if (!text.starts_with("array<i") || !text.ends_with(">")) return std::nullopt;
  I64s values;
  const std::size_t colon = text.find(':');
  if (colon == std::string_view::npos) return values;
  const char* at = text.data() + colon + 1;
  const char* end = text.data() + text.size() - 1;
  while (at < end) {
    while (at < end && (*at == ' ' || *at == ',')) ++at;
    if (at == end) break;
    std::int64_t value = 0;
    const auto [next, error] = std::from_chars(at, end, value);
    if (error != std::errc{}) return std::nullopt;
    values.push_back(value);
    at = next;
  }
  return values;
}

std::optional<I64s> dense_integers(const Dense& dense) {
  if (!is_integer(dense.type().dtype) || dense.type().rank() > 1) return std::nullopt;
  const HostArray array = convert(dense.to_array(), DType::i64);
  const auto* data = array.data<DType::i64>();
  return I64s(data, data + array.type.count());
}

std::optional<Attribute> to_i64s(const Attribute& a) {
  if (a.get_if<I64s>()) return a;
  if (auto values = integers_in(a)) return Attribute(std::move(*values));
  return std::nullopt;
}

std::optional<Attribute> to_bools(const Attribute& a) {
  if (a.get_if<Bools>()) return a;
  Bools bools;
  if (const auto* dense = a.get_if<DenseRef>()) {
    if ((*dense)->type().dtype != DType::i1 || (*dense)->type().rank() > 1) return std::nullopt;
    for (const std::byte b : (*dense)->to_array().bytes) bools.values.push_back(b != std::byte{0});
    return Attribute(std::move(bools));
  }
  const auto* list = a.get_if<List>();
  if (!list) return std::nullopt;
  for (const Attribute& item : list->items) {
    const auto value = to_boolean(item);
    if (!value) return std::nullopt;
    bools.values.push_back(*value->get_if<bool>());
  }
  return Attribute(std::move(bools));
}

std::optional<Attribute> to_text(const Attribute& a) {
  if (a.get_if<std::string>()) return a;
  if (const auto* symbol = a.get_if<SymbolRef>()) return Attribute(symbol->name);
  return std::nullopt;
}

std::optional<Attribute> to_enumeration(const Attribute& a, const OpDef& op, const AttrSpec& spec) {
  if (a.get_if<EnumAttr>()) return a;
  const auto* text = a.get_if<std::string>();
  if (!text) return std::nullopt;
  return Attribute(EnumAttr{op.name.substr(0, op.name.find('.')), spec.enum_kind, *text});
}

std::optional<Attribute> to_symbol(const Attribute& a) {
  if (a.get_if<SymbolRef>()) return a;
  if (const auto* text = a.get_if<std::string>()) return Attribute(SymbolRef{*text});
  return std::nullopt;
}

std::optional<Attribute> to_list(const Attribute& a) {
  if (a.get_if<List>()) return a;
  const auto* integers = a.get_if<I64s>();
  if (!integers) return std::nullopt;
  List list;
  for (const std::int64_t i : *integers) list.items.emplace_back(i);
  return Attribute(std::move(list));
}

template <class T>
std::optional<Attribute> exactly(const Attribute& a) {
  return a.get_if<T>() ? std::optional(a) : std::nullopt;
}

std::optional<Attribute> normalized(const Attribute& a, const OpDef& op, const AttrSpec& spec) {
  switch (spec.kind) {
    case AttrKind::any:
      return a;
    case AttrKind::boolean:
      return to_boolean(a);
    case AttrKind::i64:
      return to_i64(a);
    case AttrKind::i64s:
      return to_i64s(a);
    case AttrKind::bools:
      return to_bools(a);
    case AttrKind::text:
      return to_text(a);
    case AttrKind::enumeration:
      return to_enumeration(a, op, spec);
    case AttrKind::symbol:
      return to_symbol(a);
    case AttrKind::type:
      return exactly<Type>(a);
    case AttrKind::dense:
      return exactly<DenseRef>(a);
    case AttrKind::list:
      return to_list(a);
    case AttrKind::dict:
      return exactly<Dict>(a);
  }
  return std::nullopt;
}

void check_enumeration(const OpDef& op, const AttrSpec& spec, const EnumAttr& found,
                       const SourceLocation& location) {
  if (spec.allowed.empty() || std::ranges::find(spec.allowed, found.value) != spec.allowed.end())
    return;
  std::string allowed;
  for (const std::string& value : spec.allowed) allowed += (allowed.empty() ? "" : ", ") + value;
  throw_user_error(cat(op.name, ": expected ", spec.name, " of ", allowed, ", found ", found.value),
                   location);
}

// What an absent attribute means, where absence is allowed to mean something.
std::optional<Attribute> default_of(const AttrSpec& spec) {
  if (spec.group.empty()) return std::nullopt;
  if (spec.kind == AttrKind::i64s) return Attribute(I64s{});
  if (spec.kind == AttrKind::i64) return Attribute(0);
  return std::nullopt;
}

const char* describe(const Attribute& a) {
  static constexpr const char* names[] = {
      "a unit",       "a boolean",          "an integer",           "a float",
      "a string",     "a symbol",           "an enumeration value", "another kind of attribute",
      "a type",       "a list of integers", "a list of booleans",   "a list",
      "a dictionary", "a dense constant",   "a sharding",           "shardings",
      "manual axes"};
  static_assert(std::size(names) == std::variant_size_v<Attribute::Variant>);
  return names[a.value().index()];
}

}  // namespace

const char* describe(AttrKind kind) {
  switch (kind) {
    case AttrKind::any:
      return "an attribute";
    case AttrKind::boolean:
      return "a boolean";
    case AttrKind::i64:
      return "an integer";
    case AttrKind::i64s:
      return "a list of integers";
    case AttrKind::bools:
      return "a list of booleans";
    case AttrKind::text:
      return "a string";
    case AttrKind::enumeration:
      return "an enumeration value";
    case AttrKind::symbol:
      return "a symbol";
    case AttrKind::type:
      return "a type";
    case AttrKind::dense:
      return "a dense constant";
    case AttrKind::list:
      return "a list";
    case AttrKind::dict:
      return "a dictionary";
  }
  return "an attribute";
}

std::optional<I64s> integers_in(const Attribute& a) {
  if (const auto* integers = a.get_if<I64s>()) return *integers;
  if (const auto* raw = a.get_if<RawAttr>()) return parse_raw_array(raw->text);
  if (const auto* dense = a.get_if<DenseRef>()) return dense_integers(**dense);
  const auto* list = a.get_if<List>();
  if (!list) return std::nullopt;
  I64s values;
  for (const Attribute& item : list->items) {
    const auto* integer = item.get_if<Integer>();
    if (!integer) return std::nullopt;
    values.push_back(integer->value);
  }
  return values;
}

void normalize_attributes(const OpDef& op, Dict& attrs, const SourceLocation& location) {
  for (const AttrSpec& spec : op.attrs) {
    const Attribute* found = attrs.find(spec.name);
    if (!found) {
      if (auto value = default_of(spec))
        attrs.set(spec.name, std::move(*value));
      else if (spec.required)
        throw_user_error(cat(op.name, ": expected attribute '", spec.name, "' (",
                             describe(spec.kind), "), found none"),
                         location);
      continue;
    }
    auto value = normalized(*found, op, spec);
    if (!value)
      throw_user_error(cat(op.name, ": expected attribute '", spec.name, "' to be ",
                           describe(spec.kind), ", found ", describe(*found)),
                       location);
    if (const auto* enumeration = value->get_if<EnumAttr>())
      check_enumeration(op, spec, *enumeration, location);
    if (!(*value == *found)) attrs.set(spec.name, std::move(*value));
  }
}

void erase_default_attributes(const OpDef& op, Dict& attrs) {
  const std::string_view name = std::string_view(op.name).substr(0, op.name.find(' '));
  std::vector<std::string> absent;
  for (const NamedAttribute& attribute : attrs.items()) {
    const auto spec = std::ranges::find(op.attrs, attribute.name, &AttrSpec::name);
    const bool is_required = spec != op.attrs.end() && spec->required;
    if (!is_required && is_default_attribute(name, attribute)) absent.push_back(attribute.name);
  }
  for (const std::string& attribute : absent) attrs.erase(attribute);
}

}  // namespace partita::ir
