// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Calls of routines on matrices (partita/linalg/matrix_routine.hpp) as nodes: custom calls @partita.NAME on stacks of
// matrices, whose options are booleans in the dictionary backend_config, or mhlo.backend_config.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "partita/ir/graph.hpp"
#include "partita/linalg/matrix_routine.hpp"

namespace partita::ir {

/// A call for each matrix of a stack.
struct StackedCall {
  MatrixCall call;
  Dims stack;  ///< first dimensions of every operand and result

  [[nodiscard]] std::int64_t count() const { return Type{.dims = stack}.count(); }
  /// Types of the results.
  [[nodiscard]] std::vector<Type> results() const;
};

/// The target of a routine's custom calls: "partita.eigh".
[[nodiscard]] std::string matrix_target(std::string_view routine);
/// A routine's call with these attributes and operands.  What is no such call is a user error "expected …, found …".
[[nodiscard]] StackedCall stacked_call(const MatrixRoutine& routine, const Dict& attributes,
                                       std::span<const Type> operands);
/// That of a node, which is such a custom call.
[[nodiscard]] StackedCall stacked_call(const Node& node);

}  // namespace partita::ir
