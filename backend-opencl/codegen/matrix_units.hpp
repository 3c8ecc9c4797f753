// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// What statements of matrix units (kernel/ast/kernel.hpp) are in OpenCL C.
#pragma once

#include <string_view>
#include <vector>

#include "kernel/print/scalar_text.hpp"

namespace partita::opencl::codegen {

/// The bits of a bf16 that is nearest to an f32, on any device.
inline constexpr std::string_view bf16_bits = R"(ui16 bf16_bits(f32 x) {
  const ui32 bits = as_uint(x);
  return isnan(x) ? (ui16)(bits >> 16 | 0x40u) : (ui16)((bits + 0x7fffu + (bits >> 16 & 1u)) >> 16);
}
)";

/// By PTX where PARTITA_MATRIX_UNITS is 1.  Where it is 2, without units: items exchange what they hold through
/// local memory, for devices on which PTX cannot be tried.  Nothing where it is not defined.
[[nodiscard]] const std::vector<kernel::Snippet>& matrix_unit_snippets();

}  // namespace partita::opencl::codegen
