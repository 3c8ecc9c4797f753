// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "frontend/stablehlo/bytecode_values.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#include "frontend/stablehlo/attribute_printer.hpp"
#include "frontend/stablehlo/attribute_reader.hpp"
#include "frontend/stablehlo/lexer.hpp"
#include "partita/ir/open_types.hpp"
#include "partita/ir/sharding.hpp"

namespace partita::ir {

namespace {

/// What a copy of a text costs beside that of an attribute.
std::size_t weight_of(std::size_t characters) { return 1 + characters / 64; }

std::size_t own_weight(const Attribute& attribute) {
  if (const auto* text = attribute.get_if<std::string>()) return weight_of(text->size());
  if (const auto* raw = attribute.get_if<RawAttr>()) return weight_of(raw->text.size());
  if (const auto* list = attribute.get_if<I64s>()) return weight_of(list->size() * 8);
  if (const auto* axes = attribute.get_if<ManualAxes>()) return weight_of(to_text(*axes).size());
  return 1;
}
std::size_t own_weight(const BytecodeType& type) { return weight_of(type.text.size()); }

}  // namespace

BytecodeValues::BytecodeValues(const BytecodeTables& tables, std::size_t file_size)
    : tables_(tables),
      attributes_(tables.attributes().size()),
      types_(tables.types().size()),
      max_weight_((std::size_t{1} << 20) + 64 * file_size) {}

void BytecodeValues::spend(std::size_t weight, const ByteStream& in) {
  current_weight_ += weight;
  total_weight_ += weight;
  if (total_weight_ > max_weight_)
    in.fail("attributes and types in proportion to the file", "ones that hold too many others");
}

template <class T, class Decode>
const T& BytecodeValues::decode(std::vector<Slot<T>>& slots,
                                const std::vector<BytecodeEntry>& entries, std::size_t index,
                                const Decode& decode_entry) {
  Slot<T>& slot = slots.at(index);
  const BytecodeEntry& entry = entries.at(index);
  if (slot.state == State::decoding || depth_ >= max_nesting)
    entry.bytes.fail(cat("nesting of at most ", max_nesting, " levels"), "more");
  if (slot.state == State::open) {
    slot.state = State::decoding;
    const int outer_depth = depth_++;
    const std::size_t outer_weight = std::exchange(current_weight_, 0);
    try {
      ByteStream in = entry.bytes;
      slot.value = decode_entry(entry, in);
      if (entry.is_custom && !in.at_end()) in.fail("the end of the attribute or type", "more");
      spend(own_weight(slot.value), in);
    } catch (const Error&) {  // it may be asked for again
      slot.state = State::open;
      depth_ = outer_depth;
      current_weight_ = outer_weight;
      throw;
    }
    slot.weight = std::exchange(current_weight_, outer_weight);
    depth_ = outer_depth;
    slot.state = State::done;
  }
  spend(slot.weight, entry.bytes);
  return slot.value;
}

const Attribute& BytecodeValues::attribute(std::size_t index) {
  return decode(attributes_, tables_.attributes(), index,
                [this](const BytecodeEntry& entry, ByteStream& in) -> Attribute {
                  if (!entry.is_custom) return RawAttr{on_one_line(in.read_c_string())};
                  if (entry.dialect == "vhlo") return decode_vhlo_attribute(*this, in);
                  if (entry.dialect == "builtin") return decode_builtin_attribute(*this, in);
                  if (entry.dialect == "sdy") return decode_sdy_attribute(*this, in);
                  in.fail("attributes of the dialects vhlo, builtin, sdy",
                          cat("one of ", entry.dialect));
                });
}

const BytecodeType& BytecodeValues::type(std::size_t index) {
  return decode(types_, tables_.types(), index,
                [this](const BytecodeEntry& entry, ByteStream& in) -> BytecodeType {
                  if (!entry.is_custom) return other_type(on_one_line(in.read_c_string()));
                  if (entry.dialect == "vhlo") return decode_vhlo_type(*this, in);
                  if (entry.dialect == "builtin") return decode_builtin_type(*this, in);
                  // In ops of sdy, whose types have no versions.
                  if (entry.dialect == "stablehlo" && in.read_varint() == 0)
                    return element_type("!stablehlo.token");
                  in.fail("types of the dialects vhlo, builtin", cat("one of ", entry.dialect));
                });
}

const WrittenType& BytecodeValues::value_type(std::size_t index, const ByteStream& where) {
  const BytecodeType& found = type(index);
  if (!found.type)
    where.fail(found.problem.empty() ? "a tensor type" : found.problem, cat("'", found.text, "'"));
  return *found.type;
}

// --- Reading parts ------------------------------------------------------------------------------

const Attribute& BytecodeValues::read_attribute(ByteStream& in) {
  return attribute(in.read_index(attributes_.size(), "attribute"));
}

const BytecodeType& BytecodeValues::read_type(ByteStream& in) {
  return type(in.read_index(types_.size(), "type"));
}

std::string BytecodeValues::read_string(ByteStream& in) {
  return std::string(tables_.strings()[in.read_index(tables_.strings().size(), "string")]);
}

std::string BytecodeValues::read_text(ByteStream& in) {
  const Attribute& attribute = read_attribute(in);
  const auto* text = attribute.get_if<std::string>();
  if (text == nullptr) in.fail("a string", "another attribute");
  return *text;
}

std::string BytecodeValues::read_printed(ByteStream& in) {
  std::string text;
  print_attribute(text, read_attribute(in));
  return text;
}

I64s BytecodeValues::read_signed_list(ByteStream& in) {
  I64s list(in.read_count("integers"));
  for (std::int64_t& value : list) value = in.read_signed_varint();
  return list;
}

std::vector<Attribute> BytecodeValues::read_attributes(ByteStream& in) {
  std::vector<Attribute> list;
  for (std::size_t count = in.read_count("attributes"); count > 0; --count)
    list.push_back(read_attribute(in));
  return list;
}

std::uint64_t BytecodeValues::read_bits(ByteStream& in, const BytecodeType& type) {
  if (type.bits == 0 || type.bits > 64)
    in.fail("a number of at most 64 bits", cat("one of type ", type.text));
  const std::uint64_t bits =
      type.bits <= 8 ? in.read_byte() : std::uint64_t(in.read_signed_varint());
  return type.bits == 64 ? bits : bits & ((std::uint64_t{1} << type.bits) - 1);
}

Attribute BytecodeValues::read_integer(ByteStream& in, const BytecodeType& type) {
  const bool is_integer = type.text == "index" || type.text.starts_with('i') ||
                          type.text.starts_with("ui") || type.text.starts_with("si");
  if (!is_integer) in.fail("an integer of an integer type", cat("one of type ", type.text));
  const int unused = 64 - type.bits;
  const std::uint64_t bits = read_bits(in, type);
  if (type.text == "i1") return bits != 0;
  const bool extends = type.is_signed && type.bits > 1;
  return Integer{extends ? std::int64_t(bits << unused) >> unused : std::int64_t(bits), type.text};
}

Attribute BytecodeValues::read_float(ByteStream& in, const BytecodeType& type) {
  const std::uint64_t bits = read_bits(in, type);
  const auto dtype = parse_dtype(type.text);
  if (!dtype || !is_float(*dtype))
    in.fail("a number of a supported floating-point type", cat("one of ", type.text));
  return Float{decode_float(*dtype, bits), *dtype};
}

// --- Constants ----------------------------------------------------------------------------------

namespace {

// Booleans are packed, eight in a byte; one byte of equal bits may stand for all.
std::vector<std::byte> unpack_booleans(ByteStream& in, std::int64_t count,
                                       std::span<const std::byte> data, bool& is_splat) {
  const auto is_set = [&](std::size_t k) {
    return std::byte((unsigned(data[k / 8]) >> (k % 8)) & 1U);
  };
  is_splat = data.size() == 1 && (data[0] == std::byte{0} || data[0] == std::byte{0xFF});
  if (is_splat) return {is_set(0)};
  const auto size = std::size_t(count);
  std::vector<std::byte> bytes(data.begin(), data.end());
  if (data.size() == size && size > 1) return bytes;
  if (data.size() != (size + 7) / 8)
    in.fail(cat((size + 7) / 8, " bytes of booleans"), cat(data.size()));
  bytes.resize(size);
  for (std::size_t k = 0; k < size; ++k) bytes[k] = is_set(k);
  return bytes;
}

// dense<[0, 1]> : tensor<2xindex>, as layouts have it.
std::string index_text(ByteStream& in, const BytecodeType& type, std::span<const std::byte> data) {
  std::string text = "dense<";
  if (data.size() % 8 != 0) in.fail("indices of eight bytes", cat(data.size(), " bytes"));
  I64s values(data.size() / 8);
  if (!values.empty()) std::memcpy(values.data(), data.data(), data.size());
  const bool is_splat = !values.empty() &&
                        std::ranges::all_of(values, [&](std::int64_t v) { return v == values[0]; });
  if (is_splat)
    text += std::to_string(values[0]);
  else if (!values.empty())
    print_integers(text, values);
  return cat(text, "> : ", type.text);
}

}  // namespace

Attribute BytecodeValues::make_tensor(ByteStream& in, const BytecodeType& type,
                                      std::span<const std::byte> data) {
  if (type.text.ends_with("xindex>") || type.text == "tensor<index>")
    return RawAttr{index_text(in, type, data)};
  if (type.type && is_open(*type.type))
    in.fail("a constant of known extents", cat("'", type.text, "'"));
  if (!type.type || type.type->is_token)
    in.fail(type.problem.empty() ? "a tensor type" : type.problem, cat("'", type.text, "'"));
  const Type& tensor = *type.type;
  const std::int64_t count = tensor.count();
  if (count == 0) return std::make_shared<const Dense>(tensor, std::vector<std::byte>{}, false);
  bool is_splat = false;
  std::vector<std::byte> bytes;
  if (tensor.dtype == DType::i1) {
    bytes = unpack_booleans(in, count, data, is_splat);
  } else {
    const std::size_t one = byte_size(tensor.dtype);
    is_splat = data.size() == one;
    if (!is_splat && (data.size() % one != 0 || data.size() / one != std::size_t(count)))
      in.fail(cat(count, " elements of ", one, " bytes"), cat(data.size(), " bytes"));
    bytes.assign(data.begin(), data.end());
    if (info(tensor.dtype).bits < 8)
      for (std::byte& b : bytes) b = std::byte(stored_bits(tensor.dtype, std::uint64_t(b)));
  }
  if (is_splat) return std::make_shared<const Dense>(tensor, std::move(bytes), true);
  HostArray array(tensor);
  array.bytes = std::move(bytes);
  return make_dense(array);
}

// --- Locations ----------------------------------------------------------------------------------

std::string BytecodeValues::location(std::size_t index) {
  const auto known = locations_.find(index);
  if (known != locations_.end()) return known->second;
  const BytecodeEntry& entry = tables_.attributes().at(index);
  locations_.emplace(index, "unknown");  // what a location within itself is
  ByteStream in = entry.bytes;
  if (!entry.is_custom || entry.dialect != "builtin" || depth_ >= max_nesting) return "unknown";
  ++depth_;
  std::string text = decode_location(in);
  --depth_;
  if (text != "unknown") {
    const std::string alias = cat("#loc", aliases_.size() + 1);
    aliases_.push_back(cat(alias, " = loc(", text, ")"));
    text = alias;
  }
  return locations_[index] = text;
}

std::string BytecodeValues::decode_location(ByteStream& in) {
  const auto read = [&] { return location(in.read_index(attributes_.size(), "attribute")); };
  enum : std::uint64_t {
    callsite = 10,
    file = 11,
    fused = 12,
    fused_with = 13,
    name = 14,
    range = 22
  };
  switch (in.read_varint()) {
    case callsite: {
      const std::string callee = read();
      return cat("callsite(", callee, " at ", read(), ")");
    }
    case file: {
      const std::string path = quoted_text(read_text(in));
      const std::uint64_t line = in.read_varint();
      return cat(path, ":", line, ":", in.read_varint());
    }
    case range: {  // its beginning
      const std::string path = quoted_text(read_text(in));
      const std::size_t count = in.read_count("places");
      const std::uint64_t line = count > 0 ? in.read_varint() : 0;
      return cat(path, ":", line, ":", count > 1 ? in.read_varint() : 0);
    }
    case fused:
    case fused_with: {
      std::string parts;
      for (std::size_t count = in.read_count("locations"); count > 0; --count)
        parts += cat(parts.empty() ? "" : ", ", read());
      return parts.empty() ? "unknown" : cat("fused[", parts, "]");
    }
    case name: {
      const std::string text = quoted_text(read_text(in));
      const std::string child = read();
      return child == "unknown" ? text : cat(text, "(", child, ")");
    }
    default:
      return "unknown";
  }
}

}  // namespace partita::ir
