// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "tests/codegen/group_form.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <random>

#include "kernel/analysis/item_access.hpp"
#include "kernel/ast/plan_steps.hpp"
#include "kernel/text/draft_text.hpp"
#include "partita/base/temporary_folder.hpp"
#include "partita/compile.hpp"
#include "partita/exec/executor.hpp"
#include "tests/ops/op_test.hpp"
#include "tests/support/slice.hpp"

namespace partita::testing {

using ir::Tensor;

Compiled compile_for(const std::string& text, const std::string& device) {
  const driver::CompileOptions options{.target = "opencl", .gemm = "generated", .device = device};
  Artifact artifact = partita::compile(text, options).artifact;
  std::string source = artifact.modules.at(0).source;
  return {std::move(artifact), std::move(source)};
}

std::vector<Tensor> inputs_of(const std::string& text) {
  const auto module = ir::parse_module(text, "t");
  std::mt19937 random(1);
  std::vector<Tensor> inputs;
  for (const ir::Value v : module->entry("main").body->arguments())
    inputs.push_back(ir::random_tensor(v.type(), random));
  return inputs;
}

std::vector<Tensor> results_on(const std::string& device, const std::string& text,
                               const std::vector<Tensor>& inputs) {
  const Artifact artifact = compile_for(text, device).artifact;
  Session session(artifact, {.use_mpi = false});
  for (std::size_t k = 0; k < inputs.size(); ++k) session.set_input(int(k), *inputs[k]);
  session.run();
  std::vector<Tensor> results;
  for (int k = 0; k < int(artifact.plan.outputs.size()); ++k)
    results.push_back(std::make_shared<const HostArray>(session.output(k).value()));
  return results;
}

void expect_equal(const std::string& text, const std::string& device, std::int64_t terms) {
  if (!is_in_slice()) return;
  const std::vector<Tensor> inputs = inputs_of(text), expected = ir::run_text(text, inputs),
                            results = results_on(device, text, inputs);
  ASSERT_EQ(results.size(), expected.size());
  for (std::size_t k = 0; k < expected.size(); ++k)
    ir::expect_close(results[k], expected[k], cat(device, "\n", text, "result ", k),
                     std::sqrt(double(terms)));
}

std::string draft_after(const std::string& pass, const std::string& program) {
  const TemporaryFolder folder("drafts");
  driver::CompileOptions options{.target = "opencl", .device = "nvidia-sm_90"};
  options.dumps = {.dump_after = {pass}, .dump_directory = folder.path()};
  (void)partita::compile(program, options);
  std::string text;
  for (const auto& entry : std::filesystem::directory_iterator(folder.path())) {
    std::ifstream file(entry.path());
    text.assign(std::istreambuf_iterator<char>(file), {});
  }
  return text;
}

std::string tensor(const Dims& dims, const std::string& dtype) {
  std::string text = "tensor<";
  for (const std::int64_t d : dims) text += cat(d, "x");
  return cat(text, dtype, ">");
}

void expect_smooth(const std::string& program, int ways) {
  const kernel::PlanDraft draft =
      kernel::parse_draft(draft_after("prove-independence", program), "t");
  for (const int k : kernel::launched_kernels(draft.plan.steps)) {
    const kernel::Kernel& of_plan = *draft.kernels[std::size_t(k)];
    for (const kernel::Kernel* kernel : {&of_plan, of_plan.plain.get()}) {
      if (kernel == nullptr) continue;
      for (const kernel::ItemAccess& access : item_accesses(*kernel)) {
        EXPECT_LE(access.moved, 2) << kernel->stem << ": " << access.what << "\n" << program;
        EXPECT_LE(access.ways, ways) << kernel->stem << ": " << access.what << "\n" << program;
      }
    }
  }
}

}  // namespace partita::testing
