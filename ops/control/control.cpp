// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Control flow.
#include "partita/ir/op.hpp"

namespace partita::ir::ops {

void register_case(OpRegistry& registry);
void register_scan(OpRegistry& registry);
void register_while(OpRegistry& registry);

void register_control(OpRegistry& registry) {
  register_case(registry);
  register_scan(registry);
  register_while(registry);
}

}  // namespace partita::ir::ops
