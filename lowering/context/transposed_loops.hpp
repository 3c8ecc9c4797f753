// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Elements of a value whose neighbours are not read side by side, for devices of many items
// (DeviceClass::simt): a group reads a square as it lies, and stores it as the result lies.
#pragma once

#include "lowering/context/context.hpp"

namespace partita::lowering {

/// Launches what stores `v` at `to`; false where all is read side by side, or is too small.
[[nodiscard]] bool lower_transposed(Context& context, ir::Value v, const Location& to);

}  // namespace partita::lowering
