// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Which functions of a module a function leads to: those that attributes of its nodes name.  Composites may name theirs
// by a text, which counts where functions are removed.
#pragma once

#include <set>
#include <string>

#include "partita/ir/graph.hpp"

namespace partita::ir {

/// Symbols in the attributes of the function's nodes, in lists and dictionaries too.
[[nodiscard]] std::set<std::string> called_functions(const Function& function);
/// Removes private functions that none calls, and those that they alone called.
void remove_uncalled_functions(Module& module);
/// Removes what the function of that name does not lead to; nothing where there is none.
void keep_function(Module& module, const std::string& name);

}  // namespace partita::ir
