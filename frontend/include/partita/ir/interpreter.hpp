// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// The reference interpreter: readable and slow, the meaning of every op and the oracle of every
// test.  Floating-point sums and contractions accumulate in f64.
#pragma once

#include <span>
#include <vector>

#include "partita/ir/op.hpp"

namespace partita::ir {

class Interpreter {
 public:
  explicit Interpreter(const Module& module) : module_(module) {}
  /// Runs a function; argument types are verified (user error).
  [[nodiscard]] std::vector<Tensor> run(const Function& function, std::span<const Tensor> arguments);
  /// Runs a graph whose captures are bound in the enclosing frames.
  [[nodiscard]] std::vector<Tensor> run(const Graph& graph, std::vector<Tensor> arguments);
  [[nodiscard]] const Module& module() const { return module_; }
  /// Partition index of the enclosing maps, innermost last: (placement, index).
  std::vector<std::pair<std::string, std::int64_t>> partitions;
  /// Failures that check.* nodes recorded, in order.
  std::vector<std::string> check_failures;
  /// Called after each node when set (per-op comparison).
  std::function<void(const Node&, std::span<const Tensor>)> on_node;

 private:
  const Module& module_;
  std::vector<ValueMap<Tensor>> frames_;
};

}  // namespace partita::ir
