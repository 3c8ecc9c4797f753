// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Random programs over random meshes, with random shardings of arguments and results, compiled and run by the ranks of
// the job: rank 0 gets what the interpreter gives for the whole program; so for programs of nodes that look at neighbours.
// PARTITA_TEST_SEEDS=FIRST:COUNT runs others.
#include <gtest/gtest.h>

#include <iostream>
#include <optional>

#include "partita/base/env.hpp"
#include "partita/base/error.hpp"
#include "partita/base/parse.hpp"
#include "partita/compile.hpp"
#include "partita/exec/executor.hpp"
#include "partita/frontend/stablehlo.hpp"
#include "partita/ir/interpreter.hpp"
#include "tests/support/random_graph.hpp"
#include "tests/support/random_mesh.hpp"
#include "tests/support/random_windows.hpp"
#include "tests/support/test_seeds.hpp"

namespace partita::testing {
namespace {

constexpr int steps = 12;

/// Of the job, before MPI is there.
int ranks() {
  const auto size = environment("OMPI_COMM_WORLD_SIZE");
  return size ? int(parse_number(*size, "OMPI_COMM_WORLD_SIZE", 1 << 20)) : 1;
}

/// The fewest of each rank with which the mesh fits the job.
int devices_per_rank(std::int64_t shards, int ranks) {
  for (int each = 1;; ++each) {
    const std::int64_t devices = std::int64_t(each) * ranks;
    if (devices % shards == 0 || shards % devices == 0) return each;
  }
}

Artifact compiled(const ir::Module& module) {
  driver::CompileOptions options;
  options.target = "cpu";
  options.target_options["tier"] = "0";
  return partita::compile(module, options).artifact;
}

/// So many results, on rank 0.
std::vector<HostArray> run(Session& session, const std::vector<HostArray>& inputs,
                           std::size_t count) {
  for (std::size_t k = 0; k < inputs.size(); ++k) session.set_input(int(k), inputs[k]);
  session.run();
  std::vector<HostArray> results;
  for (std::size_t k = 0; k < count; ++k)
    if (auto result = session.output(int(k))) results.push_back(std::move(*result));
  return results;
}

TEST(ShardedPrograms, AreTheSameOnTheRanksOfAJob) {
  const Seeds range = test_seeds(150);
  const int size = ranks();
  int count = 0, cut = 0, refused = 0;
  for (unsigned seed = range.first; seed < range.first + range.count; ++seed) {
    RandomGraph program = random_graph(seed, steps);
    if (!can_be_sharded(*program.module)) continue;
    const std::vector<HostArray> expected = interpreted(program);
    std::mt19937 random(seed);
    const std::string mesh =
        shard_at_random(*program.module, program.module->entry("main"), random);
    const std::string what = cat("PARTITA_TEST_SEEDS=", seed, ":1 over ", mesh);
    std::int64_t shards = 1;
    std::optional<Session> session;
    try {
      Artifact artifact = compiled(*program.module);
      for (const auto& axis : artifact.plan.mesh) shards *= axis.size;
      session.emplace(
          std::move(artifact),
          SessionOptions{.devices_per_rank = devices_per_rank(shards, size), .use_mpi = true});
    } catch (
        const Error&
            e) {  // on all ranks alike: blocks of a placement that communicate have to be of one size
      ASSERT_EQ(e.kind(), ErrorKind::user) << what << ": " << e.what();
      ++refused;
      continue;
    }
    const std::vector<HostArray> found = run(*session, program.inputs, program.noise.size());
    if (session->rank() == 0) {
      EXPECT_EQ(noise_difference(found, expected, program.noise), "")
          << what << '\n'
          << ir::print_module(*program.module);
    }
    ++count;
    cut += shards > 1;
  }
  std::cout << count << " programs from seed " << range.first << " on " << size << " ranks, " << cut
            << " of them over meshes, " << refused << " refused\n";
  EXPECT_GT(2 * cut, count);
  EXPECT_EQ(refused, 0);
}

std::vector<HostArray> arrays(const std::vector<ir::Tensor>& tensors) {
  std::vector<HostArray> all;
  for (const ir::Tensor& t : tensors) all.push_back(*t);
  return all;
}

TEST(ShardedPrograms, WindowsAreTheSameOnTheRanksOfAJob) {
  const Seeds range = test_seeds(60);
  const int size = ranks();
  int communicating = 0;
  for (unsigned seed = range.first; seed < range.first + range.count; ++seed) {
    const WindowProgram program = random_windows(seed);
    const std::string what = cat("PARTITA_TEST_SEEDS=", seed, ":1 over ", program.mesh);
    ir::Interpreter interpreter(*program.module);
    const std::vector<HostArray> expected =
        arrays(interpreter.run(program.module->entry("main"), program.inputs));
    Artifact artifact = compiled(*program.module);
    std::int64_t shards = 1;
    for (const auto& axis : artifact.plan.mesh) shards *= axis.size;
    communicating += !artifact.plan.groups.empty();
    Session session(
        std::move(artifact),
        SessionOptions{.devices_per_rank = devices_per_rank(shards, size), .use_mpi = true});
    const auto found = run(session, arrays(program.inputs), expected.size());
    if (session.rank() != 0) continue;
    EXPECT_EQ(noise_difference(found, expected, std::vector<double>(expected.size(), 0)), "")
        << what;
  }
  std::cout << range.count << " programs of windows from seed " << range.first << " on " << size
            << " ranks, " << communicating << " that communicate\n";
  if (range.count >= 20) {
    EXPECT_GT(2 * communicating, int(range.count));
  }
}

}  // namespace
}  // namespace partita::testing
