// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Scatter for devices of many items (DeviceClass::simt), where many updates can meet in one element: they are sorted by
// where they go, and the first item of those that go to one place applies all of these.  The sort is stable, so that they
// come in their order, and every combiner gives the bits that it gives one by one.
#pragma once

#include <vector>

#include "lowering/context/context.hpp"

namespace partita::lowering {

/// Launches what applies the updates of a scatter to `results`, which hold its operands; false where that does not pay.
[[nodiscard]] bool lower_sorted_scatter(Context& context, const ir::Node& node,
                                        const std::vector<Location>& results);

}  // namespace partita::lowering
