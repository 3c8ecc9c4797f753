// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// A program whose clients nobody named and that would need much memory is told the option that takes it apart.
#include "driver/suggest_placement.hpp"

#include <gmock/gmock.h>

#include "partita/compile.hpp"

namespace partita::testing {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;

/// Each of 64 clients sorts `count` numbers and keeps the least.
std::string clients_that_sort(std::int64_t count) {
  const std::string type = cat("tensor<64x", count, "xf32>");
  return cat(R"(func.func @main(%x: tensor<64xf32>) -> tensor<64x1xf32> {
  %0 = stablehlo.broadcast_in_dim %x, dims = [0] : (tensor<64xf32>) -> )",
             type, R"(
  %1 = stablehlo.iota dim = 1 : )",
             type, R"(
  %2 = stablehlo.multiply %0, %1 : )",
             type, R"(
  %3 = "stablehlo.sort"(%2) <{dimension = 1 : i64, is_stable = true}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %c = stablehlo.compare LT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  }) : ()",
             type, ") -> ", type, R"(
  %4 = stablehlo.slice %3 [0:64, 0:1] : ()",
             type, R"() -> tensor<64x1xf32>
  return %4 : tensor<64x1xf32>
})");
}

std::vector<std::string> remarks_on(const std::string& program,
                                    const std::map<std::string, std::int64_t>& placements = {}) {
  const CompileOptions options{
      .target = "cpu", .placements = placements, .target_options = {{"tier", "0"}}};
  return compile(program, options, "p").report.remarks;
}

TEST(SuggestPlacement, names_the_axis_that_takes_the_program_apart) {
  constexpr std::int64_t many = std::int64_t{1} << 25;
  EXPECT_THAT(remarks_on(clients_that_sort(many)),
              Contains(HasSubstr("--placement clients=64 takes it apart: ")));
  EXPECT_THAT(remarks_on(clients_that_sort(many), {{"clients", 64}}),
              Not(Contains(HasSubstr("--placement"))));
  EXPECT_THAT(remarks_on(clients_that_sort(1024)), Not(Contains(HasSubstr("--placement"))));
}

}  // namespace
}  // namespace partita::testing
