// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// The cache of program binaries: a second load takes what the first left, damage is ignored.
#include <chrono>
#include <fstream>

#include "partita/base/temporary_folder.hpp"
#include "tests/device/device_test.hpp"

namespace partita::testing {
namespace {

constexpr const char* source =
    "__kernel void f(__global int* b, long o) { b[o + get_global_id(0)] = 40 + get_global_id(0); }";

/// As on GPUs, since PoCL does without on CPUs.
class DeviceProgramCache : public GpuClassTest {
 protected:
  void SetUp() override {
    GpuClassTest::SetUp();
    ::setenv("PARTITA_CACHE_DIR", folder_.path().c_str(), 1);
  }
  void TearDown() override { ::setenv("PARTITA_CACHE_DIR", "", 1); }

  void load_and_run(const std::string& text = source) {
    const auto program = device().load(kernels(text, {"f"}));
    const auto buffer = device().allocate(3 * sizeof(int));
    const std::vector<BoundBuffer> bound{{buffer.get(), 0}};
    device().launch(
        *program,
        {.kernel = 0, .buffers = bound, .scalars = {}, .global = {3, 1, 1}, .local = {0, 0, 0}});
    EXPECT_EQ(download<int>(*buffer), (std::vector<int>{40, 41, 42}));
  }

  // Whether loading the same text again finds the entry: what is built from source is stored anew.
  bool next_load_is_a_hit() {
    const auto long_ago = std::filesystem::file_time_type::clock::now() - std::chrono::hours(1);
    std::filesystem::last_write_time(entries().at(0), long_ago);
    const auto before = std::filesystem::last_write_time(entries().at(0));
    load_and_run();
    return std::filesystem::last_write_time(entries().at(0)) == before;
  }

  [[nodiscard]] std::vector<std::filesystem::path> entries() const {
    std::vector<std::filesystem::path> found;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder_.path()))
      if (entry.is_regular_file()) found.push_back(entry.path());
    return found;
  }

  /// A fresh one, so that tests neither see nor leave anything; the driver's own cache stays.
  TemporaryFolder folder_;
};

TEST_F(DeviceProgramCache, serves_the_second_load) {
  load_and_run();
  ASSERT_EQ(entries().size(), 1u);
  EXPECT_TRUE(next_load_is_a_hit());
  EXPECT_EQ(entries().size(), 1u);
}

TEST_F(DeviceProgramCache, keeps_sources_apart) {
  load_and_run();
  load_and_run(std::string(source) + "\n// another\n");
  EXPECT_EQ(entries().size(), 2u);
}

TEST_F(DeviceProgramCache, ignores_damaged_truncated_and_foreign_entries_and_replaces_them) {
  load_and_run();
  const std::filesystem::path entry = entries().at(0);
  const auto size = std::filesystem::file_size(entry);
  std::filesystem::resize_file(entry, size / 2);
  EXPECT_FALSE(next_load_is_a_hit());
  {
    std::fstream file(entry, std::ios::in | std::ios::out | std::ios::binary);
    file.seekg(std::streamoff(size) - 10);
    const char flipped = char(~file.get());
    file.seekp(std::streamoff(size) - 10);
    file.put(flipped);
  }
  EXPECT_FALSE(next_load_is_a_hit());
  std::ofstream(entry, std::ios::trunc) << "something else";
  EXPECT_FALSE(next_load_is_a_hit());
  EXPECT_TRUE(next_load_is_a_hit());
}

TEST_F(DeviceProgramCache, that_cannot_be_written_is_no_error) {
  ::setenv("PARTITA_CACHE_DIR", "/proc/no/such/folder", 1);
  load_and_run();
}

TEST_F(DeviceProgramCache, is_off_where_the_variable_is_empty) {
  ::setenv("PARTITA_CACHE_DIR", "", 1);
  load_and_run();
  EXPECT_TRUE(entries().empty());
}

}  // namespace
}  // namespace partita::testing
