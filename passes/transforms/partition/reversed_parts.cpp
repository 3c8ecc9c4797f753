// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "passes/transforms/partition/reversed_parts.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

#include "partita/ir/op.hpp"

namespace partita::passes {

using ir::AxisPosition;
using ir::I64s;
using ir::Maker;
using ir::Node;
using ir::Value;

namespace {

/// Elements of padding behind the last part.
std::int64_t padding_of(const Node& node, const AxisPosition& at, const MeshCut& cut) {
  return cut.size() * at.inner - node.operand(0).type().dims[std::size_t(at.dim)];
}

}  // namespace

bool is_reversed_along(const Node& node, int dim) {
  return node.is("stablehlo.reverse") && std::ranges::find(node.attrs.i64s("dimensions"), dim) !=
                                             node.attrs.i64s("dimensions").end();
}

PartsCost reversed_parts_cost(const Node& node, const AxisPosition& at, const MeshCut& cut) {
  const std::int64_t padding = padding_of(node, at, cut);
  if (padding > at.inner) return {.bytes = std::numeric_limits<double>::infinity()};
  const Type& type = node.operand(0).type();
  const double element = double(type.bytes()) / double(type.dims[std::size_t(at.dim)]);
  return {.bytes = element * double(at.inner + padding), .calls = padding == 0 ? 1.0 : 2.0};
}

std::vector<Value> reversed_parts(const Node& node, const AxisPosition& at, const MeshCut& cut,
                                  std::span<const Value> operands, ir::Graph& into) {
  const Maker make{into, nullptr, node.location()};
  const Reshard reshard(into, cut);
  const std::int64_t n = cut.size(), padding = padding_of(node, at, cut);
  I64s mirrored(std::size_t(n), 0);
  std::iota(mirrored.rbegin(), mirrored.rend(), 0);
  const Value turned =
      make.op("stablehlo.reverse", {reshard.permuted(operands[0], mirrored)}, node.attrs);
  if (padding == 0) return {turned};
  // The padding stands first now: every part begins that much later.
  I64s targets(std::size_t(n - 1), 0);
  std::iota(targets.begin(), targets.end(), 0);
  const Value next = reshard.shift(make.part(turned, at.dim, 0, padding), 1, targets);
  return {make.op("stablehlo.concatenate",
                  {make.part(turned, at.dim, padding, at.inner - padding), next},
                  {{"dimension", std::int64_t(at.dim)}})};
}

}  // namespace partita::passes
