// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// What is known of a device: how each source fills it, and what is refused.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "driver/choose_target_info.hpp"
#include "partita/artifact/target_facts.hpp"
#include "partita/base/error.hpp"
#include "partita/device/device_file.hpp"
#include "partita/driver/compile.hpp"

namespace partita::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

std::string error_of(const std::string& facts) {
  TargetInfo info;
  try {
    apply_facts(facts, "d.json", info);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::user);
    return error.located_message();
  }
  return "";
}

DeviceProfile gpu() {
  return {.backend = "opencl",
          .name = "a GPU",
          .vendor = "v",
          .driver = "7",
          .platform = "p",
          .compute_units = 40,
          .local_bytes = 65536,
          .max_work_group = 32,
          .has_fp16 = true,
          .has_subgroups = true};
}

TEST(TargetInfo, is_the_default_of_the_target_where_nothing_is_known) {
  const TargetInfo info = driver::target_info({.device = "a device nobody measured"});
  EXPECT_EQ(info.source, "default of target opencl");
  EXPECT_EQ(info.tile(), (TileSize{64, 12, 2}));
  EXPECT_EQ(info.preferred_group, 64);
  EXPECT_TRUE(info.has_row_launches);
}

TEST(TargetInfo, is_a_built_in_profile_by_name_or_by_what_its_tuning_file_covers) {
  const TargetInfo named = driver::target_info({.device = "pocl-avx2"});
  EXPECT_EQ(named.name, "pocl-avx2");
  EXPECT_EQ(named.source, "built in");
  EXPECT_EQ(named.registers, 16);
  EXPECT_EQ(driver::target_info({.device = "pthread-haswell-abacus"}), named);
  EXPECT_EQ(driver::target_info({}).name, "generic");
}

TEST(TargetInfo, is_what_a_device_says_where_one_is_described) {
  TargetInfo info = driver::target_info({});
  describe({.device = gpu(), .facts = {}}, "d.json", info);
  EXPECT_EQ(info.name, "a GPU");
  EXPECT_EQ(info.device_class, DeviceClass::simt);
  EXPECT_EQ(info.compute_units, 40);
  EXPECT_EQ(info.local_bytes, 65536);
  EXPECT_EQ(info.most_group, 32);
  EXPECT_EQ(info.preferred_group, 32);
  EXPECT_FALSE(info.has_f64);
  EXPECT_TRUE(info.has_f16);
  EXPECT_EQ(info.features, std::set<std::string>{"subgroups"});
  EXPECT_EQ(info.library_threshold, driver::target_info({}).library_threshold);
}

TEST(TargetInfo, is_what_a_file_states_beside_what_drivers_say) {
  TargetInfo info;
  describe({.device = gpu(),
            .facts = R"({"most_group": 512, "preferred_group": 256, "launch_seconds": 2.5e-6,
                         "flops": {"f64": 1e12}, "features": ["mma", "subgroups"]})"},
           "d.json", info);
  EXPECT_EQ(info.most_group, 512);
  EXPECT_EQ(info.preferred_group, 256);
  EXPECT_EQ(info.launch_seconds, 2.5e-6);
  EXPECT_EQ(info.flops.f64, 1e12);
  EXPECT_EQ(info.flops.f32, TargetInfo{}.flops.f32);
  EXPECT_EQ(info.features, (std::set<std::string>{"mma", "subgroups"}));
}

TEST(TargetInfo, comes_back_from_a_device_file) {
  const DeviceFile file{.device = gpu(), .facts = R"({"vector_bytes":32})"};
  const DeviceFile again = device_from_json(device_to_json(file), "d.json");
  EXPECT_EQ(device_to_json(again), device_to_json(file));
  EXPECT_EQ(again.facts, file.facts);
}

