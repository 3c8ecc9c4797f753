// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// The derivative of stablehlo.scatter, by what its region does.
#pragma once

#include "partita/ir/derivative.hpp"

namespace partita::ir::ops {

[[nodiscard]] Derivative scatter_derivative();

}  // namespace partita::ir::ops
