// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// `partita run` and `inspect` as a user calls them, on an artifact made by hand: what they print,
// write and return, alone and under mpirun.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <chrono>
#include <cstdio>
#include <numeric>
#include <set>

#include "partita/artifact/npz.hpp"
#include "partita/base/error.hpp"
#include "partita/base/file.hpp"
#include "partita/base/temporary_folder.hpp"
#include "partita/device/device.hpp"
#include "tests/support/sample_artifacts.hpp"

namespace partita {
namespace {

using ::testing::AllOf;
using testing::f32_array;
using testing::f32_values;
using testing::federated_artifact;
using ::testing::HasSubstr;
using testing::i32_array;
using ::testing::MatchesRegex;
using ::testing::Not;
using ::testing::StartsWith;

struct Result {
  int status = 0;
  std::string out, err;
};

std::string text_of(const std::filesystem::path& path) {
  const auto bytes = read_file(path);
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

int count(const std::string& text, const std::string& part) {
  int n = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++n;
  return n;
}

class RunCommand : public ::testing::Test {
 protected:
  static constexpr std::int64_t clients = 7, width = 3;

  void SetUp() override {
    bool has_device = false;
    for (const DeviceProfile& p : list_devices()) has_device = has_device || p.backend == "opencl";
    if (!has_device) GTEST_SKIP() << "no OpenCL device";
    save_artifact(federated_artifact(clients, width), folder_ / "a.pta");
    std::vector<float> data(clients * width);
    std::iota(data.begin(), data.end(), 1.f);
    write_npz(folder_ / "in.npz", {{"model", f32_array({width}, {10, 20, 30})},
                                   {"in1", f32_array({clients, width}, data)}});
  }

  Result shell(const std::string& command) const {
    const std::string line =
        cat("cd ", folder_ / "", " && ", command, " >out.txt 2>err.txt </dev/null");
    const int status = std::system(line.c_str());
    return {WEXITSTATUS(status), text_of(folder_ / "out.txt"), text_of(folder_ / "err.txt")};
  }
  Result tool(const std::string& arguments) const {
    return shell(cat(PARTITA_TEST_BIN_DIR, "/partita ", arguments));
  }
  Result on_ranks(int ranks, const std::string& arguments) const {
    return shell(cat("mpirun --oversubscribe --bind-to none -n ", ranks, " ", PARTITA_TEST_BIN_DIR,
                     "/partita ", arguments));
  }

  void expect_outputs(const std::string& name) const {
    const auto outputs = read_npz(folder_ / name);
    ASSERT_EQ(outputs.size(), 2u);
    EXPECT_EQ(f32_values(outputs.at("out0")), std::vector<float>({140, 217, 294}));
    EXPECT_EQ(outputs.at("out1").type.dims, Dims({clients, width}));
    EXPECT_EQ(f32_values(outputs.at("out1")).back(), 2 * clients * width);
  }
  [[nodiscard]] boost::json::object json(const std::string& name) const {
    return boost::json::parse(text_of(folder_ / name)).as_object();
  }
  [[nodiscard]] bool exists(const std::string& name) const {
    return std::filesystem::exists(folder_ / name);
  }

  TemporaryFolder folder_;
};

TEST_F(RunCommand, WritesOutputsAndStatistics) {
  const Result result = tool(
      "run a.pta --inputs in.npz --outputs out.npz --stats s.json --repeat 3 --devices-per-rank 1");
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_EQ(result.err, "");
  expect_outputs("out.npz");
  const auto stats = json("s.json");
  std::vector<std::string> keys;
  for (const auto& member : stats) keys.emplace_back(member.key());
  EXPECT_EQ(keys, (std::vector<std::string>{"median_s", "min_s", "repeats", "peak_device_bytes",
                                            "peak_arena_bytes", "planned_bytes", "held_bytes",
                                            "communicated_bytes", "collective_calls", "launches",
                                            "blocks"}));
  EXPECT_EQ(stats.at("repeats").as_int64(), 3);
  EXPECT_EQ(stats.at("blocks").as_int64(), clients);
  EXPECT_EQ(stats.at("launches").as_int64(), 2 * clients + 1);
  EXPECT_EQ(stats.at("collective_calls").as_int64(), 0);
  EXPECT_GT(stats.at("median_s").as_double(), 0);
}

TEST_F(RunCommand, RanksAndDevicesShareTheWork) {
  for (const int ranks : {1, 2, 3}) {
    for (const int devices : {1, 2}) {
      const Result result =
          on_ranks(ranks, cat("run a.pta --inputs in.npz --outputs out.npz --stats s.json --trace "
                              "t.json --check-replicas --devices-per-rank ",
                              devices));
      ASSERT_EQ(result.status, 0) << result.err;
      expect_outputs("out.npz");
      const auto stats = json("s.json");
      EXPECT_EQ(stats.at("collective_calls").as_int64(), ranks * devices == 1 ? 0 : 1);
      EXPECT_EQ(stats.at("blocks").as_int64(), clients);
      std::set<std::int64_t> processes;
      const auto trace = json("t.json");
      for (const auto& event : trace.at("traceEvents").as_array())
        processes.insert(event.at("pid").as_int64());
      EXPECT_EQ(processes.size(), std::size_t(ranks));
    }
  }
}

TEST_F(RunCommand, RoundsCarryAndPrint) {
  const Result result = tool("run a.pta --inputs in.npz --rounds 3 --carry out0:in0 --print out0");
  EXPECT_EQ(result.status, 0) << result.err;
  // in0 becomes 7 * in0 plus the sum of the data in every round.
  EXPECT_EQ(result.out,
            "round 1/3: out0 = [140, 217, 294]\n"
            "round 2/3: out0 = [1050, 1596, 2142]\n"
            "round 3/3: out0 = [7420, 11249, 15078]\n");
}

TEST_F(RunCommand, RandomInputsDependOnTheSeed) {
  const auto output = [&](const std::string& seed) {
    EXPECT_EQ(tool(cat("run a.pta --outputs r.npz --inputs ", seed)).status, 0);
    return read_npz(folder_ / "r.npz");
  };
  EXPECT_EQ(output("random"), output("random:0"));
  EXPECT_NE(output("random:1"), output("random:2"));
}

TEST_F(RunCommand, WrongCommandsAreUserErrorsOfOneLine) {
  write_npz(folder_ / "missing.npz", {{"in0", f32_array({width}, {1, 2, 3})}});
  write_npz(folder_ / "dtype.npz", {{"in0", i32_array({width}, {1, 2, 3})}});
  write_file(folder_ / "broken.npz", std::string_view("no zip"));
  const auto bytes = read_file(folder_ / "a.pta");
  write_file(folder_ / "cut.pta", std::span(bytes).first(bytes.size() - 100));
  struct Case {
    std::string arguments, text;
  };
  const Case cases[] = {
      {"a.pta --inputs missing.npz",
       "missing.npz: in1 (data): expected an array tensor<7x3xf32>, found in0"},
      {"a.pta --inputs dtype.npz",
       "dtype.npz: in0 (model): expected tensor<3xf32>, found tensor<3xi32>"},
      {"a.pta --inputs broken.npz", "broken.npz: expected a zip archive"},
      {"a.pta --inputs none.npz", "none.npz: expected a zip archive, found: No such file"},
      {"a.pta", "--inputs: expected a file of 2 arrays or random, found none"},
      {"a.pta --inputs random:x", "--inputs random: expected a number"},
      {"cut.pta --inputs in.npz", "cut.pta: expected a zip archive"},
      {"in.npz --inputs in.npz", "in.npz: expected a partita artifact, found no manifest.json"},
      {"a.pta --inputs in.npz --outputs no/such.npz", "no/such.npz: expected a writable file"},
      {"a.pta --inputs in.npz --carry out0:in1",
       "carry out0:in1: expected tensor<7x3xf32>, found tensor<3xf32>"},
      {"a.pta --inputs in.npz --carry out0", "--carry: expected outN:inM, found out0"},
      {"a.pta --inputs in.npz --print out9", "--print: expected a number from 0 to 1"},
      {"a.pta --inputs in.npz --memory-budget 100B", "expected at most 100 bytes per shard"},
      {"a.pta --inputs in.npz --memory-budget lots", "--memory-budget: expected a size"},
      {"a.pta --inputs in.npz --rounds 0", "--rounds"},
      {"a.pta --nonsense", "nonsense"},
  };
  for (const Case& c : cases) {
    const bool has_outputs = c.arguments.find("--outputs") != std::string::npos;
    const Result result = tool(cat("run ", c.arguments, has_outputs ? "" : " --outputs never.npz"));
    EXPECT_EQ(result.status, 2) << c.arguments;
    EXPECT_THAT(result.err, AllOf(StartsWith("error: "), HasSubstr(c.text))) << c.arguments;
    EXPECT_EQ(count(result.err, "\n"), 1) << result.err;
    EXPECT_FALSE(exists("never.npz"));
  }
}

TEST_F(RunCommand, ErrorsCanBeJson) {
  const Result result = tool("--error-format json run none.pta");
  EXPECT_EQ(result.status, 2);
  const auto error = boost::json::parse(result.err).as_object();
  EXPECT_EQ(error.at("kind"), "user");
  EXPECT_EQ(error.at("file"), "none.pta");
  EXPECT_EQ(error.at("exit_code"), 2);
}

TEST_F(RunCommand, AnErrorOfAllRanksIsPrintedOnce) {
  for (const std::string arguments :
       {"run a.pta --inputs none.npz", "run a.pta --inputs in.npz --memory-budget 1B"}) {
    const Result result = on_ranks(3, arguments);
    EXPECT_EQ(result.status, 2) << result.err;
    EXPECT_EQ(count(result.err, "error: "), 1) << result.err;
  }
}

TEST_F(RunCommand, RanksWithDifferentArtifactsRefuseToRun) {
  save_artifact(federated_artifact(clients + 1, width), folder_ / "b.pta");
  const Result result =
      shell(cat("mpirun --oversubscribe --bind-to none -n 1 ", PARTITA_TEST_BIN_DIR,
                "/partita run a.pta --inputs random : -n 1 ", PARTITA_TEST_BIN_DIR,
                "/partita run b.pta --inputs random"));
  EXPECT_EQ(result.status, 2) << result.err;
  EXPECT_THAT(result.err, HasSubstr("artifact"));
}

TEST_F(RunCommand, AKilledRankEndsTheJobAndIsNamed) {
  const auto begin = std::chrono::steady_clock::now();
  const Result result =
      shell(cat("PARTITA_FAULT=kill@rank:1,call:12 mpirun --oversubscribe --bind-to none -n 3 ",
                PARTITA_TEST_BIN_DIR, "/partita run a.pta --inputs in.npz --rounds 1000"));
  EXPECT_NE(result.status, 0);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(40));
  EXPECT_THAT(result.err, HasSubstr("waited for rank 1"));
}

TEST_F(RunCommand, InspectShowsTheProgram) {
  const Result result = tool("inspect a.pta");
  EXPECT_EQ(result.status, 0);
  for (const char* part :
       {"in0 model  tensor<3xf32>", "over clients", "launch accumulate", "all_reduce sum f32"})
    EXPECT_THAT(result.out, HasSubstr(part));
  EXPECT_THAT(tool("inspect a.pta --sharding").out,
              HasSubstr("clients = 7 over 2 shards: [0, 3) [3, 7)"));
}

}  // namespace
}  // namespace partita
