// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "tools/partita/check/targets.hpp"

#include <algorithm>
#include <array>

#include "partita/base/error.hpp"
#include "partita/compile.hpp"
#include "partita/exec/executor.hpp"
#include "partita/ir/interpreter.hpp"
#include "partita_generated/backends.hpp"
#include "tools/partita/local_device.hpp"

namespace partita::tool {

namespace {

/// Every target that there is a backend for; a build may leave some out.
constexpr auto compiled_targets = std::to_array<std::string_view>({
#define PARTITA_NAME(name) #name,
    PARTITA_KNOWN_BACKENDS(PARTITA_NAME)
#undef PARTITA_NAME
});

std::vector<HostArray> run(const Artifact& artifact, const SessionOptions& options,
                           const std::vector<HostArray>& arguments) {
  Session session(artifact, options);
  for (std::size_t k = 0; k < arguments.size(); ++k) session.set_input(int(k), arguments[k]);
  session.run();
  std::vector<HostArray> results;
  for (std::size_t k = 0; k < artifact.plan.outputs.size(); ++k) {
    auto result = session.output(int(k));
    PARTITA_ASSERT(result.has_value());
    results.push_back(std::move(*result));
  }
  return results;
}

/// The results over memory filled with one pattern, if they are the same bits with another.  0xff is
/// NaN, -1 and true; 0x2a is small numbers of all types.
std::vector<HostArray> run_poisoned(const Artifact& artifact, std::string_view layout,
                                    const std::vector<HostArray>& arguments) {
  std::vector<HostArray> results = run(artifact, {.poison = std::uint8_t{0xff}}, arguments);
  const std::vector<HostArray> others = run(artifact, {.poison = std::uint8_t{0x2a}}, arguments);
  for (std::size_t k = 0; k < results.size(); ++k) {
    const auto differing = std::ranges::mismatch(results[k].bytes, others[k].bytes);
    if (differing.in1 == results[k].bytes.end()) continue;
    const auto width = std::ptrdiff_t(byte_size(results[k].type.dtype));
    throw PoisonFound(cat("out", k, " depends on memory that nothing has written (", layout,
                          "): element ", (differing.in1 - results[k].bytes.begin()) / width, " of ",
                          to_string(results[k].type),
                          " is another where memory is filled with 0xff and with 0x2a"));
  }
  return results;
}

std::vector<HostArray> compile_and_run(const std::string& target, const CompileSettings& settings,
                                       const ir::Module& module, const ir::Function& function,
                                       const std::vector<HostArray>& arguments) {
  driver::CompileOptions options;
  options.target = target;
  options.function = function.name;
  options.placements = settings.placements;
  options.layout = settings.layout;
  options.gemm = settings.gemm;
  choose_local_class(options);
  const Artifact artifact = partita::compile(module, options).artifact;
  if (!settings.poisons) return run(artifact, SessionOptions{}, arguments);
  options.shares_arena = false;
  run_poisoned(partita::compile(module, options).artifact, "each temporary in memory of its own",
               arguments);
  return run_poisoned(artifact, "temporaries as planned", arguments);
}

std::vector<CheckTarget> built_targets(const CompileSettings& settings) {
  std::vector<CheckTarget> targets;
  targets.push_back({.name = "interpreter",
                     .is_interpreter = true,
                     .run = [](const ir::Module& m, const ir::Function& f,
                               const std::vector<HostArray>& arguments) {
                       return interpret(m, f, arguments).results;
                     }});
  for (const std::string& name : driver::built_targets())
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

CheckTarget artifact_target(const std::filesystem::path& artifact) {
  return {.name = artifact.filename().string(),
          .is_interpreter = false,
          .run = [artifact](const ir::Module&, const ir::Function&,
                            const std::vector<HostArray>& arguments) {
            return run(load_artifact(artifact), SessionOptions{}, arguments);
          }};
}

std::vector<std::string> missing_targets() {
  const std::vector<std::string> built = driver::built_targets();
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
