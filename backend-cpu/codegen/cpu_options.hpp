// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// The options of target cpu: which instruction sets it compiles for, and whether it compiles at all.
#pragma once

#include <string>
#include <vector>

#include "partita/driver/target.hpp"

namespace partita::cpu::codegen {

using namespace kernel;
using namespace driver;

/// What the target declares; option_value() of the target finds what is asked for here.
[[nodiscard]] std::vector<TargetOption> cpu_options();

/// A level by the name that a user gives; another name is a user error.
[[nodiscard]] std::string checked_level(const std::string& name);
/// Levels to compile for, without repetition: "native" is the best one of this machine.
[[nodiscard]] std::vector<std::string> chosen_levels(const CompileOptions& options);

/// What runs kernels: machine code, compiled loops that interpret them, or the first where there is a C
/// compiler, unless CompileOptions::runs says that compiling would not pay.
enum class Tier { interpreted, machine_code, automatic };
/// A user error where the option is none of 0, 1 and auto.
[[nodiscard]] Tier chosen_tier(const CompileOptions& options);
/// Whether kernels become machine code, or text for it.
[[nodiscard]] bool makes_machine_code(const CompileOptions& options);

// As Target has them.
void check_cpu_emit(const CompileOptions& options, const char* what);
[[nodiscard]] std::vector<CompileOptions> cpu_alternatives(const CompileOptions& options);
void use_cpu_driver(const std::string& driver, const std::string& file, CompileOptions& options);

}  // namespace partita::cpu::codegen
