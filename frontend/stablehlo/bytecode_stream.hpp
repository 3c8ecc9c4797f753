// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// A span of a bytecode file that is read from its beginning: bytes, the variable-length integers of
// MLIR bytecode, sections.  Nothing is read past its end: that is a user error that names the place.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "partita/base/error.hpp"

namespace partita::ir {

class ByteStream {
 public:
  /// `bytes` and `file` must outlive the stream; `offset` is where they begin in the file, for messages.
  ByteStream(std::span<const std::byte> bytes, std::string_view file, std::size_t offset = 0)
      : bytes_(bytes), file_(file), offset_(offset) {}

  [[nodiscard]] bool at_end() const { return at_ == bytes_.size(); }
  [[nodiscard]] std::size_t remaining() const { return bytes_.size() - at_; }

  std::uint8_t read_byte();
  std::span<const std::byte> read_bytes(std::uint64_t count);
  /// Up to and without the next zero byte, which is passed over.
  std::string_view read_c_string();
  std::uint64_t read_varint();
  std::int64_t read_signed_varint();
  struct Flagged {
    std::uint64_t value;
    bool flag;
  };
  /// value * 2 + flag
  Flagged read_flagged_varint();
  /// How many items of at least one byte each follow; more than there are bytes is an error, so that
  /// memory for them is bounded by the file.
  std::size_t read_count(std::string_view what);
  /// An index below `size`.
  std::size_t read_index(std::size_t size, std::string_view what);
  /// The next `count` bytes as a stream of their own.
  ByteStream take(std::uint64_t count);

  struct Section;
  Section read_section();

  /// "bytecode: expected X, found Y (byte N)"
  [[noreturn]] void fail(const std::string& expected, const std::string& found) const;
  [[nodiscard]] std::string_view file() const { return file_; }

 private:
  std::span<const std::byte> bytes_;
  std::string_view file_;
  std::size_t offset_;
  std::size_t at_ = 0;
};

struct ByteStream::Section {
  std::uint8_t id;
  ByteStream content;
};

}  // namespace partita::ir
