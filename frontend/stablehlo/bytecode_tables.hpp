// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// The tables of an MLIR bytecode file: strings, dialects, names of ops, and where each attribute,
// type and property blob lies.  What they hold is decoded when it is asked for, elsewhere.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "frontend/stablehlo/bytecode_stream.hpp"

namespace partita::ir {

/// First bytes of a bytecode file.
inline constexpr std::string_view bytecode_magic = "ML\xefR";

struct BytecodeOpName {
  std::string name;        ///< "vhlo.add_v1"
  bool has_property_blob;  ///< properties are a blob, not an attribute
};

/// An attribute or type as encoded.
struct BytecodeEntry {
  std::string_view dialect;
  bool is_custom;  ///< in the dialect's encoding; else text
  ByteStream bytes;
};

class BytecodeTables {
 public:
  /// Reads the sections; `bytes` and `file` must outlive the tables.
  BytecodeTables(std::span<const std::byte> bytes, std::string_view file);

  [[nodiscard]] int version() const { return version_; }  ///< of MLIR's encoding
  [[nodiscard]] const std::string& producer() const { return producer_; }
  [[nodiscard]] const std::vector<std::string_view>& strings() const { return strings_; }
  [[nodiscard]] const std::vector<BytecodeOpName>& op_names() const { return op_names_; }
  [[nodiscard]] const std::vector<BytecodeEntry>& attributes() const { return attributes_; }
  [[nodiscard]] const std::vector<BytecodeEntry>& types() const { return types_; }
  [[nodiscard]] const std::vector<ByteStream>& properties() const { return properties_; }
  [[nodiscard]] const ByteStream& ir() const;

 private:
  enum Id : std::uint8_t {
    string,
    dialect,
    attr_type,
    attr_type_offset,
    ir_section,
    resource,
    resource_offset,
    dialect_versions,
    properties_section,
    count
  };
  ByteStream section(Id id, const char* what) const;
  void read_strings();
  void read_dialects();
  void read_entries();
  void read_properties();

  int version_ = 0;
  std::string producer_;
  std::string_view file_;
  std::array<std::optional<ByteStream>, count> sections_;
  std::vector<std::string_view> strings_, dialects_;
  std::vector<BytecodeOpName> op_names_;
  std::vector<BytecodeEntry> attributes_, types_;
  std::vector<ByteStream> properties_;
};

}  // namespace partita::ir
