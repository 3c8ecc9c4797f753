// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// What models whose leaves have several element types communicate: calls counted at run time on three shards, and
// collectives that `inspect` shows; and that derivatives of any order keep placed what is placed.
#include <gtest/gtest.h>

#include <set>

#include "partita/artifact/describe.hpp"
#include "partita/base/error.hpp"
#include "partita/compile.hpp"
#include "partita/driver/pipelines.hpp"
#include "partita/exec/executor.hpp"
#include "partita/ir/interpreter.hpp"
#include "tests/e2e/algorithms/toy.hpp"

namespace partita::testing {
namespace {

using build::Array;
using build::Arrays;

/// Two leaves of each element type, then three partitions of data.
const std::vector<DType> leaf_types{DType::f32,  DType::f64, DType::bf16,
                                    DType::bf16, DType::f32, DType::f64};
/// Sums of bf16 are of f32 and go with those.
constexpr std::int64_t types_of_sums = 2;

std::vector<Type> argument_types() {
  std::vector<Type> types;
  for (const DType d : leaf_types) types.push_back({.dtype = d, .dims = {2}});
  types.push_back({.dtype = DType::f64, .dims = {3, 2}});
  return types;
}

/// Each leaf is used in its own type; not quadratic, so that second derivatives depend on everything.
Array mixed_loss(const Arrays& params, const Arrays& batch) {
  Array total = build::zeros(Type::scalar(DType::f64));
  for (std::size_t k = 0; k < params.size(); ++k) {
    const Array x = params[k] * (0.25 + 0.125 * double(k));
    const Array error = build::matmul(x * x, build::convert(batch[0], x.dtype())) - 1;
    total = total + build::convert(error * error, DType::f64);
  }
  return total;
}

Array mean_loss(const Arrays& params, const Arrays& data) {
  return algorithms::mean_loss(clients, mixed_loss, params, data);
}

using BodyOfLeaves = std::function<Arrays(const Arrays& params, const Arrays& data)>;

Arrays gradient(const Arrays& params, const Arrays& data) {
  return build::grad([&](const Arrays& x) { return mean_loss(x, data); }, params);
}

/// Gradient of a product of the gradient with constants.
Arrays second_order(const Arrays& params, const Arrays& data) {
  const build::Loss along = [&](const Arrays& x) {
    Array total = build::zeros(Type::scalar(DType::f64));
    for (const Array& g : gradient(x, data))
      total = total + build::sum(build::convert(g, DType::f64));
    return total;
  };
  return build::grad(along, params);
}

const algorithms::LocalTraining training{
    .loss = mixed_loss, .optimizer = algorithms::sgd(0.125), .steps = 2};

Arrays train_branches(const Arrays& params, const Arrays& data) {
  return algorithms::local_models(clients, training, params, data);
}

std::unique_ptr<build::Program> program_of(const BodyOfLeaves& body) {
  auto program =
      std::make_unique<build::Program>(std::map<std::string, std::int64_t>{{clients, 3}});
  program->function("main", argument_types(), [&](const Arrays& a) {
    return body(algorithms::part(a, 0, leaf_types.size()), {a.back()});
  });
  return program;
}

std::vector<HostArray> arguments() {
  std::vector<HostArray> arrays;
  for (const Type& type : argument_types()) {
    HostArray values(Type{.dtype = DType::f64, .dims = type.dims});
    for (std::int64_t i = 0; i < type.count(); ++i)
      values.data<DType::f64>()[i] = 0.5 + 0.25 * double((i + std::int64_t(arrays.size())) % 5);
    arrays.push_back(convert(values, type.dtype));
  }
  return arrays;
}

struct Communication {
  std::int64_t calls = 0;      ///< of a run on three shards
  std::int64_t inspected = 0;  ///< all-reduces that `inspect` shows
  std::int64_t gathers = 0;
};

std::int64_t occurrences(const std::string& text, const std::string& what) {
  std::int64_t n = 0;
  for (auto at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) ++n;
  return n;
}

/// Results are compared with the interpreter's.
Communication communication_of(const BodyOfLeaves& body, const std::string& target) {
  const auto program = program_of(body);
  driver::CompileOptions options;
  options.target = target;
  Session session(partita::compile(program->module(), options).artifact, {.devices_per_rank = 3});
  const std::vector<HostArray> inputs = arguments();
  std::vector<ir::Tensor> tensors;
  for (std::size_t k = 0; k < inputs.size(); ++k) {
    session.set_input(int(k), inputs[k]);
    tensors.push_back(std::make_shared<const HostArray>(inputs[k]));
  }
  session.run();
  const std::string text = describe_artifact(session.artifact());
  const Communication found{.calls = session.stats().collective_calls,
                            .inspected = occurrences(text, "start all_reduce"),
                            .gathers = occurrences(text, "start all_gather")};
  const ir::Module& module = program->module();
  const auto expected = ir::Interpreter(module).run(module.entry("main"), tensors);
  for (std::size_t k = 0; k < expected.size(); ++k) {
    const HostArray a = convert(*session.output(int(k)), DType::f64),
                    b = convert(*expected[k], DType::f64);
    const double tolerance = expected[k]->type.dtype == DType::f64   ? 1e-10
                             : expected[k]->type.dtype == DType::f32 ? 1e-4
                                                                     : 2e-2;
    for (std::int64_t i = 0; i < a.type.count(); ++i)
      EXPECT_NEAR(a.data<DType::f64>()[i], b.data<DType::f64>()[i],
                  tolerance * (1 + std::abs(b.data<DType::f64>()[i])))
          << "result " << k << ", element " << i;
  }
  return found;
}

void expect_calls(const BodyOfLeaves& body, const std::string& target, std::int64_t calls) {
  const Communication found = communication_of(body, target);
  EXPECT_EQ(found.calls, calls);
  EXPECT_EQ(found.inspected, calls);
  EXPECT_EQ(found.gathers, 0);
}

TEST(MixedLeaves, OneCallForEachTypeInTheGradientOfAMeanLoss) {
  expect_calls(gradient, "cpu", types_of_sums);
}

TEST(MixedLeaves, OneCallForEachTypeInTheDerivativeOfAGradient) {
  expect_calls(second_order, "cpu", types_of_sums);
}

TEST(MixedLeaves, NoneForBranchesThatTrain) { expect_calls(train_branches, "cpu", 0); }

/// Of values with the placement's axis in front, only ops of the placement are taken.
void expect_placed_ops_alone(const BodyOfLeaves& body) {
  const auto program = program_of(body);
  const auto module = ir::clone_module(program->module());
  passes::PassContext context;
  driver::run_passes(*module, driver::parse_pipeline("inline raise differentiate"), context);
  const ir::Graph& graph = *module->entry("main").body;
  ir::ValueMap<bool> placed{{graph.arguments().back(), true}};
  std::multiset<std::string> seen;
  for (ir::Node* node : graph.nodes()) {
    const std::string name(node->name());
    const bool is_map = name == "mr.map", is_broadcast = name == "mr.broadcast";
    for (const ir::Value& v : node->operands()) {
      const bool is_taken_well = !placed.contains(v) || is_map || name.starts_with("mr.reduce_");
      EXPECT_TRUE(is_taken_well) << name << " takes a placed value";
    }
    if (is_map || is_broadcast || name.starts_with("mr.reduce_")) seen.insert(name);
    if (!is_map && !is_broadcast) continue;
    for (int k = 0; k < node->result_count(); ++k) {
      placed[node->result(k)] = true;
      EXPECT_EQ(node->result(k).type().dims.at(0), 3);
    }
  }
  EXPECT_GT(seen.count("mr.map"), 0u);
  EXPECT_EQ(seen.count("mr.reduce_sum"), leaf_types.size());
}

TEST(MixedLeaves, GradientsKeepThePlacement) { expect_placed_ops_alone(gradient); }
TEST(MixedLeaves, DerivativesOfGradientsKeepThePlacement) { expect_placed_ops_alone(second_order); }

}  // namespace
}  // namespace partita::testing
