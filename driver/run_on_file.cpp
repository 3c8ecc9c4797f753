// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include <algorithm>

#include "driver/choose_target_info.hpp"
#include "driver/lower.hpp"
#include "kernel/draft_pass.hpp"
#include "kernel/text/draft_text.hpp"
#include "partita/base/error.hpp"
#include "partita/base/file.hpp"
#include "partita/driver/pipelines.hpp"
#include "partita/driver/target.hpp"
#include "partita/frontend/stablehlo.hpp"

namespace partita::driver {

using namespace kernel;
using namespace passes;
namespace {

using Runs = std::vector<PassRun>;

void expect_known(const Runs& passes) {
  for (const PassRun& run : passes)
    if (run.name == lower_name || find_draft_pass(run.name) != nullptr)
      throw_user_error(cat("passes: ", run.name, ": expected ",
                           run.name == lower_name ? "a module, found a draft"
                                                  : "a draft (after lower), found a module"));
    else
      (void)find_pass(run.name);
}

std::string draft_after(const Runs& passes, PlanDraft draft,
                        const std::function<manager::Source()>& original) {
  (void)run_draft_passes(draft, passes, original);
  return print_draft(draft);
}

CompileOptions options_of(const PassRun& lower, const PassContext& context) {
  CompileOptions options{
      .function = context.function, .placements = context.placements, .layout = context.layout};
  manager::expect_options(lower, lower_options());
  const auto read = [&](const std::string& key, std::string& option) {
    if (const auto it = lower.options.find(key); it != lower.options.end()) option = it->second;
  };
  read("target", options.target);
  read("gemm", options.gemm);
  return options;
}

std::string lowered(const ir::Module& module, const PassRun& run, const Runs& passes,
                    const PassContext& context) {
  const CompileOptions options = options_of(run, context);
  const Target& target = find_target(options.target);
  const ChosenTuning tuning = choose_tuning(options, target);
  const TargetInfo info = choose_target_info(options, target);
  const Lowering lowering{module, options, info, tuning};
  PlanDraft draft;
  DraftVerifier verifier;
  (void)run_lowering(lowering, draft, {}, verifier);
  return draft_after(passes, std::move(draft), [&] { return source_of(lower(lowering)); });
}

}  // namespace

std::string run_passes_on_file(const std::filesystem::path& path, OptRequest& request) {
  const Runs& passes = request.passes;
  if (path.extension() == ".draft") {
    const std::vector<std::byte> bytes = read_file(path);
    const std::string text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    return draft_after(passes, parse_draft(text, path.string()), [&] {
      return manager::Source{"draft", text};
    });
  }
  const auto lower = std::ranges::find(passes, lower_name, &PassRun::name);
  const Runs over_modules(passes.begin(), lower);
  expect_known(over_modules);
  std::string text;
  for (const auto& module : ir::read_modules(path, request.open)) {
    (void)run_passes(*module, over_modules, request.context);
    if (!text.empty()) text += "// -----\n";
    text += lower == passes.end()
                ? ir::print_module(*module, {.locations = request.locations})
                : lowered(*module, *lower, {lower + 1, passes.end()}, request.context);
  }
  return text;
}

}  // namespace partita::driver
