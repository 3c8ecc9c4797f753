// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "runtime/artifact/npy.hpp"

#include <algorithm>
#include <charconv>
#include <limits>
#include <optional>
#include <string_view>

#include "partita/base/error.hpp"

namespace partita {

namespace {

constexpr std::string_view magic{"\x93NUMPY", 6};

struct Header {
  Type type;
  bool big_endian = false, fortran_order = false;
  std::size_t data_offset = 0;
};

[[noreturn]] void fail(const std::string& name, const std::string& expected,
                       std::string_view found) {
  throw_user_error(cat("expected ", expected, ", found ", found), {.file = name});
}

// The text of a dictionary's value: what follows 'key': up to the comma or brace outside brackets.
std::string_view dictionary_value(std::string_view header, std::string_view key,
                                  const std::string& name) {
  const std::string quoted = cat("'", key, "':");
  const std::size_t at = header.find(quoted);
  if (at == std::string_view::npos) fail(name, cat("a .npy header with '", key, "'"), "none");
  std::string_view rest = header.substr(at + quoted.size());
  rest.remove_prefix(std::min(rest.find_first_not_of(' '), rest.size()));
  int depth = 0;
  for (std::size_t i = 0; i < rest.size(); ++i) {
    if (rest[i] == '(' || rest[i] == '[')
      ++depth;
    else if (rest[i] == ')' || rest[i] == ']')
      --depth;
    else if (depth == 0 && (rest[i] == ',' || rest[i] == '}'))
      return rest.substr(0, i);
  }
  fail(name, "a complete .npy header", "none");
}

Dims parse_shape(std::string_view text, const std::string& name) {
  if (text.size() < 2 || text.front() != '(' || text.back() != ')')
    fail(name, "a shape (n, …)", text);
  Dims dims;
  const char* at = text.data() + 1;
  const char* end = text.data() + text.size() - 1;
  while (at < end) {
    if (*at == ' ' || *at == ',') {
      ++at;
      continue;
    }
    std::int64_t d = 0;
    const auto [next, error] = std::from_chars(at, end, d);
    if (error != std::errc() || d < 0) fail(name, "a shape of extents", text);
    dims.push_back(d);
    at = next == end || *next != 'L' ? next : next + 1;
  }
  return dims;
}

DType parse_descr(std::string_view text, bool& big_endian, const std::string& name) {
  std::string_view code = text;
  if (code.size() >= 4 && code.front() == '\'' && code.back() == '\'') {
    code = code.substr(1, code.size() - 2);
    big_endian = code.front() == '>';
    if (std::string_view("<>|=").find(code.front()) != std::string_view::npos)
      code.remove_prefix(1);
    for (const DType d : all_dtypes)
      if (info(d).numpy.text == code) return d;
  }
  fail(name, "an array of booleans, integers, floats or complex numbers", cat("dtype ", text));
}

Header parse_header(std::span<const std::byte> bytes, const std::string& name) {
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  const auto byte = [&](std::size_t i) { return std::size_t(std::uint8_t(text[i])); };
  if (text.size() < 12 || text.substr(0, 6) != magic) fail(name, "a .npy array", "something else");
  const std::size_t major = byte(6);
  if (major < 1 || major > 3) fail(name, "version 1 to 3 of .npy", cat("version ", major));
  const std::size_t start = major == 1 ? 10 : 12;
  std::size_t length = byte(8) | byte(9) << 8;
  if (major > 1) length |= byte(10) << 16 | byte(11) << 24;
  if (length > text.size() - start) fail(name, "a complete .npy header", "the end of the file");
  const std::string_view dictionary = text.substr(start, length);
  Header header;
  header.data_offset = start + length;
  header.type.dtype =
      parse_descr(dictionary_value(dictionary, "descr", name), header.big_endian, name);
  header.fortran_order = dictionary_value(dictionary, "fortran_order", name) == "True";
  header.type.dims = parse_shape(dictionary_value(dictionary, "shape", name), name);
  return header;
}

void swap_bytes(HostArray& array) {
  const std::size_t width = byte_size(array.type.dtype) / (is_complex(array.type.dtype) ? 2 : 1);
  for (std::size_t i = 0; i + width <= array.bytes.size(); i += width)
    std::reverse(array.bytes.begin() + std::ptrdiff_t(i),
                 array.bytes.begin() + std::ptrdiff_t(i + width));
}

// From column-major to row-major.
HostArray transposed(const HostArray& array) {
  const Dims& dims = array.type.dims;
  HostArray result(array.type);
  const std::size_t width = byte_size(array.type.dtype);
  Dims index(dims.size());
  for (std::size_t i = 0; i < array.bytes.size() / width; ++i) {
    std::int64_t from = 0;
    for (std::size_t k = dims.size(); k-- > 0;) from = from * dims[k] + index[k];
    std::memcpy(result.bytes.data() + i * width, array.bytes.data() + std::size_t(from) * width,
                width);
    for (std::size_t k = dims.size(); k-- > 0;) {
      if (++index[k] < dims[k]) break;
      index[k] = 0;
    }
  }
  return result;
}

}  // namespace

HostArray parse_npy(std::vector<std::byte> bytes, const std::string& name) {
  const Header header = parse_header(bytes, name);
  if (checked_bytes(header.type) != std::int64_t(bytes.size() - header.data_offset))
    fail(name, cat("the elements of ", to_string(header.type)),
         cat(bytes.size() - header.data_offset, " bytes"));
  HostArray array;
  array.type = header.type;
  array.bytes = std::move(bytes);
  array.bytes.erase(array.bytes.begin(), array.bytes.begin() + std::ptrdiff_t(header.data_offset));
  if (header.big_endian) swap_bytes(array);
  if (array.type.dtype == DType::i1)
    for (std::byte& b : array.bytes) b = std::byte(b != std::byte(0));
  if (header.fortran_order && array.type.rank() > 1) return transposed(array);
  return array;
}

std::string npy_header(const Type& type) {
  const DTypeInfo& dtype = info(type.dtype);
  PARTITA_ASSERT(dtype.numpy.is_numpys);
  std::string shape;
  for (const std::int64_t d : type.dims) shape += cat(d, ", ");
  if (type.rank() == 1)
    shape.pop_back();
  else if (!shape.empty())
    shape.resize(shape.size() - 2);
  std::string header = cat("{'descr': '", dtype.bytes == 1 ? "|" : "<", dtype.numpy.text,
                           "', 'fortran_order': False, 'shape': (", shape, "), }");
  constexpr std::size_t prefix = 10, alignment = 64;
  header.append(alignment - (prefix + header.size() + 1) % alignment, ' ');
  header += '\n';
  std::string text(magic);
  text += {'\x01', '\x00', char(header.size() & 0xff), char(header.size() >> 8)};
  return text + header;
}

std::vector<std::byte> write_npy(const HostArray& array) {
  const DTypeInfo& dtype = info(array.type.dtype);
  if (!dtype.numpy.is_numpys) return write_npy(convert(array, dtype.value));
  const std::string header = npy_header(array.type);
  std::vector<std::byte> bytes(header.size() + array.bytes.size());
  std::memcpy(bytes.data(), header.data(), header.size());
  if (!array.bytes.empty())
    std::memcpy(bytes.data() + header.size(), array.bytes.data(), array.bytes.size());
  return bytes;
}

}  // namespace partita
