// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "ops/placements/mr_support.hpp"
#include "partita/ir/interpreter.hpp"

namespace partita::ir::ops {
namespace {

std::vector<Type> infer(const InferContext& c) {
  expect_operand_count(c, 0);
  if (c.attrs.contains("placement")) static_cast<void>(declared_size(c, c.attrs.text("placement")));
  return {Type::scalar(DType::i32)};
}

std::vector<Tensor> eval(const EvalContext& c) {
  HostArray result(c.result_type());
  result.data<DType::i32>()[0] =
      std::int32_t(c.interpreter.partition_index(c.node.attrs.text("placement", ""), c.node));
  return one(std::move(result));
}

}  // namespace

void register_mr_partition_index(OpRegistry& registry) {
  OpDef op;
  op.name = "mr.partition_index";
  op.doc =
      "Which partition of the placement this is, inside of a map over it; of the innermost map by "
      "default.";
  op.attrs = {placement_attr(false)};
  op.infer = infer;
  op.eval = eval;
  op.derivative = Derivative::none("is an integer");
  op.samples = {R"(module attributes {mr.placements = {clients = 3}} {
func.func @main() -> tensor<3xi32> {
  %0 = "mr.map"() ({
    %1 = "mr.partition_index"() {placement = "clients"} : () -> tensor<i32>
    "mr.return"(%1) : (tensor<i32>) -> ()
  }) {placement = "clients", in_axes = array<i64>, out_axes = array<i64: 0>} : () -> tensor<3xi32>
  return %0 : tensor<3xi32>
}
})"};
  registry.add(std::move(op));
}

}  // namespace partita::ir::ops
