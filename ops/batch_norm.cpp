// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// batch_norm_inference, batch_norm_training and batch_norm_grad.
#include <cmath>

#include "ir/axes/removal.hpp"
#include "ops/support/batch_folding.hpp"
#include "ops/support/derivative_support.hpp"
#include "partita/ir/normalization.hpp"

namespace partita::ir::ops {
namespace {

/// Operand 0 is the array, the others up to `vectors` have an entry for each feature.
std::int64_t expect_operands(const InferContext& c, std::size_t vectors) {
  const Type& operand = c.operands[0];
  const std::int64_t feature = c.attrs.i64("feature_index");
  c.expect(is_float(operand.dtype), "an operand of floats", to_string(operand));
  c.expect(feature >= 0 && feature < operand.rank(),
           cat("feature_index within [0, ", operand.rank(), ")"), cat(feature));  // (C1)
  const auto* epsilon = c.attrs.find("epsilon")->get_if<Float>();
  c.expect(epsilon != nullptr, "epsilon as a float", "another attribute");
  const Type wanted{.dtype = operand.dtype, .dims = {operand.dims[std::size_t(feature)]}};
  for (std::size_t k = 1; k <= vectors; ++k)
    c.expect(c.operands[k] == wanted, cat("operand ", k, " of type ", to_string(wanted)),
             to_string(c.operands[k]));
  return feature;
}

Type vector_type(const InferContext& c, std::int64_t feature) {
  return {.dtype = c.operands[0].dtype, .dims = {c.operands[0].dims[std::size_t(feature)]}};
}

std::vector<Type> infer_inference(const InferContext& c) {
  expect_operand_count(c, 5);
  expect_operands(c, 4);
  return {c.operands[0]};
}

std::vector<Type> infer_training(const InferContext& c) {
  expect_operand_count(c, 3);
  const Type vector = vector_type(c, expect_operands(c, 2));
  return {c.operands[0], vector, vector};
}

std::vector<Type> infer_grad(const InferContext& c) {
  expect_operand_count(c, 5);
  const Type vector = vector_type(c, expect_operands(c, 3));
  c.expect(c.operands[4] == c.operands[0], cat("operand 4 of type ", to_string(c.operands[0])),
           to_string(c.operands[4]));
  return {c.operands[0], vector, vector};
}

// --- Evaluation, in f64 -------------------------------------------------------------------------

class Normalization {
 public:
  explicit Normalization(const EvalContext& c)
      : dims_(c.operands[0]->type.dims),
        epsilon_(c.node.attrs.find("epsilon")->get_if<Float>()->value) {
    const auto feature = std::size_t(c.node.attrs.i64("feature_index"));
    features_ = dims_[feature];
    for (std::size_t d = feature + 1; d < dims_.size(); ++d) inner_ *= dims_[d];
    for (const std::int64_t extent : dims_) count_ *= extent;
    for (const Tensor& t : c.operands) {
      const HostArray wide = convert(*t, DType::f64);
      operands_.emplace_back(wide.data<DType::f64>(), wide.data<DType::f64>() + wide.type.count());
    }
  }

  [[nodiscard]] const std::vector<double>& operand(std::size_t k) const { return operands_[k]; }
  [[nodiscard]] double epsilon() const { return epsilon_; }
  /// Elements of one feature.
  [[nodiscard]] double elements() const { return double(count_) / double(features_); }

  /// f(i, feature) for each element.
  template <class F>
  [[nodiscard]] std::vector<double> each(F&& f) const {
    std::vector<double> out;
    out.reserve(std::size_t(count_));
    for (std::int64_t i = 0; i < count_; ++i)
      out.push_back(f(std::size_t(i), std::size_t(i / inner_ % features_)));
    return out;
  }
  /// Σ f(i, feature) by feature.
  template <class F>
  [[nodiscard]] std::vector<double> sums(F&& f) const {
    std::vector<double> out(std::size_t(features_), 0);
    for (std::int64_t i = 0; i < count_; ++i) {
      const auto feature = std::size_t(i / inner_ % features_);
      out[feature] += f(std::size_t(i), feature);
    }
    return out;
  }
  [[nodiscard]] std::vector<double> normalized(const std::vector<double>& scale,
                                               const std::vector<double>& offset,
                                               const std::vector<double>& mean,
                                               const std::vector<double>& variance) const {
    return each([&](std::size_t i, std::size_t k) {
      return scale[k] * ((operands_[0][i] - mean[k]) / std::sqrt(variance[k] + epsilon_)) +
             offset[k];
    });
  }

