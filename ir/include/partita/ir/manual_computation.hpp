// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// The attributes of sdy.manual_computation, read: which devices there are, and which piece of each
// operand and result is whose.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "partita/ir/op.hpp"
#include "partita/ir/sharding.hpp"

namespace partita::ir {

struct ManualComputation {
  Mesh mesh;
  std::vector<std::string> axes;  ///< those that are manual
  std::vector<Cut> operands, results;

  /// The devices that a device joins results with: those at other places of the manual axes only.
  [[nodiscard]] I64s group_of(std::int64_t device) const;
};

/// Nothing where the mesh is a symbol and there is no module to find it in; a user error where the
/// attributes do not go together.
[[nodiscard]] std::optional<ManualComputation> read_manual_computation(const Dict& attrs,
                                                                       const Module* module);

/// Type of one piece; nothing where the pieces would differ in size or the ranks do not match.
[[nodiscard]] std::optional<Type> piece_type(const Type& whole, const Cut& cut);
/// Where a device's piece begins in the whole.
[[nodiscard]] Dims piece_start(const Type& piece, const Cut& cut, std::int64_t device);

}  // namespace partita::ir
