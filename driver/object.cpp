// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "partita/driver/object.hpp"

#include "partita/base/error.hpp"
#include "partita/driver/target.hpp"
#include "partita/ir/graph.hpp"

namespace partita::driver {

using namespace kernel;
namespace {

/// The target that the options name, if it has what makes `what`.
template <class Emit>
const Target& emitting_target(const CompileOptions& options, Emit Target::*emit, const char* what) {
  const Target& target = find_target(options.target);
  check_target_options(target, options);
  if (target.*emit != nullptr) {
    if (target.check_emit != nullptr) target.check_emit(options, what);
    return target;
  }
  std::string names;
  for (const Target* t : all_targets())
    if (t->*emit != nullptr) names += cat(names.empty() ? "" : " or ", t->name);
  throw_user_error(cat(what, ": expected target ", names, ", found ", target.name));
}

/// What is linked into a host runs on one device: a program with a mesh holds everything there.
ObjectFunction compile_text(const ir::Module& module, const CompileOptions& options,
                            CompileReport* report) {
  CompileOptions own = options;
  own.text_only = true;
  own.shards = false;
  own.more_functions.clear();
  return {options.function, compile_module(module, own, report)};
}

}  // namespace

ObjectCode compile_object(const ir::Module& module, const std::string& name,
                          const std::vector<std::string>& functions, const CompileOptions& options,
                          std::vector<CompileReport>* reports) {
  const Target& target = emitting_target(options, &Target::emit_object, "an object file");
  std::vector<ObjectFunction> compiled;
  for (const std::string& function : functions) {
    CompileOptions own = options;
    own.function = function;
    CompileReport report;
    compiled.push_back(compile_text(module, own, &report));
    if (reports != nullptr) reports->push_back(std::move(report));
  }
  return target.emit_object(name, compiled, options);
}

ObjectCode compile_c(const ir::Module& module, const std::string& name,
                     const CompileOptions& options, CompileReport* report) {
  const Target& target = emitting_target(options, &Target::emit_c, "C text");
  return target.emit_c(name, compile_text(module, options, report), options);
}

}  // namespace partita::driver
