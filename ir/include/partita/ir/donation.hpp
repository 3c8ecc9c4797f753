// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#pragma once

#include "partita/ir/attribute.hpp"

namespace partita::ir {

/// Whether an argument with these attributes is given up by its caller, as JAX says it.
[[nodiscard]] inline bool is_donated(const Dict& argument) {
  return argument.contains("tf.aliasing_output") || argument.flag("jax.buffer_donor");
}

}  // namespace partita::ir
