// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include <numeric>

#include "ir/axes/removal.hpp"
#include "ops/support/support.hpp"

namespace partita::ir::ops {
namespace {

std::vector<Type> infer(const InferContext& c) {
  expect_operand_count(c, 1);
  c.expect(c.declared().size() == 1, "1 result", cat(c.declared().size()));
  const Type &operand = c.operands[0], &result = c.declared()[0];
  c.expect(operand.dtype == result.dtype, cat("a result of ", to_string(operand.dtype)),
           to_string(result));  // (C1)
  c.expect(operand.count() == result.count(), cat("a result of ", operand.count(), " elements"),
           to_string(result));  // (C2)
  return {result};
}

std::vector<Tensor> eval(const EvalContext& c) {
  HostArray result(c.result_type());
  result.bytes = c.operands[0]->bytes;
  return one(std::move(result));
}

/// Walks a list of extents from the outermost, taking factors off.
struct Walker {
  const Dims& dims;
  std::vector<std::vector<int>>& factors;
  std::size_t at = 0;
  std::int64_t rest = dims.empty() ? 1 : dims[0];

  [[nodiscard]] bool done() const { return at == dims.size(); }
  [[nodiscard]] bool is_used_up() const { return rest == 1 && !factors[at].empty(); }
  void take(int factor, std::int64_t size) {
    factors[at].push_back(factor);
    rest /= size;
  }
  void advance() {
    if (++at < dims.size()) rest = dims[at];
  }
};

/// Splits both sides into common factors, row-major.  Where extents have no common split (3·4 into
/// 2·6) what remains needs replication until both sides meet again.
void match(FactorRule& rule, const Dims& from, const Dims& to) {
  Walker a{from, rule.operands[0]}, b{to, rule.results[0]};
  while (!a.done() && !b.done()) {
    if (a.is_used_up()) {
      a.advance();
    } else if (b.is_used_up()) {
      b.advance();
    } else if (a.rest == b.rest) {
      const int f = rule.add_factor(a.rest);
      a.take(f, a.rest);
      b.take(f, b.rest);
      a.advance();
      b.advance();
    } else if (a.rest == 1 || b.rest == 1) {
      (a.rest == 1 ? a : b).advance();
    } else if (const std::int64_t g = std::gcd(a.rest, b.rest); g > 1) {
      const int f = rule.add_factor(g);
      a.take(f, g);
      b.take(f, g);
    } else {
      std::int64_t x = a.rest, y = b.rest;
      a.take(rule.add_factor(x, FactorKind::replicated), x);
      b.take(rule.add_factor(y, FactorKind::replicated), y);
      while (x != y) {
        Walker& shorter = x < y ? a : b;
        shorter.advance();
        if (shorter.done()) return;
        const std::int64_t size = shorter.rest;
        if (size > 1) shorter.take(rule.add_factor(size, FactorKind::replicated), size);
        (x < y ? x : y) *= size;
      }
      a.advance();
      b.advance();
    }
  }
}

/// Where there are no elements, only equal leading dimensions tell that they belong together.
void match_empty(FactorRule& rule, const Dims& from, const Dims& to) {
  for (std::size_t d = 0; d < std::min(from.size(), to.size()) && from[d] == to[d]; ++d)
    rule.operands[0][d] = rule.results[0][d] = {rule.add_factor(from[d])};
}

FactorRule factors(const Node& node) {
  FactorRule rule = empty_rule(node);
  const Dims &from = node.operand(0).type().dims, &to = node.result_types()[0].dims;
  if (node.result_types()[0].count() > 0)
    match(rule, from, to);
  else
    match_empty(rule, from, to);
  replicate_rest(node, rule);
  return rule;
}

scalar::ExprId lower(const Node& node, int, scalar::ExprPool& pool,
                     std::span<const scalar::ExprId> index, const LoadFn& load) {
  const Dims &from = node.operand(0).type().dims, &to = node.result_types()[0].dims;
  // Equal but for dimensions of extent 1: the same indices.
  const auto is_unit = [](std::int64_t extent) { return extent == 1; };
  Dims long_from = from, long_to = to;
  std::erase_if(long_from, is_unit);
  std::erase_if(long_to, is_unit);
  if (long_from != long_to)
    return load(0, scalar::delinearize(pool, scalar::linear_index(pool, index, to), from));
  std::vector<scalar::ExprId> source;
  std::size_t at = 0;
  for (const std::int64_t extent : from) {
    if (extent == 1) {
      source.push_back(pool.index(0));
      continue;
    }
    while (to[at] == 1) ++at;
    source.push_back(index[at++]);
  }
  return load(0, source);
}

Values vjp(DerivativeContext& c, const Values& cotangents) {
  return {c.reshape(cotangents[0], c.node.operand(0).type().dims)};
}

Removal remove_axis(const RemovalJob& job) {
  return {.results = {job.maker().reshape(job.operands[0], job.result_type().dims)}, .why = {}};
}

}  // namespace

void register_reshape(OpRegistry& registry) {
  OpDef op;
  op.name = "stablehlo.reshape";
  op.doc = "The same elements in row-major order under another shape.";
  op.infer = infer;
  op.eval = eval;
  op.derivative = Derivative::linear_in({0}, vjp);
  op.shape = KernelShape::loops;
  op.elements = Elements::viewed;
  op.lower = lower;
  op.factors = factors;
  op.remove_axis = remove_axis;
  op.may_alias = {{0, 0}};
  op.samples = {
      R"(func.func @main(%a: tensor<2x6xf32>, %b: tensor<1x1xi32>, %c: tensor<6x4xf32>, %d: tensor<0x3xf32>, %e: tensor<3x1x4xi8>) -> (tensor<3x4xf32>, tensor<12xf32>, tensor<i32>, tensor<4x6xf32>, tensor<2x0xf32>, tensor<3x4xi8>, tensor<2x3x2x2xf32>) {
  %0 = stablehlo.reshape %a : (tensor<2x6xf32>) -> tensor<3x4xf32>
  %1 = stablehlo.reshape %a : (tensor<2x6xf32>) -> tensor<12xf32>
  %2 = stablehlo.reshape %b : (tensor<1x1xi32>) -> tensor<i32>
  %3 = stablehlo.reshape %c : (tensor<6x4xf32>) -> tensor<4x6xf32>
  %4 = stablehlo.reshape %d : (tensor<0x3xf32>) -> tensor<2x0xf32>
  %5 = stablehlo.reshape %e : (tensor<3x1x4xi8>) -> tensor<3x4xi8>
  %6 = stablehlo.reshape %c : (tensor<6x4xf32>) -> tensor<2x3x2x2xf32>
  return %0, %1, %2, %3, %4, %5, %6 : tensor<3x4xf32>, tensor<12xf32>, tensor<i32>, tensor<4x6xf32>, tensor<2x0xf32>, tensor<3x4xi8>, tensor<2x3x2x2xf32>
})"};
  registry.add(std::move(op));
}

}  // namespace partita::ir::ops
