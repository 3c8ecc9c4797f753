// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Writes small MLIR bytecode files of VHLO, for tests of their reader.  Says only what tests need:
// one encoding version, every table filled as it comes, no sharing of equal entries.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace partita::testing {

class BytecodeWriter {
 public:
  using Index = std::size_t;

  // --- Bytes ---
  static std::string varint(std::uint64_t value) {
    if (value < 128) return {char(value << 1 | 1)};
    std::string out(1, '\0');
    for (int k = 0; k < 8; ++k) out += char(value >> (8 * k) & 0xFF);
    return out;
  }
  static std::string signed_varint(std::int64_t value) {
    return varint(std::uint64_t(value) << 1 ^ std::uint64_t(value >> 63));
  }
  template <class T>
  static std::string list(const std::vector<T>& items) {
    std::string out = varint(items.size());
    for (const T& item : items) out += varint(std::uint64_t(item));
    return out;
  }
  static std::string signed_list(const std::vector<std::int64_t>& items) {
    std::string out = varint(items.size());
    for (const std::int64_t item : items) out += signed_varint(item);
    return out;
  }
  static std::string section(int id, const std::string& content) {
    return std::string(1, char(id)) + varint(content.size()) + content;
  }

  // --- Tables ---
  Index string(const std::string& text) { return add(strings_, text); }
  /// Content of an attribute of VHLO (or of the builtin dialect), its code first.
  Index attribute(const std::string& content, bool builtin = false) {
    return add(attributes_, {builtin, content});
  }
  Index type(const std::string& content) { return add(types_, {false, content}); }

  Index unknown_location() { return attribute(varint(15), true); }
  Index text(const std::string& value) { return attribute(varint(14) + varint(string(value))); }
  Index array(const std::vector<Index>& items) { return attribute(varint(1) + list(items)); }
  Index enumeration(int code, int value) {
    return attribute(varint(std::uint64_t(code)) + varint(std::uint64_t(value)));
  }
  /// A constant tensor by its bytes.
  Index tensor(Index type_index, const std::string& data) {
    return attribute(varint(15) + varint(type_index) + varint(data.size()) + data);
  }
  Index type_attribute(Index type_index) { return attribute(varint(17) + varint(type_index)); }
  Index element(int code) { return type(varint(std::uint64_t(code))); }
  Index tensor_type(const std::vector<std::int64_t>& dims, Index element_type) {
    return type(varint(20) + signed_list(dims) + varint(element_type));
  }

  // --- Ops ---
  struct Op {
    std::string name;  ///< of VHLO, without the dialect
    std::vector<Index> properties, result_types, operands;
    std::vector<std::string> regions;
    bool is_isolated = false;
  };
  std::string op(const Op& o, bool builtin = false) {
    const int mask = 0x40 | (o.result_types.empty() ? 0 : 2) | (o.operands.empty() ? 0 : 4) |
                     (o.regions.empty() ? 0 : 0x10);
    std::string out =
        varint(add(op_names_, {builtin, string(o.name)})) + std::string(1, char(mask));
    out += varint(location_ == none ? location_ = unknown_location() : location_);
    std::string blob;
    for (const Index p : o.properties) blob += varint(p);
    out += varint(add(properties_, blob));
    if (!o.result_types.empty()) out += list(o.result_types);
    if (!o.operands.empty()) out += list(o.operands);
    if (o.regions.empty()) return out;
    out += varint(o.regions.size() << 1 | (o.is_isolated ? 1 : 0));
    std::string regions;
    for (const std::string& region : o.regions) regions += region;
    return out + (o.is_isolated ? section(4, regions) : regions);
  }
  /// `values`: how many the region defines, arguments included.
  static std::string region(const std::vector<Index>& arguments, std::size_t values,
                            const std::vector<std::string>& ops) {
    return varint(1) + varint(values) + block(arguments, ops);
  }
  std::string function(const std::string& name, const std::string& body) {
    const Index none_given = array({});
    return op({.name = "func_v1",
               .properties = {none_given, text("a function type"), none_given, text(name),
                              text("public")},
               .result_types = {},
               .operands = {},
               .regions = {body},
               .is_isolated = true});
  }

  /// The file of a module with these functions.
  std::string file(const std::vector<std::string>& functions, int version = 6,
                   const std::string& producer = "StableHLO_v1.13.0") {
    const std::string module = op({.name = "module",
                                   .properties = {0, 0},
                                   .result_types = {},
                                   .operands = {},
                                   .regions = {region({}, 0, functions)},
                                   .is_isolated = true},
                                  true);
    const std::string names = dialects();  // adds strings
    return "ML\xefR" + varint(std::uint64_t(version)) + producer + std::string(1, '\0') +
           section(1, names) + section(3, offsets()) + section(2, contents()) +
           section(4, block({}, {module})) + section(0, string_table()) +
           section(8, property_table());
  }

