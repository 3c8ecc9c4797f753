// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "partita/artifact/npz.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "partita/base/error.hpp"
#include "partita/base/file.hpp"
#include "partita/base/temporary_folder.hpp"
#include "partita/exec/inputs.hpp"
#include "runtime/artifact/npy.hpp"
#include "runtime/artifact/zip.hpp"
#include "tests/support/sample_artifacts.hpp"

namespace partita {
namespace {

using testing::f32_array;
using testing::f32_values;
using ::testing::HasSubstr;
using testing::i32_array;

std::string npy_text(const std::string& header, const std::string& data, char major = 1) {
  std::string text = std::string("\x93NUMPY", 6) + major + '\0';
  text += {char(header.size() & 255), char(header.size() >> 8)};
  if (major > 1) text += std::string(2, '\0');
  return text + header + data;
}

HostArray parse(const std::string& text) {
  const auto bytes = std::as_bytes(std::span(text));
  return parse_npy({bytes.begin(), bytes.end()}, "a");
}

std::string error_of(const std::string& text) {
  try {
    static_cast<void>(parse(text));
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::user);
    return error.what();
  }
  return "no error";
}

TEST(Npy, EveryDTypeSurvivesTheRoundTrip) {
  for (const DType dtype : all_dtypes) {
    HostArray array(Type{.dtype = dtype, .dims = {2, 3}});
    for (std::size_t i = 0; i < array.bytes.size(); ++i)
      array.bytes[i] = std::byte(dtype == DType::i1 ? i & 1 : i % 60);
    const HostArray again = parse_npy(write_npy(array), "a");
    const bool is_widened = !info(dtype).numpy.is_numpys;
    EXPECT_EQ(again, is_widened ? convert(array, info(dtype).value) : array) << to_string(dtype);
  }
  EXPECT_FALSE(info(DType::bf16).numpy.is_numpys);
}

TEST(Npy, ATypeOfMlDtypesIsReadByItsCode) {
  const HostArray x = parse(npy_text("{'descr': '<V2', 'fortran_order': False, 'shape': (2,), }",
                                     std::string("\x80\x3f\x00\xc0", 4)));
  EXPECT_EQ(x.type, (Type{.dtype = DType::bf16, .dims = {2}}));
  EXPECT_EQ(f32_values(convert(x, DType::f32)), std::vector<float>({1, -2}));
}

TEST(Npy, ShapesOfAnyRankSurviveTheRoundTrip) {
  for (const Dims& dims : {Dims{}, Dims{4}, Dims{0}, Dims{2, 0, 3}, Dims{1, 2, 1}}) {
    HostArray array(Type{.dtype = DType::f64, .dims = dims});
    const auto bytes = write_npy(array);
    EXPECT_EQ(parse_npy(bytes, "a"), array);
    EXPECT_EQ((bytes.size() - array.bytes.size()) % 64, 0u);
  }
}

TEST(Npy, BigEndianAndFortranOrderAreRead) {
  const HostArray swapped =
      parse(npy_text("{'descr': '>i4', 'fortran_order': False, 'shape': (2,), }",
                     std::string("\0\0\0\1\0\0\1\0", 8)));
  EXPECT_EQ(swapped, i32_array({2}, {1, 256}));
  std::string data;
  for (char c = 0; c < 6; ++c) data += {c, 0, 0, 0};
  const HostArray columns =
      parse(npy_text("{'descr': '<i4', 'fortran_order': True, 'shape': (2, 3), }", data));
  EXPECT_EQ(columns, i32_array({2, 3}, {0, 2, 4, 1, 3, 5}));
}

TEST(Npy, BooleansAreZeroOrOneAndVersion2IsRead) {
  const HostArray flags =
      parse(npy_text("{'descr': '|b1', 'fortran_order': False, 'shape': (2,), }", "\x02\x01", 2));
  EXPECT_EQ(flags.bytes, (std::vector<std::byte>{std::byte(1), std::byte(1)}));
}

TEST(Npy, WrongHeadersAreUserErrors) {
  EXPECT_THAT(error_of("nonsense"), HasSubstr("a .npy array"));
  EXPECT_THAT(error_of(npy_text("{'descr': '<U3', 'fortran_order': False, 'shape': (), }", "")),
              HasSubstr("dtype '<U3'"));
  EXPECT_THAT(
      error_of(npy_text("{'descr': '<f4', 'fortran_order': False, 'shape': (2, 2), }", "1234")),
      HasSubstr("expected the elements of tensor<2x2xf32>, found 4 bytes"));
  EXPECT_THAT(error_of(npy_text("{'descr': '<f4', 'fortran_order': False, 'shape': (-2,), }", "")),
              HasSubstr("extents"));
  EXPECT_THAT(error_of(npy_text("{'descr': '<f4', 'shape': (2,), }", "")),
              HasSubstr("'fortran_order'"));
  EXPECT_THAT(error_of(npy_text("{'descr': '<f4', 'fortran_order': False, 'shape': "
                                "(4611686018427387904, 4611686018427387904, 0), }",
                                "")),
              HasSubstr("expected the elements"));
  EXPECT_THAT(error_of(npy_text("{'descr': '<f4'", "").substr(0, 14)),
              HasSubstr("a complete .npy header"));
}

TEST(Npz, ArraysSurviveTheRoundTripInFixedBytes) {
  const TemporaryFolder folder;
  const std::map<std::string, HostArray> arrays{{"in0", f32_array({2}, {1, 2})},
                                                {"in1", i32_array({}, {5})}};
  write_npz(folder / "a.npz", arrays);
  write_npz(folder / "b.npz", arrays);
  EXPECT_EQ(read_npz(folder / "a.npz"), arrays);
  EXPECT_EQ(read_file(folder / "a.npz"), read_file(folder / "b.npz"));
  write_npz(folder / "none.npz", {});
  EXPECT_TRUE(read_npz(folder / "none.npz").empty());
}

TEST(Npz, DamagedFilesAreUserErrors) {
  const TemporaryFolder folder;
  write_npz(folder / "a.npz", {{"in0", f32_array({100}, std::vector<float>(100, 1.f))}});
  const auto bytes = read_file(folder / "a.npz");
  const auto fails = [&](std::span<const std::byte> content) {
    write_file(folder / "b.npz", content);
    EXPECT_THROW(static_cast<void>(read_npz(folder / "b.npz")), Error);
  };
  fails({});
  fails(std::span(bytes).first(bytes.size() / 2));
  auto damaged = bytes;
  damaged[300] ^= std::byte(1);
  fails(damaged);
  EXPECT_THROW(static_cast<void>(read_npz(folder / "missing.npz")), Error);
}

const std::vector<PortInfo> ports{{.name = "%x", .type = {.dtype = DType::f32, .dims = {2}}},
                                  {.name = "", .type = {.dtype = DType::bf16, .dims = {1}}}};

TEST(Inputs, AreFoundByPositionOrName) {
  const HostArray x = f32_array({2}, {1, 2}), h = f32_array({1}, {1});
  for (const auto& arrays : {std::map<std::string, HostArray>{{"in0", x}, {"in1", h}, {"out0", h}},
                             std::map<std::string, HostArray>{{"x", x}, {"in1", h}}}) {
    const auto bound = bind_arrays(ports, "in", arrays, "x.npz");
    EXPECT_EQ(bound[0], x);
    EXPECT_EQ(bound[1], convert(h, DType::bf16));
    EXPECT_EQ(bind_arrays(ports, "in", std::map(arrays), "x.npz"), bound);
  }
}

HostArray bytes_of(DType dtype, std::initializer_list<int> bytes) {
  HostArray array(Type{.dtype = dtype, .dims = {std::int64_t(bytes.size())}});
  for (std::size_t i = 0; const int b : bytes) array.bytes[i++] = std::byte(b);
  return array;
}

// Which type of ml_dtypes an array is of only the program knows.
TEST(Inputs, OfMlDtypesAreWhatThePortIs) {
  const auto read = [](DType port, const std::string& descr, const std::string& bytes) {
    const std::string header =
        cat("{'descr': '", descr, "', 'fortran_order': False, 'shape': (3,), }");
    const std::vector<PortInfo> one{{.name = "", .type = {.dtype = port, .dims = {3}}}};
    return bind_arrays(one, "in", {{"in0", parse(npy_text(header, bytes))}}, "x.npz")[0];
  };
  // As ml_dtypes has them: integers without extension.
  EXPECT_EQ(read(DType::i4, "<V1", "\x07\x08\x0f"), bytes_of(DType::i4, {0x07, 0xf8, 0xff}));
  EXPECT_EQ(read(DType::ui2, "|V1", "\x01\x02\x03"), bytes_of(DType::ui2, {1, 2, 3}));
  EXPECT_EQ(read(DType::f8e4m3fn, "<V1", "\x38\xb8\x7f"),
            bytes_of(DType::f8e4m3fn, {0x38, 0xb8, 0x7f}));
  EXPECT_EQ(read(DType::f8e5m2, "<f1", "\x3c\xbc\x7e"),
            bytes_of(DType::f8e5m2, {0x3c, 0xbc, 0x7e}));
  EXPECT_THROW(static_cast<void>(read(DType::f8e5m2, "<V1", "\x3c\xbc\x7e")), Error);
  // As they are written.
  EXPECT_EQ(read(DType::i4, "|i1", "\x07\xf8\xff"), bytes_of(DType::i4, {0x07, 0xf8, 0xff}));
  EXPECT_THROW(static_cast<void>(read(DType::i4, "|u1", "\x07\xf8\xff")), Error);
}

TEST(Inputs, TakeTheMemoryOfArraysThatFit) {
  std::map<std::string, HostArray> arrays{{"a", f32_array({2}, {1, 2})},
                                          {"b", f32_array({2}, {3, 4})}};
  const std::byte* const b = arrays.at("b").bytes.data();
  const Type type{.dtype = DType::f32, .dims = {2}};
  const std::vector<PortInfo> named{
      {.name = "a", .type = type}, {.name = "b", .type = type}, {.name = "a", .type = type}};
  const auto bound = bind_arrays(named, "in", std::move(arrays), "x.npz");
  EXPECT_EQ(bound[1].bytes.data(), b);
  EXPECT_EQ(bound[0], f32_array({2}, {1, 2}));
  EXPECT_EQ(bound[2], bound[0]);
}

TEST(Inputs, MissingAndWrongOnesAreUserErrors) {
  const auto error = [](const std::map<std::string, HostArray>& arrays) -> std::string {
    try {
      static_cast<void>(bind_arrays(ports, "in", arrays, "x.npz"));
    } catch (const Error& e) {
      EXPECT_EQ(e.kind(), ErrorKind::user);
      return e.located_message();
    }
    return "no error";
  };
  EXPECT_EQ(error({}), "x.npz: in0 (x): expected an array tensor<2xf32>, found no arrays");
  EXPECT_EQ(error({{"x", f32_array({1, 2}, {1, 2})}}),
            "x.npz: in0 (x): expected tensor<2xf32>, found tensor<1x2xf32>");
  EXPECT_EQ(error({{"x", i32_array({2}, {1, 2})}}),
            "x.npz: in0 (x): expected tensor<2xf32>, found tensor<2xi32>");
  EXPECT_EQ(error({{"x", f32_array({2}, {1, 2})}}),
            "x.npz: in1: expected an array tensor<1xbf16>, found x");
}

TEST(Inputs, RandomOnesDependOnTheSeedAlone) {
  std::vector<PortInfo> all;
  for (const DType dtype : all_dtypes) all.push_back({.type = {.dtype = dtype, .dims = {50}}});
  EXPECT_EQ(random_arrays(all, 1), random_arrays(all, 1));
  EXPECT_NE(random_arrays(all, 1), random_arrays(all, 2));
  for (const float x : f32_values(random_arrays({ports[0]}, 3)[0])) {
    EXPECT_GE(x, -1);
    EXPECT_LT(x, 1);
  }
}

}  // namespace
}  // namespace partita
