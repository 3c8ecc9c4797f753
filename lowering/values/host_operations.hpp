// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Ops that the host computes on scalar integers, when their operands are known there: arithmetic of
// loop counters, offsets and bounds.
#pragma once

#include <span>

#include "partita/artifact/host_expr.hpp"
#include "partita/ir/graph.hpp"

namespace partita::lowering {

using HostOperation = HostExpr (*)(std::span<const HostExpr> operands);

/// How the host computes the result of a node of scalar integers; null: it does not.
[[nodiscard]] HostOperation host_operation(const ir::Node& node);

}  // namespace partita::lowering
