// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Who uses what in a graph, found once while nothing changes.
#pragma once

#include <algorithm>
#include <span>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "partita/ir/graph.hpp"

namespace partita::passes {

class GraphUses {
 public:
  /// Place of what no node of the graph makes.
  static constexpr std::size_t nowhere = std::size_t(-1);
  struct Input {
    ir::Value value;
    std::size_t from = nowhere;  ///< place of the node that makes it
  };

  explicit GraphUses(const ir::Graph& graph)
      : returned_(graph.results.begin(), graph.results.end()) {
    const std::size_t count = graph.nodes().size();
    places_.reserve(count);
    first_input_.reserve(count + 1);
    std::vector<std::pair<ir::Value, ir::Node*>> uses;
    for (ir::Node* node : graph.nodes()) {
      places_.emplace(node, places_.size());
      first_input_.push_back(inputs_.size());
      for (const ir::Value& v : ir::captures(*node)) {
        const auto from = places_.find(v.node);
        inputs_.push_back({v, from == places_.end() ? nowhere : from->second});
        uses.emplace_back(v, node);
      }
    }
    first_input_.push_back(inputs_.size());
    // Users of one value in the order of the graph.
    std::ranges::stable_sort(uses, {}, [](const auto& use) { return use.first; });
    used_.reserve(uses.size());
    users_.reserve(uses.size());
    for (const auto& [value, user] : uses) {
      used_.push_back(value);
      users_.push_back(user);
    }
  }
  [[nodiscard]] std::size_t count() const { return places_.size(); }
  /// Of a node in the order of the graph.
  [[nodiscard]] std::size_t place(const ir::Node* node) const { return places_.at(node); }
  /// Operands of the node at a place, and what its regions capture.
  [[nodiscard]] std::span<const Input> inputs(std::size_t place) const {
    return std::span(inputs_).subspan(first_input_[place],
                                      first_input_[place + 1] - first_input_[place]);
  }
  /// Nodes of the graph that have the value among their inputs.
  [[nodiscard]] std::span<ir::Node* const> users(const ir::Value& v) const {
    const auto [first, last] = std::ranges::equal_range(used_, v);
    return std::span(users_).subspan(std::size_t(first - used_.begin()), std::size_t(last - first));
  }
  [[nodiscard]] bool is_returned(const ir::Value& v) const { return returned_.contains(v); }

 private:
  std::unordered_map<const ir::Node*, std::size_t> places_;
  std::vector<Input> inputs_;  ///< of all nodes, one after the other
  std::vector<std::size_t> first_input_;
  std::vector<ir::Value> used_;  ///< sorted; beside each, in `users_`, who uses it
  std::vector<ir::Node*> users_;
  std::unordered_set<ir::Value, ir::ValueHash> returned_;
};

}  // namespace partita::passes
