// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// What a module holds in vain: built programs must hold none of it.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "partita/ir/graph.hpp"

namespace partita::testing {

/// Private functions that no node names.
[[nodiscard]] inline std::vector<std::string> unused_functions(const ir::Module& module) {
  std::set<std::string> used;
  for (const auto& function : module.functions)
    ir::walk(*function->body, [&](const ir::Node& node) {
      for (const auto& attribute : node.attrs.items())
        if (const auto* symbol = attribute.value.get_if<ir::SymbolRef>()) used.insert(symbol->name);
    });
  std::vector<std::string> unused;
  for (const auto& function : module.functions)
    if (!function->is_public && !used.contains(function->name)) unused.push_back(function->name);
  return unused;
}

}  // namespace partita::testing
