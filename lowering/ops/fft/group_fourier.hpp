// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Fourier transforms for devices of many items (DeviceClass::simt): a group transforms lines that fit in its local memory, all stages in
// one kernel.  Items hold what they have read in registers until all have read, so that one copy is enough.
#pragma once

#include <optional>

#include "lowering/context/context.hpp"
#include "lowering/ops/fft/fourier_lines.hpp"

namespace partita::lowering {

/// Transforms lines of a length without large prime factors; nothing where they do not fit, or have one stage.
[[nodiscard]] std::optional<Location> lower_group_fourier(Context& context, const Location& at,
                                                          const FourierLines& lines,
                                                          const ir::Node& node);

}  // namespace partita::lowering
