// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#pragma once

#include "partita/base/dtype.hpp"

namespace partita::pjrt {

/// PJRT's number of an element type; 0, which is none, for those it does not have.
[[nodiscard]] int number_of(DType dtype);
/// Of a number; unimplemented where there is no such type here.
[[nodiscard]] DType dtype_of(int number);

}  // namespace partita::pjrt
