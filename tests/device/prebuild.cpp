// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Kernels that were built ahead of a run: which are built together, that a load takes them in place of the text, and
// goes by the text where they are another device's, another text's or damaged.
#include "backend-opencl/device/prebuild.hpp"

#include <gmock/gmock.h>

#include "backend-opencl/device/module_text.hpp"
#include "backend-opencl/device/program_binary.hpp"
#include "partita/base/temporary_folder.hpp"
#include "tests/device/device_test.hpp"

namespace partita::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr const char* source =
    "// what all use\nint base(void) { return 40; }\n\n// the first\n"
    "__kernel void f(__global int* b, long o) { b[o + get_global_id(0)] = base() + "
    "get_global_id(0); }\n"
    "\n__attribute__((reqd_work_group_size(3, 1, 1)))\n"
    "__kernel void g(__global int* b, long o) { b[o + get_local_id(0)] = base() * 2; }\n";

TEST(ModuleText, is_cut_before_the_comments_and_attributes_of_kernels) {
  const opencl::ModuleText text(source);
  const std::string whole = source;
  const std::vector<std::string> both{"f", "g"}, last{"g"}, other{"f", "h"};
  EXPECT_EQ(text.with(both), whole);
  EXPECT_EQ(text.with(last), whole.substr(0, whole.find("// the first")) +
                                 whole.substr(whole.find("__attribute__")));
  EXPECT_TRUE(text.holds(both));
  EXPECT_FALSE(text.holds(other));
  EXPECT_EQ(text.of("h"), "");
  EXPECT_EQ(opencl::ModuleText("int x;").with({}), "int x;");
  EXPECT_EQ(opencl::ModuleText("").with({}), "");
}

TEST(ProgramBinary, is_taken_by_what_it_belongs_to) {
  const std::vector<std::byte> payload{std::byte{7}, std::byte{0}, std::byte{9}};
  const opencl::ProgramIdentity id{.device = "d", .options = "o", .source = "s"};
  const std::vector<std::byte> packed = opencl::pack_binary(id, "f g", payload);
  EXPECT_EQ(opencl::unpack_binary(id, packed), payload);
  EXPECT_THAT(opencl::kernels_in(packed), ElementsAre("f", "g"));
  for (const opencl::ProgramIdentity& other :
       {opencl::ProgramIdentity{"e", "o", "s"}, {"d", "p", "s"}, {"d", "o", "t"}})
    EXPECT_EQ(opencl::unpack_binary(other, packed), std::nullopt);
  for (std::size_t size = 0; size < packed.size(); ++size)
    EXPECT_EQ(opencl::unpack_binary(id, std::span(packed).first(size)), std::nullopt);
  for (std::size_t at = 0; at < packed.size(); ++at) {
    std::vector<std::byte> damaged = packed;
    damaged[at] ^= std::byte{1};
    const auto found = opencl::unpack_binary(id, damaged);
    // A kernel's name is not part of what it is compared with.
    EXPECT_TRUE(!found || *found == payload) << at;
  }
  EXPECT_THAT(opencl::kernels_in(opencl::pack_binary(id, "", payload)), IsEmpty());
  EXPECT_THAT(opencl::kernels_in({}), IsEmpty());
}

Steps launches(const std::vector<std::pair<int, std::int64_t>>& items) {
  Steps steps;
  for (const auto& [kernel, count] : items) {
    Launch launch;
    launch.kernel = kernel;
    launch.global = {HostExpr(count), HostExpr(1), HostExpr(1)};
    launch.local = {0, 0, 0};
    steps.push_back({.what = launch, .name = "step"});
  }
  return steps;
}

DeviceProfile pocl() {
  DeviceProfile profile;
  profile.platform = "Portable Computing Language, OpenCL 3.0";
  profile.max_work_group = 4096;
  profile.compute_units = 1;
  profile.is_cpu = true;
  return profile;
}

