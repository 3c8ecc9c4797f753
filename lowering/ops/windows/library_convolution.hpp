// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#pragma once

#include "lowering/context/context.hpp"

namespace partita::lowering {

/// Has the library compute a convolution at a place; false where it does not take it (is_library_convolution), or where
/// the input does not lie densely in memory.
[[nodiscard]] bool lower_library_convolution(Context& context, ir::Node& node, Location to);

}  // namespace partita::lowering
