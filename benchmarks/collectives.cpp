// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// All-reduce of f32 sums: the time of ours, of MPI_Allreduce and of MPI_Iallreduce with MPI_Wait, by turns in
// the same run.  mpirun --oversubscribe --bind-to none -n 2 bench_collectives [seconds per row]
#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

#include <mpi.h>

#include "partita/collective/communicator.hpp"

namespace {

using namespace partita;
using Clock = std::chrono::steady_clock;

struct Times {
  double median_us, min_us, max_us;
};

/// Calls, and adds what they take but the first two.
void measure(const std::function<void()>& call, Communicator& communicator, int repeats,
             std::vector<double>& us) {
  for (int i = 0; i < repeats + 2; ++i) {
    communicator.barrier("measure");
    const auto start = Clock::now();
    call();
    if (i >= 2)
      us.push_back(std::chrono::duration<double, std::micro>(Clock::now() - start).count());
  }
}

Times times_of(std::vector<double> us) {
  std::sort(us.begin(), us.end());
  return {us[us.size() / 2], us.front(), us[us.size() * 9 / 10]};
}

void print_row(const char* name, std::size_t bytes, const Times& t) {
  std::printf("%-12s %10zu %12.1f %12.1f %12.1f %10.2f\n", name, bytes, t.median_us, t.min_us,
              t.max_us, double(bytes) / t.median_us * 1e-3);
}

void measure_size(Communicator& communicator, std::size_t bytes, double seconds) {
  std::vector<float> data(bytes / sizeof(float), 1.0f);
  const int repeats = std::clamp(int(seconds / (5e-6 + double(bytes) * 1e-9)), 5, 20000);
  const auto ours = [&] {
    communicator
        .all_reduce(std::as_writable_bytes(std::span(data)), DType::f32, Combiner::max, "bench")
        ->wait();
  };
  const auto blocking = [&] {
    const MpiGuard guard;
    MPI_Allreduce(MPI_IN_PLACE, data.data(), int(data.size()), MPI_FLOAT, MPI_MAX, MPI_COMM_WORLD);
  };
  const auto nonblocking = [&] {
    const MpiGuard guard;
    MPI_Request request;
    MPI_Iallreduce(MPI_IN_PLACE, data.data(), int(data.size()), MPI_FLOAT, MPI_MAX, MPI_COMM_WORLD,
                   &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  };
  const auto summed = [&] {
    communicator
        .all_reduce(std::as_writable_bytes(std::span(data)), DType::f32, Combiner::sum, "bench")
        ->wait();
  };
  const auto mpi_summed = [&] {
    const MpiGuard guard;
    MPI_Allreduce(MPI_IN_PLACE, data.data(), int(data.size()), MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
  };
  const struct {
    const char* name;
    std::function<void()> call;
  } rows[] = {{"ours sum", summed},
              {"ours max", ours},
              {"MPI sum", mpi_summed},
              {"MPI max", blocking},
              {"MPI I max", nonblocking}};
  // By turns, as the machine's speed changes.
  constexpr int turns = 10;
  std::array<std::vector<double>, std::size(rows)> us;
  for (int turn = 0; turn < turns; ++turn)
    for (std::size_t r = 0; r < std::size(rows); ++r) {
      std::fill(data.begin(), data.end(), 1.0f);
      measure(rows[r].call, communicator, std::max(repeats / turns, 1), us[r]);
    }
  for (std::size_t r = 0; r < std::size(rows); ++r)
    if (communicator.rank() == 0) print_row(rows[r].name, bytes, times_of(us[r]));
}

}  // namespace

int main(int argc, char** argv) {
  const double seconds = argc > 1 ? std::atof(argv[1]) : 0.5;
  try {
    const auto communicators = make_mpi_communicators({});
    Communicator& communicator = *communicators[0];
    if (communicator.rank() == 0) {
      std::printf("%d ranks\n%-12s %10s %12s %12s %12s %10s\n", communicator.ranks(), "", "bytes",
                  "median us", "min us", "90% us", "GB/s");
    }
    for (std::size_t bytes :
         {std::size_t(8), std::size_t(1) << 10, std::size_t(4) << 10, std::size_t(16) << 10,
          std::size_t(64) << 10, std::size_t(256) << 10, std::size_t(1) << 20, std::size_t(4) << 20,
          std::size_t(16) << 20, std::size_t(64) << 20, std::size_t(256) << 20}) {
      measure_size(communicator, bytes, seconds);
    }
  } catch (const Error& error) {
    std::fprintf(stderr, "error: %s\n", error.what());
    abort_mpi_job(3);
    return 3;
  }
  return 0;
}
