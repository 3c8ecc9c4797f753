// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "partita/artifact/safetensors.hpp"

#include <algorithm>
#include <array>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string_view>

#include "partita/base/error.hpp"

namespace partita {
namespace {

struct Name {
  DType dtype;
  std::string_view text;
};
constexpr std::array names{Name{DType::i1, "BOOL"},          Name{DType::i8, "I8"},
                           Name{DType::i16, "I16"},          Name{DType::i32, "I32"},
                           Name{DType::i64, "I64"},          Name{DType::ui8, "U8"},
                           Name{DType::ui16, "U16"},         Name{DType::ui32, "U32"},
                           Name{DType::ui64, "U64"},         Name{DType::f16, "F16"},
                           Name{DType::bf16, "BF16"},        Name{DType::f32, "F32"},
                           Name{DType::f64, "F64"},          Name{DType::f8e5m2, "F8_E5M2"},
                           Name{DType::f8e4m3fn, "F8_E4M3"}, Name{DType::f8e8m0fnu, "F8_E8M0"}};

std::string_view name_of(DType dtype) {
  const auto found = std::ranges::find(names, dtype, &Name::dtype);
  if (found != names.end()) return found->text;
  const DType stored = info(dtype).stored;  // as what it is in memory
  if (stored == dtype) throw_internal_error(cat("safetensors: ", info(dtype).name));
  return name_of(stored);
}

/// The header begins here.
constexpr std::size_t head_bytes = 8;

class Parser {
 public:
  Parser(std::span<const std::byte> bytes, const std::string& name) : bytes_(bytes), name_(name) {}

  Safetensors parse() {
    std::uint64_t length = 0;
    if (bytes_.size() < head_bytes) fail("a header", cat(bytes_.size(), " bytes"));
    std::memcpy(&length, bytes_.data(), head_bytes);
    if (length > bytes_.size() - head_bytes)
      fail(cat("a header of ", length, " bytes"), cat(bytes_.size() - head_bytes));
    const std::string_view text(reinterpret_cast<const char*>(bytes_.data() + head_bytes),
                                std::size_t(length));
    boost::system::error_code error;
    const boost::json::value header = boost::json::parse(text, error);
    if (error || !header.is_object()) fail("a header in JSON", "other text");
    data_ = bytes_.subspan(head_bytes + std::size_t(length));
    Safetensors file;
    for (const auto& [key, value] : header.as_object()) {
      if (!value.is_object()) fail(cat("what is said of ", std::string(key)), "no object");
      if (key == "__metadata__")
        file.metadata = texts_of(value.as_object());
      else
        file.arrays.emplace(std::string(key), array_of(std::string(key), value.as_object()));
    }
    if (taken_ != data_.size()) fail(cat(taken_, " bytes of arrays"), cat(data_.size()));
    return file;
  }

 private:
  [[noreturn]] void fail(const std::string& expected, const std::string& found) const {
    throw_user_error(cat("expected ", expected, ", found ", found), {.file = name_});
  }

  std::map<std::string, std::string> texts_of(const boost::json::object& object) const {
    std::map<std::string, std::string> texts;
    for (const auto& [key, value] : object) {
      if (!value.is_string()) fail(cat("text for ", std::string(key)), "something else");
      texts.emplace(std::string(key), std::string(value.as_string()));
    }
    return texts;
  }

  std::int64_t number(const boost::json::value& value, const std::string& what) const {
    if (!value.is_int64() || value.as_int64() < 0) fail(what, "no such number");
    return value.as_int64();
  }

  std::vector<std::int64_t> numbers(const boost::json::object& entry, const char* key,
                                    const std::string& array) const {
    const boost::json::value* found = entry.if_contains(key);
    if (found == nullptr || !found->is_array()) fail(cat(key, " of ", array), "none");
    std::vector<std::int64_t> all;
    for (const boost::json::value& x : found->as_array())
      all.push_back(number(x, cat(key, " of ", array)));
    return all;
  }

  HostArray array_of(const std::string& key, const boost::json::object& entry) {
    const boost::json::value* text = entry.if_contains("dtype");
    const auto dtype =
        text == nullptr || !text->is_string()
            ? names.end()
            : std::ranges::find(names, std::string_view(text->as_string()), &Name::text);
    if (dtype == names.end()) fail(cat("a known dtype of ", key), "none");
    Type type{.dtype = dtype->dtype, .dims = numbers(entry, "shape", key)};
    std::size_t bytes = byte_size(type.dtype);
    for (const std::int64_t d : type.dims)
      if (__builtin_mul_overflow(bytes, std::size_t(d), &bytes))
        fail("a size", cat("that of ", key));
    const std::vector<std::int64_t> offsets = numbers(entry, "data_offsets", key);
    if (offsets.size() != 2 || offsets[0] > offsets[1] || std::size_t(offsets[1]) > data_.size() ||
        std::size_t(offsets[1] - offsets[0]) != bytes)
      fail(cat(bytes, " bytes of ", key), "others, or too few");
    HostArray array(std::move(type));
    std::ranges::copy(data_.subspan(std::size_t(offsets[0]), bytes), array.bytes.begin());
    taken_ += bytes;
    return array;
  }

  std::span<const std::byte> bytes_, data_;
  const std::string& name_;
  std::size_t taken_ = 0;
};

}  // namespace

std::vector<std::byte> serialize_safetensors(const Safetensors& file) {
  boost::json::object header, metadata;
  for (const auto& [key, text] : file.metadata) metadata[key] = text;
  header["__metadata__"] = metadata;
  std::size_t end = 0;
  for (const auto& [key, array] : file.arrays) {
    Type type = array.type;
    if (is_complex(type.dtype)) {
      type.dtype = part_dtype(type.dtype);
      type.dims.push_back(2);
    }
    const std::size_t begin = end;
    end += array.bytes.size();
    header[key] = {{"dtype", name_of(type.dtype)},
                   {"shape", boost::json::array(type.dims.begin(), type.dims.end())},
                   {"data_offsets", {begin, end}}};
  }
  std::string text = boost::json::serialize(header);
  text.resize((text.size() + head_bytes - 1) / head_bytes * head_bytes, ' ');
  const std::uint64_t length = text.size();
  std::vector<std::byte> bytes(head_bytes + text.size() + end);
  std::memcpy(bytes.data(), &length, head_bytes);
  std::memcpy(bytes.data() + head_bytes, text.data(), text.size());
  auto to = bytes.begin() + std::ptrdiff_t(head_bytes + text.size());
  for (const auto& [key, array] : file.arrays) to = std::ranges::copy(array.bytes, to).out;
  return bytes;
}

Safetensors parse_safetensors(std::span<const std::byte> bytes, const std::string& name) {
  return Parser(bytes, name).parse();
}

}  // namespace partita
