// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// C text to a shared object, by the compiler of this machine: PARTITA_CC, else cc, gcc or clang.
// What was compiled before is taken from the cache folder.  The bytes depend on the text, the level
// and the compiler alone.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace partita::passes {

/// `level` is one of cpu_levels.hpp.  A device error where there is no compiler; an internal one with
/// the compiler's first lines where it refuses the text.
[[nodiscard]] std::vector<std::byte> compile_shared_object(std::string_view source,
                                                           const std::string& level);

}  // namespace partita::passes
