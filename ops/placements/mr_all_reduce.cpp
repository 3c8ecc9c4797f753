// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Collectives over the shards that a placement is split into, as pairs: a start, which gives a token,
// and the done that takes it.  Attributes of the start: the placement that is split, and for all_reduce
// the combiner (sum, max, min, and, or) and how sums of f32 travel (`wire`, `feeds_back`).  Interpreted as with one shard, where both are the identity.
#include "ops/placements/mr_support.hpp"
#include "ops/support/in_flight.hpp"
#include "partita/base/wire.hpp"
#include "partita/ir/interpreter.hpp"

namespace partita::ir::ops {
namespace {

std::vector<Type> infer_start(const InferContext& c) {
  c.expect(!c.operands.empty(), "at least 1 operand", "none");
  static_cast<void>(declared_size(c, c.attrs.text("placement")));
  for (std::size_t k = 0; k < c.operands.size(); ++k)
    c.expect(!c.operands[k].is_token, cat("operand ", k, " to be an array"),
             to_string(c.operands[k]));
  return {Type::token()};
}

std::vector<Type> infer_all_reduce_start(const InferContext& c) {
  const std::string& text = c.attrs.text("combiner");
  const Combiner combiner = expect_combiner(c, text, "a combiner sum, max, min, and or or");
  for (std::size_t k = 0; k < c.operands.size(); ++k)
    c.expect(is_combined_over_partitions(combiner, c.operands[k].dtype),
             cat("operand ", k, " of a type that ", text, " combines"), to_string(c.operands[k]));
  const std::string wire = c.attrs.text("wire", "f32");
  c.expect(find_wire_format(wire).has_value(), "wire f32, bf16, f16 or int8", wire);
  for (const Type& type : c.operands)
    c.expect(wire == "f32" || (combiner == Combiner::sum && type.dtype == DType::f32),
             cat("sums of f32 to travel as ", wire), cat(text, " of ", to_string(type)));
  return infer_start(c);
}

std::vector<Tensor> eval_start(const EvalContext& c) {
  c.interpreter.in_flight[&c.node] = {c.operands.begin(), c.operands.end()};
  return one(HostArray(Type::token()));
}

OpDef collective(std::string name, std::string doc, InferFn infer, EvalFn eval) {
  OpDef op;
  op.name = std::move(name);
  op.doc = std::move(doc);
  op.infer = std::move(infer);
  op.eval = std::move(eval);
  op.has_side_effect = true;
  op.derivative = Derivative::none("is made of reductions after they are differentiated");
  return op;
}

}  // namespace

void register_mr_all_reduce(OpRegistry& registry) {
  OpDef reduce = collective("mr.all_reduce_start", "Starts combining values over shards.",
                            infer_all_reduce_start, eval_start);
  reduce.attrs = {placement_attr(), AttrSpec{.name = "combiner", .kind = AttrKind::text},
                  AttrSpec{.name = "wire", .kind = AttrKind::text, .required = false},
                  flag_attr("feeds_back")};
  registry.add(std::move(reduce));
  registry.add(
      collective("mr.all_reduce_done", "Values combined over shards.", infer_done, eval_done));
  OpDef gather = collective("mr.all_gather_start", "Starts gathering the blocks of all shards.",
                            infer_start, eval_start);
  gather.attrs = {placement_attr()};
  registry.add(std::move(gather));
  registry.add(collective("mr.all_gather_done", "Values with the blocks of all shards.", infer_done,
                          eval_done));
}

}  // namespace partita::ir::ops
