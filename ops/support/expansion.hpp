// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Ops that stand for other ops: ir::create makes what they are short for, so that no node of such an
// op exists and no later stage knows them.  For ops with one meaning that others already have
// (dynamic_reshape with a static result, chlo.broadcast_add), not for what needs an evaluation or a
// kernel of its own.
#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "partita/ir/maker.hpp"
#include "partita/ir/op.hpp"

namespace partita::ir::ops {

/// One use of such an op.
class Expansion {
 public:
  Expansion(const InferContext& c, Graph& graph, std::span<const Value> operands, Node* before)
      : context(c), into(graph), operands(operands), regions(c.regions), before(before) {}

  const InferContext& context;
  Graph& into;
  std::span<const Value> operands;
  std::span<const std::unique_ptr<Graph>> regions;
  Node* before;

  /// A node at the place of this one; `results`: declared types, where the op needs them.
  [[nodiscard]] Node* make(std::string_view op, std::vector<Value> values, Dict attrs = {},
                           std::vector<Type> results = {}) const;
  [[nodiscard]] Value value(std::string_view op, std::vector<Value> values, Dict attrs = {},
                            std::vector<Type> results = {}) const {
    return make(op, std::move(values), std::move(attrs), std::move(results))->result();
  }
  /// Makes nodes there.
  [[nodiscard]] Maker maker() const { return {into, before, context.location}; }
  /// The one declared result.
  [[nodiscard]] const Type& result() const;
  /// The integers of operand k, a list; nothing where they are not known before the program runs.
  [[nodiscard]] std::optional<I64s> known_integers(std::size_t k) const;
  /// The same; a user error where they are not known.
  [[nodiscard]] I64s integers(std::size_t k, std::string_view what) const;
  /// Operand k must be a list of `count` integers.
  void expect_integers(std::size_t k, std::int64_t count, std::string_view what) const;
};

/// Makes the nodes and returns the one whose results are those of the op.
using ExpandFn = Node* (*)(const Expansion&);

/// Registers an op that stands for others: name, doc, attrs and samples of `def` count.
void add_expansion(OpRegistry& registry, OpDef def, ExpandFn expand);

}  // namespace partita::ir::ops
