// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// What a shard holds of each value while a function is made that of one shard: a part, the whole, or a
// term of a sum over shards; other forms are made once, where they are wanted first.
#pragma once

#include <array>
#include <map>
#include <optional>

#include "passes/transforms/partition/reshard.hpp"

namespace partita::passes {

class HeldValues {
 public:
  HeldValues(const MeshCut& cut, const AxisPlan& plan) : cut_(cut), plan_(plan) {}

  /// What is held of `v`, a value of graph `home`.
  void set(ir::Value v, ir::Graph& home, ir::Value held, const std::optional<ir::AxisPosition>& at);
  void set_partial(ir::Value v, ir::Graph& home, ir::Value term, Combiner combiner);

  /// A value that the program does not have, of which `held` is the shard's part.
  [[nodiscard]] ir::Value stand_in(const Type& type, ir::Graph& home, ir::Value held,
                                   const ir::AxisPosition& at);

  /// How it is held first; nothing where whole or partial.
  [[nodiscard]] std::optional<ir::AxisPosition> position(ir::Value v) const;
  /// How the terms combine, where the value is a combination over shards that nothing has needed yet.
  [[nodiscard]] std::optional<Combiner> partial(ir::Value v) const;
  /// The term of this shard.
  [[nodiscard]] ir::Value left(ir::Value v) const;

  /// The part at a position, or the whole, made at the end of the value's graph.
  [[nodiscard]] ir::Value get(ir::Value v, const std::optional<ir::AxisPosition>& at);
  /// The graph in which its forms are made.
  [[nodiscard]] ir::Graph& home(ir::Value v) const { return *held_.at(v).home; }
  /// Combines what a region of the node uses, before the node exists.
  void prepare_captures(const ir::Node& node);

 private:
  struct Held {
    ir::Graph* home = nullptr;
    std::optional<Combiner> combiner;  ///< of terms
    ir::Value term;
    std::optional<ir::AxisPosition> at;  ///< of the first form
    /// By dimension, outer and inner; the whole by a dimension of -1.
    std::map<std::array<std::int64_t, 3>, ir::Value> forms;
  };
  static std::array<std::int64_t, 3> key(const std::optional<ir::AxisPosition>& at);
  Held& find(ir::Value v);
  void combine(ir::Value v, Held& held, const std::optional<ir::AxisPosition>& wanted);

  MeshCut cut_;
  const AxisPlan& plan_;
  ir::ValueMap<Held> held_;
  ir::Graph stand_ins_;  ///< those are its arguments
};

}  // namespace partita::passes
