// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Where an axis goes through a node, by the node's factors.
#include <algorithm>

#include "ir/axes/axis_regions.hpp"

namespace partita::ir {
namespace {

/// Part of a factor: its index is (o * n + i) * inner + q for index i of the axis.
struct FactorPart {
  int factor = 0;
  std::int64_t outer = 1, inner = 1;
  bool operator==(const FactorPart&) const = default;
};
using DimFactors = std::vector<std::vector<int>>;

/// Product of the sizes of factors [first, last).
std::int64_t product(const FactorRule& rule, const std::vector<int>& factors, std::size_t first,
                     std::size_t last) {
  std::int64_t p = 1;
  for (std::size_t k = first; k < last; ++k) p *= rule.factors[std::size_t(factors[k])].size;
  return p;
}

/// The factor of the dimension that the axis lies in, if it lies in one.
std::optional<FactorPart> locate(const FactorRule& rule, const DimFactors& dims,
                                 const AxisPosition& p, std::int64_t n) {
  if (p.dim < 0 || std::size_t(p.dim) >= dims.size()) return std::nullopt;
  const std::vector<int>& factors = dims[std::size_t(p.dim)];
  for (std::size_t k = 0; k < factors.size(); ++k) {
    const std::int64_t before = product(rule, factors, 0, k),
                       after = product(rule, factors, k + 1, factors.size());
    if (before == 0 || after == 0 || p.outer % before != 0 || p.inner % after != 0) continue;
    const FactorPart part{factors[k], p.outer / before, p.inner / after};
    const std::int64_t size = rule.factors[std::size_t(factors[k])].size,
                       held = part.outer * n * part.inner;
    // Last pieces with fewer elements: of a dimension that is one factor.
    if (held == size || (factors.size() == 1 && p.outer == 1 && size > 0 && held > size))
      return part;
  }
  return std::nullopt;
}

/// Where the part lies in a value whose dimensions have these factors.
std::optional<AxisPosition> project(const FactorRule& rule, const DimFactors& dims,
                                    const FactorPart& part) {
  for (std::size_t d = 0; d < dims.size(); ++d)
    for (std::size_t k = 0; k < dims[d].size(); ++k)
      if (dims[d][k] == part.factor)
        return AxisPosition{int(d), part.outer * product(rule, dims[d], 0, k),
                            part.inner * product(rule, dims[d], k + 1, dims[d].size())};
  return std::nullopt;
}

AxisFlow refused(std::string why) {
  AxisFlow flow;
  flow.why = std::move(why);
  return flow;
}

/// Operands of an optimization barrier pass independently.
AxisFlow flow_barrier(const Node& node, const AxisPositions& operands,
                      const AxisPositions& results) {
  AxisFlow flow;
  for (std::size_t k = 0; k < node.operands().size(); ++k) {
    const auto a = k < operands.size() ? operands[k] : std::nullopt;
    const auto b = k < results.size() ? results[k] : std::nullopt;
    if (a && b && *a != *b) return refused("the axis lies in two places of one value");
    flow.operands.push_back(a ? a : b);
    flow.results.push_back(a ? a : b);
  }
  return flow;
}

/// The part of a factor that all known positions agree on.
struct Agreement {
  const FactorRule& rule;
  std::int64_t n;
  std::optional<FactorPart> part = {};
  std::string why = {};

  [[nodiscard]] bool is_ragged(std::int64_t size) const {
    return part->outer * n * part->inner > size;
  }
  /// Whether a dimension holds the factor beside others.
  [[nodiscard]] bool meets_others() const {
    const auto mixes = [&](const std::vector<int>& factors) {
      return factors.size() > 1 && std::ranges::find(factors, part->factor) != factors.end();
    };
    const auto any_mixes = [&](const DimFactors& dims) { return std::ranges::any_of(dims, mixes); };
    return std::ranges::any_of(rule.operands, any_mixes) ||
           std::ranges::any_of(rule.results, any_mixes);
  }

  void add(const DimFactors& dims, const std::optional<AxisPosition>& known,
           const std::string& what) {
    if (!known || !why.empty()) return;
    const std::optional<FactorPart> found = locate(rule, dims, *known, n);
    if (!found)
      why = cat("dimension ", known->dim, " of ", what, " is taken apart otherwise");
    else if (part && *part != *found)
      why = cat("it would meet itself in another dimension (", what, ")");
    else
      part = found;
  }
};

}  // namespace

AxisFlow flow_axis(const Node& node, std::int64_t n, const AxisPositions& operands,
                   const AxisPositions& results, const KnownPosition& captured) {
  if (is_control_flow(node)) {
    RegionAxis regions(node, n, captured);
    regions.run(operands, results);
    return regions.flow();
  }
  if (node.is("stablehlo.optimization_barrier")) return flow_barrier(node, operands, results);
  const FactorRule rule = factor_rule(node);
  Agreement agreement{.rule = rule, .n = n};
  for (std::size_t k = 0; k < operands.size(); ++k)
    agreement.add(rule.operands[k], operands[k], cat("operand ", k));
  for (std::size_t k = 0; k < results.size(); ++k)
    agreement.add(rule.results[k], results[k], cat("result ", k));
  if (!agreement.why.empty()) return refused(agreement.why);
  AxisFlow flow;
  flow.operands.resize(rule.operands.size());
  flow.results.resize(rule.results.size());
  if (!agreement.part) return flow;
  const Factor& factor = rule.factors[std::size_t(agreement.part->factor)];
  if (factor.kind == FactorKind::replicated) return refused("it needs the whole dimension");
  flow.kind = factor.kind;
  flow.combiner = factor.combiner;
  if (agreement.is_ragged(factor.size) && agreement.meets_others())
    return refused("its last pieces would have fewer elements of several dimensions");
  for (std::size_t k = 0; k < rule.operands.size(); ++k)
    flow.operands[k] = project(rule, rule.operands[k], *agreement.part);
  for (std::size_t k = 0; k < rule.results.size(); ++k)
    flow.results[k] = project(rule, rule.results[k], *agreement.part);
  return flow;
}

Type type_without(const Type& type, const std::optional<AxisPosition>& position) {
  if (!position) return type;
  Type t = type;
  if (position->outer * position->inner == 1)
    t.dims.erase(t.dims.begin() + position->dim);
  else
    t.dims[std::size_t(position->dim)] = position->outer * position->inner;
  return t;
}

SplitAxis split_axis(const Dims& dims, const AxisPosition& position, std::int64_t n) {
  SplitAxis s{.dims = dims, .axis = position.dim};
  const auto at = s.dims.begin() + position.dim;
  *at = n;
  if (position.inner != 1) s.dims.insert(at + 1, position.inner);
  if (position.outer != 1) {
    s.dims.insert(s.dims.begin() + position.dim, position.outer);
    ++s.axis;
  }
  return s;
}

}  // namespace partita::ir
