// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// What scalar code needs in C11 without includes: type names, 16-bit floats by integer arithmetic,
// conversions, and OpenCL's overloaded functions, which C lacks.  For gcc and clang.
#pragma once

#include "kernel/print/scalar_text.hpp"

namespace partita::cpu::codegen {

[[nodiscard]] const kernel::Dialect& c_dialect();

}  // namespace partita::cpu::codegen
