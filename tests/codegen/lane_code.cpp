// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Lane code: what artifacts hold without a C compiler, and that code which does not fit is refused.
#include "backend-cpu/format/lane_code.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>

#include "partita/base/error.hpp"
#include "partita/compile.hpp"
#include "partita/exec/executor.hpp"
#include "partita/frontend/stablehlo.hpp"

namespace partita::testing {
namespace {

/// Windows that reach over the edges, in lanes; then fewer items.
Artifact windows(const std::string& tier = "0", std::int64_t runs = 0) {
  const auto module = ir::parse_module(R"(
func.func @main(%x: tensor<7x45xf32>) -> (tensor<7x45xf32>, tensor<7xf32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %sums = "stablehlo.reduce_window"(%x, %zero) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %c = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %c : tensor<f32>
  }) {window_dimensions = array<i64: 1, 3>, padding = dense<[[0, 0], [1, 1]]> : tensor<2x2xi64>}
      : (tensor<7x45xf32>, tensor<f32>) -> tensor<7x45xf32>
  %most = stablehlo.reduce(%sums init: %zero) applies stablehlo.maximum across dimensions = [1] : (tensor<7x45xf32>, tensor<f32>) -> tensor<7xf32>
  return %sums, %most : tensor<7x45xf32>, tensor<7xf32>
})",
                                       "windows");
  driver::CompileOptions options;
  options.target = "cpu";
  options.target_options["tier"] = tier;
  options.runs = runs;
  return partita::compile(*module, options).artifact;
}

std::string text_of(const Artifact& artifact) {
  const auto& bytes = artifact.binaries.at(0).bytes;
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

TEST(LaneCode, takes_the_place_of_machine_code_and_runs) {
  const Artifact artifact = windows();
  ASSERT_EQ(artifact.binaries.size(), 1u);
  EXPECT_EQ(artifact.binaries[0].name, lane_code_name);
  EXPECT_EQ(lane_code_to_json(lane_code_from_json(text_of(artifact), "code")), text_of(artifact));
  Session session(parse_artifact(serialize_artifact(artifact), "artifact"), SessionOptions{});
  HostArray x(Type{.dtype = DType::f32, .dims = {7, 45}});
  for (int i = 0; i < 7 * 45; ++i) x.data<DType::f32>()[i] = float(i % 45);
  session.set_input(0, x);
  session.run();
  const HostArray sums = *session.output(0), most = *session.output(1);
  for (int i = 0; i < 7; ++i) {
    EXPECT_EQ(sums.data<DType::f32>()[i * 45], 1);
    EXPECT_EQ(sums.data<DType::f32>()[i * 45 + 20], 60);
    EXPECT_EQ(sums.data<DType::f32>()[i * 45 + 44], 87);
    EXPECT_EQ(most.data<DType::f32>()[i], 129);
  }
}

TEST(LaneCode, is_chosen_where_compiling_would_take_longer_than_running) {
  const auto binary = [](const std::string& tier, std::int64_t runs) {
    return windows(tier, runs).binaries.at(0).name;
  };
  ::setenv("PARTITA_CACHE_DIR", "", 1);
  EXPECT_EQ(binary("auto", 1), lane_code_name);
  EXPECT_EQ(binary("auto", 20), lane_code_name);
  EXPECT_NE(binary("auto", 1'000'000), lane_code_name);
  EXPECT_NE(binary("auto", 0), lane_code_name);
  EXPECT_NE(binary("1", 1), lane_code_name);
  // What is compiled already costs nothing.
  const auto folder = std::filesystem::temp_directory_path() / cat("partita_tier_", ::getpid());
  ::setenv("PARTITA_CACHE_DIR", folder.c_str(), 1);
  EXPECT_NE(binary("1", 0), lane_code_name);
  EXPECT_NE(binary("auto", 1), lane_code_name);
  std::filesystem::remove_all(folder);
  ::unsetenv("PARTITA_CACHE_DIR");
}

TEST(LaneCode, is_not_chosen_for_loops_of_unknown_length) {
  ::setenv("PARTITA_CACHE_DIR", "", 1);
  const auto module = ir::parse_module(R"(
func.func @main(%x: tensor<3xf32>, %limit: tensor<f32>) -> tensor<3xf32> {
  %r = stablehlo.while(%a = %x) : tensor<3xf32>
  cond {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %s = stablehlo.reduce(%a init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<3xf32>, tensor<f32>) -> tensor<f32>
    %go = stablehlo.compare LT, %s, %limit : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %go : tensor<i1>
  } do {
    %b = stablehlo.add %a, %a : tensor<3xf32>
    stablehlo.return %b : tensor<3xf32>
  }
  return %r : tensor<3xf32>
})",
                                       "doubling");
  driver::CompileOptions options;
  options.target = "cpu";
  options.runs = 1;
  EXPECT_NE(partita::compile(*module, options).artifact.binaries.at(0).name, lane_code_name);
  ::unsetenv("PARTITA_CACHE_DIR");
}

TEST(LaneCode, for_other_launches_is_refused) {
  const Artifact artifact = windows();
  const auto refused = [&](LaneCode code) {
    Artifact other = artifact;
    const std::string text = lane_code_to_json(code);
    const auto bytes = std::as_bytes(std::span(text));
    other.binaries[0].bytes.assign(bytes.begin(), bytes.end());
    try {
      const Session session(std::move(other), SessionOptions{});
      ADD_FAILURE() << "accepted " << text;
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::user) << error.what();
    }
  };
  LaneCode code = lane_code_from_json(text_of(artifact), "code");
  code.kernels[0].buffers.push_back(DType::f32);
  refused(code);
  code = lane_code_from_json(text_of(artifact), "code");
  code.kernels.pop_back();
  refused(code);
}

TEST(LaneCode, that_names_what_is_not_there_is_refused) {
  const std::string good = text_of(windows());
  const auto refused = [&](const std::string& from, const std::string& to) {
    std::string text = good;
    const std::size_t at = text.find(from);
    ASSERT_NE(at, std::string::npos) << from;
    text.replace(at, from.size(), to);
    try {
      (void)lane_code_from_json(text, "code");
      ADD_FAILURE() << "accepted " << to;
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::user) << error.what();
    }
  };
  refused("\"op\":\"ramp\"", "\"op\":\"ramps\"");
  refused("\"arguments\":[0]", "\"arguments\":[4000]");
  refused("\"arguments\":[0]", "\"arguments\":[]");
  refused("\"name\":\"add\"", "\"name\":\"none such\"");
  refused("\"bytes\":8", "\"bytes\":3");
  refused("\"buffer\":0", "\"buffer\":7");
  refused("\"scalars\":0", "\"scalars\":100");
  refused("{\"kernels\"", "{\"kernel\"");
  // Results where there are none, of other kinds, or out of range.
  refused("\"op\":\"store_row\"", "\"op\":\"store_row\",\"result\":9000");
  refused("\"op\":\"store_row\"", "\"op\":\"store\"");
  refused("\"result\":", "\"result\":90");
  LaneCode code = lane_code_from_json(good, "code");
  check_lane_code(code, "code");
  code.kernels[0].code[0].arguments[0] = 4000;
  EXPECT_THROW(check_lane_code(code, "code"), Error);
  EXPECT_THROW((void)lane_code_from_json(good.substr(0, good.size() / 2), "code"), Error);
}

}  // namespace
}  // namespace partita::testing
