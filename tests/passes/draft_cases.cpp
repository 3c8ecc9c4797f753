// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Runs every tests/passes/<pass>/*.draft: the passes give the expected text and counts, and the plan that
// comes out computes the same as the one that goes in.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <sstream>

#include "kernel/ast/expressions.hpp"
#include "kernel/ast/plan_steps.hpp"
#include "kernel/draft_pass.hpp"
#include "kernel/text/draft_text.hpp"
#include "partita/base/error.hpp"
#include "partita/base/file.hpp"
#include "partita/driver/target.hpp"
#include "partita/exec/executor.hpp"
#include "tests/passes/pass_case.hpp"

namespace partita::testing {
namespace {

namespace fs = std::filesystem;
using kernel::PlanDraft;

const fs::path folder = fs::path(PARTITA_TEST_SOURCE_DIR) / "tests" / "passes";

/// Steps by kind, and kernels that are launched.
std::map<std::string, int> count_steps(const PlanDraft& draft) {
  std::map<std::string, int> counts;
  const std::function<void(const Steps&)> visit = [&](const Steps& steps) {
    for (const Step& s : steps) {
      counts["launch"] += std::holds_alternative<Launch>(s.what);
      counts["copy"] += std::holds_alternative<Copy>(s.what);
      counts["gemm"] += std::holds_alternative<Gemm>(s.what);
      counts["convolve"] += std::holds_alternative<Convolve>(s.what);
      for (const Steps* inner : kernel::inner_steps(s)) visit(*inner);
    }
  };
  visit(draft.plan.steps);
  counts["kernel"] = int(kernel::launched_kernels(draft.plan.steps).size());
  counts["buffer"] = int(draft.plan.buffers.size());
  return counts;
}

/// What a draft's plan computes, over poisoned memory, on a target.
std::vector<HostArray> run_draft(PlanDraft draft, const std::string& target) {
  if (!draft.has_places)
    (void)kernel::run_draft_passes(draft, manager::parse_runs("assign-arena prove-independence"),
                                   {});
  Artifact artifact;
  artifact.target = target;
  artifact.plan = draft.plan;
  for (const HostArray& constant : draft.constants)
    artifact.constants.push_back(std::make_shared<HostArray>(constant));
  driver::CompileOptions options{.target = target};
  if (target == "cpu") options.target_options["tier"] = "0";
  driver::find_target(target).generate(draft, options, {}, artifact);
  const std::size_t outputs = artifact.plan.outputs.size();
  Session session(std::move(artifact), {.poison = 0x2a});
  std::mt19937 random(7);
  const std::vector<PortInfo>& inputs = session.artifact().plan.inputs;
  for (std::size_t k = 0; k < inputs.size(); ++k)
    session.set_input(int(k), random_array(inputs[k].type, random));
  session.run();
  std::vector<HostArray> results;
  for (std::size_t k = 0; k < outputs; ++k) results.push_back(session.output(int(k)).value());
  return results;
}

class DraftCase : public ::testing::Test {
 public:
  explicit DraftCase(fs::path path) : path_(std::move(path)) {}

  void TestBody() override {
    const PassCase c = read_case(path_);
    const auto runs = manager::parse_runs(c.passes);
    PlanDraft after = parse_draft(c.program);
    if (!c.refused.empty()) {
      expect_refusal([&] { (void)kernel::run_draft_passes(after, runs, {}); }, c.refused);
      return;
    }
    (void)kernel::run_draft_passes(after, runs, {});
    const std::string text = kernel::print_draft(after);
    SCOPED_TRACE("the passes give:\n" + text);
    auto counts = count_steps(after);
    for (const auto& [what, n] : c.counts) EXPECT_EQ(counts[what], n) << what;
    if (!c.expected.empty()) {
      EXPECT_EQ(text, kernel::print_draft(parse_draft(c.expected)));
    }
    EXPECT_EQ(kernel::print_draft(parse_draft(text)), text) << "the text does not survive reading";
    expect_same_values(parse_draft(c.program), std::move(after));
  }

 private:
  [[nodiscard]] PlanDraft parse_draft(const std::string& text) const {
    return kernel::parse_draft(text, path_.string());
  }

  static void expect_same_values(PlanDraft before, PlanDraft after) {
    // Kernels over rows, of groups, and those with vectors, are no lane code.
    const auto needs_text = [](const PlanDraft& draft) {
      return std::ranges::any_of(draft.kernels, [](const auto& k) {
        return k->row_variable >= 0 || k->group_items > 0 || kernel::has_vectors(k->body);
      });
    };
    const std::string target = needs_text(before) || needs_text(after) ? "opencl" : "cpu";
    try {
      EXPECT_EQ(run_draft(std::move(after), target), run_draft(std::move(before), target));
    } catch (const Error& e) {
      if (e.kind() != ErrorKind::device) throw;
      GTEST_SKIP() << "no device to run it on: " << e.what();
    }
  }

  fs::path path_;
};

std::vector<std::string> pass_names() {
  std::vector<std::string> names;
  for (const kernel::DraftPass& pass : kernel::all_draft_passes()) names.push_back(pass.name);
  return names;
}

const bool are_registered = [] {
  register_cases<DraftCase>(folder, pass_names(), ".draft");
  return true;
}();

TEST(DraftCases, EveryPassHasThreeCases) {
  ASSERT_TRUE(are_registered);
  for (const kernel::DraftPass& pass : kernel::all_draft_passes())
    EXPECT_GE(cases_in(folder / pass.name, ".draft").size(), 3u)
        << pass.name << ": the point, a near miss, a boundary";
}

}  // namespace
}  // namespace partita::testing
