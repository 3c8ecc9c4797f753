// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Runs the program of one shard once for each shard of its mesh, on wholes.
#pragma once

#include <span>
#include <vector>

#include "partita/ir/interpreter.hpp"
#include "partita/ir/mesh.hpp"

namespace partita::ir {

/// The whole results of a function of a module with mr.mesh on whole arguments, whose types are verified.  Each
/// shard gets its blocks, whose padding is all ones (floats: NaN), so that results that depend on it show it; of
/// shards that hold the same block of a result, the first says it.
[[nodiscard]] std::vector<Tensor> run_on_mesh(Interpreter& interpreter, const Mesh& mesh,
                                              const Function& function,
                                              std::span<const Tensor> arguments);

}  // namespace partita::ir
