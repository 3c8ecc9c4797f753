// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// The generators against the known answers of their authors, and how elements take their words.
#include "ops/random/random_bits.hpp"
#include "tests/ops/op_test.hpp"

namespace partita::ir {
namespace {

using ops::philox4x32;
using ops::threefry2x32;
using W2 = std::array<std::uint32_t, 2>;
using W4 = std::array<std::uint32_t, 4>;

TEST(RandomBits, threefry_gives_the_known_answers) {
  EXPECT_EQ(threefry2x32(W2{0, 0}, W2{0, 0}), (W2{0x6b200159, 0x99ba4efe}));
  EXPECT_EQ(threefry2x32(W2{0xffffffff, 0xffffffff}, W2{0xffffffff, 0xffffffff}),
            (W2{0x1cb996fc, 0xbb002be7}));
  EXPECT_EQ(threefry2x32(W2{0x13198a2e, 0x03707344}, W2{0x243f6a88, 0x85a308d3}),
            (W2{0xc4923a9c, 0x483df7a0}));
}

TEST(RandomBits, philox_gives_the_known_answers) {
  EXPECT_EQ(philox4x32(W2{0, 0}, W4{0, 0, 0, 0}),
            (W4{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  EXPECT_EQ(
      philox4x32(W2{0xa4093822, 0x299f31d0}, W4{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}),
      (W4{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

std::vector<Tensor> bits(const char* algorithm, std::vector<std::uint64_t> state,
                         const std::string& output) {
  HostArray s(Type{.dtype = DType::ui64, .dims = {std::int64_t(state.size())}});
  std::copy(state.begin(), state.end(), s.data<DType::ui64>());
  const std::string type = to_string(s.type);
  return run_text(
      cat("func.func @main(%s: ", type, ") -> (", type, ", ", output,
          ") {\n  %0, %1 = stablehlo.rng_bit_generator %s, algorithm = ", algorithm, " : (", type,
          ") -> (", type, ", ", output, ")\n  return %0, %1 : ", type, ", ", output, "\n}"),
      {std::make_shared<const HostArray>(s)});
}

TEST(RandomBits, philox_counts_blocks_with_carry) {
  const auto out = bits("PHILOX", {7, ~std::uint64_t(0), 5}, "tensor<9xui32>");
  const auto* state = out[0]->data<DType::ui64>();
  EXPECT_EQ(state[0], 7U);
  EXPECT_EQ(state[1], 2U);
  EXPECT_EQ(state[2], 6U);
  const auto* x = out[1]->data<DType::ui32>();
  EXPECT_EQ(x[0], philox4x32(W2{7, 0}, W4{~0U, ~0U, 5, 0})[0]);
  EXPECT_EQ(x[5], philox4x32(W2{7, 0}, W4{0, 0, 6, 0})[1]);
  EXPECT_EQ(x[8], philox4x32(W2{7, 0}, W4{1, 0, 6, 0})[0]);
}

TEST(RandomBits, threefry_deals_words_along_an_even_dimension) {
  const auto out = bits("THREE_FRY", {3, 10}, "tensor<3x4xui32>");
  EXPECT_EQ(out[0]->data<DType::ui64>()[1], 16U);
  const auto* x = out[1]->data<DType::ui32>();
  for (std::uint32_t i = 0; i < 3; ++i)
    for (std::uint32_t j = 0; j < 4; ++j)
      EXPECT_EQ(x[i * 4 + j], threefry2x32(W2{3, 0}, W2{10 + i * 2 + j / 2, 0})[j % 2]);
}

TEST(RandomBits, narrow_elements_are_low_bits) {
  const auto wide = bits("DEFAULT", {3, 10}, "tensor<7xui32>"),
             narrow = bits("DEFAULT", {3, 10}, "tensor<7xi8>");
  EXPECT_EQ(wide[0]->bytes, narrow[0]->bytes);
  for (std::size_t k = 0; k < 7; ++k)
    EXPECT_EQ(std::int8_t(wide[1]->data<DType::ui32>()[k]), narrow[1]->data<DType::i8>()[k]);
}

TEST(RandomBits, states_of_another_size_are_refused) {
  EXPECT_THROW((void)bits("THREE_FRY", {1, 2, 3}, "tensor<4xui32>"), Error);
  EXPECT_THROW((void)bits("DEFAULT", {1}, "tensor<4xui32>"), Error);
  EXPECT_THROW((void)bits("PHILOX", {1, 2}, "tensor<4xi1>"), Error);
}

TEST(Rng, numbers_follow_their_distribution) {
  const auto out = run_text(
      R"(func.func @main(%a: tensor<f32>, %b: tensor<f32>) -> (tensor<10000xf32>, tensor<10000xf32>) {
  %n = stablehlo.constant dense<10000> : tensor<1xi64>
  %0 = stablehlo.rng %a, %b, %n, distribution = UNIFORM : (tensor<f32>, tensor<f32>, tensor<1xi64>) -> tensor<10000xf32>
  %1 = stablehlo.rng %a, %b, %n, distribution = NORMAL : (tensor<f32>, tensor<f32>, tensor<1xi64>) -> tensor<10000xf32>
  return %0, %1 : tensor<10000xf32>, tensor<10000xf32>
})",
      {f32({}, {2}), f32({}, {5})});
  double sum = 0, mean = 0, square = 0;
  for (const double x : values_of(out[0])) {
    EXPECT_TRUE(x >= 2 && x < 5);
    sum += x / 1e4;
  }
  EXPECT_NEAR(sum, 3.5, 0.03);
  for (const double x : values_of(out[1])) {
    mean += x / 1e4;
    square += x * x / 1e4;
  }
  EXPECT_NEAR(mean, 2, 0.2);
  EXPECT_NEAR(std::sqrt(square - mean * mean), 5, 0.2);
}

}  // namespace
}  // namespace partita::ir
