// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// The parts of `partita bench rounds` that need neither a device nor the other programs: statistics,
// the conversation with a peer, the drawing.  The tool is no library, so its sources are compiled in.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>

#include "partita/base/error.hpp"
#include "partita/base/temporary_folder.hpp"
#include "tools/partita/bench/net_model.cpp"   // NOLINT(bugprone-suspicious-include)
#include "tools/partita/bench/peer.cpp"        // NOLINT(bugprone-suspicious-include)
#include "tools/partita/bench/report.cpp"      // NOLINT(bugprone-suspicious-include)
#include "tools/partita/bench/statistics.cpp"  // NOLINT(bugprone-suspicious-include)

namespace partita::tool {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

// Processors that cost nothing, so that what is left are links.
const HostModel free_host{.message_s = 0, .combined_s = 0, .copied_s = 0};
const LinkModel slow_link{.name = "slow", .bytes_per_s = 1000, .latency_s = 0.5};

std::vector<double> ends_of(int ranks, std::size_t bytes, const HostModel& host = free_host) {
  return all_reduce_ends(std::vector<double>(std::size_t(ranks), 10.0), bytes, slow_link, host);
}

TEST(NetModel, OneRankHasItsSum) { EXPECT_THAT(ends_of(1, 100), ElementsAre(10.0)); }

TEST(NetModel, DoublingSendsWholeVectors) {
  for (const double end : ends_of(2, 8)) EXPECT_NEAR(end, 10 + 0.5 + 0.008, 1e-12);
  for (const double end : ends_of(8, 8)) EXPECT_NEAR(end, 10 + 3 * (0.5 + 0.008), 1e-12);
  // A fifth rank hands its vector to rank 0, which gives it to 1 and that to 3; meanwhile others' are on their way.
  EXPECT_NEAR(std::ranges::max(ends_of(5, 8)), 10 + 3 * (0.5 + 0.008), 1e-12);
}

TEST(NetModel, HalvingSendsTheVectorTwiceLessABlock) {
  const std::size_t bytes = 1 << 17;
  ASSERT_EQ(all_reduce_shape({.bytes = bytes, .ranks = 16, .leaves_host = true}).way,
            AllReduceShape::Way::halving);
  for (const double end : ends_of(16, bytes))
    EXPECT_NEAR(end, 10 + 8 * 0.5 + 2 * 15.0 / 16 * double(bytes) / 1000, 1e-6);
}

TEST(NetModel, RingHidesAllLatenciesButThoseOfItsSteps) {
  const std::size_t bytes = std::size_t(4) << 20;
  ASSERT_EQ(all_reduce_shape({.bytes = bytes, .ranks = 3, .leaves_host = true}).way,
            AllReduceShape::Way::ring);
  // Each rank gets two blocks of terms and two of results; lines are never idle but for the latency of each segment's way.
  const double transfer = 4.0 / 3 * double(bytes) / 1000;
  for (const double end : ends_of(3, bytes)) {
    EXPECT_GE(end, 10 + 0.5 + transfer);
    EXPECT_LE(end, 10 + 4 * 0.5 + transfer + 1e-6);
  }
}

TEST(NetModel, ProcessorsAndLateRanksHoldOthersUp) {
  const HostModel host{.message_s = 0.25, .combined_s = 0.125, .copied_s = 0};
  for (const double end : ends_of(2, 8, host)) EXPECT_NEAR(end, 10 + 0.508 + 0.25 + 1, 1e-12);
  const std::vector<double> late = all_reduce_ends({0, 100, 0, 0}, 8, slow_link, free_host);
  EXPECT_EQ(late[1], 100);  // to which all others have come
  for (const int r : {0, 2, 3}) EXPECT_GE(late[std::size_t(r)], 100.508 - 1e-9);
  EXPECT_LE(std::ranges::max(late), 100 + 2 * 0.508 + 1e-9);
}

TEST(BenchStatistics, MedianAndSpread) {
  EXPECT_EQ(median({}), 0);
  EXPECT_EQ(median({3}), 3);
  EXPECT_EQ(median({5, 1, 3}), 3);
  EXPECT_EQ(median({4, 1, 3, 2}), 2.5);
  EXPECT_EQ(spread({1, 2, 3}), 0);
  EXPECT_DOUBLE_EQ(spread({1, 2, 3, 4, 5, 6, 7, 8}), (7.0 - 3.0) / 2 / 4.5);
}

TEST(BenchStatistics, WhatATurnDoesToBothCancels) {
  const std::vector<double> a{2, 4, 6, 20, 8}, b{1, 2, 3, 10, 4};
  const Interval interval = ratio_interval(a, b, 1);
  EXPECT_EQ(interval.low, 2);
  EXPECT_EQ(interval.high, 2);
}

TEST(BenchStatistics, IntervalHoldsTheRatioAndNarrowsWithMoreTurns) {
  const auto turns = [](std::size_t count, double middle, std::uint64_t state) {
    std::vector<double> values;
    for (std::size_t i = 0; i < count; ++i)
      values.push_back(middle * (1 + 0.2 * (double(next(state) >> 11) * 0x1p-53 - 0.5)));
    return values;
  };
  double width_before = 1;
  for (const std::size_t count : {7U, 70U, 700U}) {
    const auto a = turns(count, 3, 1), b = turns(count, 1, 2);
    const Interval interval = ratio_interval(a, b, 7, 2000);
    EXPECT_LT(interval.low, median(a) / median(b) + 1e-9);
    EXPECT_GT(interval.high, median(a) / median(b) - 1e-9);
    EXPECT_NEAR(median(a) / median(b), 3, 0.6);
    const double width = interval.high - interval.low;
    EXPECT_LT(width, width_before);
    width_before = width;
  }
}

// 95 of 100 intervals should hold the true ratio; the percentile interval of few values is known to
// hold it somewhat less often.
TEST(BenchStatistics, MostIntervalsHoldTheTrueRatio) {
  std::uint64_t state = 3;
  const auto uniform = [&] { return double(next(state) >> 11) * 0x1p-53; };
  int holding = 0;
  constexpr int trials = 200;
  for (int trial = 0; trial < trials; ++trial) {
    std::vector<double> a, b;
    for (int i = 0; i < 15; ++i) {
      a.push_back(2 + uniform() - 0.5);
      b.push_back(1 + (uniform() - 0.5) / 2);
    }
    const Interval interval = ratio_interval(a, b, std::uint64_t(trial), 500);
    holding += interval.low <= 2 && 2 <= interval.high;
  }
  EXPECT_GE(holding, trials * 88 / 100);
}

TEST(BenchStatistics, TheSameSeedGivesTheSameInterval) {
  const std::vector<double> a{1, 2, 4, 8, 3, 5, 9}, b{2, 1, 3, 2, 5, 4, 1};
  const Interval first = ratio_interval(a, b, 5), again = ratio_interval(a, b, 5);
  EXPECT_EQ(first.low, again.low);
  EXPECT_EQ(first.high, again.high);
  EXPECT_LT(first.low, first.high);
}

/// A peer that is a shell script.
struct FakePeer {
  explicit FakePeer(const std::string& script)
      : log(folder / "log"),
        process({.arguments = {"sh", "-c", script},
                 .environment = {{"PARTITA_FAKE", "17"}},
                 .log = log,
                 .core = -1}),
        peer("fake", process, log, process.output(), process.input()) {}

