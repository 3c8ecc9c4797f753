// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "partita/ir/interpreter.hpp"

#include <algorithm>

#include "ir/interpreter/mesh_run.hpp"
#include "partita/base/error.hpp"

namespace partita::ir {
namespace {

/// Calls and regions within each other; what recursion without end runs into.
constexpr std::size_t max_depth = 256;

/// Leaves the frame also when an op throws.
class Frame {
 public:
  explicit Frame(std::vector<ValueMap<Tensor>>& frames) : frames_(frames) {
    if (frames_.size() >= max_depth)
      throw_user_error(cat("func.call: expected calls and regions nested at most ", max_depth,
                           " deep, found more"));
    frames_.emplace_back();
  }
  Frame(const Frame&) = delete;
  Frame& operator=(const Frame&) = delete;
  ~Frame() { frames_.pop_back(); }

 private:
  std::vector<ValueMap<Tensor>>& frames_;
};

}  // namespace

std::vector<Tensor> EvalContext::run_region(std::size_t k, std::vector<Tensor> arguments) const {
  return interpreter.run(node.region(k), std::move(arguments));
}

std::vector<Tensor> Interpreter::run(const Function& function, std::span<const Tensor> arguments) {
  const bool is_outermost = !process.grid && frames_.empty();
  const auto mesh = is_outermost ? shard_mesh(module_) : std::nullopt;
  const std::vector<Type> types =
      mesh ? whole_argument_types(module_, function) : function.argument_types();
  if (types.size() != arguments.size())
    throw_user_error(cat("func.func: @", function.name, ": expected ", types.size(),
                         " arguments, found ", arguments.size()),
                     function.location);
  for (std::size_t k = 0; k < types.size(); ++k)
    if (arguments[k]->type != types[k])
      throw_user_error(cat("func.func: @", function.name, ": expected argument ", k, " of type ",
                           to_string(types[k]), ", found ", to_string(arguments[k]->type)),
                       function.location);
  if (mesh) return run_on_mesh(*this, *mesh, function, arguments);
  if (is_outermost && needs_processes(module_, function)) {
    const GridSize size = grid_size(module_);
    ProcessGrid grid(size.replicas, size.partitions);
    if (grid.size() > 1)
      return run_processes(grid, [&](Interpreter& one) {
        return one.run(*function.body, {arguments.begin(), arguments.end()});
      })[0];
  }
  return run(*function.body, {arguments.begin(), arguments.end()});
}

std::vector<std::vector<Tensor>> Interpreter::run_processes(
    ProcessGrid& grid, const std::function<std::vector<Tensor>(Interpreter&)>& body) {
  std::vector<std::vector<Tensor>> results(std::size_t(grid.size()));
  std::vector<std::vector<std::string>> failures(results.size());
  grid.run([&](std::int64_t id) {
    Interpreter one(module_);
    one.process = {.grid = &grid, .id = id};
    one.partitions = partitions;
    if (id == 0) one.on_node = on_node;
    results[std::size_t(id)] = body(one);
    failures[std::size_t(id)] = std::move(one.check_failures);
  });
  for (const auto& of_one : failures)
    for (const std::string& failure : of_one)
      if (std::ranges::find(check_failures, failure) == check_failures.end())
        check_failures.push_back(failure);
  return results;
}

std::vector<Tensor> Interpreter::run(const Graph& graph, std::vector<Tensor> arguments) {
  PARTITA_ASSERT(int(arguments.size()) == graph.argument_count());
  const Frame frame(frames_);
  for (std::size_t k = 0; k < arguments.size(); ++k)
    frames_.back()[graph.argument(int(k))] = std::move(arguments[k]);
  const Releases& releases = releases_of(graph);
  for (std::size_t i = 0; i < graph.nodes().size(); ++i) {
    Node& node = *graph.nodes()[i];
    std::vector<Tensor> results = evaluate(node);
    if (on_node) on_node(node, results);
    for (int k = 0; k < node.result_count(); ++k)
      frames_.back()[node.result(k)] = std::move(results[std::size_t(k)]);
    for (const Value v : releases[i]) frames_.back().erase(v);
  }
  std::vector<Tensor> results;
  for (const Value v : graph.results) results.push_back(lookup(v));
  return results;
}

std::vector<Tensor> Interpreter::evaluate(const Node& node) {
  if (!node.op().eval)
    throw_user_error(cat(node.name(), ": cannot be interpreted; ", node.op().doc), node.location());
  std::vector<Tensor> operands;
  operands.reserve(node.operands().size());
  for (const Value v : node.operands()) operands.push_back(lookup(v));
  std::vector<Tensor> results =
      node.op().eval({.node = node, .operands = operands, .interpreter = *this});
  PARTITA_ASSERT(int(results.size()) == node.result_count());
  for (std::size_t k = 0; k < results.size(); ++k)
    if (results[k]->type != node.result_types()[k])
      throw_internal_error(cat(node.name(), ": result ", k, " is of type ",
                               to_string(results[k]->type), ", not ",
                               to_string(node.result_types()[k])));
  return results;
}

const Tensor& Interpreter::lookup(Value value) const {
  for (std::size_t f = frames_.size(); f-- > 0;) {
    const auto found = frames_[f].find(value);
    if (found != frames_[f].end()) return found->second;
  }
  throw_internal_error(
      cat("a value of ", value.node->name(), " is used where it has not been computed"));
}

const Interpreter::Releases& Interpreter::releases_of(const Graph& graph) {
  const auto [at, is_new] = releases_.try_emplace(&graph);
  Releases& releases = at->second;
  if (!is_new) return releases;
  const std::vector<Node*>& nodes = graph.nodes();
  releases.resize(nodes.size());
  ValueMap<bool> used_later;
  for (const Value v : graph.results) used_later[v] = true;
  for (std::size_t i = nodes.size(); i-- > 0;) {
    Node& node = *nodes[i];
    const auto release_here = [&](Value v) {
      const bool is_own = v.node->graph() == &graph || graph.is_argument(v);
      if (is_own && used_later.emplace(v, true).second) releases[i].push_back(v);
    };
    for (int k = 0; k < node.result_count(); ++k) release_here(node.result(k));
    for (const Value v : captures(node)) release_here(v);
  }
  return releases;
}

std::int64_t Interpreter::partition_index(const std::string& placement, const Node& node) const {
  for (std::size_t k = partitions.size(); k-- > 0;)
    if (placement.empty() || partitions[k].first == placement) return partitions[k].second;
  const std::string wanted = placement.empty() ? "a map" : cat("a map over ", placement);
  throw_user_error(
      cat(node.name(), ": expected to be inside of ", wanted, ", found none around it"),
      node.location());
}

const Graph& Interpreter::expansion(const Node& node,
                                    const std::function<std::unique_ptr<Graph>()>& make) {
  std::unique_ptr<Graph>& graph = expansions_[&node];
  if (!graph) graph = make();
  return *graph;
}

}  // namespace partita::ir
