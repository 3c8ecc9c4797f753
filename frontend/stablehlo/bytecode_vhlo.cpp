// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Attributes and types of VHLO, the versioned dialect of portable artifacts; the numbers are those of
// its encoding, which never change.
#include <algorithm>
#include <array>
#include <charconv>

#include "frontend/stablehlo/attribute_printer.hpp"
#include "frontend/stablehlo/attribute_reader.hpp"
#include "frontend/stablehlo/bytecode_values.hpp"

namespace partita::ir {

namespace {

// --- Enumerations -------------------------------------------------------------------------------

struct Enumeration {
  std::uint64_t code;
  std::string_view kind;
  std::array<std::string_view, 6> values;
};

constexpr std::array enumerations{
    Enumeration{3, "comparison_direction", {"EQ", "NE", "GE", "GT", "LE", "LT"}},
    Enumeration{4, "comparison_type", {"NOTYPE", "FLOAT", "TOTALORDER", "SIGNED", "UNSIGNED"}},
    Enumeration{7, "fft_type", {"FFT", "IFFT", "RFFT", "IRFFT"}},
    Enumeration{11, "precision", {"DEFAULT", "HIGH", "HIGHEST"}},
    Enumeration{12, "rng_algorithm", {"DEFAULT", "THREE_FRY", "PHILOX"}},
    Enumeration{13, "rng_distribution", {"", "UNIFORM", "NORMAL"}},
    Enumeration{16, "transpose", {"TRANSPOSE_INVALID", "NO_TRANSPOSE", "TRANSPOSE", "ADJOINT"}},
    Enumeration{19, "result_accuracy_mode", {"DEFAULT", "HIGHEST", "TOLERANCE"}},
};

Attribute decode_enumeration(const Enumeration& enumeration, ByteStream& in) {
  const std::uint64_t value = in.read_varint();
  if (value >= enumeration.values.size() || enumeration.values[std::size_t(value)].empty())
    in.fail(cat("a value of ", enumeration.kind), cat(value));
  return EnumAttr{"stablehlo", std::string(enumeration.kind),
                  std::string(enumeration.values[std::size_t(value)])};
}

// --- Structures ---------------------------------------------------------------------------------

std::string bracketed(const I64s& values) {
  std::string text;
  print_integers(text, values);
  return text;
}

// "5.0e-01" as MLIR prints a field that is a float.
std::string float_text(double value) {
  std::string text;
  print_attribute(text, Attribute(Float{value, DType::f64}));
  return text.substr(0, text.find(' '));
}

Attribute decode_accuracy(BytecodeValues& values, ByteStream& in) {
  const BytecodeType f64 = element_type("f64");
  const double absolute = BytecodeValues::read_float(in, f64).get_if<Float>()->value;
  const double relative = BytecodeValues::read_float(in, f64).get_if<Float>()->value;
  const std::int64_t ulps = in.read_signed_varint();
  const std::string mode = values.read_printed(in);
  return RawAttr{cat("#stablehlo.result_accuracy<atol = ", float_text(absolute),
                     ", rtol = ", float_text(relative), ", ulps = ", ulps, ", mode = ", mode, ">")};
}

Attribute decode_alias(BytecodeValues& values, ByteStream& in) {
  const I64s output = values.read_signed_list(in);
  const std::int64_t operand = in.read_signed_varint();
  const I64s operand_indices = values.read_signed_list(in);
  return RawAttr{cat("#stablehlo.output_operand_alias<output_tuple_indices = ", bracketed(output),
                     ", operand_index = ", operand,
                     ", operand_tuple_indices = ", bracketed(operand_indices), ">")};
}

Dict decode_dict(BytecodeValues& values, ByteStream& in) {
  Dict dict;
  for (std::size_t count = in.read_count("attributes"); count > 0; --count) {
    const std::string name = values.read_text(in);
    dict.set(name, values.read_attribute(in));
  }
  return dict;
}

// A type or an attribute that may be left out.
std::string read_optional(BytecodeValues& values, ByteStream& in) {
  const ByteStream::Flagged index = in.read_flagged_varint();
  if (!index.flag) return {};
  if (index.value >= values.tables().attributes().size())
    in.fail("the number of an attribute", cat(index.value));
  std::string text;
  print_attribute(text, values.attribute(std::size_t(index.value)));
  return text;
}

// Axes of a mesh, for replica groups.
Attribute decode_mesh_part(BytecodeValues& values, std::uint64_t code, ByteStream& in) {
  enum : std::uint64_t { sub_axis = 21, axis = 22, groups = 23, mesh_axis = 24 };
  switch (code) {
    case sub_axis: {
      const std::int64_t before = in.read_signed_varint();
      return RawAttr{cat("(", before, ")", in.read_signed_varint())};
    }
    case axis: {
      const std::string name = values.read_printed(in);
      const std::string sub = read_optional(values, in);
      return RawAttr{sub.empty() ? name : cat(name, ":", sub)};
    }
    case groups: {
      const std::string mesh = values.read_printed(in);
      return RawAttr{
          cat("#stablehlo.replica_group_mesh_axes<mesh = ", mesh.starts_with('"') ? "@" : "", mesh,
              ", axes = ", values.read_printed(in), ">")};
    }
    case mesh_axis: {
      const std::string name = values.read_printed(in);
      return RawAttr{cat(name, "=", in.read_signed_varint())};
    }
    default: {
      const std::string axes = values.read_printed(in), ids = read_optional(values, in);
      return RawAttr{cat("#stablehlo.mesh<axes = ", axes,
                         ids.empty() ? std::string() : cat(", device_ids = ", ids), ">")};
    }
  }
}

}  // namespace

Attribute decode_vhlo_attribute(BytecodeValues& values, ByteStream& in) {
  const std::uint64_t code = in.read_varint();
  const auto enumeration = std::ranges::find(enumerations, code, &Enumeration::code);
  if (enumeration != enumerations.end()) return decode_enumeration(*enumeration, in);
  switch (code) {
    case 1:
      return List(values.read_attributes(in));
    case 2:
      return in.read_varint() != 0;
    case 5:  // version of a custom call's interface
      return Integer{std::int64_t(in.read_varint()), "i32"};
    case 6:
      return decode_dict(values, in);
    case 8: {
      const BytecodeType type = values.read_type(in);
      return BytecodeValues::read_float(in, type);
    }
    case 9: {
      const BytecodeType type = values.read_type(in);
      return BytecodeValues::read_integer(in, type);
    }
    case 10:
      return decode_alias(values, in);
    case 14:
      return values.read_string(in);
    case 15: {
      const BytecodeType type = values.read_type(in);
      const auto data = in.read_bytes(in.read_varint());
      return BytecodeValues::make_tensor(in, type, data);
    }
    case 17: {
      const BytecodeType& type = values.read_type(in);
      if (type.type && !type.type->quantization) return type.type->stored();
      return RawAttr{type.text};
    }
    case 18:
      return RawAttr{cat("#stablehlo.bounds<", bracketed(values.read_signed_list(in)), ">")};
    case 20:
      return decode_accuracy(values, in);
    case 21:
    case 22:
    case 23:
    case 24:
    case 25:
      return decode_mesh_part(values, code, in);
    default:
      in.fail("an attribute of VHLO that is known here", cat("attribute ", code));
  }
}

// --- Types --------------------------------------------------------------------------------------

namespace {

// By code; empty where the type has parts.
constexpr std::array<std::string_view, 43> simple_types{"i1",
                                                        "",
                                                        "bf16",
                                                        "f16",
                                                        "f32",
                                                        "f64",
                                                        "f8E4M3FN",
                                                        "f8E5M2",
                                                        "",
                                                        "index",
                                                        "i4",
                                                        "i8",
                                                        "i16",
                                                        "i32",
                                                        "i64",
                                                        "ui4",
                                                        "ui8",
                                                        "ui16",
                                                        "ui32",
                                                        "ui64",
                                                        "",
                                                        "",
                                                        "!stablehlo.token",
                                                        "",
                                                        "",
                                                        "",
                                                        "!shape.witness",
                                                        "f8E4M3FNUZ",
                                                        "f8E5M2FNUZ",
                                                        "f8E4M3B11FNUZ",
                                                        "",
                                                        "i2",
                                                        "ui2",
                                                        "none",
                                                        "tf32",
                                                        "f8E4M3",
                                                        "f8E3M4",
                                                        "f4E2M1FN",
                                                        "f6E2M3FN",
                                                        "f6E3M2FN",
                                                        "f8E8M0FNU",
                                                        "",
                                                        ""};

}  // namespace

BytecodeType element_type(std::string text) {
  BytecodeType type = other_type(std::move(text));
  if (type.text == "!stablehlo.token") type.type = AttributeReader(type.text, {}, 1).read_type();
  const std::size_t digits = type.text.find_first_of("0123456789");
  const bool is_number = type.text.starts_with('i') || type.text.starts_with("ui") ||
                         type.text.starts_with("si") || type.text.starts_with('f') ||
                         type.text.starts_with("bf");
  if (type.text == "index")
    type.bits = 64;
  else if (is_number && digits != std::string::npos)
    std::from_chars(type.text.data() + digits, type.text.data() + type.text.size(), type.bits);
  type.is_signed = !type.text.starts_with('u');
  return type;
}

BytecodeType other_type(std::string text) {
  BytecodeType type;
  type.text = std::move(text);
  type.problem = "a tensor type";
  return type;
}

BytecodeType tensor_type(const I64s& dims, const BytecodeType& element, std::string_view encoding) {
  std::string inner;
  for (const std::int64_t extent : dims)
    inner += cat(extent < 0 ? std::string("?") : std::to_string(extent), "x");
  inner += element.text;
  if (!encoding.empty()) inner += cat(", ", encoding);
  BytecodeType type;
  type.type = AttributeReader::parse_tensor(inner, type.problem);
  constexpr std::string_view expected = "expected ";
  if (type.problem.starts_with(expected)) type.problem.erase(0, expected.size());
  type.text = cat("tensor<", inner, ">");
  return type;
}

BytecodeType read_tensor_type(BytecodeValues& values, ByteStream& in, std::string_view encoding) {
  const I64s dims = values.read_signed_list(in);
  const BytecodeType element = values.read_type(in);
  return tensor_type(dims, element, encoding);
}

BytecodeType read_function_type(BytecodeValues& values, ByteStream& in) {
  for (int side = 0; side < 2; ++side)
    for (std::size_t count = in.read_count("types"); count > 0; --count)
      static_cast<void>(values.read_type(in));
  return other_type("none");  // types of arguments and results say it again
}

namespace {

// !quant.uniform<i8:f32:0, {0.1:-30,0.5:-20}>; per axis where it has an axis.
BytecodeType read_quantized_type(BytecodeValues& values, bool is_per_axis, ByteStream& in) {
  const bool is_signed = (in.read_varint() & 1) != 0;
  std::string storage = values.read_type(in).text;
  if (!is_signed && storage.starts_with('i')) storage.front() = 'u';
  const std::string expressed = values.read_type(in).text;
  const BytecodeType f64 = element_type("f64");
  const auto read_scale = [&] {
    return float_text(BytecodeValues::read_float(in, f64).get_if<Float>()->value);
  };
  if (!is_per_axis) {
    const std::string scale = read_scale();
    const std::int64_t zero_point = in.read_signed_varint();
    const std::int64_t min = in.read_signed_varint();
    return other_type(cat("!quant.uniform<", storage, "<", min, ":", in.read_signed_varint(),
                          ">:", expressed, ", ", scale, ":", zero_point, ">"));
  }
  const std::uint64_t axis = in.read_varint();
  const std::int64_t min = in.read_signed_varint(), max = in.read_signed_varint();
  std::vector<std::string> scales(in.read_count("scales"));
  for (std::string& scale : scales) scale = read_scale();
  if (in.read_count("zero points") != scales.size())
    in.fail(cat(scales.size(), " zero points"), "another number of them");
  std::string text =
      cat("!quant.uniform<", storage, "<", min, ":", max, ">:", expressed, ":", axis, ", ");
  for (const std::string& scale : scales)
    text += cat(text.ends_with(' ') ? "{" : ",", scale, ":", in.read_signed_varint());
  return other_type(text + "}>");
}

// "T, U"
std::string read_types(BytecodeValues& values, ByteStream& in, std::size_t count) {
  std::string text;
  for (; count > 0; --count) text += cat(text.empty() ? "" : ", ", values.read_type(in).text);
  return text;
}

}  // namespace

BytecodeType decode_vhlo_type(BytecodeValues& values, ByteStream& in) {
  const std::uint64_t code = in.read_varint();
  if (code < simple_types.size() && !simple_types[std::size_t(code)].empty())
    return element_type(std::string(simple_types[std::size_t(code)]));
  switch (code) {
    case 1:
      return other_type(cat("complex<", values.read_type(in).text, ">"));
    case 8:
      return read_function_type(values, in);
    case 20:
      return read_tensor_type(values, in);
    case 21:
      return read_tensor_type(values, in, values.read_printed(in));
    case 23:
      return other_type(cat("tuple<", read_types(values, in, in.read_count("types")), ">"));
    case 25:
      return other_type(cat("tensor<*x", values.read_type(in).text, ">"));
    case 41: {  // a buffer
      const I64s dims = values.read_signed_list(in);
      return other_type(cat("memref", tensor_type(dims, values.read_type(in)).text.substr(6)));
    }
    case 42: {  // of one value: the value
      const std::size_t count = in.read_count("types");
      if (count == 1) return values.read_type(in);
      return other_type(cat("!stablehlo.future<", read_types(values, in, count), ">"));
    }
    case 24:
    case 30:
      return read_quantized_type(values, code == 30, in);
    default:
      in.fail("a type of VHLO that is known here", cat("type ", code));
  }
}

}  // namespace partita::ir
