// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Decisions follow what is known of the device: each member of TargetInfo that decides changes plan or
// kernels.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "partita/base/error.hpp"
#include "partita/driver/compile.hpp"
#include "partita/frontend/stablehlo.hpp"

namespace partita::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

Artifact compile_for(const std::string& program, const std::function<void(TargetInfo&)>& set) {
  driver::CompileOptions options;
  options.device_info = driver::target_info(options);
  set(*options.device_info);
  return driver::compile_module(*ir::parse_module(program, "program"), options);
}

Artifact compile(const std::string& program) {
  return compile_for(program, [](TargetInfo&) {});
}

std::string property(const Artifact& artifact, const std::string& key) {
  for (const auto& [k, value] : artifact.properties)
    if (k == key) return value;
  return "";
}

template <class T>
const T& only_step(const Artifact& artifact) {
  EXPECT_EQ(artifact.plan.steps.size(), 1u);
  return std::get<T>(artifact.plan.steps.at(0).what);
}

const char* const product = R"(
func.func @main(%x: tensor<64x300xf32>, %w: tensor<300x200xf32>) -> tensor<64x200xf32> {
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<64x300xf32>, tensor<300x200xf32>) -> tensor<64x200xf32>
  return %0 : tensor<64x200xf32>
})";

const char* const transposed_product = R"(
func.func @main(%x: tensor<64x200xf32>, %w: tensor<240x200xf32>) -> tensor<64x240xf32> {
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [1] : (tensor<64x200xf32>, tensor<240x200xf32>) -> tensor<64x240xf32>
  return %0 : tensor<64x240xf32>
})";

TEST(TargetInfoDecides, on_library_or_generated) {
  EXPECT_NO_THROW((void)only_step<Launch>(compile(product)));
  const Artifact library = compile_for(product, [](TargetInfo& t) { t.library_threshold = 1000; });
  EXPECT_NO_THROW((void)only_step<Gemm>(library));
  EXPECT_THAT(property(library, "contraction.gemm_1x64x200x300"),
              HasSubstr("rule: the library from 1000 multiply-adds on, found 3840000"));
}

TEST(TargetInfoDecides, on_tiles) {
  const Artifact small = compile_for(product, [](TargetInfo& t) {
    t.vector_bytes = 16;
    t.tile_rows = 4;
    t.tile_vectors = 1;
  });
  EXPECT_THAT(property(small, "contraction.dot_1x64x200x300"),
              HasSubstr("at most 4 rows of 1 vectors of 16 bytes"));
  EXPECT_THAT(small.modules[0].source, HasSubstr("load_lanes(f32, 4,"));
  EXPECT_THAT(small.modules[0].source, Not(HasSubstr("load_lanes(f32, 16,")));
  EXPECT_THAT(compile(product).modules[0].source, HasSubstr("load_lanes(f32, 16,"));
}

TEST(TargetInfoDecides, on_packing) {
  EXPECT_EQ(compile(transposed_product).plan.steps.size(), 1u);
  const Artifact packed =
      compile_for(transposed_product, [](TargetInfo& t) { t.packing_threshold = 1000; });
  EXPECT_GT(packed.plan.steps.size(), 1u);
}

TEST(TargetInfoDecides, on_groups) {
  const char* const gathered = R"(
func.func @main(%x: tensor<1000xf32>, %i: tensor<7001xi32>) -> tensor<7001xf32> {
  %0 = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1>}> : (tensor<1000xf32>, tensor<7001xi32>) -> tensor<7001xf32>
  return %0 : tensor<7001xf32>
})";
  const auto rowless = [](std::int64_t group) {
    return [group](TargetInfo& t) {
      t.preferred_group = group;
      t.has_row_launches = false;
    };
  };
  const Launch& of_64 = only_step<Launch>(compile_for(gathered, rowless(64)));
  EXPECT_EQ(of_64.local[0], 64);
  const Launch& of_256 = only_step<Launch>(compile_for(gathered, rowless(256)));
  EXPECT_EQ(of_256.local[0], 256);
  EXPECT_EQ(of_256.global[0].value(), 7168);
}

