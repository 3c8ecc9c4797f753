// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// The measured sides of `partita bench rounds` that this program itself plays: compiled rounds, and
// the GEMM calls of the mlp round alone.  Each is `partita bench serve-…` in a process of its own.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include <boost/json/object.hpp>

#include "partita/driver/compile.hpp"

namespace partita::tool {

struct ServeOptions {
  std::string program, inputs;
  std::string pipes;  ///< PREFIX: named pipes PREFIX.RANK.in and .out in place of the streams
  std::vector<std::string> placements;  ///< NAME=N
  driver::CompileOptions compile;
};

/// Serves a program's rounds until it is told to quit; one rank of a job under mpirun.
int serve_rounds(const ServeOptions& options);

/// Serves the GEMM calls of `clients` clients' rounds (784-200-200-10, batch 20, 4 steps), a thread
/// per core, by the cblas_sgemm of OpenBLAS, which is loaded at run time.
int serve_blas(std::int64_t clients);

/// Serves executions of an artifact on inputs of a seed; one rank of a job under mpirun.  `pipes` as in ServeOptions.
int serve_artifact(const std::string& path, std::uint64_t seed, const std::string& pipes);

/// What a server does when asked, over standard streams or the named pipes of `pipes`.
struct Served {
  std::function<void()> round;
  /// Executions that are submitted behind one another, then one wait; absent where there is no such thing.
  std::function<void(std::int64_t count)> queued;
  std::function<void(const std::string& path)> save_outputs;
  /// What the session counts of a round; absent where there is no session.
  std::function<boost::json::object()> stats;
  boost::json::object facts;  ///< for the greeting
};
int serve(const Served& served, const std::string& pipes);

}  // namespace partita::tool
