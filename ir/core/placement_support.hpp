// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// What passes over mr ops share: building maps, finding placements.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "partita/ir/op.hpp"

namespace partita::ir {

/// Builds one partition's results from its values.
using MapBody =
    std::function<std::vector<ir::Value>(ir::Graph& body, const std::vector<ir::Value>& arguments)>;

/// An mr.map over `operands`, which all have the placement's axis at 0, inserted before `before`.
std::vector<ir::Value> build_map(ir::Graph& graph, ir::Node* before, const std::string& placement,
                                 const std::vector<ir::Value>& operands, const MapBody& body);

/// The type of one partition's value.
[[nodiscard]] Type partition_type(const Type& placed);

[[nodiscard]] bool is_reduction(const ir::Node& node);

/// Of a barrier behind maps, by itself or as a map of nothing else: what each result passes on. Empty for other nodes.
[[nodiscard]] std::vector<ir::Value> passed_by_barrier(const ir::Node& node);

/// Size of a placement that the module declares; an internal error when it does not.
[[nodiscard]] std::int64_t declared_size(const ir::Module& module, const std::string& placement);

/// Values from outside that the node's regions use (its operands only where a region uses them).
[[nodiscard]] std::vector<ir::Value> region_captures(const ir::Node& node);

}  // namespace partita::ir
