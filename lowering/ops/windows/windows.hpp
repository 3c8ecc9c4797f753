// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// What ops over windows become.
#pragma once

#include <vector>

#include "lowering/context/context.hpp"
#include "partita/ir/window.hpp"

namespace partita::lowering {

void lower_convolution(Context& context, ir::Node& node);
void lower_select_and_scatter(Context& context, ir::Node& node);
void lower_reduce_window(Context& context, ir::Node& node, std::vector<ir::WindowDim> window);
/// A reduce_window that is a scan, whose combiner absorbs_initial().
void lower_scan(Context& context, ir::Node& node, const ir::ScanShape& shape);
/// Whether combining initial values with each other gives the initial values.
[[nodiscard]] bool absorbs_initial(const Context& context, const ir::Node& node);

}  // namespace partita::lowering