 private:
  Dims dims_;
  double epsilon_;
  std::int64_t features_ = 1, inner_ = 1, count_ = 1;
  std::vector<std::vector<double>> operands_;
};

Tensor rounded(const std::vector<double>& values, const Type& type) {
  HostArray wide(Type{.dtype = DType::f64, .dims = type.dims});
  std::copy(values.begin(), values.end(), wide.data<DType::f64>());
  return std::make_shared<const HostArray>(convert(wide, type.dtype));
}

std::vector<Tensor> eval_inference(const EvalContext& c) {
  const Normalization n(c);
  return {rounded(n.normalized(n.operand(1), n.operand(2), n.operand(3), n.operand(4)),
                  c.result_type())};
}

std::vector<Tensor> eval_training(const EvalContext& c) {
  const Normalization n(c);
  const std::vector<double>& x = n.operand(0);
  std::vector<double> mean = n.sums([&](std::size_t i, std::size_t) { return x[i]; });
  for (double& m : mean) m /= n.elements();
  std::vector<double> variance =
      n.sums([&](std::size_t i, std::size_t k) { return (x[i] - mean[k]) * (x[i] - mean[k]); });
  for (double& v : variance) v /= n.elements();
  return {rounded(n.normalized(n.operand(1), n.operand(2), mean, variance), c.result_type(0)),
          rounded(mean, c.result_type(1)), rounded(variance, c.result_type(2))};
}

std::vector<Tensor> eval_grad(const EvalContext& c) {
  const Normalization n(c);
  const std::vector<double>&x = n.operand(0), &scale = n.operand(1), &mean = n.operand(2),
        &variance = n.operand(3), &g = n.operand(4);
  const double elements = n.elements(), epsilon = n.epsilon();
  const std::vector<double> offset = n.sums([&](std::size_t i, std::size_t) { return g[i]; });
  const std::vector<double> centered =
      n.sums([&](std::size_t i, std::size_t k) { return g[i] * (x[i] - mean[k]); });
  const std::vector<double> of_scale = n.sums([&](std::size_t i, std::size_t k) {
    return g[i] * ((x[i] - mean[k]) / std::sqrt(variance[k] + epsilon));
  });
  const std::vector<double> of_operand = n.each([&](std::size_t i, std::size_t k) {
    const double around = centered[k] * (x[i] - mean[k]) / (variance[k] + epsilon);
    return scale[k] / std::sqrt(variance[k] + epsilon) / elements *
           (g[i] * elements - offset[k] - around);
  });
  return {rounded(of_operand, c.result_type(0)), rounded(of_scale, c.result_type(1)),
          rounded(offset, c.result_type(2))};
}

// --- Factors ------------------------------------------------------------------------------------

/// Features are independent; in inference so is everything else.
FactorRule factors(const Node& node) {
  FactorRule rule = empty_rule(node);
  const Type& operand = node.operand(0).type();
  const std::int64_t feature = node.attrs.i64("feature_index");
  const bool is_inference = node.is("stablehlo.batch_norm_inference");
  for (std::int64_t d = 0; d < operand.rank(); ++d) {
    if (d != feature && !is_inference) continue;
    const int f = rule.add_factor(operand.dims[std::size_t(d)]);
    const auto share = [&](std::vector<std::vector<int>>& dims) {
      if (std::int64_t(dims.size()) == operand.rank() && (d == feature || operand.rank() > 1))
        dims[std::size_t(d)] = {f};
      else if (d == feature)
        dims[0] = {f};
    };
    for (auto& dims : rule.operands) share(dims);
    for (auto& dims : rule.results) share(dims);
  }
  replicate_rest(node, rule);
  return rule;
}

/// The further dimension becomes features.
void batch(const BatchJob& job) {
  bool is_operand_alone = job.node.is("stablehlo.batch_norm_inference");
  for (std::size_t k = 1; k < job.operands.size(); ++k) is_operand_alone &= !job.is_batched(k);
  if (is_operand_alone) {
    std::vector<bool> data(job.operands.size(), false);
    data[0] = true;
    return batch_leading(job, data);
  }
  if (set_if_empty(job)) return;
  const Maker b = job.maker();
  const std::int64_t feature = job.node.attrs.i64("feature_index");
  const Dims& whole = job.node.operand(0).type().dims;
  const auto fold_of = [&](const Type& t) {
    return Fold{t.dims.size() == whole.size() ? feature : 0};
  };
  std::vector<Value> operands;
  for (std::size_t k = 0; k < job.operands.size(); ++k)
    operands.push_back(folded(b, job.with_batch(k), fold_of(job.node.operand(k).type())));
  std::vector<Type> types = job.node.result_types();
  for (Type& t : types) t.dims[std::size_t(fold_of(t).dim)] *= job.context.size;
  Node* made = remake(job.node, b.graph, std::move(operands), job.node.attrs, types, b.before);
  for (std::size_t k = 0; k < types.size(); ++k)
    job.set(int(k), unfolded(b, made->result(int(k)), fold_of(job.node.result_types()[k]),
                             job.context.size));
}

constexpr const char* samples[] = {
    R"(func.func @main(%x: tensor<3x4x2xf32>, %a: tensor<2xf32>, %b: tensor<2xf32>, %m: tensor<2xf32>, %g: tensor<3x4x2xf32>) -> (tensor<3x4x2xf32>) {
  %v = stablehlo.constant dense<[0.5, 2.0]> : tensor<2xf32>
  %0 = "stablehlo.batch_norm_inference"(%x, %a, %b, %m, %v) <{epsilon = 1.000000e-03 : f32, feature_index = 2 : i64}> : (tensor<3x4x2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) -> tensor<3x4x2xf32>
  return %0 : tensor<3x4x2xf32>
})",
    R"(func.func @main(%x: tensor<3x4x2xf32>, %a: tensor<4xf32>, %b: tensor<4xf32>, %y: tensor<5xf64>, %c: tensor<5xf64>) -> (tensor<3x4x2xf32>, tensor<4xf32>, tensor<4xf32>, tensor<5xf64>) {
  %0:3 = "stablehlo.batch_norm_training"(%x, %a, %b) <{epsilon = 1.000000e-01 : f32, feature_index = 1 : i64}> : (tensor<3x4x2xf32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<3x4x2xf32>, tensor<4xf32>, tensor<4xf32>)
  %1:3 = "stablehlo.batch_norm_training"(%y, %c, %c) <{epsilon = 1.000000e-01 : f32, feature_index = 0 : i64}> : (tensor<5xf64>, tensor<5xf64>, tensor<5xf64>) -> (tensor<5xf64>, tensor<5xf64>, tensor<5xf64>)
  return %0#0, %0#1, %0#2, %1#0 : tensor<3x4x2xf32>, tensor<4xf32>, tensor<4xf32>, tensor<5xf64>
})",
    R"(func.func @main(%x: tensor<3x4x2xf32>, %a: tensor<3xf32>, %m: tensor<3xf32>, %g: tensor<3x4x2xf32>) -> (tensor<3x4x2xf32>, tensor<3xf32>, tensor<3xf32>) {
  %v = stablehlo.constant dense<[0.5, 2.0, 1.0]> : tensor<3xf32>
  %0:3 = "stablehlo.batch_norm_grad"(%x, %a, %m, %v, %g) <{epsilon = 1.000000e-03 : f32, feature_index = 0 : i64}> : (tensor<3x4x2xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3x4x2xf32>) -> (tensor<3x4x2xf32>, tensor<3xf32>, tensor<3xf32>)
  return %0#0, %0#1, %0#2 : tensor<3x4x2xf32>, tensor<3xf32>, tensor<3xf32>
})"};

