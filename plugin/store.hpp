// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#pragma once

#include "partita/collective/job.hpp"
#include "plugin/abi.hpp"

namespace partita::pjrt {

/// The store that JAX's processes share (jax.distributed), as who creates a client lends it; as long as that call, or the client,
/// lasts.  Empty functions where there is none.
[[nodiscard]] SharedStore store_of(const abi::ClientCreate& call);

}  // namespace partita::pjrt
