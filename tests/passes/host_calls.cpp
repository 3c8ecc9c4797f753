// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Calls of functions of the host application: what texts of them mean, and what becomes of them in programs of shards.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cstring>

#include "partita/base/error.hpp"
#include "partita/base/host_function.hpp"
#include "partita/frontend/stablehlo.hpp"
#include "partita/ir/interpreter.hpp"
#include "tests/ops/op_test.hpp"
#include "tests/passes/pass_case.hpp"

namespace partita::testing {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::NotNull;

std::string call(const std::string& operands, const std::string& config, const std::string& type) {
  return cat("stablehlo.custom_call @partita.host_call(", operands,
             ") {has_side_effect = true, api_version = 4 : i32, backend_config = {", config,
             "}} : ", type);
}

class HostCalls : public ::testing::Test {
 protected:
  void SetUp() override {
    // Results are the first operand's bytes.
    set_host_function("test.same",
                      std::make_shared<const HostFunction>([this](const HostFunctionArrays& a) {
                        ++calls;
                        EXPECT_THAT(a.operands, Each(NotNull()));
                        EXPECT_THAT(a.results, Each(NotNull()));
                        for (std::size_t k = 0; k < a.results.size(); ++k)
                          std::memcpy(a.results[k], a.operands[k], a.result_types[k].bytes());
                      }));
  }
  void TearDown() override { set_host_function("test.same", nullptr); }

  std::atomic<int> calls = 0;
};

TEST_F(HostCalls, AreRefusedWithoutAName) {
  for (const char* config : {"", "name = \"f\"", "function = \"\"", "function = 3 : i32",
                             "function = \"f\", once = 1 : i32", "function = \"f\", twice = true"})
    EXPECT_THAT(ir::refusal_of(cat("func.func @main(%a: tensor<f32>) {\n  ",
                                   call("%a", config, "(tensor<f32>) -> ()"), "\n  return\n}")),
                HasSubstr("backend_config = {function = \"NAME\"}"))
        << config;
}

TEST_F(HostCalls, AreNeitherLeftOutNorMerged) {
  const std::string type = "(tensor<f32>) -> tensor<f32>", same = "function = \"test.same\"";
  const auto module = ir::parse_module(
      cat("func.func @main(%a: tensor<f32>) -> tensor<f32> {\n  %0 = ", call("%a", same, type),
          "\n  %1 = ", call("%a", same, type), "\n  ", call("%a", same, "(tensor<f32>) -> ()"),
          "\n  return %1 : tensor<f32>\n}"));
  passes::PassContext context;
  (void)driver::run_passes(*module, driver::parse_pipeline("inline raise simplify"), context);
  ir::Interpreter interpreter(*module);
  const std::vector<ir::Tensor> inputs{ir::f32({}, {4})};
  const auto results = interpreter.run(module->entry("main"), inputs);
  EXPECT_THAT(ir::values_of(results[0]), ElementsAre(4));
  EXPECT_EQ(calls, 3);
}

// One shard calls; the others have what it got, bit for bit.
TEST_F(HostCalls, ThatAreMadeOnceGiveTheirResultsToAllShards) {
  const std::string types =
      "tensor<8x2xf32>, tensor<8xi1>, tensor<8xcomplex<f64>>, tensor<8xi64>, tensor<8xbf16>, "
      "tensor<0xf32>";
  for (const bool once : {false, true}) {
    const auto module = ir::parse_module(cat(
        "module @m {\n  sdy.mesh @mesh = <[\"x\"=2, \"y\"=2]>\n  func.func public @main(",
        "%a: tensor<8x2xf32> {sdy.sharding = #sdy.sharding<@mesh, [{\"x\"}, {}]>}, "
        "%b: tensor<8xi1>, %c: tensor<8xcomplex<f64>>, %d: tensor<8xi64>, %e: tensor<8xbf16>, "
        "%f: tensor<0xf32>) -> (",
        types, ") {\n    %n = stablehlo.negate %a : tensor<8x2xf32>\n    %0:6 = ",
        call("%n, %b, %c, %d, %e, %f", cat("function = \"test.same\"", once ? ", once = true" : ""),
             cat("(", types, ") -> (", types, ")")),
        "\n    return %0#0, %0#1, %0#2, %0#3, %0#4, %0#5 : ", types, "\n  }\n}\n"));
    std::mt19937 random(1);
    std::vector<ir::Tensor> inputs;
    for (const Type& type : module->entry("main").argument_types())
      inputs.push_back(std::make_shared<const HostArray>(random_array(type, random)));
    const auto run = [&] {
      ir::Interpreter interpreter(*module);
      return interpreter.run(module->entry("main"), inputs);
    };
    const auto expected = run();
    EXPECT_EQ(calls, 1);
    passes::PassContext context;
    (void)driver::run_passes(
        *module, driver::parse_pipeline("inline raise simplify partition simplify"), context);
    calls = 0;
    const auto found = run();
    EXPECT_EQ(calls, once ? 1 : 4);
    ASSERT_EQ(found.size(), expected.size());
    for (std::size_t k = 0; k < found.size(); ++k) EXPECT_EQ(found[k]->bytes, expected[k]->bytes);
    calls = 0;
  }
}

}  // namespace
}  // namespace partita::testing
