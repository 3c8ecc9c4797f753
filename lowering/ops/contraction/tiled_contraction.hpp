// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// A contraction whose work-items keep tiles of vectors in registers.  Operands are read in place,
// along whichever dimension their elements lie side by side: vectors of results (one operand's
// columns), or vectors along the sum where both operands are contiguous there.
#pragma once

#include <optional>

#include "lowering/context/kernel_body.hpp"
#include "lowering/ops/contraction/contraction_index.hpp"

namespace partita::lowering {

using namespace kernel;

/// An operand as a copy with its batch, contracted and free dimensions in this order.
struct PackedOperand {
  bool is_lhs;
  Location at;
};

/// A contraction with what it does before it stores.
struct ContractionWork {
  const Epilogue& epilogue;
  Location to;  ///< of the root, dense row-major
  TileSize most;
  std::optional<PackedOperand> packed;
};

/// Whether an operand should be packed first, and which (true: the left one): the one whose vectors
/// make vectors of results, where vectors along a short sum, or none, would be the choice otherwise.
[[nodiscard]] std::optional<bool> operand_to_pack(const ContractionWork& work, KernelBody& body);

/// Fills `kernel` and returns its work-items; nothing where the operands have no such form (then
/// `kernel` and `body` are of no use any more).
[[nodiscard]] std::optional<std::int64_t> tile_contraction(const ContractionWork& work,
                                                           KernelBody& body);

}  // namespace partita::lowering