TEST(TargetInfoDecides, on_rows) {
  const char* const column_sums = R"(
func.func @main(%x: tensor<100x48xf32>) -> tensor<48xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<100x48xf32>, tensor<f32>) -> tensor<48xf32>
  return %0 : tensor<48xf32>
})";
  const auto source = [&](const std::function<void(TargetInfo&)>& set) {
    return compile_for(column_sums, set).modules[0].source;
  };
  EXPECT_THAT(source([](TargetInfo&) {}), HasSubstr("load_lanes(f32, 16,"));
  EXPECT_THAT(source([](TargetInfo& t) { t.vector_bytes = 32; }), HasSubstr("load_lanes(f32, 8,"));
  EXPECT_THAT(source([](TargetInfo& t) { t.has_row_launches = false; }),
              Not(HasSubstr("load_lanes(f32")));
}

TEST(TargetInfoDecides, on_what_is_kept) {
  // Two reductions need what costs more than storing it by default.
  const char* const shared = R"(
func.func @main(%x: tensor<64x64xf32>, %y: tensor<64x64xf32>) -> (tensor<64xf32>, tensor<64xf32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %e = stablehlo.tanh %x : tensor<64x64xf32>
  %a = stablehlo.reduce(%e init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<64x64xf32>, tensor<f32>) -> tensor<64xf32>
  %b = stablehlo.reduce(%e init: %zero) applies stablehlo.maximum across dimensions = [1] : (tensor<64x64xf32>, tensor<f32>) -> tensor<64xf32>
  return %a, %b : tensor<64xf32>, tensor<64xf32>
})";
  const Artifact kept = compile(shared);
  const Artifact again = compile_for(shared, [](TargetInfo& t) { t.store_operations = 100; });
  EXPECT_GT(kept.plan.arena_bytes, 0);
  EXPECT_EQ(again.plan.arena_bytes, 0);
}

TEST(TargetInfoDecides, on_partitions_at_a_time) {
  const char* const map = R"(
module attributes {mr.placements = {clients = 64}} {
  func.func public @main(%x: tensor<64x20x30xf32>, %w: tensor<30x10xf32>) -> tensor<64x20x10xf32> {
    %each = "mr.broadcast"(%w) {placement = "clients"} : (tensor<30x10xf32>) -> tensor<64x30x10xf32>
    %0 = "mr.map"(%x, %each) ({
    ^bb0(%a: tensor<20x30xf32>, %b: tensor<30x10xf32>):
      %p = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<20x30xf32>, tensor<30x10xf32>) -> tensor<20x10xf32>
      "mr.return"(%p) : (tensor<20x10xf32>) -> ()
    }) {placement = "clients", in_axes = array<i64: 0, 0>, out_axes = array<i64: 0>} : (tensor<64x20x30xf32>, tensor<64x30x10xf32>) -> tensor<64x20x10xf32>
    return %0 : tensor<64x20x10xf32>
  }
})";
  const auto block = [&](const std::function<void(TargetInfo&)>& set) {
    return property(compile_for(map, set), "block.clients");
  };
  EXPECT_THAT(block([](TargetInfo& t) { t.launch_seconds = 1e-3; }), HasSubstr("B = 64:"));
  EXPECT_THAT(block([](TargetInfo& t) { t.launch_seconds = 1e-9; }), HasSubstr("B = 1:"));
  EXPECT_THAT(block([](TargetInfo& t) { t.cache_bytes = 5000; }), HasSubstr("B = 1:"));
}

TEST(TargetInfoDecides, on_what_is_refused) {
  const std::string wide = R"(
func.func @main(%x: tensor<5xf64>) -> tensor<5xf64> {
  %0 = stablehlo.sine %x : tensor<5xf64>
  return %0 : tensor<5xf64>
})";
  EXPECT_NO_THROW((void)compile(wide));
  EXPECT_THROW((void)compile_for(wide, [](TargetInfo& t) { t.has_f64 = false; }), Error);
}

TEST(TargetInfoDecides, and_is_named_in_the_manifest) {
  const Artifact artifact =
      compile_for(product, [](TargetInfo& t) { t.name = "a device", t.source = "test"; });
  EXPECT_EQ(property(artifact, "target_info").find("a device (test): multicore, "), 0u);
  EXPECT_EQ(property(compile(product), "target_info").find("generic (built in): multicore, "), 0u);
}

}  // namespace
}  // namespace partita::testing
