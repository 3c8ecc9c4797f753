// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#pragma once

#include <string>
#include <vector>

#include "passes/transforms/partition/axis_plan.hpp"

namespace partita::passes {

/// Adds what the plan says of a graph's values, a line each under one for the axis: type, the dimension that the
/// axis cuts and into what, or that it is whole, and what said so first.  Values of regions stand below their
/// node, indented; constants and scalars are left out.
void explain(const AxisPlan& plan, const ir::Graph& graph, std::vector<std::string>& lines);

}  // namespace partita::passes
