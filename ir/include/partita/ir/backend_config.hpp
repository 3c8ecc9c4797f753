// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// What a custom call is told: a dictionary in `backend_config`, or in `mhlo.backend_config` where the first must be
// a text.
#pragma once

#include "partita/ir/attribute.hpp"

namespace partita::ir {

/// Null where there is none, or a text.
[[nodiscard]] const Dict* backend_config(const Dict& attributes);

}  // namespace partita::ir
