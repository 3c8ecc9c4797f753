// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Checks a node's attributes against its op's AttrSpecs and brings equivalent spellings into one
// form, so that infer, passes and printer meet one kind per attribute.
#pragma once

#include "partita/ir/op.hpp"

namespace partita::ir {

/// Lists and dense vectors of integers become I64s where the spec says so, strings become enums or
/// symbols, units booleans; absent fields of flattened structures get their default (empty list, 0).
/// Throws a located user error "OP: expected attribute …".  Attributes without a spec stay as they are.
void normalize_attributes(const OpDef& op, Dict& attrs, const SourceLocation& location);

/// The integers of a list or a dense vector, however it is spelled; nothing for other attributes.
[[nodiscard]] std::optional<I64s> integers_in(const Attribute& a);

/// Leaves out what says no more than its absence.  Not before the op's infer has seen it: of a list of defaults it knows
/// how long it has to be.
void erase_default_attributes(const OpDef& op, Dict& attrs);

/// "an integer", "a list of integers", …
[[nodiscard]] const char* describe(AttrKind kind);

}  // namespace partita::ir
