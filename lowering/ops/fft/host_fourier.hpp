// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Transforms that the host computes, by the routine "fft": on processors, where machine code of the runtime is as fast as
// kernels of a program's own and takes no time to compile (decision 0036).
#pragma once

#include <optional>

#include "lowering/context/context.hpp"
#include "lowering/ops/fft/fourier_lines.hpp"

namespace partita::lowering {

/// Transforms lines, which are not given as pairs; nothing where the host does not.
[[nodiscard]] std::optional<Location> lower_host_fourier(Context& context, const Location& at,
                                                         const FourierLines& lines,
                                                         const ir::Node& node);

}  // namespace partita::lowering
