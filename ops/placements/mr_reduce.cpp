// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// mr.reduce_sum, mean, max, min, weighted_mean: one value from one per partition.  Operands are
// x…, then w (weighted_mean), a mask and values to keep, as operand_segments = [x, w, mask, keep]
// counts them (absent: all x, and one w for weighted_mean).
#include <cmath>
#include <limits>

#include "ops/placements/mr_derivatives.hpp"
#include "ops/placements/mr_support.hpp"
#include "partita/ir/interpreter.hpp"

namespace partita::ir::ops {
namespace {

struct Kind {
  std::string_view name;  ///< "mr.reduce_sum"
  Combiner combiner;
  bool is_mean = false, is_weighted = false;
  std::string_view doc;
};
constexpr Kind kinds[] = {
    {"mr.reduce_sum", Combiner::sum, false, false,
     "Sum over the partitions; 0 when the mask leaves none."},
    {"mr.reduce_mean", Combiner::sum, true, false,
     "Mean over the partitions that the mask leaves."},
    {"mr.reduce_max", Combiner::max, false, false,
     "Largest value over the partitions that the mask leaves."},
    {"mr.reduce_min", Combiner::min, false, false,
     "Smallest value over the partitions that the mask leaves."},
    {"mr.reduce_weighted_mean", Combiner::sum, true, true,
     "Sum of w x over sum of w, over the partitions that the mask leaves; where w is 0, w x is 0."},
};
const Kind& kind_of(std::string_view op) { return *std::ranges::find(kinds, op, &Kind::name); }

using Segments = ReduceSegments;

// --- Verification ----------------------------------------------------------------------------------

void expect_value(const InferContext& c, const Kind& kind, std::size_t k) {
  const Type& type = c.operands[k];
  c.expect(type.rank() >= 1 && !type.is_token,
           cat("operand ", k, " with a dimension for the partitions"), to_string(type));
  if (kind.is_mean)
    c.expect(is_float(type.dtype) || (is_complex(type.dtype) && !kind.is_weighted),
             cat("operand ", k, " of floats (convert integers with stablehlo.convert first)"),
             to_string(type));
  else if (type.dtype == DType::i1 && kind.combiner == Combiner::sum)
    c.fail(cat("operand ", k, " of numbers (convert booleans with stablehlo.convert first)"),
           to_string(type));
  else
    c.expect(is_combined_over_partitions(kind.combiner, type.dtype),
             cat("operand ", k, " of numbers"), to_string(type));
}

void expect_weight(const InferContext& c, const Segments& s) {
  const Type& weight = c.operands[s.weight()];
  c.expect(is_float(weight.dtype), "weights of floats", to_string(weight));
  for (std::size_t k = 0; k < s.values; ++k) {
    const Dims& dims = c.operands[k].dims;
    const bool fits = weight.dims == dims || (weight.rank() == 1 && weight.dims[0] == dims[0]);
    const std::string all = to_string(Type{.dtype = weight.dtype, .dims = dims});
    c.expect(fits,
             cat("weights of type ", to_string(Type{.dtype = weight.dtype, .dims = {dims[0]}}),
                 " or ", all),
             to_string(weight));
  }
}

/// on_zero_weight, checked.
void expect_policy(const InferContext& c, const Kind& kind, const Segments& s) {
  const bool given = c.attrs.contains("on_zero_weight");
  const std::string policy = c.attrs.text("on_zero_weight", "nan");
  if (kind.name == "mr.reduce_sum") {
    c.expect(!given, "no on_zero_weight (a sum of none is 0)", policy);
  } else {
    c.expect(policy == "nan" || policy == "error" || policy == "keep",
             "on_zero_weight to be nan, error or keep", policy);
    for (std::size_t k = 0; k < s.values; ++k)
      if (policy == "nan" && (given || s.masks == 1) && !is_float(c.operands[k].dtype) &&
          !is_complex(c.operands[k].dtype))
        c.fail(cat("on_zero_weight to be error or keep for ", to_string(c.operands[k])), "nan");
  }
  const std::size_t keeps = policy == "keep" ? s.values : 0;
  c.expect(s.keeps == keeps, cat(keeps, " values to keep"), cat(s.keeps));
}

std::vector<Type> infer(const InferContext& c) {
  const Kind& kind = kind_of(c.op);
  c.expect(c.operands.size() >= (kind.is_weighted ? 2 : 1),
           kind.is_weighted ? "a value and weights" : "at least 1 value",
           cat(c.operands.size(), " operands"));
  if (c.attrs.contains("operand_segments")) static_cast<void>(operand_segments(c, 4));
  const Segments s = reduce_segments(c.attrs, c.operands.size(), kind.is_weighted);
  c.expect(s.values >= 1, "at least 1 value", "none");
  c.expect(s.weights == (kind.is_weighted ? 1 : 0),
           kind.is_weighted ? "1 operand of weights" : "no weights", cat(s.weights));
  c.expect(s.masks <= 1, "at most 1 mask", cat(s.masks));
  PlacementSize n(c, c.attrs.text("placement"));
  std::vector<Type> results;
  for (std::size_t k = 0; k < s.values; ++k) {
    expect_value(c, kind, k);
    n.expect(cat("operand ", k), c.operands[k], 0);
    results.push_back(without_axis(c.operands[k], 0));
  }
  if (kind.is_weighted) expect_weight(c, s);
  const Type mask{.dtype = DType::i1, .dims = {n.size()}};
  if (s.masks == 1)
    c.expect(c.operands[s.mask()] == mask, cat("a mask of type ", to_string(mask)),
             to_string(c.operands[s.mask()]));
  expect_policy(c, kind, s);
  for (std::size_t k = 0; k < s.keeps; ++k)
    c.expect(c.operands[s.keep(k)] == results[k],
             cat("operand ", s.keep(k), ", to be kept, of type ", to_string(results[k])),
             to_string(c.operands[s.keep(k)]));
  return results;
}

// --- Evaluation ------------------------------------------------------------------------------------

/// Partitions that take part.
std::vector<std::int64_t> included(const EvalContext& c, const Segments& s) {
  std::vector<std::int64_t> partitions;
  const std::int64_t n = c.operands[0]->type.dims[0];
  for (std::int64_t i = 0; i < n; ++i)
    if (s.masks == 0 || c.operands[s.mask()]->data<DType::i1>()[i] != 0) partitions.push_back(i);
  return partitions;
}

[[noreturn]] void fail_without_weight(const EvalContext& c, std::string_view what) {
  throw_user_error(
      cat(c.node.name(),
          ": expected a positive number of partitions or weight (on_zero_weight = error), found ",
          what),
      c.node.location());
}

HostArray nan_of(const Type& type) {
  return make_splat(type, std::numeric_limits<double>::quiet_NaN())->to_array();
}

/// The result when no partition takes part.
HostArray of_none(const EvalContext& c, const Segments& s, std::size_t k) {
  const std::string policy = c.node.attrs.text("on_zero_weight", "nan");
  if (policy == "keep") return *c.operands[s.keep(k)];
  if (policy == "error") fail_without_weight(c, "all partitions masked out");
  return nan_of(c.result_type(int(k)));
}

HostArray weighted_mean(const EvalContext& c, const Segments& s, std::size_t k,
                        const std::vector<std::int64_t>& partitions) {
  const HostArray x = convert(*c.operands[k], DType::f64),
                  w = convert(*c.operands[s.weight()], DType::f64);
  const std::int64_t count = c.result_type(int(k)).count();
  const bool per_element = w.type.dims == x.type.dims && x.type.rank() > 1;
  std::vector<double> sums(std::size_t(count), 0), weights(std::size_t(count), 0);
  for (const std::int64_t i : partitions)
    for (std::int64_t e = 0; e < count; ++e) {
      const double weight = w.data<DType::f64>()[per_element ? i * count + e : i];
      weights[std::size_t(e)] += weight;
      if (weight != 0) sums[std::size_t(e)] += weight * x.data<DType::f64>()[i * count + e];
    }
  HostArray mean(Type{.dtype = DType::f64, .dims = c.result_type(int(k)).dims});
  const std::string policy = c.node.attrs.text("on_zero_weight", "nan");
  const HostArray kept =
      policy == "keep" ? convert(*c.operands[s.keep(k)], DType::f64) : nan_of(mean.type);
  for (std::int64_t e = 0; e < count; ++e) {
    const bool none = weights[std::size_t(e)] == 0;
    if (none && policy == "error") fail_without_weight(c, "a sum of weights of 0");
    mean.data<DType::f64>()[e] =
        none ? kept.data<DType::f64>()[e] : sums[std::size_t(e)] / weights[std::size_t(e)];
  }
  return convert(mean, c.result_type(int(k)).dtype);
}

HostArray reduced(const EvalContext& c, const Kind& kind, const Segments& s, std::size_t k) {
  const std::vector<std::int64_t> partitions = included(c, s);
  if (kind.is_weighted) return weighted_mean(c, s, k, partitions);
  if (partitions.empty() && kind.name != "mr.reduce_sum") return of_none(c, s, k);
  Accumulator sum(kind.combiner, c.result_type(int(k)));
  for (const std::int64_t i : partitions)
    sum.add(*c.operands[k], i * c.result_type(int(k)).count());
  return kind.is_mean ? sum.mean(std::int64_t(partitions.size())) : sum.result();
}

std::vector<Tensor> eval(const EvalContext& c) {
  const Kind& kind = kind_of(c.node.name());
  const Segments s = reduce_segments(c.node.attrs, c.operands.size(), kind.is_weighted);
  std::vector<Tensor> results;
  for (std::size_t k = 0; k < s.values; ++k)
    results.push_back(std::make_shared<const HostArray>(reduced(c, kind, s, k)));
  return results;
}

FactorRule factors(const Node& node) {
  const Kind& kind = kind_of(node.name());
  const Segments s = reduce_segments(node.attrs, node.operands().size(), kind.is_weighted);
  FactorRule rule = empty_rule(node);
  const Dims& first = node.operand(0).type().dims;
  // The placement's dimension is always there: only place and distribute split it.
  const int partitions = rule.add_factor(first[0], FactorKind::replicated);
  for (std::size_t k = 0; k < s.values; ++k) {
    const Dims& dims = node.operand(k).type().dims;
    rule.operands[k][0] = {partitions};
    for (std::size_t d = 1; d < dims.size(); ++d) {
      // A weight per element ties the dimensions of all values together.
      const bool tied = kind.is_weighted && k > 0 && node.operand(s.weight()).type().rank() > 1;
      const int factor = tied ? rule.operands[0][d][0] : rule.add_factor(dims[d]);
      rule.operands[k][d] = {factor};
      rule.results[k][d - 1] = {factor};
      if (s.keeps > 0) rule.operands[s.keep(k)][d - 1] = {factor};
    }
  }
  if (s.weights > 0) {
    auto& weight = rule.operands[s.weight()];
    for (std::size_t d = 0; d < weight.size(); ++d) weight[d] = rule.operands[0][d];
  }
  if (s.masks > 0) rule.operands[s.mask()][0] = {partitions};
  return rule;
}

/// With a mask that leaves out some partitions, when `has_mask`.
std::string sample(const Kind& kind, bool has_mask) {
  const std::string parameters =
      cat("%x: tensor<3x2xf32>", kind.is_weighted ? ", %w: tensor<3xf32>" : "",
          has_mask ? ", %m: tensor<3xi1>" : "");
  const std::string operands = cat("%x", kind.is_weighted ? ", %w" : "", has_mask ? ", %m" : "");
  const std::string types = cat("tensor<3x2xf32>", kind.is_weighted ? ", tensor<3xf32>" : "",
                                has_mask ? ", tensor<3xi1>" : "");
  const std::string segments =
      cat("array<i64: 1, ", kind.is_weighted ? 1 : 0, ", ", has_mask ? 1 : 0, ", 0>");
  return cat("module attributes {mr.placements = {clients = 3}} {\nfunc.func @main(", parameters,
             ") -> tensor<2xf32> {\n  %0 = \"", kind.name, "\"(", operands,
             ") {placement = \"clients\", operand_segments = ", segments, "} : (", types,
             ") -> tensor<2xf32>\n  return %0 : tensor<2xf32>\n}\n}");
}

}  // namespace

void register_mr_reduce(OpRegistry& registry) {
  for (const Kind& kind : kinds) {
    OpDef op;
    op.name = kind.name;
    op.doc = kind.doc;
    op.attrs = {placement_attr(),
                AttrSpec{.name = "on_zero_weight", .kind = AttrKind::text, .required = false},
                AttrSpec{.name = "operand_segments", .kind = AttrKind::i64s, .required = false}};
    op.infer = infer;
    op.eval = eval;
    op.factors = factors;
    op.derivative = kind.is_weighted                 ? weighted_mean_derivative()
                    : kind.is_mean                   ? reduce_mean_derivative()
                    : kind.combiner == Combiner::sum ? reduce_sum_derivative()
                                                     : reduce_extremum_derivative();
    op.samples = {sample(kind, false), sample(kind, true)};
    registry.add(std::move(op));
  }
}

}  // namespace partita::ir::ops
