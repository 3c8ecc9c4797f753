// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#pragma once

#include "ir/axes/batching.hpp"

namespace partita::ir::ops {

void batch_reduce(const BatchJob& job);

}  // namespace partita::ir::ops
