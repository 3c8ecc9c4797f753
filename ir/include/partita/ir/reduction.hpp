// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// What the region of a reduce, scatter or collective computes, when it is one of the usual ones.
#pragma once

#include <optional>

#include "partita/base/combiner.hpp"
#include "partita/ir/graph.hpp"

namespace partita::ir {

/// The combiner whose op of its two arguments, in either order, is all of the region; else nothing, as
/// for extrema of complex numbers.
[[nodiscard]] std::optional<Combiner> simple_combiner(const Graph& region);

/// Whether the region returns its second argument (a scatter that assigns).
[[nodiscard]] bool returns_update(const Graph& region);

/// Whether a stablehlo.reduce by the combiner starts from constants that change nothing; true of other ops.
[[nodiscard]] bool starts_from_identity(const Node& node, Combiner combiner);

/// identity_of() elements of `type.dtype`, as a splat.
[[nodiscard]] DenseRef combiner_identity(Combiner combiner, const Type& type);

/// A region of scalars (dtype, dtype) -> dtype that applies the combiner's op.
[[nodiscard]] std::unique_ptr<Graph> make_combiner(Combiner combiner, DType dtype);

/// Whether mr ops apply it to such elements: truth values are not summed, they have "or" for that.
[[nodiscard]] bool is_combined_over_partitions(Combiner combiner, DType dtype);

}  // namespace partita::ir
