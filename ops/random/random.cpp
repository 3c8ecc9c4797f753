// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Random bits and numbers.
#include "partita/ir/op.hpp"

namespace partita::ir::ops {

void register_rng(OpRegistry& registry);
void register_rng_bit_generator(OpRegistry& registry);

void register_random(OpRegistry& registry) {
  register_rng(registry);
  register_rng_bit_generator(registry);
}

}  // namespace partita::ir::ops
