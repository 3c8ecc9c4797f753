// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Routines on matrices that the host computes by LAPACK: eigenvalues, singular values, factorisations.  One table
// says what each takes and gives; interpreter and executor call the same function, so that a program has the same
// results on every target.  Not for what devices have kernels for (Cholesky factors, triangular systems).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "partita/base/type.hpp"

namespace partita {

/// A routine with what it is told, for one matrix.
struct MatrixCall {
  std::string routine;               ///< of matrix_routines()
  std::vector<std::string> options;  ///< names of the routine's options that hold
  std::vector<Type> operands;        ///< row-major

  [[nodiscard]] bool has(std::string_view option) const;
  friend bool operator==(const MatrixCall&, const MatrixCall&) = default;
};

/// One routine of the table.
struct MatrixRoutine {
  std::string_view name;                  ///< "eigh"
  std::string_view doc;                   ///< what it computes, and its results in order
  std::vector<std::string_view> options;  ///< each holds or does not
  std::vector<std::size_t> ranks;         ///< of its operands, of one matrix
};

[[nodiscard]] std::span<const MatrixRoutine> matrix_routines();
/// Null where there is none of that name.
[[nodiscard]] const MatrixRoutine* find_matrix_routine(std::string_view name);

/// Types of the results for one matrix.  A call that the routine does not take is a user error "expected …, found …".
[[nodiscard]] std::vector<Type> result_types(const MatrixCall& call);

/// Calls the routine for each of `count` matrices that lie one after another in every operand and result, on up to
/// `threads` threads.  What has no result is NaN: operands that are not finite where a routine iterates, iterations
/// that do not converge.  Operands and results do not overlap.  LAPACK is opened by the first call; where it is not
/// installed that is a device error which says what to install.
void run_matrix_call(const MatrixCall& call, std::int64_t count,
                     std::span<const std::byte* const> operands,
                     std::span<std::byte* const> results, int threads = 1);

}  // namespace partita
