// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Operands of steps as strides of memory.
#pragma once

#include "lowering/context/context.hpp"
#include "lowering/values/strided_view.hpp"

namespace partita::lowering {

/// A value as strides of memory; nothing where it is no such view, or one of several partitions at a time.
[[nodiscard]] std::optional<StridedView> view_in_memory(Context& context, ir::Value v);
/// Whether elements lie one after the other, in the order of the dimensions.
[[nodiscard]] bool is_dense(const Dims& extents, const Dims& strides);
/// Where a view's first element lies.
[[nodiscard]] BufferRef place_of(Context& context, const StridedView& view);

}  // namespace partita::lowering
