// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Makes a function's values those of one shard along one axis of a mesh.
#pragma once

#include <string>
#include <vector>

#include "passes/transforms/partition/port_sharding.hpp"

namespace partita::passes {

struct PortShardings {
  std::vector<PortSharding> arguments, results;
};

/// Nodes become those of a shard's part where their operands and results agree on one, at the least cost of
/// communication and repeated work; sums that are left over shards are combined where something needs them.
/// Arguments and results take the types of parts.  What each value's place along the axis is and why is added
/// to `lines`.
void cut_along(ir::Function& f, const MeshCut& cut, PortShardings& ports,
               std::vector<std::string>& lines);

}  // namespace partita::passes
