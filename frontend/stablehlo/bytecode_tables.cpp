// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "frontend/stablehlo/bytecode_tables.hpp"

namespace partita::ir {

namespace {

constexpr int newest_version = 6;

std::string_view to_text(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

}  // namespace

BytecodeTables::BytecodeTables(std::span<const std::byte> bytes, std::string_view file)
    : file_(file) {
  ByteStream in(bytes, file);
  if (to_text(in.read_bytes(std::min(bytes.size(), bytecode_magic.size()))) != bytecode_magic)
    in.fail("MLIR bytecode", "something else");
  const std::uint64_t version = in.read_varint();
  if (version > std::uint64_t(newest_version))
    in.fail(cat("MLIR bytecode of version ", newest_version, " at most"), cat("version ", version));
  version_ = int(version);
  producer_ = in.read_c_string();
  while (!in.at_end()) {
    ByteStream::Section found = in.read_section();
    if (found.id >= count) in.fail("a known section", cat("section ", int(found.id)));
    auto& known = sections_[found.id];
    if (known) in.fail("each section once", cat("section ", int(found.id), " again"));
    known.emplace(std::move(found.content));
  }
  read_strings();
  read_dialects();
  read_entries();
  read_properties();
}

ByteStream BytecodeTables::section(Id id, const char* what) const {
  const auto& found = sections_[id];
  if (!found)
    throw_user_error(cat("bytecode: expected a section of ", what, ", found none"),
                     {.file = std::string(file_)});
  return *found;
}

const ByteStream& BytecodeTables::ir() const {
  const auto& found = sections_[ir_section];
  if (!found)
    throw_user_error("bytecode: expected a section of ops, found none",
                     {.file = std::string(file_)});
  return *found;
}

// Lengths in reverse order, then all characters; each string ends in a zero.
void BytecodeTables::read_strings() {
  ByteStream in = section(string, "strings");
  std::vector<std::uint64_t> lengths(in.read_count("strings"));
  for (std::size_t k = lengths.size(); k-- > 0;) {
    lengths[k] = in.read_varint();
    if (lengths[k] == 0 || lengths[k] > in.remaining())
      in.fail("a length of a string that fits the file", cat(lengths[k]));
  }
  strings_.reserve(lengths.size());
  for (const std::uint64_t length : lengths)
    strings_.push_back(to_text(in.read_bytes(length)).substr(0, std::size_t(length) - 1));
}

void BytecodeTables::read_dialects() {
  ByteStream in = section(dialect, "dialects");
  const std::size_t dialect_count = in.read_count("dialects");
  for (std::size_t k = 0; k < dialect_count; ++k) {
    const ByteStream::Flagged name =
        version_ >= 1 ? in.read_flagged_varint() : ByteStream::Flagged{in.read_varint(), false};
    if (name.value >= strings_.size()) in.fail("the name of a dialect", "none");
    dialects_.push_back(strings_[std::size_t(name.value)]);
    if (name.flag) in.read_section();  // the dialect's version
  }
  if (version_ >= 4) in.read_varint();  // number of ops
  while (!in.at_end()) {
    const std::string_view of = dialects_.at(in.read_index(dialects_.size(), "dialect"));
    const std::size_t op_count = in.read_count("ops");
    for (std::size_t k = 0; k < op_count; ++k) {
      const ByteStream::Flagged name =
          version_ >= 5 ? in.read_flagged_varint() : ByteStream::Flagged{in.read_varint(), false};
      if (name.value >= strings_.size()) in.fail("the name of an op", "none");
      op_names_.push_back({cat(of, ".", strings_[std::size_t(name.value)]), name.flag});
    }
  }
}

void BytecodeTables::read_entries() {
  ByteStream data = section(attr_type, "attributes and types");
  ByteStream in = section(attr_type_offset, "places of attributes and types");
  const std::size_t attribute_count = in.read_count("attributes");
  const std::size_t type_count = in.read_count("types");
  const auto read = [&](std::vector<BytecodeEntry>& into, std::size_t size) {
    while (into.size() < size) {
      const std::string_view of = dialects_.at(in.read_index(dialects_.size(), "dialect"));
      const std::size_t group = in.read_count("entries");
      if (group > size - into.size()) in.fail(cat(size - into.size(), " entries"), cat(group));
      for (std::size_t k = 0; k < group; ++k) {
        const ByteStream::Flagged length = in.read_flagged_varint();
        into.push_back({of, length.flag, data.take(length.value)});
      }
    }
  };
  read(attributes_, attribute_count);
  read(types_, type_count);
}

void BytecodeTables::read_properties() {
  if (!sections_[properties_section]) return;
  ByteStream in = section(properties_section, "properties");
  const std::size_t blob_count = in.read_count("properties");
  for (std::size_t k = 0; k < blob_count; ++k) properties_.push_back(in.take(in.read_varint()));
}

}  // namespace partita::ir
