// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// A program as an object that needs no runtime, or as the C text of one: each function's plan becomes
// one C function over constant offsets of an arena, beside the kernels it launches.
#pragma once

#include <span>
#include <string>

#include "partita/driver/target.hpp"

namespace partita::cpu::codegen {

using namespace kernel;
using namespace driver;

/// `level` is one of cpu_levels.hpp.
[[nodiscard]] ObjectCode emit_object(const std::string& name,
                                     std::span<const ObjectFunction> functions,
                                     const std::string& level);

/// `object` is the text, which begins with the flags for the compiler.
[[nodiscard]] ObjectCode emit_c(const std::string& name, const ObjectFunction& function,
                                const std::string& level);

}  // namespace partita::cpu::codegen
