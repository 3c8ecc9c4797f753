// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// What each backend defines for the runtime's list; see partita/device/backend.hpp.
#pragma once

#include "partita/device/backend.hpp"
#include "partita_generated/backends.hpp"

namespace partita::backends {

#define PARTITA_DECLARE_BACKEND(name) [[nodiscard]] Backend name##_backend();
PARTITA_BACKENDS(PARTITA_DECLARE_BACKEND)
#undef PARTITA_DECLARE_BACKEND

}  // namespace partita::backends
