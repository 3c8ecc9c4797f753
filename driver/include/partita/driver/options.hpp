// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Options of a compilation as text, by the names that `partita compile` has for them: what a host says
// that has strings rather than a struct.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "partita/driver/compile.hpp"

namespace partita::driver {

/// "clients=512" into `placements`; a user error where it is not NAME=N with N > 0, or where the name
/// is there already.
void add_placement(std::map<std::string, std::int64_t>& placements, const std::string& text);

/// "x=4x8" or "0=4x8": extents of an argument by name or number; "*=8": all other open extents.  A user error where it is
/// neither, or where the argument is there already.
void add_shape(ir::OpenArguments& open, const std::string& text);
/// "n=8" or "3=2,4": what an argument of integers always is.
void add_value(ir::OpenArguments& open, const std::string& text);

/// Names of all options, those of every target too.
[[nodiscard]] std::vector<std::string> option_names();

/// Sets one option: target, function, placement, shape and value (which may come several times), layout, mesh,
/// sharding (on or off), gemm, memory-budget, device (a name), tuning (a file), runs, or one of a target's own.  Another name is a
/// user error with the nearest ones.  Values are checked here or by the compilation.
void set_option(CompileOptions& options, const std::string& name, const std::string& value);

}  // namespace partita::driver
