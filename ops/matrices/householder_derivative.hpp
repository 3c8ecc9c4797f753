// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Derivatives of QR decompositions that are packed as LAPACK has them, and of the products of their
// reflections.
#pragma once

#include "partita/ir/derivative.hpp"

namespace partita::ir {

[[nodiscard]] Derivative qr_derivative();
[[nodiscard]] Derivative reflections_derivative();

}  // namespace partita::ir
