// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Ops of portable artifacts: what they are called in StableHLO and how their properties become its
// attributes.  Says nothing about what the ops do; bytecode_ops.def is the list.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "partita/ir/attribute.hpp"

namespace partita::ir {

struct ArtifactOp {
  std::string_view name;  ///< "vhlo.add_v1"
  std::string_view
      properties;  ///< names, separated by blanks, in the order in which they are stored
};

/// Null for a name that is not in the list.
[[nodiscard]] const ArtifactOp* find_artifact_op(std::string_view name);

[[nodiscard]] std::vector<std::string_view> property_names(const ArtifactOp& op);

/// "vhlo.add_v1" -> "stablehlo.add"; func.func, func.call, and return as it is; others unchanged.
[[nodiscard]] std::string stablehlo_name(std::string_view name);

/// Attributes of the op `name` (of StableHLO) as its text would have them: structures put together,
/// names of functions made symbols.
[[nodiscard]] Dict stablehlo_attributes(std::string_view name, const Dict& properties);

}  // namespace partita::ir
