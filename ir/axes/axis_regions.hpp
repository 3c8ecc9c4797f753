// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// How an axis lies in the regions of one `while`, `case` or `if`: positions to a fixed point.
#pragma once

#include <string>

#include "partita/ir/factor_transform.hpp"

namespace partita::ir {

/// Nodes whose regions an axis can pass.
[[nodiscard]] bool is_control_flow(const Node& node);

class RegionAxis {
 public:
  /// `captured` tells what is known of values from outside.
  RegionAxis(const Node& node, std::int64_t n, KnownPosition captured);
  /// Unites operands, region arguments and results with what is known, until nothing changes.
  void run(const AxisPositions& operands, const AxisPositions& results);

  [[nodiscard]] const std::string& why() const { return why_; }
  [[nodiscard]] std::optional<AxisPosition> position(Value v) const;
  /// Operands, results and captures.
  [[nodiscard]] AxisFlow flow() const;
  /// The flow of a node of a region; nothing when the axis does not touch it.
  [[nodiscard]] std::optional<AxisFlow> flow_of(const Node& inner) const;

 private:
  [[nodiscard]] bool set(Value v, const std::optional<AxisPosition>& position);
  [[nodiscard]] bool unite(std::optional<AxisPosition>& slot, Value v);
  [[nodiscard]] bool unite_loop();
  [[nodiscard]] bool unite_branches();
  [[nodiscard]] bool is_any_index(const Node& inner, const AxisFlow& flow) const;
  [[nodiscard]] bool visit(const Node& inner);
  [[nodiscard]] bool sweep(const Graph& graph);

  const Node& node_;
  std::int64_t n_;
  KnownPosition captured_;
  ValueMap<AxisPosition> positions_;
  AxisPositions slots_;  ///< of a loop: carries; of branches: results
  Value any_index_;      ///< of a loop that runs while any index wants to: what each wants
  std::string why_;
  bool is_reduced_ = false;  ///< why_ says that a region reduces it
};

}  // namespace partita::ir
