// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Attributes and types of MLIR's builtin dialect; the numbers are those of its encoding.
#include <cstring>

#include "frontend/stablehlo/bytecode_values.hpp"

namespace partita::ir {

namespace {

// array<i64: 1, 2>
Attribute decode_dense_array(BytecodeValues& values, ByteStream& in) {
  const BytecodeType element = values.read_type(in);
  const std::uint64_t count = in.read_varint();
  const auto data = in.read_bytes(in.read_varint());
  const std::size_t width = element.bits <= 8 ? 1 : std::size_t(element.bits) / 8;
  if (element.bits == 0 || data.size() % width != 0 || data.size() / width != count)
    in.fail(cat(count, " elements of ", element.text), cat(data.size(), " bytes"));
  if (element.text == "i1") {
    Bools bools;
    for (const std::byte b : data) bools.values.push_back(b != std::byte{0});
    return bools;
  }
  if (!element.text.starts_with('i')) in.fail("an array of integers", cat("one of ", element.text));
  I64s integers;
  for (std::size_t at = 0; at < data.size(); at += width) {
    std::uint64_t bits = 0;
    std::memcpy(&bits, data.data() + at, width);
    const int unused = 64 - element.bits;
    integers.push_back(std::int64_t(bits << unused) >> unused);
  }
  return integers;
}

Dict decode_dict(BytecodeValues& values, ByteStream& in) {
  Dict dict;
  for (std::size_t count = in.read_count("attributes"); count > 0; --count) {
    const std::string name = values.read_text(in);
    dict.set(name, values.read_attribute(in));
  }
  return dict;
}

}  // namespace

Attribute decode_builtin_attribute(BytecodeValues& values, ByteStream& in) {
  const std::uint64_t code = in.read_varint();
  switch (code) {
    case 0:
      return List(values.read_attributes(in));
    case 1:
      return decode_dict(values, in);
    case 2:
      return values.read_string(in);
    case 3: {  // with a type
      std::string text = values.read_string(in);
      values.read_type(in);
      return text;
    }
    case 4:
      return SymbolRef{values.read_text(in)};
    case 6: {
      const BytecodeType& type = values.read_type(in);
      if (type.type) return *type.type;
      return RawAttr{type.text};
    }
    case 7:
      return Unit{};
    case 8: {
      const BytecodeType type = values.read_type(in);
      return BytecodeValues::read_integer(in, type);
    }
    case 9: {
      const BytecodeType type = values.read_type(in);
      return BytecodeValues::read_float(in, type);
    }
    case 17:
      return decode_dense_array(values, in);
    case 18: {
      const BytecodeType type = values.read_type(in);
      const auto data = in.read_bytes(in.read_varint());
      return BytecodeValues::make_tensor(in, type, data);
    }
    case 10:
    case 11:
    case 12:
    case 13:
    case 14:
    case 15:
    case 22:  // a location where another attribute may stand
      in.read_bytes(in.remaining());
      return RawAttr{"loc(unknown)"};
    case 16:
      in.fail("constants in the program itself", "a dense resource, which is not supported");
    default:
      in.fail("a supported attribute", cat("attribute ", code, " of the builtin dialect"));
  }
}

BytecodeType decode_builtin_type(BytecodeValues& values, ByteStream& in) {
  const std::uint64_t code = in.read_varint();
  switch (code) {
    case 0: {
      const std::uint64_t width = in.read_varint();
      static constexpr const char* signs[] = {"i", "si", "ui", "?"};
      return element_type(cat(signs[width & 3], width >> 2));
    }
    case 1:
      return element_type("index");
    case 2:
      return read_function_type(values, in);
    case 3:
    case 4:
    case 5:
    case 6: {
      static constexpr const char* floats[] = {"bf16", "f16", "f32", "f64"};
      return element_type(floats[code - 3]);
    }
    case 9:
      return other_type(cat("complex<", values.read_type(in).text, ">"));
    case 12:
      return other_type("none");
    case 13:
      return read_tensor_type(values, in);
    case 14:
      return read_tensor_type(values, in, values.read_printed(in));
    default:
      in.fail("a supported type", cat("type ", code, " of the builtin dialect"));
  }
}

}  // namespace partita::ir
