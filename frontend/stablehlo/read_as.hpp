// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Ops that are read as others, so that no pass knows them: moves and marks that Shardy's passes leave in programs, and
// asynchronous collectives.  Of a value of the whole program the former say how it lies from there on, or nothing; what is
// asynchronous is a matter of plans, whose collectives start where their operands are there.
#pragma once

#include <string_view>
#include <vector>

#include "frontend/stablehlo/quantized_ops.hpp"

namespace partita::ir {

/// Whether ops of this name have no definition of their own.
[[nodiscard]] bool is_read_as_other(std::string_view op);
/// Whether this one is read as another: so are custom calls by which JAX starts collectives and waits for them, those
/// that change no value (control_dep, dce_sink), and checks of shapes (shape_assertion), which hold or are a user error.
[[nodiscard]] bool is_read_as_other(const WrittenOp& op);
/// Makes what takes the place of such an op, and gives its results.  The value of an op that says nothing, such as
/// sdy.data_flow_edge, is its operand; regions of sdy.named_computation and stablehlo.async_start become part of the graph.
[[nodiscard]] std::vector<WrittenValue> create_as_other(Graph& graph, WrittenOp op);

/// What a custom call names; empty for other ops.
[[nodiscard]] std::string_view target_of(const WrittenOp& op);

/// What combines elements of these types two by two by a function of the module.
[[nodiscard]] WrittenRegion region_that_calls(const Attribute& callee,
                                              const std::vector<DType>& elements,
                                              const SourceLocation& where);

/// Replica groups by axes of a mesh, #stablehlo.replica_group_mesh_axes<…>, become a table of devices; a user error where
/// the mesh (a symbol of the module, or written out) does not have the axes.  Other attributes stay as they are.
void list_replica_groups(WrittenOp& op);

}  // namespace partita::ir
