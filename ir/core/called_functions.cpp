// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "partita/ir/called_functions.hpp"

#include <cstdint>
#include <vector>

namespace partita::ir {
namespace {

enum class Named : std::uint8_t { by_symbol, also_by_text };

void collect_names(const Attribute& attribute, Named how, std::set<std::string>& names) {
  if (const auto* symbol = attribute.get_if<SymbolRef>()) names.insert(symbol->name);
  if (const auto* text = attribute.get_if<std::string>(); text && how == Named::also_by_text)
    names.insert(*text);
  if (const auto* list = attribute.get_if<List>())
    for (const Attribute& item : list->items) collect_names(item, how, names);
  if (const auto* dict = attribute.get_if<Dict>())
    for (const NamedAttribute& entry : dict->items()) collect_names(entry.value, how, names);
}

std::set<std::string> named_functions(const Function& function, Named how) {
  std::set<std::string> names;
  walk(*function.body, [&](const Node& node) {
    for (const NamedAttribute& attribute : node.attrs.items())
      collect_names(attribute.value, how, names);
  });
  return names;
}

}  // namespace

std::set<std::string> called_functions(const Function& function) {
  return named_functions(function, Named::by_symbol);
}

void remove_uncalled_functions(Module& module) {
  for (bool changed = true; changed;) {
    std::set<std::string> called;
    for (const auto& f : module.functions) called.merge(named_functions(*f, Named::also_by_text));
    changed = std::erase_if(module.functions, [&](const auto& f) {
                return !f->is_public && !called.contains(f->name);
              }) > 0;
  }
}

void keep_function(Module& module, const std::string& name) {
  if (module.find(name) == nullptr) return;
  std::set<std::string> kept{name};
  std::vector<std::string> open{name};
  while (!open.empty()) {
    const Function* const function = module.find(open.back());
    open.pop_back();
    if (function == nullptr) continue;
    for (const std::string& called : named_functions(*function, Named::also_by_text))
      if (kept.insert(called).second) open.push_back(called);
  }
  std::erase_if(module.functions, [&](const auto& f) { return !kept.contains(f->name); });
}

}  // namespace partita::ir
