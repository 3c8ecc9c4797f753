// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "frontend/stablehlo/attribute_printer.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>

#include "frontend/stablehlo/dense_reader.hpp"
#include "frontend/stablehlo/lexer.hpp"
#include "partita/ir/sharding.hpp"

namespace partita::ir {

namespace {

bool is_bare_name(std::string_view name) {
  const auto is_letter = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
  };
  if (name.empty() || !is_letter(name.front())) return false;
  return std::ranges::all_of(
      name, [&](char c) { return is_letter(c) || (c >= '0' && c <= '9') || c == '$' || c == '.'; });
}

// Attributes that MLIR has as units: they are there or not.
bool is_unit(const NamedAttribute& attribute) {
  const auto* value = attribute.value.get_if<bool>();
  return value != nullptr && *value &&
         (attribute.name == "use_global_device_ids" || attribute.name == "has_dynamic_root");
}

// Words that start something else where an attribute name may stand.
bool is_name(std::string_view name) {
  return is_bare_name(name) && name != "loc" && name != "unit";
}

void print_hex(std::string& out, std::uint64_t bits, int digits) {
  char text[24];
  std::snprintf(text, sizeof text, "0x%0*llX", digits, static_cast<unsigned long long>(bits));
  out += text;
}

// Seven significant digits where these give the same bits, else as many as needed.
void print_float(std::string& out, double value, std::uint64_t bits, DType dtype) {
  if (!std::isfinite(value)) return print_hex(out, bits, int(byte_size(dtype)) * 2);
  char text[40];
  std::snprintf(text, sizeof text, "%.6e", value);
  if (encode_float(dtype, dense_float(text, dtype)) == bits) {
    out += text;
    return;
  }
  const auto end =
      dtype == DType::f64
          ? std::to_chars(text, text + sizeof text, value, std::chars_format::scientific).ptr
          : std::to_chars(text, text + sizeof text, float(value), std::chars_format::scientific)
                .ptr;
  std::string digits(text, end);
  if (digits.find('.') == std::string::npos)
    digits.insert(digits.find('e'), ".0");  // a float has a point
  if (encode_float(dtype, dense_float(digits, dtype)) != bits)
    return print_hex(out, bits, int(byte_size(dtype)) * 2);
  out += digits;
}

template <class T>
T read_as(const std::byte* data) {
  T value;
  std::memcpy(&value, data, sizeof value);
  return value;
}

void print_float_element(std::string& out, DType dtype, const std::byte* data) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, data, byte_size(dtype));
  print_float(out, decode_float(dtype, bits), bits, dtype);
}

void print_blob(std::string& out, const Dense& dense) {
  static constexpr char digits[] = "0123456789ABCDEF";
  out += "\"0x";
  // Of elements of less than a byte the high bits are no part.
  const int bits = info(dense.type().dtype).bits;
  const auto own = std::byte(bits < 8 ? (1 << bits) - 1 : 0xff);
  for (std::byte b : dense.bytes()) {
    b &= own;
    out += digits[unsigned(b) >> 4];
    out += digits[unsigned(b) & 15];
  }
  out += '"';
}

void print_nested(std::string& out, const Dense& dense, std::size_t dim, const std::byte*& data) {
  const Type& type = dense.type();
  if (dim == type.dims.size()) {
    print_element(out, type.dtype, data);
    data += byte_size(type.dtype);
    return;
  }
  out += '[';
  for (std::int64_t i = 0; i < type.dims[dim]; ++i) {
    if (i > 0) out += ", ";
    print_nested(out, dense, dim + 1, data);
  }
  out += ']';
}

void print_elements(std::string& out, const Dense& dense, const PrintOptions& options) {
  const std::byte* data = dense.bytes().data();
  if (dense.is_splat())
    print_element(out, dense.type().dtype, data);
  else if (options.max_dense_elements > 0 && dense.type().count() > options.max_dense_elements)
    print_blob(out, dense);
  else if (dense.type().count() > 0)
    print_nested(out, dense, 0, data);
}

void print_dense(std::string& out, const Dense& dense, const PrintOptions& options) {
  out += "dense<";
  print_elements(out, dense, options);
  out += "> : " + to_string(dense.type());
}

void print_integer(std::string& out, const Integer& integer) {
  if (integer.type == "i1") {
    out += integer.value != 0 ? "true" : "false";
    return;
  }
  out += integer.type == "ui64" ? std::to_string(std::uint64_t(integer.value))
                                : std::to_string(integer.value);
  out += " : " + integer.type;
}

