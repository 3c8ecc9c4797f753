// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// The reader of portable artifacts on files that are made here.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "frontend/stablehlo/bytecode_ops.hpp"
#include "frontend/stablehlo/bytecode_stream.hpp"
#include "partita/base/error.hpp"
#include "partita/frontend/stablehlo.hpp"
#include "partita/ir/op.hpp"
#include "tests/support/bytecode_writer.hpp"

namespace partita::ir {
namespace {

using testing::BytecodeWriter;
using ::testing::HasSubstr;
using ::testing::StartsWith;

std::string error_of(const std::string& bytes) {
  try {
    static_cast<void>(parse_module(bytes, "a.mlirbc"));
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::user) << error.what();
    return error.located_message();
  }
  return "no error";
}

std::string text_of(const std::string& bytes) { return print_module(*parse_module(bytes)); }

/// A module whose function returns a constant of this element code, dims and bytes.
std::string constant_artifact(int element, const std::vector<std::int64_t>& dims,
                              const std::string& data) {
  BytecodeWriter w;
  const auto type = w.tensor_type(dims, w.element(element));
  const std::string body = BytecodeWriter::region({}, 1,
                                                  {w.op({.name = "constant_v1",
                                                         .properties = {w.tensor(type, data)},
                                                         .result_types = {type},
                                                         .operands = {},
                                                         .regions = {}}),
                                                   w.op({.name = "return_v1",
                                                         .properties = {},
                                                         .result_types = {},
                                                         .operands = {0},
                                                         .regions = {}})});
  return w.file({w.function("main", body)});
}

/// The same with an op of this name and these properties in the constant's place.
std::string op_artifact(const std::string& name, int version = 6) {
  BytecodeWriter w;
  const auto type = w.tensor_type({}, w.element(4));
  const std::string body = BytecodeWriter::region({type}, 2,
                                                  {w.op({.name = name,
                                                         .properties = {},
                                                         .result_types = {type},
                                                         .operands = {0},
                                                         .regions = {}}),
                                                   w.op({.name = "return_v1",
                                                         .properties = {},
                                                         .result_types = {},
                                                         .operands = {1},
                                                         .regions = {}})});
  return w.file({w.function("main", body)}, version, "StableHLO_v9.9.9");
}

TEST(Bytecode, an_artifact_is_the_program_that_its_text_is) {
  EXPECT_EQ(text_of(testing::sample_artifact()), print_module(*parse_module(R"(
func.func public @main(%x: tensor<f32>) -> tensor<f32> {
  %v = stablehlo.constant dense<[1.0, 1.0, 2.0]> : tensor<3xf32>
  %one = stablehlo.constant dense<1.0> : tensor<f32>
  %sum = stablehlo.reduce(%v init: %one) applies stablehlo.add across dimensions = [0] : (tensor<3xf32>, tensor<f32>) -> tensor<f32>
  %r = stablehlo.while(%i = %x) : tensor<f32>
  cond {
    %more = stablehlo.compare LT, %i, %sum, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %more : tensor<i1>
  } do {
    %next = stablehlo.add %i, %one : tensor<f32>
    stablehlo.return %next : tensor<f32>
  }
  return %r : tensor<f32>
})")));
}

TEST(Bytecode, reads_packed_booleans_splats_and_empty_constants) {
  EXPECT_THAT(text_of(constant_artifact(0, {10}, "\x05\x02")),
              HasSubstr("dense<[true, false, true, false, false, false, false, false, false, "
                        "true]> : tensor<10xi1>"));
  EXPECT_THAT(text_of(constant_artifact(0, {10}, "\xff")),
              HasSubstr("dense<true> : tensor<10xi1>"));
  EXPECT_THAT(text_of(constant_artifact(0, {3}, "\x03")), HasSubstr("dense<[true, true, false]>"));
  EXPECT_THAT(text_of(constant_artifact(11, {4}, "\x07")), HasSubstr("dense<7> : tensor<4xi8>"));
  EXPECT_THAT(text_of(constant_artifact(16, {2}, "\x07\xfe")), HasSubstr("dense<[7, 254]>"));
  // Elements of less than a byte have one each, of which the low bits count.
  EXPECT_THAT(text_of(constant_artifact(10, {3}, "\x07\x08\xff")),
              HasSubstr("dense<[7, -8, -1]> : tensor<3xi4>"));
  EXPECT_THAT(text_of(constant_artifact(15, {2}, "\x0f\xf1")),
              HasSubstr("dense<[15, 1]> : tensor<2xui4>"));
  EXPECT_THAT(text_of(constant_artifact(31, {2}, "\x01\x02")),
              HasSubstr("dense<[1, -2]> : tensor<2xi2>"));
  EXPECT_THAT(text_of(constant_artifact(32, {5}, "\x03")), HasSubstr("dense<3> : tensor<5xui2>"));
  EXPECT_THAT(text_of(constant_artifact(37, {2}, "\x07\x09")),
              HasSubstr("dense<[6.000000e+00, -5.000000e-01]> : tensor<2xf4E2M1FN>"));
}

TEST(Bytecode, reads_floats_of_eight_bits) {
  const std::pair<int, const char*> ones[] = {{6, "\x38"},  {7, "\x3c"},  {27, "\x40"},
                                              {28, "\x40"}, {29, "\x58"}, {35, "\x38"},
                                              {36, "\x30"}, {40, "\x7f"}};
  for (const auto& [code, one] : ones)
    EXPECT_THAT(text_of(constant_artifact(code, {2}, one)), HasSubstr("dense<1.000000e+00>"))
        << code;
  EXPECT_THAT(text_of(constant_artifact(4, {0, 3}, "")), HasSubstr("dense<> : tensor<0x3xf32>"));
}

TEST(Bytecode, refuses_constants_of_another_size) {
  EXPECT_THAT(error_of(constant_artifact(4, {2}, "12345")),
              HasSubstr("bytecode: expected 2 elements of 4 bytes, found 5 bytes"));
  EXPECT_THAT(error_of(constant_artifact(4, {1 << 20, 1 << 20}, "12345678")),
              HasSubstr("found 8 bytes"));
  EXPECT_THAT(error_of(constant_artifact(0, {20}, "12")), HasSubstr("3 bytes of booleans"));
}

TEST(Bytecode, names_types_that_partita_does_not_have) {
  EXPECT_THAT(error_of(constant_artifact(38, {2}, "12")), HasSubstr("found 'tensor<2xf6E2M3FN>'"));
  EXPECT_THAT(error_of(constant_artifact(34, {2}, "1")), HasSubstr("found 'tensor<2xtf32>'"));
  EXPECT_THAT(error_of(constant_artifact(4, {-1}, "1")),
              HasSubstr("expected a constant of known extents, found 'tensor<?xf32>'"));
  EXPECT_THAT(error_of(constant_artifact(99, {1}, "1")),
              HasSubstr("expected a type of VHLO that is known here, found type 99"));
}

TEST(Bytecode, names_newer_ops_and_encodings) {
  EXPECT_THAT(text_of(op_artifact("abs_v1")), HasSubstr("stablehlo.abs %arg0"));
  EXPECT_THAT(
      error_of(op_artifact("abs_v7")),
      StartsWith("a.mlirbc: bytecode: expected a known op, found op vhlo.abs_v7 (written by "
                 "StableHLO_v9.9.9)"));
  EXPECT_THAT(error_of(op_artifact("abs_v1", 7)),
              HasSubstr("expected MLIR bytecode of version 6 at most, found version 7"));
  EXPECT_THAT(error_of(op_artifact("custom_call_v1")), HasSubstr("bytecode: expected"));
}

TEST(Bytecode, every_beginning_of_a_file_gives_an_error) {
  const std::string whole = testing::sample_artifact();
  for (std::size_t size = 4; size < whole.size(); ++size)
    EXPECT_THAT(error_of(whole.substr(0, size)), StartsWith("a.mlirbc: bytecode: expected "));
}

TEST(Bytecode, attributes_within_themselves_or_in_many_copies_are_refused) {
  const auto artifact = [](const auto& make_value) {
    BytecodeWriter w;
    const auto type = w.tensor_type({}, w.element(4));
    const auto value = make_value(w);
    return w.file({w.function("main", BytecodeWriter::region({}, 1,
                                                             {w.op({.name = "constant_v1",
                                                                    .properties = {value},
                                                                    .result_types = {type},
                                                                    .operands = {},
                                                                    .regions = {}})}))});
  };
  EXPECT_THAT(error_of(artifact([](BytecodeWriter& w) { return w.array({0}); })),
              HasSubstr("nesting of at most"));
  EXPECT_THAT(error_of(artifact([](BytecodeWriter& w) {
                auto list = w.text("x");
                for (int k = 0; k < 60; ++k) list = w.array({list, list});
                return list;
              })),
              HasSubstr("in proportion to the file"));
}

TEST(Bytecode, names_of_ops_lose_their_version) {
  EXPECT_EQ(stablehlo_name("vhlo.dot_general_v2"), "stablehlo.dot_general");
  EXPECT_EQ(stablehlo_name("vhlo.call_v1"), "func.call");
  EXPECT_EQ(stablehlo_name("sdy.reshard"), "sdy.reshard");
  const ArtifactOp* sort = find_artifact_op("vhlo.sort_v1");
  ASSERT_TRUE(sort);
  EXPECT_EQ(property_names(*sort), (std::vector<std::string_view>{"dimension", "is_stable"}));
}

TEST(ByteStream, reads_integers_of_all_lengths) {
  const auto read = [](const std::string& bytes) {
    ByteStream in(std::as_bytes(std::span(bytes)), "f");
    const std::uint64_t value = in.read_varint();
    EXPECT_TRUE(in.at_end());
    return value;
  };
  EXPECT_EQ(read("\x01"), 0U);
  EXPECT_EQ(read("\xff"), 127U);
  EXPECT_EQ(read(std::string("\x02\x02", 2)), 128U);
  EXPECT_EQ(read(std::string("\x80\xff\xff\xff\xff\xff\xff\xff", 8)), 0xFFFFFFFFFFFFFFULL);
  EXPECT_EQ(read(std::string("\0\x01\0\0\0\0\0\0\x80", 9)), 0x8000000000000001ULL);
  for (const std::int64_t value : {0L, 1L, -1L, 1234567L, INT64_MIN, INT64_MAX}) {
    const std::string bytes = BytecodeWriter::signed_varint(value);
    ByteStream in(std::as_bytes(std::span(bytes)), "f");
    EXPECT_EQ(in.read_signed_varint(), value);
  }
}

}  // namespace
}  // namespace partita::ir
