// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// reduce for devices of many items (DeviceClass::simt).  Where later reductions and results go through
// the same rows (softmax, norms), one kernel does all of it.
#pragma once

#include "lowering/context/context.hpp"

namespace partita::lowering {

void lower_group_reduce(Context& context, ir::Node& node);

}  // namespace partita::lowering
