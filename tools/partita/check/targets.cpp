// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "tools/partita/check/targets.hpp"

#include <algorithm>
#include <array>

#include "partita/base/error.hpp"
#include "partita/exec/executor.hpp"
#include "partita/ir/interpreter.hpp"
#include "partita/passes/compile.hpp"

namespace partita::tool {

namespace {

// Every target that partita's design has; which of them exist in this build is known when it runs.
constexpr std::array<std::string_view, 2> compiled_targets{"cpu", "opencl"};

std::vector<HostArray> compile_and_run(const std::string& target, const CompileSettings& settings,
                                       const ir::Module& module, const ir::Function& function,
                                       const std::vector<HostArray>& arguments) {
  passes::CompileOptions options;
  options.target = target;
  options.function = function.name;
  options.placements = settings.placements;
  options.layout = settings.layout;
  options.gemm = settings.gemm;
  Session session(passes::compile_module(module, options), SessionOptions{});
  for (std::size_t k = 0; k < arguments.size(); ++k) session.set_input(int(k), arguments[k]);
  session.run();
  session.finish();
  std::vector<HostArray> results;
  for (std::size_t k = 0; k < function.result_types.size(); ++k) {
    auto result = session.output(int(k));
    PARTITA_ASSERT(result.has_value());
    results.push_back(std::move(*result));
  }
  return results;
}

std::vector<CheckTarget> built_targets(const CompileSettings& settings) {
  std::vector<CheckTarget> targets;
  targets.push_back({.name = "interpreter",
                     .is_interpreter = true,
                     .run = [](const ir::Module& m, const ir::Function& f,
                               const std::vector<HostArray>& arguments) {
                       return interpret(m, f, arguments).results;
                     }});
  for (const std::string& name : passes::built_targets())
    targets.push_back({.name = name,
                       .is_interpreter = false,
                       .run = [name, settings](const ir::Module& m, const ir::Function& f,
                                               const std::vector<HostArray>& arguments) {
                         return compile_and_run(name, settings, m, f, arguments);
                       }});
  return targets;
}

}  // namespace

Interpretation interpret(const ir::Module& module, const ir::Function& function,
                         const std::vector<HostArray>& arguments) {
  ir::Interpreter interpreter(module);
  std::vector<ir::Tensor> tensors;
  for (const HostArray& array : arguments)
    tensors.push_back(std::make_shared<const HostArray>(array));
  Interpretation result;
  for (const ir::Tensor& tensor : interpreter.run(function, tensors))
    result.results.push_back(*tensor);
  result.failures = interpreter.check_failures;
  return result;
}

std::vector<std::string> missing_targets() {
  const std::vector<std::string> built = passes::built_targets();
  std::vector<std::string> missing;
  for (const std::string_view name : compiled_targets)
    if (std::ranges::find(built, name) == built.end()) missing.emplace_back(name);
  return missing;
}

std::vector<CheckTarget> choose_targets(const std::string& choice,
                                        const CompileSettings& settings) {
  std::vector<CheckTarget> all = built_targets(settings);
  if (choice == "all") return all;
  std::string names;
  for (CheckTarget& target : all) {
    if (target.name == choice) return {std::move(target)};
    names += cat(names.empty() ? "" : ", ", target.name);
  }
  throw_user_error(
      cat("--target: expected all or one of the targets built in (", names, "), found ", choice));
}

}  // namespace partita::tool
