// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "partita/passes/object.hpp"

#include "partita/base/error.hpp"
#include "partita/ir/graph.hpp"
#include "partita/passes/target.hpp"

namespace partita::passes {

ObjectCode compile_object(const ir::Module& module, const std::string& name,
                          const std::vector<std::string>& functions, const CompileOptions& options,
                          std::vector<CompileReport>* reports) {
  const Target& target = find_target(options.target);
  if (target.emit_object == nullptr)
    throw_user_error(cat("an object file: expected target cpu, found ", target.name));
  if (options.cpu_levels.size() != 1)
    throw_user_error(
        cat("an object file: expected one instruction set, found ", options.cpu_levels.size()));
  std::vector<ObjectFunction> compiled;
  for (const std::string& function : functions) {
    CompileOptions own = options;
    own.function = function;
    own.text_only = true;
    own.tier = "1";
    CompileReport report;
    compiled.push_back({function, compile_module(module, own, &report)});
    if (reports != nullptr) reports->push_back(std::move(report));
  }
  return target.emit_object(name, compiled, options.cpu_levels.front());
}

}  // namespace partita::passes
