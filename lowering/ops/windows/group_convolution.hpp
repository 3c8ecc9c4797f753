// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Convolutions for devices of many items (DeviceClass::simt), as sums of products: rows are windows, columns output
// features, terms the elements of a window times input features (lowering/ops/support/group_product.hpp).
#pragma once

#include "lowering/context/context.hpp"

namespace partita::lowering {

void lower_group_convolution(Context& context, ir::Node& node, const Location& to);

}  // namespace partita::lowering
