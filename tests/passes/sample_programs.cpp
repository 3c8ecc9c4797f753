// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Passes over the sample programs of every op: simplified as they are, with constants for arguments,
// and vectorised over a placement, then raised, placed and distributed.  No value may change and no
// pass may fail.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <optional>

#include "partita/base/error.hpp"
#include "partita/frontend/stablehlo.hpp"
#include "partita/ir/factor_transform.hpp"
#include "partita/ir/op.hpp"
#include "partita/ir/reduction.hpp"
#include "tests/passes/pass_case.hpp"
#include "tests/passes/random_programs.hpp"

namespace partita::testing {
namespace {

struct Sample {
  std::string name, text;
};

std::vector<Sample> samples() {
  std::vector<Sample> all;
  for (const ir::OpDef* op : ir::OpRegistry::instance().all())
    for (std::size_t k = 0; k < op->samples.size(); ++k)
      all.push_back({cat(op->name, " sample ", k), op->samples[k]});
  return all;
}

/// Outputs, or nothing where the program itself is meant to fail (check.* ops).
std::optional<std::vector<ir::Tensor>> run(const ir::Module& module,
                                           const std::vector<ir::Tensor>& inputs) {
  ir::Interpreter interpreter(module);
  try {
    return interpreter.run(module.entry("main"), inputs);
  } catch (const Error& e) {
    EXPECT_NE(int(e.kind()), int(ErrorKind::internal)) << e.what();
    return std::nullopt;
  }
}

void expect_same(const std::vector<ir::Tensor>& found, const std::vector<ir::Tensor>& expected,
                 const std::string& what, const ir::Module& module) {
  ASSERT_EQ(found.size(), expected.size()) << what;
  for (std::size_t k = 0; k < found.size(); ++k)
    EXPECT_EQ(difference(*found[k], *expected[k]), "") << what << ", result " << k << "\n"
                                                       << ir::print_module(module);
}

/// Runs passes on the module and compares; `what` names the case.
void expect_passes_keep_values(ir::Module& module, const std::string& pipeline,
                               const passes::PassContext& options,
                               const std::vector<ir::Tensor>& inputs,
                               const std::vector<ir::Tensor>& expected, const std::string& what) {
  passes::PassContext context = options;
  try {
    (void)driver::run_passes(module, driver::parse_pipeline(pipeline), context);
  } catch (const Error& e) {
    ADD_FAILURE() << what << ": " << pipeline << ": " << e.what();
    return;
  }
  if (const auto found = run(module, inputs))
    expect_same(*found, expected, what + " after " + pipeline, module);
  else
    ADD_FAILURE() << what << " does not run after " << pipeline;
}

TEST(SamplePrograms, SimplifyKeepsTheirValues) {
  for (const Sample& sample : samples()) {
    const auto module = ir::parse_module(sample.text, sample.name);
    const auto inputs = random_inputs(module->entry("main"));
    if (const auto expected = run(*module, inputs))
      expect_passes_keep_values(*module, "inline simplify-loops simplify", {}, inputs, *expected,
                                sample.name);
  }
}

/// The program with constants in place of its arguments.
void bind_arguments(ir::Function& f, const std::vector<ir::Tensor>& values) {
  ir::Graph& body = *f.body;
  ir::Node* const first = body.nodes().empty() ? nullptr : body.nodes().front();
  for (std::size_t k = 0; k < values.size(); ++k) {
    const ir::Value constant = ir::create_constant(body, ir::make_dense(*values[k]), first);
    body.replace_uses(body.argument(int(k)), constant);
  }
}

TEST(SamplePrograms, SimplifyFoldsConstantsToTheSameValues) {
  for (const double splat : {double(NAN), 0.0, -0.0, 1.0, -1.0, double(INFINITY),
                             2.0}) {  // NaN stands for different elements
    for (const Sample& sample : samples()) {
      const auto module = ir::parse_module(sample.text, sample.name);
      ir::Function& f = module->entry("main");
      std::map<int, std::vector<double>> given;
      for (int k = 0; k < int(f.argument_types().size()); ++k) {
        const DType d = f.argument_types()[std::size_t(k)].dtype;
        if (!std::isnan(splat) && (is_float(d) || std::abs(splat) < 3))
          given[k] = {d == DType::i1 ? double(splat > 0) : is_float(d) || splat > 0 ? splat : 0};
      }
      const auto inputs = random_inputs(f, given);
      const auto expected = run(*module, inputs);
      if (!expected) continue;
      bind_arguments(f, inputs);
      expect_passes_keep_values(*module, "inline simplify-loops simplify", {}, inputs, *expected,
                                cat(sample.name, " of constants ", splat));
    }
  }
}

constexpr std::int64_t partitions = 11;  // an extent that no sample has

struct Vectorised {
  std::unique_ptr<ir::Module> module;
  int batched_arguments = 0;
};

/// @main over all partitions at once: every argument for which `is_placed` holds gets the axis, all
/// results are stacked.  Nothing where an op has no batching rule.
std::optional<Vectorised> vectorised(const ir::Function& f,
                                     const std::function<bool(int)>& is_placed) {
  if (!ir::why_not_batched(*f.body).empty() || f.body->results.empty()) return std::nullopt;
  for (const ir::Node* node : f.body->nodes())
    if (node->name().starts_with("mr.") || node->name().starts_with("check.") ||
        node->is("func.call"))
      return std::nullopt;
  Vectorised v{std::make_unique<ir::Module>(), 0};
  v.module->attrs.set("mr.placements", ir::Dict{{"clients", partitions}});
  auto g = std::make_unique<ir::Function>();
  g->name = "main";
  g->body = std::make_unique<ir::Graph>();
  ir::BatchMap map;
  for (int k = 0; k < f.body->argument_count(); ++k) {
    Type type = f.body->argument(k).type();
    if (is_placed(k)) type.dims.insert(type.dims.begin(), partitions);
    v.batched_arguments += is_placed(k);
    map[f.body->argument(k)] = {g->body->add_argument(type), is_placed(k)};
  }
  const ir::BatchContext context{.into = *g->body, .size = partitions};
  for (const ir::BatchedValue& r : ir::batch_body(*f.body, map, context)) {
    const ir::Value result = ir::batched(r, context);
    g->body->results.push_back(result);
    g->result_types.push_back(result.type());
    if (!is_float(result.type().dtype)) continue;
    // What partitions make is also summed up, so that there is a reduction to find.
    std::vector<std::unique_ptr<ir::Graph>> regions;
    regions.push_back(ir::make_combiner(Combiner::sum, result.type().dtype));
    const ir::Value zero = ir::create_splat(*g->body, Type::scalar(result.type().dtype), 0);
    const ir::Value sum = ir::create(*g->body, "stablehlo.reduce", {result, zero},
                                     {{"dimensions", ir::I64s{0}}}, std::move(regions))
                              ->result();
    g->body->results.push_back(sum);
    g->result_types.push_back(sum.type());
  }
  g->arg_attrs.resize(std::size_t(g->body->argument_count()));
  g->res_attrs.resize(g->result_types.size());
  v.module->functions.push_back(std::move(g));
  ir::verify(*v.module);
  return v;
}

/// The vectorised program raised, then placed in two layouts; true when it has maps.
bool expect_vectorised_survives(Vectorised& v, const std::string& what) {
  const auto inputs = random_inputs(v.module->entry("main"));
  const auto expected = run(*v.module, inputs);
  if (!expected) return false;
  passes::PassContext context;
  context.placements["clients"] = partitions;
  expect_passes_keep_values(*v.module, "raise simplify-loops simplify", context, inputs, *expected,
                            what);
  for (const char* layout : {"loop", "batch:4"}) {
    const auto placed = ir::clone_module(*v.module);
    context.layout = layout;
    expect_passes_keep_values(*placed, "expand-reductions fuse-maps place simplify distribute",
                              context, inputs, *expected, cat(what, ", ", layout));
  }
  return count_ops(*v.module)["mr.map"] > 0;
}

void expect_vectorised_samples_survive(const std::function<bool(int)>& is_placed,
                                       const std::string& which) {
  int raised = 0, tried = 0;
  for (const Sample& sample : samples()) {
    const auto module = ir::parse_module(sample.text, sample.name);
    passes::PassContext none;
    (void)driver::run_passes(*module, driver::parse_pipeline("inline"), none);
    auto v = vectorised(module->entry("main"), is_placed);
    if (!v || v->batched_arguments == 0) continue;
    ++tried;
    raised += expect_vectorised_survives(*v, cat(sample.name, ", vectorised over ", which));
  }
  std::printf("vectorised over %s: %d of %d programs have maps\n", which.c_str(), raised, tried);
  EXPECT_GE(raised * 10, tried * 8) << "maps are recovered from too few programs";
}

TEST(SamplePrograms, VectorisedOverAllArgumentsAreRaisedAndPlaced) {
  expect_vectorised_samples_survive([](int) { return true; }, "all arguments");
}

TEST(SamplePrograms, VectorisedOverTheFirstArgumentAreRaisedAndPlaced) {
  expect_vectorised_samples_survive([](int k) { return k == 0; }, "the first argument");
}

TEST(SamplePrograms, VectorisedOverOtherArgumentsAreRaisedAndPlaced) {
  expect_vectorised_samples_survive([](int k) { return k != 0; }, "all but the first argument");
}

/// PARTITA_RANDOM_PROGRAMS=N tries more.
unsigned random_programs() {
  const char* text = std::getenv("PARTITA_RANDOM_PROGRAMS");
  return text == nullptr ? 300 : unsigned(std::stoul(text));
}

TEST(RandomPrograms, SimplifyKeepsTheirValues) {
  for (unsigned seed = 0; seed < random_programs(); ++seed) {
    const auto module = random_program(seed, 30);
    const std::string what = cat("random program ", seed, "\n", ir::print_module(*module));
    const auto inputs = random_inputs(module->entry("main"));
    const auto expected = run(*module, inputs);
    ASSERT_TRUE(expected) << what;
    expect_passes_keep_values(*module, "simplify-loops simplify", {}, inputs, *expected, what);
    const std::string text = ir::print_module(*module);
    passes::PassContext again;
    (void)driver::run_passes(*module, driver::parse_pipeline("simplify"), again);
    EXPECT_EQ(ir::print_module(*module), text)
        << "simplify is not idempotent on random program " << seed;
    if (HasFailure()) break;
  }
}

TEST(RandomPrograms, VectorisedAreRaisedAndPlaced) {
  int raised = 0, tried = 0;
  for (unsigned seed = 0; seed < random_programs(); ++seed) {
    const auto module = random_program(seed, 20);
    std::mt19937 random(seed);
    std::vector<bool> placed;
    for (int k = 0; k < module->entry("main").body->argument_count(); ++k)
      placed.push_back(random() % 2 == 0);
    auto v = vectorised(module->entry("main"), [&](int k) { return placed[std::size_t(k)]; });
    if (!v || v->batched_arguments == 0) continue;
    ++tried;
    raised += expect_vectorised_survives(
        *v, cat("random program ", seed, "\n", ir::print_module(*v->module)));
    if (HasFailure()) break;
  }
  std::printf("%d of %d vectorised random programs have maps\n", raised, tried);
  EXPECT_GE(raised * 2, tried) << "many of them use no placed argument, but not so many";
}

}  // namespace
}  // namespace partita::testing
