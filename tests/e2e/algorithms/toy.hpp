// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// The toy problem of the algorithms' tests, (x·y − 1)²/2 over three partitions, and each algorithm as a
// program on it.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "partita/algorithms.hpp"
#include "partita/builder.hpp"

namespace partita::testing {

using Values = std::vector<double>;

/// A program of f64 with its inputs and what it computes.
struct ToyProgram {
  std::string name;
  std::map<std::string, std::int64_t> placements;
  struct Input {
    std::string name;
    Dims dims;
    Values values;
  };
  std::vector<Input> inputs;
  build::Body body;
  /// Of each result; with no values it is not compared.
  std::vector<Values> expected;

  [[nodiscard]] std::vector<HostArray> arguments() const;
  [[nodiscard]] build::Program& build_into(build::Program& program) const;
};

inline const std::string clients = "clients";
inline const Values toy_start{2, -1}, toy_data{1, 2, 3, -4, -7, 6};

/// A program on its model x and its data over three clients.
ToyProgram on_toy(const std::string& name, build::Body body, std::vector<Values> expected);

/// Of parameters x [2], or of two leaves [1] that make it up.
build::Array toy_loss(const build::Arrays& params, const build::Arrays& batch);

/// All of them; oracles from SEMANTICS or computed beside them in plain C++.
std::vector<ToyProgram> federated_programs();
std::vector<ToyProgram> tuning_programs();
std::vector<ToyProgram> worker_programs();
std::vector<ToyProgram> toy_programs();

/// What runs of the program give: by the interpreter, or compiled for a target on a number of shards.
std::vector<Values> interpret(const ToyProgram& program);
struct Ran {
  std::vector<Values> results;
  std::int64_t collective_calls = 0;
};
Ran compile_and_run(const ToyProgram& program, const std::string& target, int shards);

}  // namespace partita::testing
