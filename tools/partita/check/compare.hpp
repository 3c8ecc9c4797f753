// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Compares arrays as `partita check` does: NaN equals NaN, infinities by sign, -0 equals +0, floats
// within a tolerance, everything else exactly.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "partita/base/host_array.hpp"
#include "partita/ir/graph.hpp"

namespace partita::tool {

/// |found - expected| <= absolute + relative * |expected|
struct Tolerance {
  double absolute = 0, relative = 0;
};

/// What the command line sets in place of the defaults.
struct ToleranceOptions {
  std::optional<double> relative, absolute;
};

/// A float of fewer digits than f16 (bf16), or none.
using CoarseFloat = std::optional<DType>;

/// Default for an element type; wider where the value comes out of arithmetic in a coarse float.
[[nodiscard]] Tolerance tolerance_for(DType dtype, CoarseFloat fed_by,
                                      const ToleranceOptions& options);

/// "expected 1.5 at [0, 3], found 1.25 (2 of 12 elements differ, by at most 0.25)"; nothing where the
/// arrays agree.  Types must be equal, or it says that they are not.
[[nodiscard]] std::optional<std::string> difference(const HostArray& found,
                                                    const HostArray& expected,
                                                    const Tolerance& tolerance);

/// For each result of the function: the coarsest float among operands and results of the ops that feed
/// it (ops with regions and calls count as a whole).
[[nodiscard]] std::vector<CoarseFloat> coarse_sources(const ir::Module& module,
                                                      const ir::Function& function);

}  // namespace partita::tool
