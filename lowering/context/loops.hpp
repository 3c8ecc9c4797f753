// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Kernels that compute an array element by element.
#pragma once

#include <functional>
#include <span>
#include <string>

#include "lowering/context/context.hpp"

namespace partita::lowering {

using namespace kernel;

/// Computes `v` at `to`.
void lower_loops(Context& context, ir::Value v, Location to);
/// Computes this shard's block of `v`, an array over a placement, at `to`.
void lower_block(Context& context, ir::Value v, int placement, Location to);
void lower_fill(Context& context, Location to, const HostArray& value, const Type& type);
/// Writes an array at `to`, whose elements are of `type`: element `value` gives for an index.
using ElementFn =
    std::function<scalar::ExprId(KernelBody& body, std::span<const scalar::ExprId> index)>;
void lower_each(Context& context, Location to, const Type& type, const std::string& stem,
                const ElementFn& value);
/// `v` in memory as elements of `dtype`.
Location memory_as(Context& context, ir::Value v, DType dtype);
/// Steps for each value of an index from 0 to `count`.
void emit_counted(Context& context, std::int64_t count, const std::string& name,
                  const std::function<void(const HostExpr& index)>& emit_steps);

}  // namespace partita::lowering
