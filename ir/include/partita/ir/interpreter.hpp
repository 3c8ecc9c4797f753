// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// The reference interpreter: readable and slow, the meaning of every op and the oracle of every
// test.  Floating-point sums and contractions accumulate in f64.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "partita/ir/op.hpp"
#include "partita/ir/process_grid.hpp"

namespace partita::ir {

class Interpreter {
 public:
  explicit Interpreter(const Module& module) : module_(module) {}
  /// Runs a function; argument types are verified (user error).  One that asks which process runs it
  /// is run by every process of the grid that the module names, on the same arguments; the results
  /// are those of the first.  Where the module is for one shard of a mesh (mr.mesh), arguments and results
  /// are wholes, and every shard runs the function on its blocks.
  [[nodiscard]] std::vector<Tensor> run(const Function& function,
                                        std::span<const Tensor> arguments);
  /// Runs a graph whose captures are bound in the enclosing frames.
  [[nodiscard]] std::vector<Tensor> run(const Graph& graph, std::vector<Tensor> arguments);
  [[nodiscard]] const Module& module() const { return module_; }
  /// Runs `body` on the interpreter of each process of a grid; its values, by process.
  [[nodiscard]] std::vector<std::vector<Tensor>> run_processes(
      ProcessGrid& grid, const std::function<std::vector<Tensor>(Interpreter&)>& body);
  /// The simulated shard that runs here; without grid the whole program is seen at once.
  Process process;
  /// Partition index of the enclosing maps, innermost last: (placement, index).
  std::vector<std::pair<std::string, std::int64_t>> partitions;
  /// Values of collectives that have started and are not done, by the node that started them.
  std::unordered_map<const Node*, std::vector<Tensor>> in_flight;
  /// Failures that check.* nodes recorded, in order.
  std::vector<std::string> check_failures;
  /// Values that interpreter.probe nodes recorded, in order, by their name.
  std::map<std::string, std::vector<Tensor>> probes;
  /// Called after each node when set (per-op comparison).
  std::function<void(const Node&, std::span<const Tensor>)> on_node;

  /// What stands for a node that is expanded before it runs; made once.
  const Graph& expansion(const Node& node, const std::function<std::unique_ptr<Graph>()>& make);

  /// Value of a placement's partition index in the enclosing maps; the innermost when `placement` is
  /// empty.  A user error where there is none.
  [[nodiscard]] std::int64_t partition_index(const std::string& placement, const Node& node) const;

 private:
  /// By node of a graph: values that no later node uses.
  using Releases = std::vector<std::vector<Value>>;
  const Releases& releases_of(const Graph& graph);
  [[nodiscard]] const Tensor& lookup(Value value) const;
  std::vector<Tensor> evaluate(const Node& node);

  const Module& module_;
  std::vector<ValueMap<Tensor>> frames_;
  std::unordered_map<const Graph*, Releases> releases_;
  std::unordered_map<const Node*, std::unique_ptr<Graph>> expansions_;
};

}  // namespace partita::ir
