// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Which loops can be enqueued before it is known how often they run: While::guarded.
#pragma once

#include "partita/artifact/plan.hpp"

namespace partita::kernel {

/// Whether all that the body does is done by launches, or by copies that can become some, so that each can be told not
/// to: nothing in it asks the host, other shards or a library.  `may_copy`: copies count.
[[nodiscard]] bool is_guardable(const While& loop, bool may_copy);

}  // namespace partita::kernel
