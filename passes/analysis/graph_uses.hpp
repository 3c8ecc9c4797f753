// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Who uses what in a graph, found once while nothing changes.
#pragma once

#include <set>
#include <unordered_map>
#include <vector>

#include "partita/ir/graph.hpp"

namespace partita::passes {

class GraphUses {
 public:
  explicit GraphUses(const ir::Graph& graph)
      : returned_(graph.results.begin(), graph.results.end()) {
    for (ir::Node* node : graph.nodes()) {
      Entry& entry = entries_[node];
      entry = {entries_.size() - 1, ir::captures(*node)};
      for (const ir::Value& v : entry.inputs) users_[v].push_back(node);
    }
  }
  /// Of a node in the order of the graph.
  [[nodiscard]] std::size_t place(const ir::Node* node) const { return entries_.at(node).place; }
  /// Operands of a node of the graph, and what its regions capture.
  [[nodiscard]] const std::vector<ir::Value>& inputs(const ir::Node* node) const {
    return entries_.at(node).inputs;
  }
  /// Nodes of the graph that have the value among their inputs.
  [[nodiscard]] const std::vector<ir::Node*>& users(const ir::Value& v) const {
    static const std::vector<ir::Node*> none;
    const auto it = users_.find(v);
    return it == users_.end() ? none : it->second;
  }
  [[nodiscard]] bool is_returned(const ir::Value& v) const { return returned_.contains(v); }

 private:
  struct Entry {
    std::size_t place = 0;
    std::vector<ir::Value> inputs;
  };
  std::unordered_map<const ir::Node*, Entry> entries_;
  ir::ValueMap<std::vector<ir::Node*>> users_;
  std::set<ir::Value> returned_;
};

}  // namespace partita::passes
