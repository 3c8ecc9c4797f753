// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "partita/driver/object.hpp"

#include "partita/base/error.hpp"
#include "partita/driver/target.hpp"
#include "partita/ir/graph.hpp"

namespace partita::passes {
namespace {

void check_levels(const CompileOptions& options, const char* what) {
  if (options.cpu_levels.size() != 1)
    throw_user_error(
        cat(what, ": expected one instruction set, found ", options.cpu_levels.size()));
}

ObjectFunction compile_text(const ir::Module& module, const CompileOptions& options,
                            CompileReport* report) {
  CompileOptions own = options;
  own.text_only = true;
  own.tier = "1";
  return {options.function, compile_module(module, own, report)};
}

}  // namespace

ObjectCode compile_object(const ir::Module& module, const std::string& name,
                          const std::vector<std::string>& functions, const CompileOptions& options,
                          std::vector<CompileReport>* reports) {
  const Target& target = find_target(options.target);
  if (target.emit_object == nullptr)
    throw_user_error(cat("an object file: expected target cpu, found ", target.name));
  check_levels(options, "an object file");
  std::vector<ObjectFunction> compiled;
  for (const std::string& function : functions) {
    CompileOptions own = options;
    own.function = function;
    CompileReport report;
    compiled.push_back(compile_text(module, own, &report));
    if (reports != nullptr) reports->push_back(std::move(report));
  }
  return target.emit_object(name, compiled, options.cpu_levels.front());
}

ObjectCode compile_c(const ir::Module& module, const std::string& name,
                     const CompileOptions& options, CompileReport* report) {
  const Target& target = find_target(options.target);
  if (target.emit_c == nullptr)
    throw_user_error(cat("C text: expected target cpu, found ", target.name));
  check_levels(options, "C text");
  return target.emit_c(name, compile_text(module, options, report), options.cpu_levels.front());
}

}  // namespace partita::passes
