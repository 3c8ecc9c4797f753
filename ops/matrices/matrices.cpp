// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Factorisations and solves of matrices.
#include "partita/ir/op.hpp"

namespace partita::ir::ops {

void register_cholesky(OpRegistry& registry);
void register_householder(OpRegistry& registry);
void register_lapack_calls(OpRegistry& registry);
void register_routines(OpRegistry& registry);
void register_triangular_solve(OpRegistry& registry);

void register_matrices(OpRegistry& registry) {
  register_cholesky(registry);
  register_householder(registry);
  register_lapack_calls(registry);
  register_routines(registry);
  register_triangular_solve(registry);
}

}  // namespace partita::ir::ops