TEST(TargetInfo, refuses_unknown_members_and_impossible_values_in_one_line) {
  EXPECT_EQ(error_of("{}"), "");
  EXPECT_EQ(error_of(R"({"vector_byte": 32})"),
            "d.json: target: expected vector_bytes, found an unknown field 'vector_byte'");
  EXPECT_THAT(error_of(R"({"abacus": 32})"), HasSubstr("expected one of compute_units, "));
  EXPECT_EQ(error_of(R"({"vector_bytes": 48})"),
            "d.json: target.vector_bytes: expected 0, 16, 32 or 64, found 48");
  EXPECT_THAT(error_of(R"({"preferred_group": 0})"), HasSubstr("expected a number from 1 to 1024"));
  EXPECT_THAT(error_of(R"({"bytes_per_second": 0})"), HasSubstr("expected at least 1, found 0"));
  EXPECT_THAT(error_of(R"({"bytes_per_second": "nan"})"), HasSubstr("expected at least 1"));
  EXPECT_THAT(error_of(R"({"tile_rows": "12"})"), HasSubstr("expected an integer, found \"12\""));
  EXPECT_THAT(error_of(R"({"has_row_launches": false})"), HasSubstr("unknown field"));
  EXPECT_THAT(error_of("[1]"), HasSubstr("expected an object"));
}

TEST(TargetInfo, of_every_profile_is_one_that_a_file_could_state) {
  for (const driver::Target* target : driver::all_targets())
    for (const driver::TargetProfile& profile : target->profiles) {
      TargetInfo info;
      profile.set(info);
      EXPECT_NO_THROW(apply_facts("{}", std::string(profile.name), info)) << profile.name;
    }
  EXPECT_EQ(
      driver::known_devices("opencl"),
      (std::vector<std::string>{"amd-gfx1100", "amd-gfx90a", "gpu", "intel-xe", "nvidia-sm_80",
                                "nvidia-sm_86", "nvidia-sm_90", "pocl-avx2", "pocl-avx512"}));
  EXPECT_TRUE(driver::known_devices("cpu").empty());
}

TEST(TargetInfo, has_rates_by_dtype_and_one_line_of_text) {
  TargetInfo info{.name = "x", .source = "test"};
  info.flops = {.f16 = 4e9, .bf16 = 3e9, .f32 = 2e9, .f64 = 1e9};
  EXPECT_EQ(info.flop_rate(DType::c128), 1e9);
  EXPECT_EQ(info.flop_rate(DType::c64), 2e9);
  EXPECT_EQ(info.flop_rate(DType::i32), 2e9);
  EXPECT_EQ(info.flop_rate(DType::bf16), 3e9);
  EXPECT_THAT(to_string(info), StartsWith("x (test): multicore, ? units; vectors of 64 bytes, "));
  EXPECT_THAT(to_string(info), HasSubstr("f32 2, f64 1 GFLOP/s"));
  info.has_f16 = true;
  EXPECT_THAT(to_string(info), HasSubstr("f16 4 GFLOP/s"));
}

#if defined(__x86_64__)
TEST(TargetInfo, of_target_cpu_follows_its_options) {
  const auto info = [](const std::string& level, const std::string& tier) {
    const driver::CompileOptions options{.target = "cpu",
                                         .target_options = {{"cpu", level}, {"tier", tier}}};
    return driver::choose_target_info(options, driver::find_target("cpu"));
  };
  EXPECT_EQ(info("x86-64-v2", "1").tile(), (TileSize{16, 6, 2}));
  EXPECT_EQ(info("x86-64-v3", "1").tile(), (TileSize{32, 6, 2}));
  EXPECT_EQ(info("x86-64-v4", "1").tile(), (TileSize{64, 12, 2}));
  EXPECT_EQ(info("x86-64-v4", "0").vector_bytes, 0);
  EXPECT_LT(info("x86-64-v4", "0").library_threshold, info("x86-64-v4", "1").library_threshold);
  EXPECT_TRUE(info("x86-64-v4", "1").library_reads_bf16);
  EXPECT_FALSE(info("x86-64-v3", "1").library_reads_bf16);
}
#endif

}  // namespace
}  // namespace partita::testing
