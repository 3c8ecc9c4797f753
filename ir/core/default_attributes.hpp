// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Attributes that say what their absence says: programs that differ only in these are one.
#pragma once

#include <string_view>

#include "partita/ir/attribute.hpp"

namespace partita::ir {

/// Whether leaving the attribute out of the op (of StableHLO) means the same.
[[nodiscard]] bool is_default_attribute(std::string_view op, const NamedAttribute& attribute);

}  // namespace partita::ir
