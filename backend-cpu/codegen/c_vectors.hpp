// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// The dialect's vectors (ScalarText::vector_call) in the C of gcc and clang.
#pragma once

#include <vector>

#include "kernel/print/scalar_text.hpp"

namespace partita::cpu::codegen {

[[nodiscard]] std::vector<kernel::Snippet> c_vectors();

}  // namespace partita::cpu::codegen
