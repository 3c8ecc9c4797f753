// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Attributes of Shardy become their text, and that of whole shardings what the text says.
#include "frontend/stablehlo/attribute_printer.hpp"
#include "frontend/stablehlo/bytecode_values.hpp"
#include "frontend/stablehlo/lexer.hpp"
#include "partita/ir/sharding.hpp"

namespace partita::ir {

namespace {

constexpr std::string_view sharding_prefix = "#sdy.sharding", mesh_prefix = "#sdy.mesh";

// Texts of the attributes that follow.
std::string read_list(BytecodeValues& values, ByteStream& in) {
  std::string text;
  for (std::size_t count = in.read_count("attributes"); count > 0; --count)
    text += cat(text.empty() ? "" : ", ", values.read_printed(in));
  return text;
}

std::string read_axis(BytecodeValues& values, ByteStream& in) {
  std::string text = quoted_text(values.read_string(in));
  const ByteStream::Flagged sub = in.read_flagged_varint();
  if (!sub.flag) return text;
  if (sub.value >= values.tables().attributes().size())
    in.fail("the number of an attribute", cat(sub.value));
  text += ':';
  print_attribute(text, values.attribute(std::size_t(sub.value)));
  return text;
}

// {"a", "b"}  {"a", ?}p1
std::string read_dimension(BytecodeValues& values, ByteStream& in) {
  std::string text = "{" + read_list(values, in);
  const bool is_closed = in.read_byte() != 0;
  if (!is_closed) text += text.size() == 1 ? "?" : ", ?";
  text += '}';
  const ByteStream::Flagged priority = in.read_flagged_varint();
  return priority.flag ? cat(text, "p", priority.value) : text;
}

std::string read_sharding(BytecodeValues& values, ByteStream& in, bool has_unreduced) {
  std::string mesh = values.read_printed(in);
  if (mesh.starts_with(mesh_prefix)) mesh = cat("mesh", mesh.substr(mesh_prefix.size()));
  std::string text = cat(sharding_prefix, "<", mesh, ", [", read_list(values, in), "]");
  const std::string replicated = read_list(values, in);
  if (!replicated.empty()) text += cat(", replicated={", replicated, "}");
  const std::string unreduced = has_unreduced ? read_list(values, in) : std::string();
  if (!unreduced.empty()) text += cat(", unreduced={", unreduced, "}");
  return text + ">";
}

std::string read_shardings(BytecodeValues& values, ByteStream& in) {
  std::string text;
  for (std::size_t count = in.read_count("shardings"); count > 0; --count) {
    const std::string sharding = values.read_printed(in);
    text += cat(text.empty() ? "" : ", ", sharding.starts_with(sharding_prefix)
                                              ? sharding.substr(sharding_prefix.size())
                                              : sharding);
  }
  return cat("#sdy.sharding_per_value<[", text, "]>");
}

std::string read_mesh(BytecodeValues& values, ByteStream& in) {
  std::string text = cat(mesh_prefix, "<[", read_list(values, in), "]");
  const I64s ids = values.read_signed_list(in);
  if (!ids.empty()) {
    text += ", device_ids=";
    print_integers(text, ids);
  }
  return text + ">";
}

// i, j, …, z, z_1, z_2, …
std::string factor_name(std::int64_t factor) {
  constexpr std::int64_t letters = 'z' - 'i';
  if (factor < 0) return "?";
  return factor <= letters ? std::string(1, char('i' + factor)) : cat("z_", factor - letters);
}

std::string factor_names(const I64s& factors, std::string_view separator) {
  std::string text;
  for (const std::int64_t factor : factors)
    text += cat(text.empty() ? std::string_view() : separator, factor_name(factor));
  return text;
}

// ([i, j])->([i, k]) {i=8, j=8, k=8} reduction={j}, custom
std::string read_rule(BytecodeValues& values, ByteStream& in) {
  const I64s sizes = values.read_signed_list(in);
  const std::string operands = read_list(values, in);
  std::string text = cat("#sdy.op_sharding_rule<(", operands, ")->(", read_list(values, in), ") {");
  for (std::size_t k = 0; k < sizes.size(); ++k)
    text += cat(k == 0 ? "" : ", ", factor_name(std::int64_t(k)), "=", sizes[k]);
  text += '}';
  for (const char* kind : {"reduction", "need_replication", "permutation", "blocked_propagation"}) {
    const std::string names = factor_names(values.read_signed_list(in), ", ");
    if (!names.empty()) text += cat(" ", kind, "={", names, "}");
  }
  return text + (in.read_byte() != 0 ? ", custom>" : ">");
}

Attribute typed(const std::string& text, const ByteStream& in) {
  try {
    if (auto sharding = parse_sharding_attribute(text)) return *std::move(sharding);
  } catch (const Error& error) {
    in.fail("a sharding", error.what());
  }
  in.fail("a sharding", text);
}

}  // namespace

Attribute decode_sdy_attribute(BytecodeValues& values, ByteStream& in) {
  enum : std::uint64_t {
    manual_axes,
    mesh_axis,
    mesh,
    sub_axis,
    axis,
    dimension,
    sharding,
    shardings,
    factors_of_dim,
    factors_of_tensor,
    rule,
    sharding_unreduced = 15,
    shardings_unreduced = 16
  };
  const std::uint64_t code = in.read_varint();
  switch (code) {
    case manual_axes:
      return typed(cat("#sdy<manual_axes{", read_list(values, in), "}>"), in);
    case mesh_axis: {
      const std::string name = quoted_text(values.read_string(in));
      return RawAttr{cat(name, "=", in.read_signed_varint())};
    }
    case mesh:
      return RawAttr{read_mesh(values, in)};
    case sub_axis: {
      const std::int64_t before = in.read_signed_varint();
      return RawAttr{cat("(", before, ")", in.read_signed_varint())};
    }
    case axis:
      return RawAttr{read_axis(values, in)};
    case dimension:
      return RawAttr{read_dimension(values, in)};
    case sharding:
    case sharding_unreduced:
      return typed(read_sharding(values, in, code == sharding_unreduced), in);
    case shardings:
    case shardings_unreduced:
      return typed(read_shardings(values, in), in);
    case factors_of_dim:
      return RawAttr{factor_names(values.read_signed_list(in), "")};
    case factors_of_tensor:
      return RawAttr{cat("[", read_list(values, in), "]")};
    case rule:
      return RawAttr{read_rule(values, in)};
    default:
      in.fail("a supported attribute", cat("attribute ", code, " of the sdy dialect"));
  }
}

}  // namespace partita::ir
