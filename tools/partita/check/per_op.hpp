// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Where a compiled program departs from the interpreter: the value of every node of the entry
// function is compared.
#pragma once

#include "tools/partita/check/compare.hpp"
#include "tools/partita/check/targets.hpp"

namespace partita::tool {

/// A program, its inputs and what runs it; program, target and tolerance are borrowed.
struct Comparison {
  const ir::Module& module;
  const ir::Function& function;
  std::vector<HostArray> inputs;
  const CheckTarget& target;
  const ToleranceOptions& tolerance;
};

/// The first result on the target that differs from the interpreter's, "out0: expected …", or the
/// error that the target met; empty where there is none.  Errors of the interpreter are thrown.
[[nodiscard]] std::string departure(const Comparison& comparison);

/// A result of a node of the entry function, by their numbers.
struct DepartingValue {
  std::size_t node = 0;
  int result = 0;
  std::string difference;
};
/// The first value in order of nodes that differs, when all values are results of the program.
[[nodiscard]] std::optional<DepartingValue> first_departing_value(const Comparison& comparison);

/// One line that names the first node whose value differs, its place and the difference.
[[nodiscard]] std::string first_departure(const Comparison& comparison);

}  // namespace partita::tool
