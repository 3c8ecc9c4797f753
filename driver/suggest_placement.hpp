// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Programs that were vectorised over clients, whose axis nobody named: what memory they would need by --placement.
#pragma once

#include <functional>
#include <string>

#include "partita/driver/compile.hpp"
#include "partita/ir/graph.hpp"

namespace partita::driver {

/// Plans a program as these options say, without code.
using PlanWith = std::function<CompileReport(const CompileOptions& options)>;

/// Where temporaries of many bytes dwarf what the program takes and gives, and an axis of its arguments as a placement
/// makes them few: a remark that says so.  Empty otherwise.
[[nodiscard]] std::string suggest_placement(const ir::Module& module, const CompileOptions& options,
                                            const CompileReport& report, const PlanWith& plan);

}  // namespace partita::driver