TEST(PrebuiltGroups, are_launched_in_the_same_forms_in_loops_too) {
  Artifact artifact;
  std::string text;
  for (const char* name : {"f", "g", "h"}) {
    text += cat("__kernel void ", name, "() {", std::string(20'000, ' '), "}\n");
    artifact.kernels.push_back({.name = name, .module = 0});
  }
  artifact.modules.push_back({.name = "kernels", .source = text});
  While loop;
  loop.condition = launches({{0, 1 << 20}});
  loop.body = launches({{1, 1 << 20}, {2, 64}});
  artifact.plan.steps.push_back({.what = loop, .name = "loop"});
  const auto groups = opencl::prebuilt_groups(artifact, pocl());
  ASSERT_THAT(groups, SizeIs(2));
  EXPECT_THAT(groups[0].kernels, ElementsAre("f", "g"));
  EXPECT_THAT(groups[0].forms, ElementsAre("1024-1-1-goffs0"));
  EXPECT_THAT(groups[1].kernels, ElementsAre("h"));
  EXPECT_THAT(groups[1].forms, ElementsAre("16-1-1-goffs0-smallgrid"));
  // Other drivers compile kernels once for all sizes.
  EXPECT_THAT(opencl::prebuilt_groups(artifact, {}), SizeIs(1));
}

TEST(PrebuiltGroups, of_small_kernels_are_one) {
  Artifact artifact;
  artifact.modules.push_back({.name = "kernels", .source = source});
  artifact.kernels = {{.name = "f", .module = 0}, {.name = "g", .module = 0}};
  artifact.plan.steps = launches({{0, 64}, {1, 128}});
  const auto groups = opencl::prebuilt_groups(artifact, pocl());
  ASSERT_THAT(groups, SizeIs(1));
  EXPECT_THAT(groups[0].forms, SizeIs(2));
}

/// With the cache of programs, which tells what was built.
class DevicePrebuild : public GpuClassTest {
 protected:
  void SetUp() override {
    GpuClassTest::SetUp();
    if (IsSkipped()) return;
    artifact_ = kernels(source, {"f", "g"});
    for (int k = 0; k < device().binaries_of(artifact_); ++k)
      artifact_.binaries.push_back(device().prebuild(artifact_, k));
    ::setenv("PARTITA_CACHE_DIR", folder_.path().c_str(), 1);
  }
  void TearDown() override { ::setenv("PARTITA_CACHE_DIR", "", 1); }

  /// Whether a load builds from text, which leaves an entry in the cache of programs.
  bool builds(const Artifact& artifact) {
    const auto program = device().load(artifact);
    const auto buffer = device().allocate(3 * sizeof(int));
    const std::vector<BoundBuffer> bound{{buffer.get(), 0}};
    const auto run = [&](int kernel) {
      device().launch(*program, {.kernel = kernel,
                                 .buffers = bound,
                                 .scalars = {},
                                 .global = {3, 1, 1},
                                 .local = {0, 0, 0}});
      return download<int>(*buffer);
    };
    EXPECT_THAT(run(0), ElementsAre(40, 41, 42));
    EXPECT_THAT(run(1), ElementsAre(80, 80, 80));
    const bool built = !std::filesystem::is_empty(folder_.path());
    std::filesystem::remove_all(folder_ / "opencl");
    return built;
  }

  Artifact artifact_;
  TemporaryFolder folder_;
};

TEST_F(DevicePrebuild, is_taken_in_place_of_the_text) {
  ASSERT_THAT(artifact_.binaries, SizeIs(1));
  EXPECT_FALSE(builds(artifact_));
  EXPECT_TRUE(builds(kernels(source, {"f", "g"})));
}

TEST_F(DevicePrebuild, of_another_text_or_device_or_damaged_is_not_taken) {
  Artifact other = artifact_;
  other.modules[0].source = cat("// another\n", source);
  EXPECT_TRUE(builds(other));

  other = artifact_;
  DeviceProfile far = device().profile();
  far.driver += " of another machine";
  const opencl::ProgramIdentity id = opencl::identity_of(far, "", source);
  other.binaries[0].bytes = opencl::pack_binary(id, "f g", {});
  EXPECT_TRUE(builds(other));
  other.binaries.push_back(artifact_.binaries[0]);
  EXPECT_FALSE(builds(other));

  other = artifact_;
  other.binaries[0].bytes.resize(other.binaries[0].bytes.size() / 2);
  EXPECT_TRUE(builds(other));
  other.binaries[0].bytes.clear();
  EXPECT_TRUE(builds(other));
}

TEST_F(DevicePrebuild, of_some_kernels_leaves_the_others_to_their_text) {
  const Artifact one = [&] {
    Artifact some = kernels(source, {"f"});
    some.binaries.push_back(device().prebuild(some, 0));
    return some;
  }();
  Artifact both = kernels(source, {"f", "g"});
  both.binaries = one.binaries;
  EXPECT_TRUE(builds(both));
}

TEST_F(DevicePrebuild, of_a_text_that_does_not_build_is_a_device_error) {
  const Artifact wrong = kernels("__kernel void f() { nonsense }\n", {"f"});
  EXPECT_THAT(error_text(ErrorKind::device, [&] { (void)device().prebuild(wrong, 0); }),
              ::testing::HasSubstr("build of kernels 'test' failed"));
}

}  // namespace
}  // namespace partita::testing
