// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// What statements of matrix units (kernel/ast/kernel.hpp) are in OpenCL C.
#pragma once

#include <vector>

#include "kernel/print/scalar_text.hpp"

namespace partita::opencl::codegen {

/// By PTX where PARTITA_MATRIX_UNITS is 1.  Where it is 2, without units: items exchange what they hold through
/// local memory, for devices on which PTX cannot be tried.  Nothing where it is not defined.
[[nodiscard]] const std::vector<kernel::Snippet>& matrix_unit_snippets();

}  // namespace partita::opencl::codegen
