// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Attributes as MLIR text.  Numbers are written so that reading gives the same bits.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "partita/ir/attribute.hpp"

namespace partita::ir {

/// With the type after numbers; `max_elements` as PrintOptions::max_dense_elements.
void print_attribute(std::string& out, const Attribute& attribute, std::int64_t max_elements = 0);
/// "name = value, …" without braces.
void print_entries(std::string& out, std::span<const NamedAttribute> entries,
                   std::int64_t max_elements = 0);
/// "{name = value, …}"
void print_dict(std::string& out, std::span<const NamedAttribute> entries,
                std::int64_t max_elements = 0);
/// "@name", quoted where needed.
void print_symbol(std::string& out, const std::string& name);
/// "[1, 2]"
void print_integers(std::string& out, std::span<const std::int64_t> values);
/// One element of a constant as it is written inside of dense<…>.
void print_element(std::string& out, DType dtype, const std::byte* data);

}  // namespace partita::ir
