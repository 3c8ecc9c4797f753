// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Which parameters of CLBlast `partita tune` tries; their rules are in backend-opencl/format.
#pragma once

#include "partita/device/backend.hpp"

namespace partita::opencl {

[[nodiscard]] const LibraryTuning& library_tuning();

}  // namespace partita::opencl