 private:
  static constexpr Index none = ~Index{0};
  struct Entry {
    bool is_builtin;
    std::string content;
  };
  template <class T>
  static Index add(std::vector<T>& table, T entry) {
    table.push_back(std::move(entry));
    return table.size() - 1;
  }
  static std::string block(const std::vector<Index>& arguments,
                           const std::vector<std::string>& ops) {
    std::string out = varint(ops.size() << 1 | (arguments.empty() ? 0 : 1));
    if (!arguments.empty()) {
      out += varint(arguments.size());
      for (const Index a : arguments) out += varint(a << 1);
      out += '\0';
    }
    for (const std::string& one : ops) out += one;
    return out;
  }

  std::string dialects() {
    const Index builtin = string("builtin"), vhlo = string("vhlo");
    std::string out = varint(2) + varint(builtin << 1) + varint(vhlo << 1);
    out += varint(op_names_.size());
    for (const auto& [is_builtin, name] : op_names_)
      out += varint(is_builtin ? 0 : 1) + varint(1) + varint(name << 1 | 1);
    return out;
  }
  std::string offsets() const {
    std::string out = varint(attributes_.size()) + varint(types_.size());
    for (const auto* table : {&attributes_, &types_})
      for (const Entry& e : *table)
        out += varint(e.is_builtin ? 0 : 1) + varint(1) + varint(e.content.size() << 1 | 1);
    return out;
  }
  std::string contents() const {
    std::string out;
    for (const auto* table : {&attributes_, &types_})
      for (const Entry& e : *table) out += e.content;
    return out;
  }
  std::string string_table() const {
    std::string lengths, characters;
    for (const std::string& s : strings_) {
      lengths = varint(s.size() + 1) + lengths;
      characters += s + std::string(1, '\0');
    }
    return varint(strings_.size()) + lengths + characters;
  }
  std::string property_table() const {
    std::string out = varint(properties_.size());
    for (const std::string& p : properties_) out += varint(p.size()) + p;
    return out;
  }

  std::vector<std::string> strings_, properties_;
  std::vector<Entry> attributes_, types_;
  std::vector<std::pair<bool, Index>> op_names_;
  Index location_ = none;
};

/// f(x) loops, with a value from outside of the loop, over x + 1 up to a limit; sums constants.
inline std::string sample_artifact() {
  BytecodeWriter w;
  const auto f32 = w.element(4), i1 = w.element(0);
  const auto scalar = w.tensor_type({}, f32), vector = w.tensor_type({3}, f32);
  const auto flag = w.tensor_type({}, i1);
  const auto dims = w.tensor_type({1}, w.element(14));
  const std::string one("\0\0\x80\x3f", 4), numbers = one + one + std::string("\0\0\0\x40", 4);
  const auto constant = [&](BytecodeWriter::Index type, const std::string& data) {
    return w.op({.name = "constant_v1",
                 .properties = {w.tensor(type, data)},
                 .result_types = {type},
                 .operands = {},
                 .regions = {}});
  };
  const auto leave = [&](BytecodeWriter::Index value) {
    return w.op({.name = "return_v1",
                 .properties = {},
                 .result_types = {},
                 .operands = {value},
                 .regions = {}});
  };
  const auto add = [&](BytecodeWriter::Index a, BytecodeWriter::Index b) {
    return w.op({.name = "add_v1",
                 .properties = {},
                 .result_types = {scalar},
                 .operands = {a, b},
                 .regions = {}});
  };
  // Values of the function: 0 x, 1 vector, 2 start, 3 sum, 4 result; of a region of the loop: 5, 6.
  const std::string condition =
      BytecodeWriter::region({scalar}, 2,
                             {w.op({.name = "compare_v1",
                                    .properties = {w.enumeration(4, 1), w.enumeration(3, 5)},
                                    .result_types = {flag},
                                    .operands = {5, 3},
                                    .regions = {}}),
                              leave(6)});
  const std::string body = BytecodeWriter::region({scalar}, 2, {add(5, 2), leave(6)});
  const std::string combine = BytecodeWriter::region({scalar, scalar}, 3, {add(0, 1), leave(2)});
  const std::string main =
      BytecodeWriter::region({scalar}, 5,
                             {constant(vector, numbers), constant(scalar, one),
                              w.op({.name = "reduce_v1",
                                    .properties = {w.tensor(dims, std::string(8, '\0'))},
                                    .result_types = {scalar},
                                    .operands = {1, 2},
                                    .regions = {combine},
                                    .is_isolated = true}),
                              w.op({.name = "while_v1",
                                    .properties = {},
                                    .result_types = {scalar},
                                    .operands = {0},
                                    .regions = {condition, body}}),
                              leave(4)});
  return w.file({w.function("main", main)});
}

}  // namespace partita::testing
