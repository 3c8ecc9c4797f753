// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "partita/artifact/safetensors.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <string>

#include "partita/base/error.hpp"

namespace partita {
namespace {

HostArray counted(DType dtype, Dims dims) {
  HostArray array({.dtype = dtype, .dims = std::move(dims)});
  for (std::size_t k = 0; k < array.bytes.size(); ++k)
    array.bytes[k] = std::byte(dtype == DType::i1 ? k % 2 : k * 7 % 251);
  return array;
}

std::vector<std::byte> file_of(const std::string& header, std::size_t data) {
  const std::uint64_t length = header.size();
  std::vector<std::byte> bytes(8 + header.size() + data);
  std::memcpy(bytes.data(), &length, 8);
  std::memcpy(bytes.data() + 8, header.data(), header.size());
  return bytes;
}

TEST(Safetensors, hold_arrays_of_all_types) {
  Safetensors file{.arrays = {}, .metadata = {{"round", "7"}, {"what", "\"quoted\""}}};
  for (const DType d : {DType::i1, DType::i8, DType::i16, DType::i32, DType::i64, DType::ui8,
                        DType::ui16, DType::ui32, DType::ui64, DType::f16, DType::bf16, DType::f32,
                        DType::f64, DType::f8e5m2, DType::f8e4m3fn, DType::f8e8m0fnu})
    file.arrays[std::string(info(d).name)] = counted(d, {3, 5});
  file.arrays["scalar"] = counted(DType::f32, {});
  file.arrays["empty"] = counted(DType::f64, {4, 0});
  file.arrays["complex"] = counted(DType::c64, {2, 3});
  const std::vector<std::byte> bytes = serialize_safetensors(file);
  EXPECT_EQ(serialize_safetensors(file), bytes);
  const Safetensors read = parse_safetensors(bytes, "f");
  EXPECT_EQ(read.metadata, file.metadata);
  ASSERT_EQ(read.arrays.size(), file.arrays.size());
  for (const auto& [name, array] : file.arrays) {
    const HostArray& own = read.arrays.at(name);
    EXPECT_EQ(own.bytes, array.bytes) << name;
    EXPECT_EQ(to_string(own.type), name == "complex" ? "tensor<2x3x2xf32>" : to_string(array.type));
  }
}

// Their readers know them by the type that they are put in place of.
TEST(Safetensors, hold_types_that_the_format_has_not_as_their_bytes) {
  Safetensors file;
  for (const DType d : {DType::i4, DType::ui2, DType::f4e2m1fn, DType::f8e4m3fnuz})
    file.arrays[std::string(info(d).name)] = counted(d, {3});
  const Safetensors read = parse_safetensors(serialize_safetensors(file), "f");
  for (const auto& [name, array] : file.arrays) EXPECT_EQ(read.arrays.at(name).bytes, array.bytes);
  EXPECT_EQ(read.arrays.at("i4").type.dtype, DType::i8);
  EXPECT_EQ(read.arrays.at("f8e4m3fnuz").type.dtype, DType::ui8);
}

TEST(Safetensors, the_header_is_as_the_format_has_it) {
  Safetensors file;
  file.arrays["a"] = counted(DType::f32, {2});
  const std::vector<std::byte> bytes = serialize_safetensors(file);
  std::uint64_t length = 0;
  std::memcpy(&length, bytes.data(), 8);
  EXPECT_EQ(length % 8, 0U);
  EXPECT_EQ(bytes.size(), 8 + length + 8);
  const std::string header(reinterpret_cast<const char*>(bytes.data() + 8), length);
  EXPECT_EQ(header.substr(0, header.find_last_not_of(' ') + 1),
            R"({"__metadata__":{},"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}})");
}

TEST(Safetensors, refuse_what_they_cannot_be) {
  const std::string a = R"("a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]})";
  EXPECT_EQ(parse_safetensors(file_of("{" + a + "}", 8), "f").arrays.size(), 1U);
  const std::vector<std::vector<std::byte>> damaged{
      {},
      std::vector<std::byte>(7),
      std::vector<std::byte>(8, std::byte(0xff)),
      file_of("{" + a, 8),
      file_of("[1]", 0),
      file_of("{" + a + "}", 7),
      file_of("{" + a + "}", 9),
      file_of(R"({"a":5})", 0),
      file_of(R"({"a":{"dtype":"F31","shape":[2],"data_offsets":[0,8]}})", 8),
      file_of(R"({"a":{"shape":[2],"data_offsets":[0,8]}})", 8),
      file_of(R"({"a":{"dtype":"F32","shape":[-2],"data_offsets":[0,8]}})", 8),
      file_of(R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[8,0]}})", 8),
      file_of(R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[4,12]}})", 8),
      file_of(R"({"a":{"dtype":"F32","shape":[4611686018427387904,4],"data_offsets":[0,0]}})", 0),
      file_of(R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[0]}})", 8),
      file_of(R"({"__metadata__":{"round":7}})", 0),
      file_of("{" + a + R"(,"b":{"dtype":"F32","shape":[2],"data_offsets":[4,12]}})", 12)};
  for (const auto& bytes : damaged) EXPECT_THROW((void)parse_safetensors(bytes, "f"), Error);
}

}  // namespace
}  // namespace partita
