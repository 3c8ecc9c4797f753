// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// The extension by which XLA's client asks how elements lie: row-major, always.  Without it the client makes an HLO
// module of each program that is compiled, only to ask that.
#pragma once

#include <vector>

#include "plugin/abi.hpp"

namespace partita::pjrt {

/// The row-major layout of arrays of a rank; lives as long as the process.
[[nodiscard]] MemoryLayout* row_major_layout(std::size_t rank);

[[nodiscard]] abi::LayoutsExtension layouts_table(abi::Extension* next);

}  // namespace partita::pjrt
