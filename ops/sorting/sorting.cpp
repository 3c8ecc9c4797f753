// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Sorts and what is made of them.
#include "partita/ir/op.hpp"

namespace partita::ir::ops {

void register_sort(OpRegistry& registry);
void register_top_k(OpRegistry& registry);
void register_approx_top_k(OpRegistry& registry);

void register_sorting(OpRegistry& registry) {
  register_sort(registry);
  register_top_k(registry);
  register_approx_top_k(registry);
}

}  // namespace partita::ir::ops
