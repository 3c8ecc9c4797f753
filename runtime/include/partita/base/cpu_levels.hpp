// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Names of instruction sets that machine code may need: the x86-64 micro-architecture levels of the
// psABI, and one name for everything else.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace partita {

/// All levels of this architecture, the least demanding first: x86-64-v2, x86-64-v3, x86-64-v4 on
/// x86-64; "generic" elsewhere.
[[nodiscard]] std::span<const std::string_view> cpu_levels();
/// Whether this machine runs code of that level; false for a level of another architecture.
[[nodiscard]] bool has_cpu_level(std::string_view level);
/// The most demanding level that this machine has.
[[nodiscard]] std::string best_cpu_level();

}  // namespace partita
