// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Attributes, types and locations of a bytecode file, decoded when they are asked for, once each.
// Attributes become what the same attribute is in text; what only MLIR's own text can say (shardings,
// layouts, aliases) becomes that text.
#pragma once

#include <map>

#include "frontend/stablehlo/bytecode_tables.hpp"
#include "frontend/stablehlo/quantization.hpp"
#include "partita/ir/attribute.hpp"

namespace partita::ir {

struct BytecodeType {
  std::string text;  ///< as MLIR spells it: "tensor<4xf32>", "i32"
  int bits = 0;      ///< of an integer or float; 0 for other types
  bool is_signed = true;
  std::optional<WrittenType> type;  ///< of values that partita has
  std::string problem;              ///< why it has none such
};

class BytecodeValues {
 public:
  BytecodeValues(const BytecodeTables& tables, std::size_t file_size);

  [[nodiscard]] const BytecodeTables& tables() const { return tables_; }
  const Attribute& attribute(std::size_t index);
  const BytecodeType& type(std::size_t index);
  /// Of a value; fails where partita has no such type.
  const WrittenType& value_type(std::size_t index, const ByteStream& where);
  /// Text of a location, an alias where it is long; empty where nothing is known.
  std::string location(std::size_t index);
  /// "#loc1 = loc(…)" for the aliases, in order.
  [[nodiscard]] const std::vector<std::string>& location_aliases() const { return aliases_; }

  // --- For decoders: an attribute or type by the number that comes next in the stream ---
  const Attribute& read_attribute(ByteStream& in);
  const BytecodeType& read_type(ByteStream& in);
  std::string read_string(ByteStream& in);
  /// Characters of a string attribute.
  std::string read_text(ByteStream& in);
  /// The attribute as MLIR prints it.
  std::string read_printed(ByteStream& in);
  I64s read_signed_list(ByteStream& in);
  std::vector<Attribute> read_attributes(ByteStream& in);
  /// A number of the type's width.
  static std::uint64_t read_bits(ByteStream& in, const BytecodeType& type);
  static Attribute read_integer(ByteStream& in, const BytecodeType& type);
  static Attribute read_float(ByteStream& in, const BytecodeType& type);
  /// Elements of a constant tensor.
  static Attribute make_tensor(ByteStream& in, const BytecodeType& type,
                               std::span<const std::byte> data);

 private:
  enum class State : std::uint8_t { open, decoding, done };
  template <class T>
  struct Slot {
    T value{};
    State state = State::open;
    std::size_t weight = 0;
  };
  template <class T, class Decode>
  const T& decode(std::vector<Slot<T>>& slots, const std::vector<BytecodeEntry>& entries,
                  std::size_t index, const Decode& decode_entry);
  void spend(std::size_t weight, const ByteStream& in);
  std::string decode_location(ByteStream& in);

  const BytecodeTables& tables_;
  std::vector<Slot<Attribute>> attributes_;
  std::vector<Slot<BytecodeType>> types_;
  std::map<std::size_t, std::string> locations_;
  std::vector<std::string> aliases_;
  int depth_ = 0;
  /// Attributes share others; as values they hold copies, whose number is bounded by the file's size.
  std::size_t current_weight_ = 0, total_weight_ = 0, max_weight_;
};

// --- Decoders of dialects (bytecode_<dialect>.cpp) -----------------------------------------------
[[nodiscard]] Attribute decode_builtin_attribute(BytecodeValues& values, ByteStream& in);
[[nodiscard]] BytecodeType decode_builtin_type(BytecodeValues& values, ByteStream& in);
[[nodiscard]] Attribute decode_vhlo_attribute(BytecodeValues& values, ByteStream& in);
[[nodiscard]] BytecodeType decode_vhlo_type(BytecodeValues& values, ByteStream& in);
[[nodiscard]] Attribute decode_sdy_attribute(BytecodeValues& values, ByteStream& in);

/// A number type by its spelling: "i32", "ui8", "f16", "index".
[[nodiscard]] BytecodeType element_type(std::string text);
/// A tensor with this element type; negative extents are open.
[[nodiscard]] BytecodeType tensor_type(const I64s& dims, const BytecodeType& element,
                                       std::string_view encoding = {});
/// The same as dialects store it: extents, then the element type.
[[nodiscard]] BytecodeType read_tensor_type(BytecodeValues& values, ByteStream& in,
                                            std::string_view encoding = {});
/// Inputs, then outputs, which are passed over: nothing asks for them.
[[nodiscard]] BytecodeType read_function_type(BytecodeValues& values, ByteStream& in);
/// `problem` is for a type that partita has not.
[[nodiscard]] BytecodeType other_type(std::string text);

}  // namespace partita::ir
