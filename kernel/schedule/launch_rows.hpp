// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Launches of two dimensions, for targets whose kernels are printed for one work-item: a place in a
// row and the row.  Indices are then sums without divisions, and what a device's compiler makes of
// neighbouring items are vectors.  Where items walk down columns of an array, an item takes some
// neighbouring columns, as a vector.  Kernels that index their item as it is stay as they are.
#pragma once

#include "kernel/ast/plan_draft.hpp"

namespace partita::passes {

/// `vector_bytes`: of the vectors that columns are taken in; 0: none.
void launch_rows(PlanDraft& draft, std::int64_t vector_bytes);

}  // namespace partita::passes
