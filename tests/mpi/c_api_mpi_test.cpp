// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// The C ABI as ranks of an MPI job, for any number of ranks: on the world and on a communicator
// that the host lends.  The program sums the rows of an array that is split over the shards.
#include <algorithm>
#include <numeric>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <mpi.h>

#include "partita.h"
#include "partita/artifact/artifact.hpp"
#include "partita/device/device.hpp"

namespace partita {
namespace {

constexpr std::int64_t rows = 5, columns = 2;

Artifact sum_program() {
  Artifact artifact;
  artifact.target = "opencl";
  artifact.module_name = "sum_program";
  artifact.modules = {{.name = "kernels", .source = R"(
__kernel void sum(__global const float* x, long ox, __global float* y, long oy, long rows) {
  const size_t column = get_global_id(0);
  float total = 0;
  for (long row = 0; row < rows; ++row) total += x[ox + 2 * row + column];
  y[oy + column] = total;
}
)"}};
  artifact.kernels = {{.name = "sum", .module = 0}};
  const HostExpr block = HostExpr::variable(1) - HostExpr::variable(0);
  Plan& plan = artifact.plan;
  plan.placements = {{.name = "clients", .size = rows, .begin_variable = 0, .end_variable = 1}};
  plan.variables = {"begin", "end"};
  plan.inputs = {
      {.name = "x", .type = {.dtype = DType::f32, .dims = {rows, columns}}, .placement = 0}};
  plan.outputs = {{.name = "y", .type = {.dtype = DType::f32, .dims = {columns}}}};
  plan.buffers = {
      {.kind = BufferKind::input,
       .index = 0,
       .dtype = DType::f32,
       .count = block * columns,
       .name = "x"},
      {.kind = BufferKind::output, .index = 0, .dtype = DType::f32, .count = columns, .name = "y"}};
  plan.requests = 1;
  plan.steps = {{.what = Launch{.kernel = 0,
                                .buffers = {{.buffer = 0}, {.buffer = 1}},
                                .scalars = {{.dtype = DType::i64, .value = block}},
                                .global = {columns, 1, 1}},
                 .name = "sum"},
                {.what = AllReduceStart{.request = 0,
                                        .axis = "clients",
                                        .combiner = Combiner::sum,
                                        .dtype = DType::f32,
                                        .pieces = {{.at = {.buffer = 1}, .count = columns}}},
                 .name = "start"},
                {.what = CollectiveDone{.request = 0}, .name = "done"}};
  return artifact;
}

class CApiMpi : public ::testing::Test {
 protected:
  void SetUp() override {
    if (std::ranges::none_of(list_devices(), [](const auto& p) { return p.backend == "opencl"; }))
      GTEST_SKIP() << "no OpenCL platform is installed";
    const auto bytes = serialize_artifact(sum_program());
    ASSERT_EQ(partita_artifact_parse(bytes.data(), bytes.size(), nullptr, &artifact_), PARTITA_OK)
        << partita_last_error();
  }
  void TearDown() override { partita_artifact_free(artifact_); }

  // Runs the program over the ranks of the options; returns how many those are.
  int run(partita_session_options options) {
    options.struct_size = sizeof options;
    options.use_mpi = 1;
    partita_session* session = nullptr;
    EXPECT_EQ(partita_session_create(artifact_, &options, &session), PARTITA_OK)
        << partita_last_error();
    if (session == nullptr) return 0;
    std::vector<float> x(rows * columns);
    std::iota(x.begin(), x.end(), 0.0F);
    EXPECT_EQ(partita_session_set_input(session, 0, x.data(), x.size() * sizeof(float)),
              PARTITA_OK);
    EXPECT_EQ(partita_session_submit(session), PARTITA_OK) << partita_last_error();
    EXPECT_EQ(partita_session_wait(session), PARTITA_OK) << partita_last_error();
    std::vector<float> y{-1, -1};
    const bool is_root = partita_session_rank(session) == 0;
    EXPECT_EQ(partita_session_read_output(session, 0, is_root ? y.data() : nullptr, 8), PARTITA_OK)
        << partita_last_error();
    EXPECT_EQ(y, (is_root ? std::vector<float>{20, 25} : std::vector<float>{-1, -1}));
    const int ranks = partita_session_ranks(session);
    partita_stats stats{.struct_size = sizeof(partita_stats)};
    EXPECT_EQ(partita_session_stats(session, &stats), PARTITA_OK);
    // One rank that says nothing has as many shards as the device has cores.
    if (ranks > 1 || options.devices_per_rank > 0) {
      EXPECT_EQ(stats.collective_calls, ranks * options.devices_per_rank == 1 ? 0 : 1);
    }
    partita_session_free(session);
    return ranks;
  }

  partita_artifact* artifact_ = nullptr;
};

TEST_F(CApiMpi, RunsOverTheWorld) {
  const int ranks = run({});
  int size = 0;
  ASSERT_EQ(partita_mpi_lock(), PARTITA_OK);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  ASSERT_EQ(partita_mpi_unlock(), PARTITA_OK);
  EXPECT_EQ(ranks, size);
  EXPECT_EQ(run({.devices_per_rank = 2}), size);
}

TEST_F(CApiMpi, RunsOverACommunicatorThatTheHostLends) {
  (void)run({});  // MPI is initialised now
  int rank = 0, size = 0;
  MPI_Comm half = MPI_COMM_NULL;
  ASSERT_EQ(partita_mpi_lock(), PARTITA_OK);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
  MPI_Comm_size(half, &size);
  ASSERT_EQ(partita_mpi_unlock(), PARTITA_OK);
  EXPECT_EQ(run({.mpi_comm = &half}), size);
  ASSERT_EQ(partita_mpi_lock(), PARTITA_OK);
  MPI_Comm_free(&half);
  ASSERT_EQ(partita_mpi_unlock(), PARTITA_OK);
}

}  // namespace
}  // namespace partita
