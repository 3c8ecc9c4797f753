// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Contractions for devices of many items (DeviceClass::simt): lowering/ops/support/group_product.hpp.
#pragma once

#include "lowering/context/context.hpp"

namespace partita::lowering {

/// Launches what stores the epilogue's root at `to`.
void lower_group_contraction(Context& context, const Epilogue& epilogue, Location to,
                             const std::string& stem);

}  // namespace partita::lowering
