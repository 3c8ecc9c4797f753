// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Routines on matrices that the host computes: eigenvalues, singular values and factorisations by LAPACK, Fourier
// transforms by runtime/fourier.  One table says what each takes and gives; interpreter and executor call the same
// function for what devices have no kernels for, so that a program has the same results on every target.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "partita/base/threads.hpp"
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
  bool is_operation = true;               ///< whether programs may call it
  bool may_fail = true;                   ///< for want of LAPACK
  bool is_in_place = false;  ///< a result may lie where the operand of the same type does
};

/// The largest prime factor of lengths that the routine "fft" transforms.
inline constexpr std::int64_t largest_fft_factor = 127;

[[nodiscard]] std::span<const MatrixRoutine> matrix_routines();
/// Null where there is none of that name.
[[nodiscard]] const MatrixRoutine* find_matrix_routine(std::string_view name);

/// Types of the results for one matrix.  A call that the routine does not take is a user error "expected …, found …".
[[nodiscard]] std::vector<Type> result_types(const MatrixCall& call);

/// A call for each of `count` matrices that lie one after another in every operand and result, ready to be made many
/// times, from several threads at once too.
class PreparedCall {
 public:
  /// What the routine does not take is a user error as result_types() has it.
  PreparedCall(MatrixCall call, std::int64_t count);

  /// For one matrix.
  [[nodiscard]] const std::vector<Type>& operands() const { return call_.operands; }
  [[nodiscard]] const std::vector<Type>& result_types() const { return types_; }
  /// Makes it.  What has no result is NaN: operands that are not finite where a routine
  /// iterates, iterations that do not converge.  Operands and results do not overlap, but where a routine is in place.  LAPACK is opened by the first call
  /// of a routine that needs it; where it is not installed that is a device error which says what to install.
  void run(std::span<const std::byte* const> operands, std::span<std::byte* const> results,
           const Threads& threads = {}) const;

 private:
  MatrixCall call_;
  std::int64_t count_;
  std::vector<Type> types_;  // of results for one matrix
  /// In place of one matrix after another.
  std::function<void(std::span<const std::byte* const>, std::span<std::byte* const>,
                     const Threads&)>
      whole_;
};

/// Prepares a call and makes it.
void run_matrix_call(const MatrixCall& call, std::int64_t count,
                     std::span<const std::byte* const> operands,
                     std::span<std::byte* const> results, const Threads& threads = {});

}  // namespace partita
