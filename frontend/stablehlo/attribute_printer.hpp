// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Attributes as MLIR text.  Numbers are written so that reading gives the same bits.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "partita/frontend/stablehlo.hpp"
#include "partita/ir/attribute.hpp"

namespace partita::ir {

/// With the type after numbers; constants as `options` say.
void print_attribute(std::string& out, const Attribute& attribute,
                     const PrintOptions& options = {});
/// "name = value, …" without braces.
void print_entries(std::string& out, std::span<const NamedAttribute> entries,
                   const PrintOptions& options = {});
/// "{name = value, …}"
void print_dict(std::string& out, std::span<const NamedAttribute> entries,
                const PrintOptions& options = {});
/// "@name", quoted where needed.
void print_symbol(std::string& out, const std::string& name);
/// "[1, 2]"
void print_integers(std::string& out, std::span<const std::int64_t> values);
/// One element of a constant as it is written inside of dense<…>.
void print_element(std::string& out, DType dtype, const std::byte* data);

}  // namespace partita::ir
