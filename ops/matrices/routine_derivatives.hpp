// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Derivatives of routines on matrices, as JAX has them.
#pragma once

#include <string_view>

#include "partita/ir/derivative.hpp"

namespace partita::ir {

/// That of a routine's custom call; none, with the reason, for most.
[[nodiscard]] Derivative routine_derivative(std::string_view routine);

}  // namespace partita::ir
