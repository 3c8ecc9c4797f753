// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Runs every tests/passes/<pass>/*.mlir: the passes give the expected text and counts, change no
// value under the interpreter, and do nothing when run again where they say so.
#include <gtest/gtest.h>

#include <algorithm>

#include "kernel/draft_pass.hpp"
#include "partita/base/error.hpp"
#include "partita/frontend/stablehlo.hpp"
#include "partita/ir/mesh.hpp"
#include "partita/ir/op.hpp"
#include "tests/passes/pass_case.hpp"

namespace partita::testing {
namespace {

namespace fs = std::filesystem;

const fs::path folder = fs::path(PARTITA_TEST_SOURCE_DIR) / "tests" / "passes";

void expect_same_values(const ir::Module& before, const ir::Module& after, const PassCase& c) {
  const ir::Function& f = before.entry("main");
  const auto inputs = random_inputs(ir::whole_argument_types(before, f), c.inputs);
  ir::Interpreter first(before), second(after);
  if (!c.run_refused.empty()) {
    EXPECT_THROW((void)first.run(f, inputs), Error);
    expect_refusal([&] { (void)second.run(after.entry("main"), inputs); }, c.run_refused);
    return;
  }
  const auto expected = first.run(f, inputs);
  const auto found = second.run(after.entry("main"), inputs);
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t k = 0; k < found.size(); ++k)
    EXPECT_EQ(difference(*found[k], *expected[k]), "") << "result " << k;
}

void expect_remarks(const passes::PassContext& context, const PassCase& c) {
  if (c.is_unremarked) {
    EXPECT_EQ(context.remarks, std::vector<std::string>{});
  }
  for (const std::string& part : c.remarks) {
    const bool is_made = std::ranges::any_of(
        context.remarks, [&](const std::string& r) { return r.find(part) != std::string::npos; });
    std::string all;
    for (const std::string& r : context.remarks) all += r + "\n";
    EXPECT_TRUE(is_made) << "expected a remark with '" << part << "', found:\n" << all;
  }
}

class TextCase : public ::testing::Test {
 public:
  explicit TextCase(fs::path path) : path_(std::move(path)) {}

  void TestBody() override {
    const PassCase c = read_case(path_);
    const auto before = ir::parse_module(c.program, path_.string());
    const auto after = ir::clone_module(*before);
    const auto runs = driver::parse_pipeline(c.passes);
    passes::PassContext context = c.context;
    if (!c.refused.empty()) {
      expect_refusal([&] { (void)driver::run_passes(*after, runs, context); }, c.refused);
      return;
    }
    (void)driver::run_passes(*after, runs, context);
    const std::string text = ir::print_module(*after);
    SCOPED_TRACE("the passes give:\n" + text);
    auto counts = count_ops(*after);
    for (const auto& [op, n] : c.counts) EXPECT_EQ(counts[op], n) << op;
    expect_remarks(context, c);
    if (!c.expected.empty()) {
      EXPECT_EQ(text,
                ir::print_module(*ir::parse_module(c.expected, path_.string() + " (expected)")));
    }
    EXPECT_EQ(ir::print_module(*ir::parse_module(text)), text)
        << "the text does not survive reading";
    expect_same_values(*before, *after, c);
    if (passes::find_pass(runs.back().name).idempotent) {
      passes::PassContext again = c.context;
      (void)driver::run_passes(*after, {runs.back()}, again);
      EXPECT_EQ(ir::print_module(*after), text) << runs.back().name << " is not idempotent";
    }
  }

 private:
  fs::path path_;
};

std::vector<std::string> pass_names() {
  std::vector<std::string> names;
  for (const passes::PassInfo& pass : passes::all_passes()) names.push_back(pass.name);
  return names;
}

const bool are_registered = [] {
  register_cases<TextCase>(folder, pass_names(), ".mlir");
  return true;
}();

TEST(PassCases, EveryPassHasThreeCases) {
  ASSERT_TRUE(are_registered);
  for (const passes::PassInfo& pass : passes::all_passes())
    EXPECT_GE(cases_in(folder / pass.name, ".mlir").size(), 3u)
        << pass.name << ": the point, a near miss, a boundary";
}

/// A folder of cases belongs to a pass over graphs or over drafts.
TEST(PassCases, EveryFolderIsOfAPass) {
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (!entry.is_directory()) continue;
    const std::string name = entry.path().filename().string();
    const auto passes = passes::all_passes();
    EXPECT_TRUE(kernel::find_draft_pass(name) != nullptr ||
                std::ranges::find(passes, name, &passes::PassInfo::name) != passes.end())
        << name;
  }
}

}  // namespace
}  // namespace partita::testing
