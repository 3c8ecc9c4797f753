// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// The text between '<' and '>' of a dense constant, once its type is known: a scalar for all
// elements, nested lists, "0x…" bytes, or nothing.
#pragma once

#include <string>
#include <string_view>

#include "partita/ir/attribute.hpp"

namespace partita::ir {

/// Errors are located user errors "CONTEXT: …"; `where` is the place of the first character.  Memory
/// grows with the text, not with what the type claims.
[[nodiscard]] DenseRef read_dense_literal(std::string_view literal, const Type& type,
                                          const std::string& context, const SourceLocation& where);

/// The value of a decimal number or of the bits "0x…" of a number of this type, rounded to the type.
[[nodiscard]] double dense_float(std::string_view text, DType dtype);

}  // namespace partita::ir
