// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// stablehlo.case and stablehlo.if: one of several regions.
#include "ops/control/control_axes.hpp"
#include "ops/control/control_derivatives.hpp"
#include "ops/support/support.hpp"

namespace partita::ir::ops {
namespace {

std::vector<Type> types_of(const std::vector<Value>& values) {
  std::vector<Type> types;
  for (const Value& v : values) types.push_back(v.type());
  return types;
}

/// The types that every branch returns.
std::vector<Type> infer_branches(const InferContext& c) {
  const std::vector<Type> types = types_of(c.regions[0]->results);
  for (std::size_t k = 0; k < c.regions.size(); ++k) {
    const Graph& branch = *c.regions[k];
    c.expect(branch.argument_count() == 0, cat("branch ", k, " without arguments"),
             cat(branch.argument_count()));
    const std::vector<Type> found = types_of(branch.results);
    c.expect(found.size() == types.size(),
             cat("branch ", k, " that returns ", types.size(), " values"), cat(found.size()));
    for (std::size_t r = 0; r < types.size(); ++r)
      c.expect(found[r] == types[r],
               cat("value ", r, " of branch ", k, " of type ", to_string(types[r])),
               to_string(found[r]));
  }
  return types;
}

std::vector<Type> infer_case(const InferContext& c) {
  expect_operand_count(c, 1);
  c.expect(c.operands[0] == Type::scalar(DType::i32), "an index of type tensor<i32>",
           to_string(c.operands[0]));
  c.expect(!c.regions.empty(), "at least 1 branch", "none");  // (C1)
  return infer_branches(c);
}

std::vector<Type> infer_if(const InferContext& c) {
  expect_operand_count(c, 1);
  c.expect(c.operands[0] == Type::scalar(DType::i1), "a predicate of type tensor<i1>",
           to_string(c.operands[0]));
  c.expect(c.regions.size() == 2, "2 branches", cat(c.regions.size()));
  return infer_branches(c);
}

std::vector<Tensor> eval_case(const EvalContext& c) {
  const std::int64_t index = c.operands[0]->data<DType::i32>()[0],
                     last = std::int64_t(c.node.regions().size()) - 1;
  return c.run_region(std::size_t(index < 0 || index > last ? last : index), {});
}

std::vector<Tensor> eval_if(const EvalContext& c) {
  return c.run_region(c.operands[0]->data<DType::i1>()[0] != 0 ? 0 : 1, {});
}

OpDef branching(std::string name, std::string doc) {
  OpDef op;
  op.name = std::move(name);
  op.doc = std::move(doc);
  op.regions_capture = true;
  op.batch = batch_branches;
  op.remove_axis = remove_control_flow;
  op.derivative = branch_derivative();
  return op;
}

}  // namespace

void register_case(OpRegistry& registry) {
  OpDef choose =
      branching("stablehlo.case",
                "Results of the region that the index names; of the last where it names none.");
  choose.infer = infer_case;
  choose.eval = eval_case;
  choose.samples = {R"(func.func @main(%i: tensor<i32>, %a: tensor<4xf32>) -> tensor<4xf32> {
  %0 = "stablehlo.case"(%i) ({
    %1 = stablehlo.negate %a : tensor<4xf32>
    stablehlo.return %1 : tensor<4xf32>
  }, {
    stablehlo.return %a : tensor<4xf32>
  }, {
    %1 = stablehlo.multiply %a, %a : tensor<4xf32>
    stablehlo.return %1 : tensor<4xf32>
  }) : (tensor<i32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
})"};
  registry.add(std::move(choose));

  OpDef branch = branching(
      "stablehlo.if", "Results of the first region where the predicate holds, else of the second.");
  branch.infer = infer_if;
  branch.eval = eval_if;
  branch.samples = {R"(func.func @main(%p: tensor<i1>, %a: tensor<4xf32>) -> tensor<4xf32> {
  %0 = "stablehlo.if"(%p) ({
    %1 = stablehlo.negate %a : tensor<4xf32>
    stablehlo.return %1 : tensor<4xf32>
  }, {
    stablehlo.return %a : tensor<4xf32>
  }) : (tensor<i1>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
})"};
  registry.add(std::move(branch));
}

}  // namespace partita::ir::ops
