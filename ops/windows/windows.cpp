// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Ops over windows of an array.
#include "partita/ir/op.hpp"

namespace partita::ir::ops {

void register_convolution(OpRegistry& registry);
void register_dynamic_conv(OpRegistry& registry);
void register_reduce_window(OpRegistry& registry);
void register_select_and_scatter(OpRegistry& registry);

void register_windows(OpRegistry& registry) {
  register_convolution(registry);
  register_dynamic_conv(registry);  // takes attributes of convolution
  register_reduce_window(registry);
  register_select_and_scatter(registry);
}

}  // namespace partita::ir::ops
