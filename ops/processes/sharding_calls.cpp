// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Custom calls by which older programs say how values lie over devices: annotations, which change
// no value, and the passage between a whole array and the piece of one process.
#include "ops/processes/collective_support.hpp"
#include "ops/support/custom_call.hpp"
#include "partita/ir/batched_processes.hpp"
#include "partita/ir/manual_computation.hpp"

namespace partita::ir::ops {
namespace {

std::vector<Type> infer_same(const InferContext& c) {
  c.expect(!c.operands.empty(), "at least 1 operand", "none");
  return {c.operands.begin(), c.operands.end()};
}

std::vector<Tensor> eval_same(const EvalContext& c) {
  return {c.operands.begin(), c.operands.end()};
}

scalar::ExprId lower_same(const Node&, int result, scalar::ExprPool&,
                          std::span<const scalar::ExprId> index, const LoadFn& load) {
  return load(result, index);
}

std::vector<Type> infer_passage(const InferContext& c) {
  expect_operand_count(c, 1);
  const Type& result = c.declared()[0];
  c.expect(c.declared().size() == 1 && result.dtype == c.operands[0].dtype &&
               result.rank() == c.operands[0].rank(),
           cat("a result of the rank and element type of ", to_string(c.operands[0])),
           to_string(result));
  return {result};
}

/// One process alone holds the whole.
Cut cut_for(const EvalContext& c) { return gspmd_cut(c.node, grid_of(c).partitions); }

std::vector<Tensor> eval_to_piece(const EvalContext& c) {
  const Cut cut = cut_for(c);
  const Grid grid = grid_of(c);
  HostArray piece(c.result_type());
  const View whole = view_of(c.operands[0]->type);
  copy_box(*c.operands[0],
           sub_view(whole, piece_start(piece.type, cut, grid.self % grid.partitions)), piece,
           view_of(piece.type), piece.type.dims);
  return one(std::move(piece));
}

std::vector<Tensor> eval_to_whole(const EvalContext& c) {
  const Cut cut = cut_for(c);
  const Grid grid = grid_of(c);
  const std::int64_t partition = grid.self % grid.partitions;
  const I64s devices = cut.group_of(partition);
  I64s group = devices;
  for (std::int64_t& id : group) id += grid.self - partition;
  const auto all = operands_of(c, group);
  HostArray whole(c.result_type());
  for (std::size_t k = all.size(); k-- > 0;) {
    const HostArray& piece = *all[k][0];
    copy_box(piece, view_of(piece.type), whole,
             sub_view(view_of(whole.type), piece_start(piece.type, cut, devices[k])),
             piece.type.dims);
  }
  return one(std::move(whole));
}

FactorRule same_factors(const Node& node) {
  FactorRule rule = empty_rule(node);
  for (std::size_t k = 0; k < node.operands().size(); ++k)
    for (std::size_t d = 0; d < rule.operands[k].size(); ++d) {
      const int f = rule.add_factor(node.operand(k).type().dims[d]);
      rule.operands[k][d] = {f};
      rule.results[k][d] = {f};
    }
  return rule;
}

Values pass_on(DerivativeContext& c, const Values& cotangents) {
  Values all = cotangents;
  for (std::size_t k = 0; k < all.size(); ++k)
    all[k] = c.or_zeros(all[k], c.node.result_types()[k]);
  return c.same(all);
}

void add_annotation(OpRegistry& registry, const char* target, std::string doc, std::string sample) {
  OpDef op = custom_call_target(target, std::move(doc));
  op.infer = infer_same;
  op.eval = eval_same;
  // A cotangent lies as its value does.
  op.derivative = Derivative::linear_in({}, pass_on);
  op.shape = KernelShape::loops;
  op.lower = lower_same;
  op.factors = same_factors;
  op.may_alias = {{0, 0}};
  op.samples = {std::move(sample)};
  registry.add(std::move(op));
}

}  // namespace

void register_sharding_calls(OpRegistry& registry) {
  add_annotation(registry, "Sharding",
                 "Its operand, with a statement of how it shall lie over devices.",
                 R"(func.func @main(%a: tensor<4x2xf32>) -> tensor<4x2xf32> {
  %0 = stablehlo.custom_call @Sharding(%a) {mhlo.sharding = "{devices=[2,1]<=[2]}"} : (tensor<4x2xf32>) -> tensor<4x2xf32>
  return %0 : tensor<4x2xf32>
})");
  add_annotation(registry, "annotate_device_placement",
                 "Its operand, with a statement of which memory shall hold it.",
                 R"(func.func @main(%a: tensor<3xi32>) -> tensor<3xi32> {
  %0 = stablehlo.custom_call @annotate_device_placement(%a) {has_side_effect = true} : (tensor<3xi32>) -> tensor<3xi32>
  return %0 : tensor<3xi32>
})");
  // Layouts are those of the artifact's ports, row-major, whatever a value within would like.
  add_annotation(registry, "LayoutConstraint",
                 "Its operand, with a statement of the order of its elements in memory.",
                 R"(func.func @main(%a: tensor<3x2xi32>) -> tensor<3x2xi32> {
  %0 = stablehlo.custom_call @LayoutConstraint(%a) {operand_layouts = [dense<[0, 1]> : tensor<2xindex>], result_layouts = [dense<[0, 1]> : tensor<2xindex>]} : (tensor<3x2xi32>) -> tensor<3x2xi32>
  return %0 : tensor<3x2xi32>
})");
  OpDef to_piece =
      custom_call_target("SPMDFullToShardShape", "This process's piece of the whole array.");
  to_piece.infer = infer_passage;
  to_piece.eval = eval_to_piece;
  to_piece.derivative =
      Derivative::none("exists once processes are batched (pass batch-processes)");
  registry.add(std::move(to_piece));
  OpDef to_whole =
      custom_call_target("SPMDShardToFullShape", "The whole array of the processes' pieces.");
  to_whole.infer = infer_passage;
  to_whole.eval = eval_to_whole;
  to_whole.derivative =
      Derivative::none("exists once processes are batched (pass batch-processes)");
  to_whole.has_side_effect = true;
  registry.add(std::move(to_whole));
}

}  // namespace partita::ir::ops
