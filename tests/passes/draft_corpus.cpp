// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// The text of a draft is the whole draft: over the programs of the tests and of the conformance corpus,
// what every pass leaves reads back as itself, and a pass over what was read leaves the same as over what
// was never text.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>

#include "driver/choose_target_info.hpp"
#include "driver/choose_tuning.hpp"
#include "driver/lower.hpp"
#include "driver/schedule.hpp"
#include "kernel/draft_pass.hpp"
#include "kernel/text/draft_text.hpp"
#include "partita/base/error.hpp"
#include "partita/frontend/stablehlo.hpp"
#include "tests/passes/pass_case.hpp"

namespace partita::testing {
namespace {

namespace fs = std::filesystem;
using kernel::PlanDraft;

std::vector<fs::path> programs() {
  const fs::path tests = fs::path(PARTITA_TEST_SOURCE_DIR) / "tests";
  std::vector<fs::path> folders{tests / "regress", tests / "e2e" / "programs"}, all;
  if (const char* corpus = std::getenv("PARTITA_CORPUS")) folders.emplace_back(corpus);
  for (const fs::path& folder : folders)
    for (const fs::path& path : cases_in(folder, ".mlir")) all.push_back(path);
  return all;
}

std::vector<std::string> public_functions(const ir::Module& module) {
  std::vector<std::string> names;
  for (const auto& f : module.functions)
    if (f->is_public) names.push_back(f->name);
  return names;
}

/// Those of a file; none where it holds what is not supported, which other tests are about.
std::vector<std::unique_ptr<ir::Module>> modules_of(const fs::path& path) {
  try {
    return ir::read_modules(path);
  } catch (const Error& e) {
    if (e.kind() != ErrorKind::user) throw;
    return {};
  }
}

/// The draft of a function, or nothing where it cannot be compiled for the target.
std::optional<PlanDraft> draft_of(const ir::Module& original,
                                  const driver::CompileOptions& options) {
  try {
    const auto module = ir::clone_module(original);
    const auto tuning = driver::choose_tuning(options, driver::find_target(options.target));
    const auto target = driver::choose_target_info(options, driver::find_target(options.target));
    passes::PassContext context{.function = options.function, .target = target};
    (void)driver::run_passes(*module, driver::named_pipeline("compile"), context);
    return driver::lower({*module, options, target, tuning});
  } catch (const Error& e) {
    if (e.kind() != ErrorKind::user) throw;
    return std::nullopt;
  }
}

/// A draft, and the same as it was read again after each pass.
void expect_same_after_each_pass(PlanDraft& draft, const driver::CompileOptions& options) {
  std::string text = kernel::print_draft(draft);
  for (const driver::PassRun& run : driver::schedule_pipeline(
           driver::choose_target_info(options, driver::find_target(options.target)), options)) {
    PlanDraft read = kernel::parse_draft(text, "draft");
    ASSERT_EQ(kernel::print_draft(read), text) << "before " << run.name;
    (void)kernel::run_draft_passes(read, {run}, {});
    (void)kernel::run_draft_passes(draft, {run}, {});
    text = kernel::print_draft(draft);
    ASSERT_EQ(kernel::print_draft(read), text) << "after " << run.name;
  }
}

struct DraftTarget {
  std::string target, device;
};

/// For each target, and for the GPUs of those that have some.
std::vector<DraftTarget> draft_targets() {
  std::vector<DraftTarget> all;
  for (const driver::Target* target : driver::all_targets()) {
    all.push_back({target->name, "generic"});
    if (!target->simt_profile.empty())
      all.push_back({target->name, std::string(target->simt_profile)});
  }
  return all;
}

class DraftsOf : public ::testing::TestWithParam<DraftTarget> {};

TEST_P(DraftsOf, EveryProgram) {
  int drafts = 0;
  for (const fs::path& path : programs()) {
    for (const auto& module : modules_of(path))
      for (const std::string& function : public_functions(*module)) {
        SCOPED_TRACE(cat(path.string(), " @", function));
        const driver::CompileOptions options{
            .target = GetParam().target, .function = function, .device = GetParam().device};
        auto draft = draft_of(*module, options);
        if (!draft) continue;
        ++drafts;
        expect_same_after_each_pass(*draft, options);
        if (HasFatalFailure()) return;
      }
  }
  EXPECT_GT(drafts, 20);
}

INSTANTIATE_TEST_SUITE_P(Targets, DraftsOf, ::testing::ValuesIn(draft_targets()),
                         [](const auto& info) {
                           const DraftTarget& t = info.param;
                           return t.device == "generic" ? t.target : cat(t.target, "_", t.device);
                         });

}  // namespace
}  // namespace partita::testing
