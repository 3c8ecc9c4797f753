// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// What a tuning file changes: tiles, the choice between library and generated kernels, parameters in
// the artifact; and that --gemm has the last word.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lowering/values/tuning_model.hpp"
#include "partita/base/error.hpp"
#include "partita/compile.hpp"
#include "partita/frontend/stablehlo.hpp"

namespace partita::testing {
namespace {

using ::testing::HasSubstr;

const char* const program = R"(
func.func @main(%x: tensor<100x300xf32>, %w: tensor<300x200xf32>) -> tensor<100x200xf32> {
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<100x300xf32>, tensor<300x200xf32>) -> tensor<100x200xf32>
  return %0 : tensor<100x200xf32>
})";

/// Small products are fast with 6 rows, large ones with 8 and by the library.
Tuning sample() {
  Tuning t;
  t.device.target = "opencl";
  t.device.name = "some device";
  t.device.covers = {"some"};
  t.parameters = {{.kernel = "GemmRoutine",
                   .dtype = DType::f32,
                   .values = {{.name = "XGEMM_MIN_INDIRECT_SIZE", .value = 64}}}};
  const auto add = [&](std::int64_t size, std::int64_t six_ns, std::int64_t eight_ns,
                       std::int64_t library_ns) {
    t.contractions.push_back({.key = {.m = size, .n = size, .k = size},
                              .generated = {{.tile = {32, 6, 2}, .time = {six_ns, 0, 5}},
                                            {.tile = {64, 8, 1}, .time = {eight_ns, 0, 5}}},
                              .library = Timing{library_ns, 0, 5}});
  };
  add(64, 1000, 2000, 9000);
  add(2048, 9'000'000, 6'000'000, 3'000'000);
  return t;
}

driver::CompileOptions options_with(Tuning tuning) {
  driver::CompileOptions options;
  options.tuning = std::make_shared<Tuning>(std::move(tuning));
  return options;
}

Artifact compile(const std::string& text, const driver::CompileOptions& options) {
  return partita::compile(*ir::parse_module(text, "program"), options).artifact;
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size())
    text.replace(at, from.size(), to);
  return text;
}

std::string property(const Artifact& artifact, const std::string& key) {
  for (const auto& [k, value] : artifact.properties)
    if (k == key) return value;
  return "";
}

bool calls_library(const Artifact& artifact) {
  return std::holds_alternative<Gemm>(artifact.plan.steps.at(0).what);
}

TEST(TuningChoice, is_that_of_near_shapes) {
  const Artifact small = compile(program, options_with(sample()));
  EXPECT_FALSE(calls_library(small));
  EXPECT_THAT(property(small, "contraction.dot_1x100x200x300"),
              HasSubstr("6 rows of 2 vectors of 32 bytes"));
  EXPECT_THAT(small.modules[0].source, HasSubstr("float8"));
  EXPECT_EQ(small.library, LibrarySettings{});

  const std::string large =
      replaced(replaced(replaced(program, "100", "1900"), "200", "1800"), "300", "1700");
  const Artifact by_library = compile(large, options_with(sample()));
  EXPECT_TRUE(calls_library(by_library));
  EXPECT_EQ(by_library.library.devices, sample().device.covers);
  EXPECT_EQ(by_library.library.parameters, sample().parameters);
  EXPECT_THAT(property(by_library, "contraction.gemm_1x1900x1800x1700"),
              HasSubstr("nearest measured f32 nn 2048x2048x2048"));
}

TEST(TuningChoice, leaves_the_last_word_to_gemm) {
  auto options = options_with(sample());
  options.gemm = "clblast";
  EXPECT_TRUE(calls_library(compile(program, options)));
  const std::string large =
      replaced(replaced(replaced(program, "100", "1900"), "200", "1800"), "300", "1700");
  options.gemm = "generated";
  const Artifact generated = compile(large, options);
  EXPECT_FALSE(calls_library(generated));
  EXPECT_THAT(property(generated, "contraction.dot_1x1900x1800x1700"),
              HasSubstr("8 rows of 1 vectors of 64 bytes"));
}

TEST(TuningChoice, is_the_rule_of_the_target_where_nothing_was_measured) {
  const std::string f64 = replaced(program, "f32", "f64");
  const Artifact with = compile(f64, options_with(sample())), without = compile(f64, {});
  EXPECT_EQ(with.modules[0].source, without.modules[0].source);
  EXPECT_THAT(property(without, "contraction.dot_1x100x200x300"),
              HasSubstr("rule: the library from 8589934592 multiply-adds on, found 6000000"));
  EXPECT_EQ(property(without, "tuning"), "none: rules of the target");
}

TEST(TuningChoice, is_deterministic_and_part_of_the_artifact) {
  const auto bytes = [](const Tuning& t) {
    return serialize_artifact(compile(program, options_with(t)));
  };
  EXPECT_EQ(bytes(sample()), bytes(sample()));
  Tuning other = sample();
  other.contractions[1].generated[0].time.median_ns += 1;
  EXPECT_NE(bytes(sample()), bytes(other));
}

TEST(TuningChoice, wins_back_the_first_call_of_the_library) {
  Tuning t = sample();
  const lowering::TuningModel cheap(t);
  t.library_first_ms = 1'000'000;
  const lowering::TuningModel dear(t);
  const ContractionKey key{.m = 2048, .n = 2048, .k = 2048};
  EXPECT_TRUE(cheap.estimate(key)->takes_library());
  EXPECT_FALSE(dear.estimate(key)->takes_library());
  EXPECT_NEAR(cheap.estimate(key)->generated_ns, 6e6, 6e4);
  EXPECT_EQ(cheap.estimate({.dtype = DType::f64}), std::nullopt);
}

TEST(TuningChoice, refuses_files_of_other_targets_and_devices) {
  auto options = options_with(sample());
  options.tuning_name = "t.json";
  options.device = "another device";
  EXPECT_THROW((void)compile(program, options), Error);
  options.device = "some device of the kind";
  EXPECT_NO_THROW((void)compile(program, options));
  options.device = "generic";
  options.target = "cpu";
  options.target_options["cpu"] = "none";
  EXPECT_THROW((void)compile(program, options), Error);
}

TEST(TuningChoice, finds_what_is_built_in_for_a_device) {
  for (const std::string& device : driver::tuned_devices("opencl")) {
    driver::CompileOptions options;
    options.device = device;
    EXPECT_THAT(property(compile(program, options), "tuning"), HasSubstr("built-in " + device));
  }
  for (const std::string& beginning : driver::covered_devices("opencl")) {
    driver::CompileOptions options;
    options.device = beginning + " of some model";
    EXPECT_THAT(property(compile(program, options), "tuning"), HasSubstr("built-in "));
  }
  EXPECT_THAT(driver::covered_devices("cpu"), ::testing::IsEmpty());
  driver::CompileOptions options;
  options.device = "a device nobody measured";
  const Artifact artifact = compile(program, options);
  EXPECT_THAT(property(artifact, "tuning"), HasSubstr("none covers"));
  EXPECT_EQ(artifact.modules[0].source, compile(program, {}).modules[0].source);
}

}  // namespace
}  // namespace partita::testing
