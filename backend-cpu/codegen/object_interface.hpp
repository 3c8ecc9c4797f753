// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// What a host program sees of an object: identifiers, C types, and the header that declares them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "partita/artifact/artifact.hpp"

namespace partita::cpu::codegen {

/// Bytes at multiples of which an arena and what lies in it begin.
inline constexpr std::int64_t arena_alignment = 128;

/// An argument or a result as a parameter.
struct ObjectPort {
  std::string name;   ///< C identifier
  std::string ctype;  ///< of an element, or of a part of a complex one
  int parts = 1;      ///< C elements of one element
  Type type;
  std::int64_t alignment = 1;  ///< bytes that its address is a multiple of
};

struct ObjectEntry {
  std::string name;    ///< of the function in the program
  std::string symbol;  ///< NAME_FUNCTION
  std::vector<ObjectPort> inputs, outputs;
  std::int64_t arena_bytes = 0;
  std::vector<std::string> checks;  ///< messages; status `first_check` + k
  int first_check = 0;
};

/// Letters, digits and underscores; not beginning with a digit.
[[nodiscard]] std::string identifier(const std::string& text);
[[nodiscard]] std::string upper(std::string text);
/// Entry of one function, without arena and checks; symbols that differ only in case count as one.
[[nodiscard]] ObjectEntry entry_of(const std::string& prefix, const std::string& function,
                                   const Plan& plan);
/// "(const float* x, float* out0, void* arena, const partita_parallel* parallel)"
[[nodiscard]] std::string parameters(const ObjectEntry& entry);
[[nodiscard]] std::string object_header(const std::string& prefix,
                                        const std::vector<ObjectEntry>& entries,
                                        const std::string& level,
                                        const std::vector<std::string>& needs);
/// What every header and every unit says about threads.
[[nodiscard]] std::string parallel_type();

}  // namespace partita::cpu::codegen
