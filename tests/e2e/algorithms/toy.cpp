// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "tests/e2e/algorithms/toy.hpp"

#include "partita/base/error.hpp"
#include "partita/compile.hpp"
#include "partita/exec/executor.hpp"
#include "partita/frontend/stablehlo.hpp"
#include "partita/ir/interpreter.hpp"

namespace partita::testing {
namespace {

Type f64(const Dims& dims) { return {.dtype = DType::f64, .dims = dims}; }

Values values_of(const HostArray& array) {
  const auto* data = array.data<DType::f64>();
  return {data, data + array.type.count()};
}

}  // namespace

ToyProgram on_toy(const std::string& name, build::Body body, std::vector<Values> expected) {
  return {.name = name,
          .placements = {{clients, 3}},
          .inputs = {{"x", {2}, toy_start}, {"data", {3, 2}, toy_data}},
          .body = std::move(body),
          .expected = std::move(expected)};
}

build::Array toy_loss(const build::Arrays& params, const build::Arrays& batch) {
  const build::Array x = params.size() == 1 ? params[0] : build::concatenate(params, 0);
  const build::Array error = build::matmul(x, batch[0]) - 1;
  return 0.5 * error * error;
}

std::vector<HostArray> ToyProgram::arguments() const {
  std::vector<HostArray> arrays;
  for (const Input& input : inputs) {
    arrays.emplace_back(f64(input.dims));
    std::copy(input.values.begin(), input.values.end(), arrays.back().data<DType::f64>());
  }
  return arrays;
}

build::Program& ToyProgram::build_into(build::Program& program) const {
  std::vector<Type> types;
  std::vector<std::string> names;
  for (const Input& input : inputs) {
    types.push_back(f64(input.dims));
    names.push_back(input.name);
  }
  program.function("main", types, body, names);
  return program;
}

std::vector<ToyProgram> toy_programs() {
  std::vector<ToyProgram> all = federated_programs();
  for (const auto& more : {tuning_programs(), worker_programs()})
    all.insert(all.end(), more.begin(), more.end());
  return all;
}

std::vector<Values> interpret(const ToyProgram& toy) {
  build::Program program(toy.placements, toy.name);
  const auto module = ir::parse_module(toy.build_into(program).text());
  std::vector<ir::Tensor> arguments;
  for (const HostArray& a : toy.arguments())
    arguments.push_back(std::make_shared<const HostArray>(a));
  std::vector<Values> results;
  for (const ir::Tensor& t : ir::Interpreter(*module).run(module->entry("main"), arguments))
    results.push_back(values_of(*t));
  return results;
}

Ran compile_and_run(const ToyProgram& toy, const std::string& target, int shards) {
  build::Program program(toy.placements, toy.name);
  driver::CompileOptions options;
  options.target = target;
  Session session(partita::compile(toy.build_into(program).module(), options).artifact,
                  {.devices_per_rank = shards});
  const std::vector<HostArray> arguments = toy.arguments();
  for (std::size_t k = 0; k < arguments.size(); ++k) session.set_input(int(k), arguments[k]);
  session.run();
  Ran ran;
  ran.collective_calls = session.stats().collective_calls;
  for (std::size_t k = 0; k < session.artifact().plan.outputs.size(); ++k) {
    const auto result = session.output(int(k));
    PARTITA_ASSERT(result.has_value());
    ran.results.push_back(values_of(*result));
  }
  return ran;
}

}  // namespace partita::testing
