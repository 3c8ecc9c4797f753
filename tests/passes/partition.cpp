// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// What every shard of a mesh computes is, put together, what the whole program computes: samples of every
// op and random programs, over random meshes, with random shardings of arguments and results.  The
// interpreter fills padding with NaN, so that a result that depends on it shows it.  PARTITA_TEST_SEEDS=FIRST:COUNT
// runs other programs.
#include <gtest/gtest.h>

#include "partita/base/error.hpp"
#include "partita/frontend/stablehlo.hpp"
#include "partita/ir/interpreter.hpp"
#include "partita/ir/mesh.hpp"
#include "partita/ir/op.hpp"
#include "tests/ops/op_test.hpp"
#include "tests/passes/pass_case.hpp"
#include "tests/support/random_graph.hpp"
#include "tests/support/random_mesh.hpp"
#include "tests/support/test_seeds.hpp"

namespace partita::testing {
namespace {

std::vector<ir::Tensor> tensors(const std::vector<HostArray>& arrays) {
  std::vector<ir::Tensor> all;
  for (const HostArray& a : arrays) all.push_back(std::make_shared<const HostArray>(a));
  return all;
}

std::vector<HostArray> arrays(const std::vector<ir::Tensor>& tensors) {
  std::vector<HostArray> all;
  for (const ir::Tensor& t : tensors) all.push_back(*t);
  return all;
}

std::vector<ir::Tensor> run(const ir::Module& module, const std::vector<ir::Tensor>& inputs) {
  ir::Interpreter interpreter(module);
  return interpreter.run(module.entry("main"), inputs);
}

/// Calls cost nothing with every second seed: arrays are too small for them otherwise.
void partition(ir::Module& module, unsigned seed) {
  passes::PassContext context;
  const char* const options = seed % 2 == 0 ? "{call-bytes=0}" : "";
  (void)driver::run_passes(
      module, driver::parse_pipeline(cat("inline refine-mesh simplify partition", options)),
      context);
  ir::verify(module);
}

TEST(Partition, SamplesOfEveryOpAreTheSameInParts) {
  int count = 0, cut = 0;
  for (const ir::OpDef* op : ir::OpRegistry::instance().all())
    for (std::size_t s = 0; s < op->samples.size(); ++s)
      for (unsigned seed = 0; seed < 4; ++seed) {
        const auto module = ir::parse_module(op->samples[s], op->name);
        if (!can_be_sharded(*module)) continue;
        const std::string name = cat(op->name, " sample ", s, " seed ", seed);
        const auto inputs = random_inputs(module->entry("main"));
        const auto expected = run(*module, inputs);
        std::mt19937 random(seed);
        const std::string mesh = shard_at_random(*module, module->entry("main"), random);
        try {
          partition(*module, seed);
          const auto found = run(*module, inputs);
          ASSERT_EQ(found.size(), expected.size());
          for (std::size_t k = 0; k < found.size(); ++k)
            ir::expect_close(found[k], expected[k], cat(name, " over ", mesh, ", result ", k), 4);
        } catch (const Error& e) {
          FAIL() << name << " over " << mesh << ": " << e.what() << "\n"
                 << ir::print_module(*module);
        }
        if (HasFailure()) FAIL() << ir::print_module(*module);
        ++count;
        for (const ir::Dict& attrs : module->entry("main").arg_attrs)
          cut += attrs.contains("mr.global_type");
      }
  EXPECT_GT(count, 500);
  EXPECT_GT(cut, 500);
}

TEST(Partition, RandomProgramsAreTheSameInParts) {
  const Seeds seeds = test_seeds(60);
  for (unsigned seed = seeds.first; seed < seeds.first + seeds.count; ++seed) {
    RandomGraph program = random_graph(seed, 12);
    if (!can_be_sharded(*program.module)) continue;
    const std::vector<HostArray> expected = interpreted(program);
    std::mt19937 random(seed);
    const std::string whole = ir::print_module(*program.module);
    const std::string mesh =
        shard_at_random(*program.module, program.module->entry("main"), random);
    try {
      partition(*program.module, seed);
      const auto found = arrays(run(*program.module, tensors(program.inputs)));
      EXPECT_EQ(noise_difference(found, expected, program.noise), "")
          << "seed " << seed << " over " << mesh << "\n"
          << whole << "\nin parts:\n"
          << ir::print_module(*program.module);
    } catch (const Error& e) {
      FAIL() << "seed " << seed << " over " << mesh << ": " << e.what() << "\n"
             << ir::print_module(*program.module);
    }
    if (HasFailure()) return;
  }
}

}  // namespace
}  // namespace partita::testing
