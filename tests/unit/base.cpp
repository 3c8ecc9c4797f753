// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <limits>

#include "partita/base/env.hpp"
#include "partita/base/error.hpp"
#include "partita/base/file.hpp"
#include "partita/base/hash.hpp"
#include "partita/base/host_array.hpp"
#include "partita/base/nearest_name.hpp"
#include "partita/base/temporary.hpp"
#include "partita/base/temporary_folder.hpp"
#include "partita/base/unique_handle.hpp"
#include "tests/support/sample_artifacts.hpp"

namespace partita {
namespace {

using testing::f32_array;
using testing::f32_values;
using testing::i32_array;

std::vector<int> released;
struct Traits {
  using Handle = int;
  static constexpr Handle none = -1;
  static void release(Handle handle) noexcept { released.push_back(handle); }
};

TEST(UniqueHandle, ReleasesOnceAndMovesOwnership) {
  released.clear();
  {
    UniqueHandle<Traits> a(1), b(2);
    UniqueHandle<Traits> c(std::move(a));
    EXPECT_FALSE(a);  // NOLINT(bugprone-use-after-move): moved-from is empty by contract
    EXPECT_EQ(c.get(), 1);
    c = std::move(b);
    EXPECT_EQ(released, std::vector<int>({1}));
    UniqueHandle<Traits>& same = c;
    c = std::move(same);
    EXPECT_EQ(c.get(), 2);
    c.reset(3);
    EXPECT_EQ(released, std::vector<int>({1, 2}));
    UniqueHandle<Traits> d(4);
    EXPECT_EQ(d.release(), 4);
  }
  EXPECT_EQ(released, std::vector<int>({1, 2, 3}));
}

TEST(NearestNames, AreWithinAThirdAndInOrder) {
  EXPECT_EQ(edit_distance("", "abc"), 3u);
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3u);
  const std::vector<std::string> known{"abcdxx", "abcdef", "abcdyy", "abcdeg"};
  EXPECT_EQ(nearest_names("abcdef", known),
            (std::vector<std::string>{"abcdef", "abcdeg", "abcdxx", "abcdyy"}));
  EXPECT_EQ(nearest_names("ab", known), std::vector<std::string>());
  EXPECT_EQ(nearest_names("", known), std::vector<std::string>());
  const std::string longest(100, 'x'), longer(101, 'x');
  EXPECT_EQ(nearest_names(longest, std::vector{longest}).size(), 1u);
  EXPECT_EQ(nearest_names(longer, std::vector{longer}).size(), 0u);
}

TEST(Convert, FloatToIntegerTruncatesAndSaturates) {
  const float inf = std::numeric_limits<float>::infinity();
  const HostArray x = f32_array({7}, {1.9f, -1.9f, 3e9f, -3e9f, NAN, inf, -inf});
  const HostArray y = convert(x, DType::i32);
  const std::int32_t max = std::numeric_limits<std::int32_t>::max(),
                     min = std::numeric_limits<std::int32_t>::min();
  EXPECT_EQ(y, i32_array({7}, {1, -1, max, min, 0, max, min}));
  const HostArray u = convert(f32_array({3}, {-5, 300, 255.5f}), DType::ui8);
  EXPECT_EQ(u.data<DType::ui8>()[0], 0);
  EXPECT_EQ(u.data<DType::ui8>()[1], 255);
  EXPECT_EQ(u.data<DType::ui8>()[2], 255);
  EXPECT_EQ(convert(f32_array({1}, {9.3e18f}), DType::i64).data<DType::i64>()[0],
            std::numeric_limits<std::int64_t>::max());
}

TEST(Convert, IntegersWrapAndBooleansAreZeroOrOne) {
  const HostArray x = i32_array({3}, {300, -1, 0});
  const HostArray narrow = convert(x, DType::i8), flags = convert(x, DType::i1);
  EXPECT_EQ(narrow.data<DType::i8>()[0], 44);
  EXPECT_EQ(narrow.data<DType::i8>()[1], -1);
  EXPECT_EQ(flags.data<DType::i1>()[0], 1);
  EXPECT_EQ(flags.data<DType::i1>()[2], 0);
  EXPECT_EQ(f32_values(convert(flags, DType::f32)), std::vector<float>({1, 1, 0}));
  EXPECT_EQ(convert(f32_array({1}, {NAN}), DType::i1).data<DType::i1>()[0], 1);
}

TEST(Convert, SixteenBitFloatsRoundToNearestEven) {
  const HostArray x = f32_array({4}, {1.0f, 65520.0f, 1.0f + 0x1p-11f, 0x1p-24f});
  const HostArray half = convert(x, DType::f16);
  EXPECT_EQ(half.data<DType::f16>()[0], 0x3c00);
  EXPECT_EQ(half.data<DType::f16>()[1], 0x7c00);
  EXPECT_EQ(half.data<DType::f16>()[2], 0x3c00);
  EXPECT_EQ(half.data<DType::f16>()[3], 1);
  EXPECT_EQ(convert(x, DType::bf16).data<DType::bf16>()[0], 0x3f80);
  EXPECT_EQ(f32_values(convert(half, DType::f32))[3], 0x1p-24f);
}

TEST(Convert, ComplexKeepsRealPart) {
  const HostArray c = convert(f32_array({2}, {1.5f, -2}), DType::c128);
  EXPECT_EQ(c.data<DType::c128>()[0], std::complex<double>(1.5));
  EXPECT_EQ(f32_values(convert(c, DType::f32)), std::vector<float>({1.5f, -2}));
}

TEST(Type, CheckedBytesRefusesWhatDoesNotFit) {
  EXPECT_EQ(checked_bytes({.dtype = DType::f32, .dims = {2, 3}}), 24);
  EXPECT_EQ(checked_bytes({.dtype = DType::f32, .dims = {0, 5}}), 0);
  EXPECT_FALSE(checked_bytes({.dtype = DType::f32, .dims = {-1}}));
  EXPECT_FALSE(
      checked_bytes({.dtype = DType::f32, .dims = {std::int64_t{1} << 40, std::int64_t{1} << 40}}));
  EXPECT_FALSE(checked_bytes(
      {.dtype = DType::i8, .dims = {std::int64_t{1} << 40, std::int64_t{1} << 40, 0}}));
}

TEST(Hasher, DependsOnContentAndPieces) {
  const auto hash = [](std::initializer_list<std::string_view> pieces) {
    Hasher h;
    for (const auto piece : pieces) h.add(piece);
    return h.hex();
  };
  EXPECT_EQ(hash({"ab", "c"}), hash({"ab", "c"}));
  EXPECT_NE(hash({"ab", "c"}), hash({"a", "bc"}));
  EXPECT_NE(hash({"abcdefgh"}), hash({"abcdefgi"}));
  EXPECT_NE(hash({""}), hash({std::string_view("\0", 1)}));
  EXPECT_EQ(hash({"partita"}).size(), 16u);
  // The value is part of file formats and caches: it must never change.
  EXPECT_EQ(hash({"partita", "0123456789"}), "fc3adcfb0e152e55");
}

TEST(Environment, ReadsLocalRankOfLauncher) {
  ::setenv("OMPI_COMM_WORLD_LOCAL_RANK", "2", 1);
  ::setenv("OMPI_COMM_WORLD_LOCAL_SIZE", "3", 1);
  EXPECT_EQ(local_rank().index, 2);
  EXPECT_EQ(local_rank().count, 3);
  ::setenv("OMPI_COMM_WORLD_LOCAL_SIZE", "junk", 1);
  EXPECT_EQ(local_rank().count, 1);
  ::unsetenv("OMPI_COMM_WORLD_LOCAL_RANK");
  ::unsetenv("OMPI_COMM_WORLD_LOCAL_SIZE");
  ::setenv("PARTITA_TEST_EMPTY", "", 1);
  EXPECT_FALSE(environment("PARTITA_TEST_EMPTY"));
}

TEST(Temporary, IsRemovedAtTheEndAndOnDemand) {
  const TemporaryFolder outer;  // is one itself, but what is below its folders stays
  const std::filesystem::path folder = outer / "folder";
  std::filesystem::create_directory(folder);
  const auto count = [&] { return std::distance(std::filesystem::directory_iterator(folder), {}); };
  const auto make = [&](const char* name) {
    write_file(folder / name, std::string_view("x"));
    return folder / name;
  };
  {
    const Temporary removed(make("a"));
    Temporary kept(make("b"));
    kept.keep();
  }
  EXPECT_EQ(count(), 1);
  const Temporary file(make("c"));
  std::filesystem::create_directory(folder / "d");
  const Temporary below(folder / "d");
  for (int k = 0; k < 300; ++k) write_file(folder / "d" / std::to_string(k), std::string_view("x"));
  remove_temporaries();
  EXPECT_EQ(count(), 1);
}

TEST(File, WritesWholeFilesAndLeavesNoPartOfThem) {
  const TemporaryFolder folder;
  write_file(folder / "a", std::string_view("first"));
  write_file(folder / "a", std::string_view("second"));
  EXPECT_EQ(read_file(folder / "a").size(), 6u);
  EXPECT_THROW(write_file(folder / "missing/b", std::string_view("x")), Error);
  EXPECT_THROW(check_writable(folder / "missing/b"), Error);
  EXPECT_THROW(check_writable(folder / ""), Error);
  EXPECT_THROW(static_cast<void>(read_file(folder / "none")), Error);
  EXPECT_NO_THROW(write_file("/dev/null", std::string_view("x")));
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder / ""), {}), 1);
}

}  // namespace
}  // namespace partita