void print_list(std::string& out, const List& list, const PrintOptions& options) {
  out += '[';
  for (std::size_t k = 0; k < list.items.size(); ++k) {
    if (k > 0) out += ", ";
    print_attribute(out, list.items[k], options);
  }
  out += ']';
}

void print_array(std::string& out, const I64s& values) {
  out += "array<i64";
  for (std::size_t k = 0; k < values.size(); ++k)
    out += (k == 0 ? ": " : ", ") + std::to_string(values[k]);
  out += '>';
}

void print_bools(std::string& out, const Bools& bools) {
  out += "array<i1";
  for (std::size_t k = 0; k < bools.values.size(); ++k) {
    out += k == 0 ? ": " : ", ";
    out += bools.values[k] ? "true" : "false";
  }
  out += '>';
}

}  // namespace

void print_element(std::string& out, DType dtype, const std::byte* data) {
  switch (info(dtype).kind) {
    case Kinds::boolean:
      out += data[0] != std::byte{0} ? "true" : "false";
      return;
    case Kinds::floating:
      return print_float_element(out, dtype, data);
    case Kinds::complex: {
      const DType part = dtype == DType::c64 ? DType::f32 : DType::f64;
      out += '(';
      print_float_element(out, part, data);
      out += ", ";
      print_float_element(out, part, data + byte_size(part));
      out += ')';
      return;
    }
    default:
      break;
  }
  visit(dtype, [&](auto constant) {
    using T = StorageType<constant()>;
    if constexpr (std::is_integral_v<T>) out += std::to_string(read_as<T>(data));
  });
}

void print_symbol(std::string& out, const std::string& name) {
  out += '@';
  out += is_bare_name(name) ? name : quoted_text(name);
}

void print_integers(std::string& out, std::span<const std::int64_t> values) {
  out += '[';
  for (std::size_t k = 0; k < values.size(); ++k)
    out += (k == 0 ? "" : ", ") + std::to_string(values[k]);
  out += ']';
}

void print_attribute(std::string& out, const Attribute& attribute, const PrintOptions& options) {
  struct Visitor {
    std::string& out;
    const PrintOptions& options;
    void operator()(const Unit&) const { out += "unit"; }
    void operator()(bool value) const { out += value ? "true" : "false"; }
    void operator()(const Integer& value) const { print_integer(out, value); }
    void operator()(const Float& value) const {
      print_float(out, value.value, encode_float(value.dtype, value.value), value.dtype);
      out += cat(" : ", to_string(value.dtype));
    }
    void operator()(const std::string& value) const { out += quoted_text(value); }
    void operator()(const SymbolRef& value) const { print_symbol(out, value.name); }
    void operator()(const EnumAttr& value) const {
      out += cat("#", value.dialect, "<", value.kind, " ", value.value, ">");
    }
    void operator()(const RawAttr& value) const { out += value.text; }
    void operator()(const Type& value) const { out += to_string(value); }
    void operator()(const I64s& value) const { print_array(out, value); }
    void operator()(const Bools& value) const { print_bools(out, value); }
    void operator()(const List& value) const { print_list(out, value, options); }
    void operator()(const Dict& value) const { print_dict(out, value.items(), options); }
    void operator()(const DenseRef& value) const {
      if (const auto text = options.dense ? options.dense(value) : std::nullopt)
        out += cat("dense<", *text, "> : ", to_string(value->type()));
      else
        print_dense(out, *value, options);
    }
    void operator()(const ShardingRef& value) const { out += to_text(*value); }
    void operator()(const ShardingsRef& value) const { out += to_text(*value); }
    void operator()(const ManualAxes& value) const { out += to_text(value); }
  };
  std::visit(Visitor{out, options}, attribute.value());
}

void print_entries(std::string& out, std::span<const NamedAttribute> entries,
                   const PrintOptions& options) {
  bool is_first = true;
  for (const NamedAttribute& entry : entries) {
    if (!is_first) out += ", ";
    is_first = false;
    out += is_name(entry.name) ? entry.name : quoted_text(entry.name);
    if (entry.value.get_if<Unit>() || is_unit(entry)) continue;
    out += " = ";
    print_attribute(out, entry.value, options);
  }
}

void print_dict(std::string& out, std::span<const NamedAttribute> entries,
                const PrintOptions& options) {
  out += '{';
  print_entries(out, entries, options);
  out += '}';
}

std::string print_elements(const Dense& value) {
  std::string text;
  print_elements(text, value, {});
  return text;
}

}  // namespace partita::ir