OpDef normalization(const char* name, const char* doc, InferFn infer, EvalFn eval,
                    const char* sample) {
  AttrSpec epsilon;
  epsilon.name = "epsilon";
  OpDef op;
  op.name = name;
  op.doc = doc;
  op.attrs = {epsilon, dim_attr("feature_index", {dim_index(DimRole::Side::operand, 0)})};
  op.infer = std::move(infer);
  op.eval = std::move(eval);
  op.factors = factors;
  op.batch = batch;
  op.remove_axis = remove_from_each_dim;
  op.derivative = Derivative::transposed([](DerivativeContext& c, const Values& cotangents) {
    return vjp_of(c, cotangents, [&] { return normalization_ops(c.graph, c.node); });
  });
  op.samples = {sample};
  return op;
}

}  // namespace

void register_batch_norm(OpRegistry& registry) {
  registry.add(normalization(
      "stablehlo.batch_norm_inference",
      "Normalises each feature by a given mean and variance. Compiled as simpler ops.",
      infer_inference, eval_inference, samples[0]));
  registry.add(normalization(
      "stablehlo.batch_norm_training",
      "Normalises each feature by its own mean and variance, and gives both. Compiled as simpler "
      "ops.",
      infer_training, eval_training, samples[1]));
  registry.add(normalization(
      "stablehlo.batch_norm_grad",
      "Gradients of batch_norm_training's operand, scale and offset. Compiled as simpler ops.",
      infer_grad, eval_grad, samples[2]));
}

}  // namespace partita::ir::ops
