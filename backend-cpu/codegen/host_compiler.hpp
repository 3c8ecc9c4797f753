// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// C text to machine code, by the compiler of this machine: PARTITA_CC, else cc, gcc or clang.
// What was compiled before is taken from the cache folder.  The bytes depend on the text, how it is
// divided into units, the level and the compiler alone.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace partita::cpu::codegen {

/// How long the compiler may think (docs/cpu-backend.md): less of what little time is spent in, and least of kernels whose loops
/// become vectors as they stand.
enum class Effort : std::uint8_t { full, little, plain };

/// What the compiler is told about C text of one level, but for files, at full effort.
[[nodiscard]] std::vector<std::string> compiler_flags(const std::string& level);

/// Whether there is a compiler.
[[nodiscard]] bool has_host_compiler();

/// One translation unit: its text may include the bytes as file `UNIT.bin`, where UNIT is its number
/// from 0.
struct ObjectUnit {
  std::string source;
  std::vector<std::byte> data = {};
  Effort effort = Effort::full;
};

/// One shared object of all units, which are compiled side by side.  `level` is one of
/// cpu_levels.hpp.  A device error where there is no compiler; an internal one with the compiler's
/// first lines where it refuses the text.
[[nodiscard]] std::vector<std::byte> compile_shared_object(std::span<const ObjectUnit> units,
                                                           const std::string& level);
[[nodiscard]] std::vector<std::byte> compile_shared_object(std::string_view source,
                                                           const std::string& level);

/// Whether compile_shared_object would find these units in the cache.
[[nodiscard]] bool is_in_cache(std::span<const ObjectUnit> units, const std::string& level);

/// All units as one relocatable object.
[[nodiscard]] std::vector<std::byte> compile_relocatable(std::span<const ObjectUnit> units,
                                                         const std::string& level);

}  // namespace partita::cpu::codegen
