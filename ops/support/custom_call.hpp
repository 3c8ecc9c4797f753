// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// A target of stablehlo.custom_call is an OpDef of its own, named "stablehlo.custom_call @TARGET": a
// file of this folder makes one with `custom_call_target`, gives it inference, evaluation, a kernel
// shape or factors as any other op, and registers it.  Nodes with that call_target_name then have
// that definition, and the name "stablehlo.custom_call".
#pragma once

#include "partita/ir/op.hpp"

namespace partita::ir::ops {

/// Attributes that every custom call may have; `call_target_name` alone is needed.
[[nodiscard]] std::vector<AttrSpec> custom_call_attrs();

/// A definition of stablehlo.custom_call for one target, with the attributes above.
[[nodiscard]] OpDef custom_call_target(std::string_view target, std::string doc);

}  // namespace partita::ir::ops
