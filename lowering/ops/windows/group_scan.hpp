// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Scans for devices of many items (DeviceClass::simt): the items of a group each combine a few neighbouring elements of a
// line, then through local memory what they have, and begin again from what lies before them.  Few long lines are
// cut into parts: one launch combines each part, one scans what the parts gave, and one scans each part from there.
// Which elements are combined in which order depends on shapes alone, so that results repeat bit for bit.
#pragma once

#include <vector>

#include "lowering/context/context.hpp"
#include "partita/ir/window.hpp"

namespace partita::lowering {

/// Launches what stores the scan of a reduce_window that is one, whose combiner absorbs_initial(), at `results`.
void lower_group_scan(Context& context, ir::Node& node, const ir::ScanShape& shape,
                      const std::vector<Location>& results);

}  // namespace partita::lowering
