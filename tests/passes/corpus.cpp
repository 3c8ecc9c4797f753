// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// The DrJAX programs and rounds of the conformance corpus through the named pipelines: maps are
// recovered, the placement's axis is gone from their bodies, and the interpreter gives the stored
// outputs before and after, streamed and batched.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>

#include "partita/artifact/npz.hpp"
#include "partita/base/error.hpp"
#include "partita/frontend/stablehlo.hpp"
#include "partita/ir/op.hpp"
#include "tests/passes/pass_case.hpp"

namespace partita::testing {
namespace {

namespace fs = std::filesystem;

struct Program {
  const char* name;
  std::int64_t clients;
  int maps;         ///< after the frontend pipeline
  int all_reduces;  ///< after compile
};

const Program programs[] = {
    {"drjax_fedavg_nomesh", 8, 1, 1},       {"drjax_fedavg_mesh8", 8, 1, 1},
    {"drjax_composite_round_jit", 8, 1, 1}, {"drjax_composite_round_scan", 8, 1, 1},
    {"drjax_composite_grad_jit", 8, 1, 1},  {"drjax_composite_grad_scan", 8, 2, 1},
    {"drjax_nested_placements", 8, 1, 1},   {"rounds/mlp_8", 8, 1, 1},
};

class Corpus : public ::testing::TestWithParam<Program> {
 protected:
  void SetUp() override {
    const char* folder = std::getenv("PARTITA_CORPUS");
    if (folder == nullptr)
      GTEST_SKIP() << "PARTITA_CORPUS is not set: the conformance corpus is absent";
    path_ = fs::path(folder) / (std::string(GetParam().name) + ".mlir");
    module_ = ir::read_module(path_);
  }

  passes::PassContext compile(std::string_view pipeline, const std::string& layout) {
    passes::PassContext context;
    context.placements["clients"] = GetParam().clients;
    context.layout = layout;
    (void)driver::run_passes(*module_, driver::named_pipeline(pipeline), context);
    return context;
  }

  void expect_stored_outputs() {
    const auto arrays = read_npz(fs::path(path_).replace_extension(".io.npz"));
    const ir::Function& f = module_->entry("main");
    std::vector<ir::Tensor> inputs;
    for (std::size_t k = 0; k < f.argument_types().size(); ++k)
      inputs.push_back(std::make_shared<const HostArray>(
          convert(arrays.at(cat("in", k)), f.argument_types()[k].dtype)));
    ir::Interpreter interpreter(*module_);
    const auto outputs = interpreter.run(f, inputs);
    for (std::size_t k = 0; k < outputs.size(); ++k)
      EXPECT_EQ(difference(*outputs[k], convert(arrays.at(cat("out", k)), outputs[k]->type.dtype)),
                "")
          << "out" << k;
  }

  fs::path path_;
  std::unique_ptr<ir::Module> module_;
};

/// Values inside of a graph that still have an extent n (no other extent of these programs is n).
std::vector<std::string> values_with_extent(const ir::Graph& graph, std::int64_t n) {
  std::vector<std::string> found;
  ir::walk(graph, [&](ir::Node& node) {
    for (const Type& t : node.result_types())
      if (std::ranges::find(t.dims, n) != t.dims.end())
        found.push_back(cat(node.name(), " ", to_string(t)));
  });
  return found;
}

TEST_P(Corpus, FrontendRecoversMaps) {
  (void)compile("frontend", "auto");
  EXPECT_EQ(count_ops(*module_)["mr.map"], GetParam().maps) << ir::print_module(*module_);
  ir::walk(*module_->entry("main").body, [&](ir::Node& node) {
    if (!node.is("mr.map")) return;
    EXPECT_EQ(values_with_extent(node.region(0), GetParam().clients), std::vector<std::string>());
  });
  expect_stored_outputs();
}

TEST_P(Corpus, StreamedProgramGivesStoredOutputs) {
  (void)compile("compile", "loop");
  EXPECT_EQ(count_ops(*module_)["mr.all_reduce_start"], GetParam().all_reduces);
  expect_stored_outputs();
}

TEST_P(Corpus, BatchedProgramGivesStoredOutputs) {
  const auto context = compile("compile", "batch:4");
  EXPECT_EQ(count_ops(*module_)["mr.all_reduce_start"], GetParam().all_reduces);
  ir::walk(*module_->entry("main").body, [&](ir::Node& node) {
    if (!node.is("mr.foreach")) return;
    EXPECT_EQ(node.attrs.i64("block"), 4) << (context.remarks.empty() ? "" : context.remarks[0]);
  });
  expect_stored_outputs();
}

TEST_P(Corpus, TailBlockGivesStoredOutputs) {
  (void)compile("compile", "batch:3");
  expect_stored_outputs();
}

INSTANTIATE_TEST_SUITE_P(Programs, Corpus, ::testing::ValuesIn(programs), [](const auto& info) {
  std::string name = info.param.name;
  std::ranges::replace(name, '/', '_');
  std::ranges::replace(name, '-', '_');
  return name;
});

TEST(CorpusLanguageModel, RoundKeepsItsMap) {
  const char* folder = std::getenv("PARTITA_CORPUS");
  if (folder == nullptr)
    GTEST_SKIP() << "PARTITA_CORPUS is not set: the conformance corpus is absent";
  const auto module = ir::read_module(fs::path(folder) / "rounds" / "lm-s_2.mlir");
  passes::PassContext context;
  context.placements["clients"] = 2;
  (void)driver::run_passes(*module, driver::named_pipeline("compile"), context);
  auto counts = count_ops(*module);
  EXPECT_EQ(counts["mr.foreach"], 1);
  EXPECT_EQ(counts["mr.all_reduce_start"], 1);
}

}  // namespace
}  // namespace partita::testing