  std::string failure() {
    try {
      static_cast<void>(peer.receive(Seconds(0.5)));
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::device);
      return error.what();
    }
    return "no error";
  }

  TemporaryFolder folder;
  std::filesystem::path log;
  Process process;
  Peer peer;
};

constexpr Seconds patience{20};

TEST(BenchPeer, AnswersOneLineForEachRequest) {
  FakePeer fake(R"(printf '{"ready": true, "env": %s}\n' $PARTITA_FAKE
n=0; while read -r line; do n=$((n + 1)); printf '{"seen": %s, ' "$line"; sleep 0.02; echo "\"n\": $n}"; done)");
  const auto greeting = fake.peer.receive(patience);
  EXPECT_TRUE(greeting.at("ready").as_bool());
  EXPECT_EQ(greeting.at("env").as_int64(), 17);
  for (int n = 1; n <= 3; ++n) {
    const auto reply = fake.peer.ask({{"do", "rounds"}, {"count", n}}, patience);
    EXPECT_EQ(reply.at("n").as_int64(), n);
    EXPECT_EQ(reply.at("seen").at("count").as_int64(), n);
  }
  EXPECT_FALSE(fake.process.has_ended());
  EXPECT_EQ(fake.process.wait(), 0);
}

TEST(BenchPeer, SaysHowAPeerFailed) {
  EXPECT_THAT(FakePeer("echo hm >&2; echo 'no such module' >&2; exit 3").failure(),
              AllOf(HasSubstr("peer fake: ended with status 3"), HasSubstr("no such module")));
  EXPECT_THAT(FakePeer("kill -9 $$").failure(), HasSubstr("ended by signal 9"));
  EXPECT_THAT(FakePeer("echo what").failure(), HasSubstr("expected a JSON object, found 'what'"));
  EXPECT_THAT(FakePeer("echo '[1]'").failure(), HasSubstr("expected a JSON object, found '[1]'"));
  EXPECT_THAT(FakePeer(R"(echo '{"error": "out of luck"}')").failure(),
              HasSubstr("peer fake: out of luck"));
  EXPECT_THAT(FakePeer("read -r line").failure(), HasSubstr("silent for 0.5 s"));
}

TEST(BenchPeer, ASilentPeerIsEndedWithTheObject) {
  TemporaryFolder folder;
  const auto begin = std::chrono::steady_clock::now();
  {
    Process process({.arguments = {"sh", "-c", "read -r line; exit 0"},
                     .environment = {},
                     .log = folder / "log",
                     .core = 0});
  }
  EXPECT_LT(Seconds(std::chrono::steady_clock::now() - begin), Seconds(4));
}

TEST(BenchPeer, AProgramThatIsMissingIsSaid) {
  TemporaryFolder folder;
  Process process(
      {.arguments = {"/no/such/program"}, .environment = {}, .log = folder / "log", .core = -1});
  Peer peer("missing", process, folder / "log", process.output(), process.input());
  try {
    static_cast<void>(peer.receive(patience));
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("No such file"));
  }
}

TEST(BenchReport, WritesNumbersAndDrawing) {
  RoundsOptions options;
  options.name = "mlp";
  options.clients = 8;
  Side own, other;
  own.name = "partita";
  own.turn_s = {1, 1, 1, 1, 1, 1, 1};
  other.name = "other";
  other.turn_s = {2, 2, 3, 2, 2, 2, 2};
  other.departure = "out0: expected 1, found 2";
  const std::string json = sides_json(options, {own, other});
  const auto value = boost::json::parse(json);
  const auto& ratio = value.at("sides").at(1).at("ratio_to_ours");
  EXPECT_EQ(ratio.at("value").to_number<double>(), 2);
  EXPECT_EQ(value.at("sides").at(1).at("departure").as_string(), other.departure);
  const std::string svg = sides_svg(options, {own, other});
  EXPECT_THAT(svg, AllOf(HasSubstr("<svg "), HasSubstr("×2.00"), HasSubstr("</svg>")));
}

}  // namespace
}  // namespace partita::tool
