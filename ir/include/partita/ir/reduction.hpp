// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// What the region of a reduce, scatter or collective computes, when it is one of the usual ones.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "partita/ir/graph.hpp"

namespace partita::ir {

/// "add", "multiply", "maximum", "minimum", "and" or "or" when the region is exactly that op of its
/// two arguments, in either order; else nothing, as for extrema of complex numbers.
[[nodiscard]] std::optional<std::string> simple_combiner(const Graph& region);

/// Whether the region returns its second argument (a scatter that assigns).
[[nodiscard]] bool returns_update(const Graph& region);

/// The value that changes nothing under the combiner, for elements of `type.dtype`, as a splat.
/// An internal error for another combiner.
[[nodiscard]] DenseRef combiner_identity(std::string_view combiner, const Type& type);

/// A region of scalars (dtype, dtype) -> dtype that applies "stablehlo.<combiner>".
[[nodiscard]] std::unique_ptr<Graph> make_combiner(std::string_view combiner, DType dtype);

}  // namespace partita::ir
