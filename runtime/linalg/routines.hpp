// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// The routines of matrix_routine.hpp on one matrix, for elements of T: float, double or complex numbers of these.
// Arrays are row-major; LAPACK gets transposed copies.
#pragma once

#include <functional>
#include <span>

#include "partita/linalg/matrix_routine.hpp"

namespace partita::linalg {

using Operands = std::span<const std::byte* const>;
using Results = std::span<std::byte* const>;

// False: there is no result, and floats of the results are whatever they are.
template <class T>
bool eigh(const MatrixCall& call, Operands in, Results out);
template <class T>
bool svd(const MatrixCall& call, Operands in, Results out);
template <class T>
bool eig(const MatrixCall& call, Operands in, Results out);
template <class T>
bool schur(const MatrixCall& call, Operands in, Results out);
template <class T>
bool cholesky(const MatrixCall& call, Operands in, Results out);
template <class T>
bool triangular_solve(const MatrixCall& call, Operands in, Results out);
template <class T>
bool qr(const MatrixCall& call, Operands in, Results out);
template <class T>
bool reflections(const MatrixCall& call, Operands in, Results out);
template <class T>
bool hessenberg(const MatrixCall& call, Operands in, Results out);
template <class T>
bool tridiagonal(const MatrixCall& call, Operands in, Results out);
template <class T>
bool lu(const MatrixCall& call, Operands in, Results out);
template <class T>
bool pivoted_qr(const MatrixCall& call, Operands in, Results out);
template <class T>
bool apply_reflections(const MatrixCall& call, Operands in, Results out);
template <class T>
bool tridiagonal_solve(const MatrixCall& call, Operands in, Results out);

/// Elements of the columns that a call of "fft" transforms, at the end that has all of them.
[[nodiscard]] std::int64_t fft_length(const MatrixCall& call);
/// Of `count` matrices at once.
[[nodiscard]] std::function<void(Operands in, Results out, const Threads& threads)> prepare_fft(
    const MatrixCall& call, std::int64_t count);

}  // namespace partita::linalg
