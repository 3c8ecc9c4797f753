// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// What simplification rules are and work with.  A rule looks at one node and either leaves it alone
// or says which values stand for its results, making nodes before it on the way.  Rules never change
// existing nodes, so that a sweep can apply all replacements as it goes.
#pragma once

#include <string_view>
#include <unordered_map>
#include <vector>

#include "partita/ir/op.hpp"
#include "passes/analysis/value_range.hpp"

namespace partita::passes {

/// Makes nodes before the node that is being rewritten, and remembers them.
class Rewriter {
 public:
  Rewriter(ir::Node& at, const ir::Module& module, ValueRanges& ranges,
           const ir::ValueMap<int>& uses)
      : at_(at), module_(module), ranges_(ranges), uses_(uses) {}

  ir::Node* create(std::string_view op, std::vector<ir::Value> operands, ir::Dict attrs = {},
                   std::vector<std::unique_ptr<ir::Graph>> regions = {},
                   std::span<const Type> declared = {});
  ir::Value value(std::string_view op, std::vector<ir::Value> operands, ir::Dict attrs = {},
                  std::span<const Type> declared = {});
  ir::Value constant(ir::DenseRef value);
  ir::Value splat(const Type& type, double value) { return constant(ir::make_splat(type, value)); }
  ir::Value reshape(ir::Value v, const Type& type);
  ir::Value broadcast(ir::Value v, const Type& type, const ir::I64s& dims);
  /// Copies the nodes of a region before the node.
  std::vector<ir::Value> inline_body(const ir::Graph& body, ir::ValueMap<ir::Value>& map);
  /// A copy of one node before the node; see ir::clone_node.
  void copy(const ir::Node& node, ir::ValueMap<ir::Value>& map);

  [[nodiscard]] const ir::Module& module() const { return module_; }
  [[nodiscard]] ValueRanges& ranges() { return ranges_; }
  /// At least as many uses as the value had when the sweep began.
  [[nodiscard]] int uses(ir::Value v) const;
  [[nodiscard]] const std::vector<ir::Node*>& created() const { return created_; }

 private:
  ir::Node& at_;
  const ir::Module& module_;
  ValueRanges& ranges_;
  const ir::ValueMap<int>& uses_;
  std::vector<ir::Node*> created_;
};

/// What stands for the node's results; empty when the rule does not apply.
using Replacement = std::vector<ir::Value>;
using Rule = Replacement (*)(ir::Node&, Rewriter&);
/// Rules by op, in the order in which they are tried.
using RuleTable = std::unordered_map<std::string_view, std::vector<Rule>>;

void add_elementwise_rules(RuleTable& table);
void add_shape_rules(RuleTable& table);
void add_region_rules(RuleTable& table);
void add_placement_rules(RuleTable& table);

}  // namespace partita::passes
