// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Products of small floats, and of f32 as tf32 where that is allowed, on matrix units: local memory holds the operands as memory does, sub-groups of 32 items
// multiply 16 x 16 by 16 x 8 elements at a time (MultiplyMatrices).
#pragma once

#include <optional>

#include "lowering/ops/support/tiled_product.hpp"

namespace partita::lowering {

/// Tiles for matrix units, whose `depth` is theirs; nothing where the product or the device does not suit them.
[[nodiscard]] std::optional<GroupPlan> choose_matrix_plan(const Product& product, Context& context);
/// The same tiles, and parts, for kernels without them.
[[nodiscard]] GroupPlan without_matrices(const GroupPlan& plan, const Product& product);

/// Writes the kernel, and returns its groups.
[[nodiscard]] std::int64_t write_matrix_product(const Product& product, const GroupPlan& plan,
                                                KernelBody& body,
                                                const std::optional<Location>& partial);

}  // namespace partita::lowering
