// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "frontend/stablehlo/bytecode_stream.hpp"

#include <algorithm>
#include <bit>

namespace partita::ir {

void ByteStream::fail(const std::string& expected, const std::string& found) const {
  throw_user_error(
      cat("bytecode: expected ", expected, ", found ", found, " (byte ", offset_ + at_, ")"),
      {.file = std::string(file_)});
}

std::span<const std::byte> ByteStream::read_bytes(std::uint64_t count) {
  if (count > remaining()) fail(cat(count, " bytes"), cat(remaining(), " up to the end"));
  const auto bytes = bytes_.subspan(at_, std::size_t(count));
  at_ += std::size_t(count);
  return bytes;
}

std::uint8_t ByteStream::read_byte() { return std::uint8_t(read_bytes(1)[0]); }

std::string_view ByteStream::read_c_string() {
  const auto rest = bytes_.subspan(at_);
  const auto end = std::ranges::find(rest, std::byte{0});
  if (end == rest.end()) fail("a string that ends", "the end of the data");
  const auto length = std::size_t(end - rest.begin());
  at_ += length + 1;
  return {reinterpret_cast<const char*>(rest.data()), length};
}

// As many zero bits as the first byte has at its low end, so many bytes follow it; then a one.
std::uint64_t ByteStream::read_varint() {
  const std::uint8_t first = read_byte();
  const int more = std::countr_zero(first);
  const auto bytes = read_bytes(std::uint64_t(more));
  std::uint64_t value = 0;
  for (std::size_t k = bytes.size(); k-- > 0;) value = value << 8 | std::uint64_t(bytes[k]);
  if (more == 8) return value;
  const int bits = 7 - more;  // of the first byte
  return value << bits | std::uint64_t(first >> (more + 1));
}

std::int64_t ByteStream::read_signed_varint() {
  const std::uint64_t value = read_varint();
  return std::int64_t((value >> 1) ^ (~(value & 1) + 1));
}

ByteStream::Flagged ByteStream::read_flagged_varint() {
  const std::uint64_t value = read_varint();
  return {value >> 1, (value & 1) != 0};
}

std::size_t ByteStream::read_count(std::string_view what) {
  const std::uint64_t count = read_varint();
  if (count > remaining())
    fail(cat("a number of ", what, " that fits the file"), std::to_string(count));
  return std::size_t(count);
}

std::size_t ByteStream::read_index(std::size_t size, std::string_view what) {
  const std::uint64_t index = read_varint();
  if (index >= size) fail(cat("a number of a ", what, " below ", size), std::to_string(index));
  return std::size_t(index);
}

ByteStream ByteStream::take(std::uint64_t count) {
  const std::size_t begin = offset_ + at_;
  return {read_bytes(count), file_, begin};
}

// byte(id | aligned * 128) varint(length) [varint(alignment) padding] content
ByteStream::Section ByteStream::read_section() {
  const std::uint8_t head = read_byte();
  const std::uint64_t length = read_varint();
  if ((head & 0x80) != 0) {
    const std::uint64_t alignment = read_varint();
    if (alignment == 0 || alignment > 4096) fail("an alignment up to 4096", cat(alignment));
    while ((offset_ + at_) % alignment != 0)
      if (read_byte() != 0xCB) fail("padding", "something else");
  }
  return {std::uint8_t(head & 0x7F), take(length)};
}

}  // namespace partita::ir
