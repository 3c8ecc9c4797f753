// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Protocol Buffers' wire format, as far as the few messages here need it.
// Source: https://protobuf.dev/programming-guides/encoding.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace partita::pjrt {

/// One field of a message: a number, or bytes that are a text, a message or packed numbers.
struct WireField {
  int number = 0;
  std::uint64_t value = 0;  ///< of a varint or a fixed-size number
  std::optional<std::string_view> bytes;
};

/// Fields of a message in the order in which they come.  Wrong bytes are a user error.
[[nodiscard]] std::vector<WireField> read_message(std::string_view message);
/// The numbers of a repeated field, of which each occurrence is one number or packed ones.
[[nodiscard]] std::vector<std::int64_t> numbers_of(const std::vector<WireField>& message,
                                                   int number);
/// The last occurrence, which is the one that counts.
[[nodiscard]] const WireField* find_field(const std::vector<WireField>& message, int number);

/// Messages as they are written.
class MessageWriter {
 public:
  MessageWriter& number(int field, std::int64_t value);
  MessageWriter& bytes(int field, std::string_view value);
  MessageWriter& packed(int field, const std::vector<std::int64_t>& values);
  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  void varint(std::uint64_t value);
  std::string text_;
};

}  // namespace partita::pjrt
