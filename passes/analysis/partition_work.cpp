// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "passes/analysis/partition_work.hpp"

#include <algorithm>
#include <cmath>

#include "ir/core/contraction.hpp"
#include "ir/interpreter/constants.hpp"
#include "partita/ir/loops.hpp"
#include "partita/ir/op.hpp"

namespace partita::passes {
namespace {

using ir::Graph;
using ir::KernelShape;
using ir::Node;
using ir::Value;

std::int64_t bytes_of(const Type& t) {
  return t.is_token ? 0 : t.count() * std::int64_t(byte_size(t.dtype));
}

/// Trips of a loop whose bounds are constants; 1 where they are not.
double trips_of(const Node& loop) {
  const auto counted = ir::counted_loop(loop);
  const auto step = counted ? counted->rising_step() : std::nullopt;
  if (!step || !counted->outer_end) return 1;
  const auto first = integers_of(loop.operand(std::size_t(counted->induction))),
             last = integers_of(*counted->outer_end);
  if (!first || !last || first->size() != 1 || last->size() != 1) return 1;
  return std::max(0.0, std::ceil(double((*last)[0] - (*first)[0]) / double(*step)));
}

void add_graph(const Graph& graph, double times, PartitionWork& work) {
  for (Node* node : graph.nodes()) {
    const KernelShape shape = node->op().shape;
    if (shape == KernelShape::none) {
      const double inner = node->is("stablehlo.while") ? times * trips_of(*node) : times;
      for (const auto& region : node->regions()) add_graph(*region, inner, work);
      continue;
    }
    for (const Type& t : node->result_types())
      work.held_bytes = std::max(work.held_bytes, bytes_of(t));
    if (shape == KernelShape::loops) continue;  // part of another kernel, as a rule
    work.launches += times;
    for (const Value& v : node->operands()) work.bytes += times * double(bytes_of(v.type()));
    for (const Type& t : node->result_types()) work.bytes += times * double(bytes_of(t));
    if (shape != KernelShape::contraction) continue;
    const ir::ContractionShape s = contraction_shape(*node);
    work.operations[node->result_types()[0].dtype] +=
        2 * times * double(s.batch) * double(s.m) * double(s.n) * double(s.k);
  }
  for (const Value& v : graph.results) {
    if (v.type().dims.empty()) continue;
    work.launches += times;
    work.bytes += 2 * times * double(bytes_of(v.type()));
  }
}

}  // namespace

PartitionWork partition_work(const Graph& body) {
  PartitionWork work;
  add_graph(body, 1, work);
  for (const Value& v : body.arguments()) work.held_bytes += bytes_of(v.type());
  return work;
}

}  // namespace partita::passes
