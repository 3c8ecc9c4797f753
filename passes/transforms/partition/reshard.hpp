// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Makes a shard's part of a value from another part of it, by communication along one axis of a mesh.
#pragma once

#include <optional>

#include "partita/base/combiner.hpp"
#include "partita/ir/maker.hpp"
#include "passes/transforms/partition/axis_plan.hpp"

namespace partita::passes {

/// Emits at the end of a graph.
class Reshard {
 public:
  Reshard(ir::Graph& graph, const MeshCut& cut) : make_{graph}, cut_(cut) {}

  /// The shard's part of what every shard holds whole.
  [[nodiscard]] ir::Value slice(ir::Value whole, const ir::AxisPosition& at) const;
  /// The whole, of dimension extent `extent`, of what each shard holds a part of.
  [[nodiscard]] ir::Value gather(ir::Value part, const ir::AxisPosition& at,
                                 std::int64_t extent) const;
  /// The part along another dimension; `extent` is that of `from`'s dimension in the whole.
  [[nodiscard]] ir::Value exchange(ir::Value part, const ir::AxisPosition& from,
                                   std::int64_t extent, const ir::AxisPosition& to) const;
  [[nodiscard]] ir::Value combine(ir::Value partial, Combiner combiner) const;
  /// The part of what all shards' values combine to.
  [[nodiscard]] ir::Value combine_scatter(ir::Value partial, Combiner combiner,
                                          const ir::AxisPosition& at) const;
  /// Every shard's value, in order along the axis, as a new leading dimension.
  [[nodiscard]] ir::Value stack(ir::Value own) const;
  /// What shard i + hop along the axis gives, for each target i; zeros elsewhere, and where there is no such shard.
  [[nodiscard]] ir::Value shift(ir::Value own, std::int64_t hop,
                                const std::vector<std::int64_t>& targets) const;
  /// What shard sources[i] along the axis gives, for each shard i.
  [[nodiscard]] ir::Value permuted(ir::Value own, const ir::I64s& sources) const;
  /// `part` with the combiner's identity where a ragged dimension has no elements on this shard.
  [[nodiscard]] ir::Value masked(ir::Value part, const ir::AxisPosition& at, std::int64_t extent,
                                 Combiner combiner) const;
  /// The same with a scalar.
  [[nodiscard]] ir::Value masked(ir::Value part, const ir::AxisPosition& at, std::int64_t extent,
                                 ir::Value filler) const;
  /// With so many zeros in front and behind along a dimension.
  [[nodiscard]] ir::Value padded(ir::Value v, int dim, std::int64_t front, std::int64_t back) const;
  /// The index in the whole of each element of a part along its dimension.
  [[nodiscard]] ir::Value places(const Type& part, const ir::AxisPosition& at,
                                 DType dtype = DType::i32) const;
  /// The shard's place along the axis, an i32.
  [[nodiscard]] ir::Value index() const;

 private:
  [[nodiscard]] ir::Value padded_to(ir::Value v, int dim, std::int64_t extent) const;
  [[nodiscard]] ir::Value split_to_front(ir::Value whole, const ir::AxisPosition& at) const;
  [[nodiscard]] ir::Value merge_from_front(ir::Value stacked, const ir::AxisPosition& at) const;
  [[nodiscard]] ir::Attribute groups() const;

  ir::Maker make_;
  MeshCut cut_;
};

/// The type of a shard's part.
[[nodiscard]] Type part_type(Type whole, const std::optional<ir::AxisPosition>& at);

}  // namespace partita::passes
