// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "driver/brief_texts.hpp"
#include "partita/base/error.hpp"
#include "partita/driver/pipelines.hpp"
#include "partita/frontend/stablehlo.hpp"
#include "partita/ir/called_functions.hpp"
#include "partita/ir/fingerprint.hpp"
#include "partita/ir/op.hpp"
#include "passes/stages.hpp"

namespace partita::driver {

using namespace passes;
namespace {

/// `state`: the module's fingerprint, which is verified where it changes.
manager::Pass over_module(const PassInfo& pass, ir::Module& module, PassContext& context,
                          std::uint64_t& state) {
  return {.is_idempotent = pass.idempotent,
          .options = pass.options,
          .missing = [&] { return missing_for(module, pass.needs); },
          .run =
              [&](const PassRun& run) {
                context.options = run.options;
                pass.run(module, context);
                for (const auto& f : module.functions) ir::remove_dead_nodes(*f->body);
                ir::remove_uncalled_functions(module);
                const std::uint64_t now = ir::fingerprint(module);
                if (now == state) return;
                ir::verify(module);
                state = now;
              },
          .broken = [&] { return why_not_reached(module, pass.gives); }};
}

}  // namespace

std::vector<PassRun> parse_pipeline(std::string_view text) {
  std::vector<PassRun> runs = manager::parse_runs(text);
  for (const PassRun& run : runs) (void)find_pass(run.name);
  return runs;
}

std::vector<PassTiming> run_passes(ir::Module& module, const std::vector<PassRun>& passes,
                                   PassContext& context, const RunOptions& options) {
  BriefTexts texts;
  const std::string before = texts.of(module);
  std::uint64_t state = 0;  // nothing is verified yet
  return manager::run({.ending = "mlir",
                       .text = [&] { return ir::print_module(module); },
                       .find =
                           [&](const std::string& name) {
                             return over_module(find_pass(name), module, context, state);
                           },
                       .original =
                           [&] {
                             return manager::Source{"mlir", texts.whole(before)};
                           },
                       .state = [&] { return state; }},
                      passes, options);
}

}  // namespace partita::driver
