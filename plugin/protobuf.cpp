// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "plugin/protobuf.hpp"

#include <algorithm>
#include <ranges>

#include "partita/base/error.hpp"

namespace partita::pjrt {

namespace {

enum WireKind : unsigned { varint_kind = 0, fixed64_kind = 1, bytes_kind = 2, fixed32_kind = 5 };

class Reader {
 public:
  explicit Reader(std::string_view text) : rest_(text) {}
  [[nodiscard]] bool at_end() const { return rest_.empty(); }

  std::uint64_t varint() {
    std::uint64_t value = 0;
    for (int shift = 0; shift < 64; shift += 7) {
      const auto byte = std::uint64_t(std::uint8_t(take(1).front()));
      value |= (byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
    throw_user_error("protobuf: expected a number of at most 10 bytes, found a longer one");
  }
  std::uint64_t fixed(std::size_t bytes) {
    const std::string_view text = take(bytes);
    std::uint64_t value = 0;
    for (std::size_t k = 0; k < bytes; ++k)
      value |= std::uint64_t(std::uint8_t(text[k])) << (8 * k);
    return value;
  }
  std::string_view take(std::uint64_t bytes) {
    if (bytes > rest_.size())
      throw_user_error(cat("protobuf: expected ", bytes, " more bytes, found ", rest_.size()));
    const std::string_view taken = rest_.substr(0, std::size_t(bytes));
    rest_.remove_prefix(std::size_t(bytes));
    return taken;
  }

 private:
  std::string_view rest_;
};

}  // namespace

std::vector<WireField> read_message(std::string_view message) {
  Reader reader(message);
  std::vector<WireField> fields;
  while (!reader.at_end()) {
    const std::uint64_t tag = reader.varint();
    WireField& field = fields.emplace_back();
    field.number = int(tag >> 3);
    switch (tag & 7) {
      case varint_kind:
        field.value = reader.varint();
        break;
      case fixed64_kind:
        field.value = reader.fixed(8);
        break;
      case bytes_kind:
        field.bytes = reader.take(reader.varint());
        break;
      case fixed32_kind:
        field.value = reader.fixed(4);
        break;
      default:
        throw_user_error(cat("protobuf: expected a field, found one of wire type ", tag & 7));
    }
  }
  return fields;
}

std::vector<std::int64_t> numbers_of(const std::vector<WireField>& message, int number) {
  std::vector<std::int64_t> numbers;
  for (const WireField& field : message) {
    if (field.number != number) continue;
    if (!field.bytes) {
      numbers.push_back(std::int64_t(field.value));
      continue;
    }
    for (Reader reader(*field.bytes); !reader.at_end();)
      numbers.push_back(std::int64_t(reader.varint()));
  }
  return numbers;
}

const WireField* find_field(const std::vector<WireField>& message, int number) {
  const auto last = std::ranges::find(message.rbegin(), message.rend(), number, &WireField::number);
  return last == message.rend() ? nullptr : &*last;
}

MessageWriter& MessageWriter::number(int field, std::int64_t value) {
  varint(std::uint64_t(field) << 3 | varint_kind);
  varint(std::uint64_t(value));
  return *this;
}

MessageWriter& MessageWriter::bytes(int field, std::string_view value) {
  varint(std::uint64_t(field) << 3 | bytes_kind);
  varint(value.size());
  text_ += value;
  return *this;
}

MessageWriter& MessageWriter::packed(int field, const std::vector<std::int64_t>& values) {
  MessageWriter numbers;
  for (const std::int64_t value : values) numbers.varint(std::uint64_t(value));
  return bytes(field, numbers.text_);
}

void MessageWriter::varint(std::uint64_t value) {
  for (; value >= 0x80; value >>= 7) text_ += char(value | 0x80);
  text_ += char(value);
}

}  // namespace partita::pjrt
