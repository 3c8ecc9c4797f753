// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#pragma once

#include "partita/exec/event.hpp"
#include "plugin/abi.hpp"

namespace partita::pjrt {

struct EventHandle {
  EventPtr event;
};

/// An event that is done.
[[nodiscard]] EventPtr done_event();

}  // namespace partita::pjrt
