// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// What devices have kernels for too, as loops over row-major arrays: where LAPACK is not installed.
#pragma once

#include "runtime/linalg/routines.hpp"

namespace partita::linalg::plain {

template <class T>
bool cholesky(const MatrixCall& call, Operands in, Results out);
template <class T>
bool triangular_solve(const MatrixCall& call, Operands in, Results out);
template <class T>
bool qr(const MatrixCall& call, Operands in, Results out);
template <class T>
bool reflections(const MatrixCall& call, Operands in, Results out);

}  // namespace partita::linalg::plain
