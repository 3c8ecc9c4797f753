// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Composites "partita.*" as mr ops: what exported programs carry when their placement ops are kept.
#pragma once

#include "partita/passes/pass.hpp"

namespace partita::passes {

/// Replaces every composite "partita.*" of a function by the mr op it stands for; a map without (or
/// with an unsuitable) body is replaced by its decomposition, from which outlining recovers it.
/// Placements found are declared in the module.
void raise_composites(ir::Module& module, ir::Function& function, PassContext& context);

/// Declares a placement; a user error when it is declared with another size.
void declare_placement(ir::Module& module, const std::string& name, std::int64_t size,
                       const std::string& where);

/// Maps with axes other than 0: operands that are not partitioned are broadcast, other axes are
/// transposed outside, so that every map has axis 0 throughout.
void normalise_maps(ir::Graph& graph, const ir::Module& module);

}  // namespace partita::passes
