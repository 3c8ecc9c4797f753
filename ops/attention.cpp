// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// mr.attention: softmax of scores times values, as one op, and mr.attention_gradient.  Made by the pass
// form-attention; programs say the ops that they stand for.
#include <cmath>

#include "ir/axes/removal.hpp"
#include "ops/support/batch_folding.hpp"
#include "ops/support/support.hpp"
#include "partita/ir/attention.hpp"
#include "partita/ir/interpreter.hpp"

namespace partita::ir::ops {
namespace {

using attention::Operand;

bool is_scalar_float(const Type& t) { return t.rank() == 0 && is_float(t.dtype); }

/// Queries, keys and values of one batch, and the shape of the scores.
Dims expect_lines(const InferContext& c) {
  const Type &q = c.operands[0], &k = c.operands[1], &v = c.operands[2];
  for (const Type& t : {q, k, v})
    c.expect(t.rank() == 3 && is_float(t.dtype), "floats of three dimensions", to_string(t));
  c.expect(k.dims[0] == q.dims[0] && k.dims[2] == q.dims[2],
           cat("keys of batch ", q.dims[0], " and depth ", q.dims[2]), to_string(k));
  c.expect(v.dims[0] == q.dims[0] && v.dims[1] == k.dims[1],
           cat("values of batch ", q.dims[0], " and ", k.dims[1], " rows"), to_string(v));
  return {q.dims[0], q.dims[1], k.dims[1]};
}

/// Operands from `first` on are elements of the scores' shape for the regions.
void expect_elements(const InferContext& c, std::size_t first, const Dims& scores) {
  for (std::size_t e = first; e < c.operands.size(); ++e)
    c.expect(c.operands[e].dims == scores, cat("operand ", e, " of the scores' shape"),
             to_string(c.operands[e]));
}

/// A region of so many scalar floats, and of what the operands from `first` on are made of.
void expect_region(const InferContext& c, const Graph& region, std::size_t floats,
                   std::size_t first) {
  const std::size_t count = c.operands.size() - first + floats;
  c.expect(std::size_t(region.argument_count()) == count,
           cat("a region with ", count, " arguments"), cat(region.argument_count()));
  for (std::size_t k = 0; k < count; ++k) {
    const Type found = region.argument(int(k)).type();
    if (k < floats) {
      c.expect(is_scalar_float(found), cat("a float as argument ", k, " of the region"),
               to_string(found));
      continue;
    }
    const Type wanted = Type::scalar(c.operands[first + k - floats].dtype);
    c.expect(found == wanted, cat("argument ", k, " of the region of type ", to_string(wanted)),
             to_string(found));
  }
  c.expect(region.results.size() == 1 && is_scalar_float(region.results[0].type()),
           "a region with one score as result", cat(region.results.size(), " results"));
}

/// A result is of floats that the program says, else those of an operand.
Type result_like(const InferContext& c, std::size_t result, const Type& operand) {
  Type type = operand;
  if (result >= c.declared_results.size()) return type;
  const Type& declared = c.declared_results[result];
  c.expect(is_float(declared.dtype), "floats as result", to_string(declared));
  type.dtype = declared.dtype;
  return type;
}

std::vector<Type> infer(const InferContext& c) {
  constexpr std::size_t first = Operand::values + 1;
  c.expect(c.operands.size() >= first, "queries, keys, values",
           cat(c.operands.size(), " operands"));
  c.expect(c.regions.size() == 1, "1 region", cat(c.regions.size()));
  const Dims scores = expect_lines(c);
  expect_elements(c, first, scores);
  expect_region(c, *c.regions[0], 1, first);
  const Type& v = c.operands[Operand::values];
  std::vector<Type> results{
      result_like(c, 0, {.dtype = v.dtype, .dims = {scores[0], scores[1], v.dims[2]}})};
  const std::size_t count = c.declared_results.size();
  c.expect(count <= 1 || count == 3, "one result, or maxima and sums as well", cat(count));
  if (count == 3) results.resize(3, {.dtype = DType::f32, .dims = {scores[0], scores[1]}});
  return results;
}

std::vector<Type> infer_gradient(const InferContext& c) {
  constexpr std::size_t first = Operand::dots + 1;
  c.expect(c.operands.size() >= first,
           "queries, keys, values, cotangents, maxima, sums and dots of rows",
           cat(c.operands.size(), " operands"));
  c.expect(c.regions.size() == 2, "2 regions", cat(c.regions.size()));
  const Dims scores = expect_lines(c);
  const Dims weighted{scores[0], scores[1], c.operands[Operand::values].dims[2]};
  const Type& cotangents = c.operands[Operand::cotangents];
  c.expect(cotangents.dims == weighted && is_float(cotangents.dtype),
           cat("cotangents of ", scores[1], " rows of ", weighted[2], " floats"),
           to_string(cotangents));
  for (const Operand row : {Operand::maxima, Operand::sums, Operand::dots})
    c.expect(c.operands[row] == Type{.dtype = DType::f32, .dims = {scores[0], scores[1]}},
             "an f32 of each row", to_string(c.operands[row]));
  expect_elements(c, first, scores);
  expect_region(c, *c.regions[0], 1, first);
  expect_region(c, *c.regions[1], 2, first);
  std::vector<Type> results;
  for (std::size_t k = 0; k < first - Operand::cotangents - 1; ++k)
    results.push_back(result_like(c, k, c.operands[k]));
  return results;
}

/// As f64, element by element.
HostArray wide(const HostArray& array) { return convert(array, DType::f64); }

/// The scalar at a place of an array.
Tensor scalar_at(const HostArray& array, std::int64_t at) {
  HostArray one(Type::scalar(array.type.dtype));
  std::copy_n(array.bytes.begin() + at * std::ptrdiff_t(one.bytes.size()), one.bytes.size(),
              one.bytes.begin());
  return std::make_shared<const HostArray>(std::move(one));
}

std::vector<Tensor> eval(const EvalContext& c) {
  const HostArray q = wide(*c.operands[0]), k = wide(*c.operands[1]), v = wide(*c.operands[2]);
  const std::int64_t rows = q.type.dims[1], depth = q.type.dims[2], columns = k.type.dims[1],
                     width = v.type.dims[2];
  const DType score = c.node.region(0).argument(0).type().dtype;
  HostArray out(Type{.dtype = DType::f64, .dims = c.result_type().dims});
  const Type row_type{.dtype = DType::f64, .dims = {q.type.dims[0], rows}};
  HostArray maxima(row_type), sums(row_type);
  std::vector<double> scores(static_cast<std::size_t>(columns));
  for (std::int64_t row = 0; row < q.type.dims[0] * rows; ++row) {
    const std::int64_t batch = row / rows;
    double most = -std::numeric_limits<double>::infinity(), sum = 0;
    for (std::int64_t j = 0; j < columns; ++j) {
      HostArray product(Type::scalar(DType::f64));
      for (std::int64_t d = 0; d < depth; ++d)
        product.data<DType::f64>()[0] += q.data<DType::f64>()[row * depth + d] *
                                         k.data<DType::f64>()[(batch * columns + j) * depth + d];
      std::vector<Tensor> arguments{std::make_shared<const HostArray>(convert(product, score))};
      for (std::size_t e = 3; e < c.operands.size(); ++e)
        arguments.push_back(scalar_at(*c.operands[e], row * columns + j));
      const Tensor result = c.run_region(0, std::move(arguments))[0];
      const double s = wide(*result).data<DType::f64>()[0];
      scores[std::size_t(j)] = s;
      most = std::isnan(s) || s > most ? s : most;
    }
    for (double& s : scores) sum += s = std::exp(s - most);
    maxima.data<DType::f64>()[row] = most;
    sums.data<DType::f64>()[row] = sum;
    for (std::int64_t e = 0; e < width; ++e) {
      double total = 0;
      for (std::int64_t j = 0; j < columns; ++j)
        total +=
            scores[std::size_t(j)] / sum * v.data<DType::f64>()[(batch * columns + j) * width + e];
      out.data<DType::f64>()[row * width + e] = total;
    }
  }
  std::vector<Tensor> results = one(convert(out, c.result_type().dtype));
  if (c.node.result_count() > 1)
    for (const HostArray* all : {&maxima, &sums})
      results.push_back(std::make_shared<const HostArray>(convert(*all, DType::f32)));
  return results;
}

std::vector<Tensor> eval_gradient(const EvalContext& c) {
  const Graph& graph = c.interpreter.expansion(c.node, [&] {
    auto made = std::make_unique<Graph>();
    std::vector<Value> arguments;
    for (const Value& v : c.node.operands()) arguments.push_back(made->add_argument(v.type()));
    std::vector<std::unique_ptr<Graph>> regions;
    for (const auto& region : c.node.regions()) regions.push_back(clone_graph(*region));
    Node* node = create(*made, c.node.name(), arguments, c.node.attrs, std::move(regions),
                        c.node.result_types());
    made->results = attention_gradient_ops(*made, *node);
    made->erase(node);
    return made;
  });
  return c.interpreter.run(graph, {c.operands.begin(), c.operands.end()});
}

FactorRule factors(const Node& node) {
  FactorRule rule;
  const Dims &q = node.operand(0).type().dims, &v = node.operand(2).type().dims;
  const int batch = rule.add_factor(q[0]), rows = rule.add_factor(q[1]),
            columns = rule.add_factor(v[1], FactorKind::replicated),
            depth = rule.add_factor(q[2], FactorKind::replicated), width = rule.add_factor(v[2]);
  rule.operands = {
      {{batch}, {rows}, {depth}}, {{batch}, {columns}, {depth}}, {{batch}, {columns}, {width}}};
  rule.operands.resize(node.operands().size(), {{batch}, {rows}, {columns}});
  rule.results = {{{batch}, {rows}, {width}}};
  rule.results.resize(std::size_t(node.result_count()), {{batch}, {rows}});
  return rule;
}

/// Rows are summed up as columns are, and whole lines are multiplied.
FactorRule gradient_factors(const Node& node) {
  FactorRule rule;
  const Dims &q = node.operand(0).type().dims, &v = node.operand(2).type().dims;
  const auto whole = [&](std::int64_t extent) {
    return rule.add_factor(extent, FactorKind::replicated);
  };
  const int batch = rule.add_factor(q[0]), rows = whole(q[1]), columns = whole(v[1]),
            depth = whole(q[2]), width = whole(v[2]);
  rule.results = {
      {{batch}, {rows}, {depth}}, {{batch}, {columns}, {depth}}, {{batch}, {columns}, {width}}};
  rule.operands = rule.results;
  rule.operands.push_back({{batch}, {rows}, {width}});
  rule.operands.resize(Operand::dots + 1, {{batch}, {rows}});
  rule.operands.resize(node.operands().size(), {{batch}, {rows}, {columns}});
  return rule;
}

/// A further batch is part of the one that there is.
void batch(const BatchJob& job) {
  const Maker b = job.maker();
  std::vector<Value> operands;
  for (std::size_t k = 0; k < job.operands.size(); ++k)
    operands.push_back(folded(b, job.with_batch(k), {}));
  std::vector<Type> types = job.node.result_types();
  for (Type& type : types) type.dims[0] *= job.context.size;
  Node* made = remake(job.node, b.graph, std::move(operands), job.node.attrs, types, b.before);
  for (int k = 0; k < made->result_count(); ++k)
    job.set(k, unfolded(b, made->result(k), {}, job.context.size));
}

/// What both ops have in common.
OpDef attention_op(InferFn infer, EvalFn eval, FactorsFn factors) {
  OpDef op;
  op.infer = std::move(infer);
  op.eval = std::move(eval);
  op.shape = KernelShape::attention;
  op.factors = std::move(factors);
  op.remove_axis = remove_from_each_dim;
  op.batch = batch;
  op.cost = 1;
  op.derivative = Derivative::none("is made of what it stands for after that is differentiated");
  return op;
}

void register_forward(OpRegistry& registry) {
  OpDef op = attention_op(infer, eval, factors);
  op.name = "mr.attention";
  op.doc =
      "Of queries [b, m, d], keys [b, n, d] and values [b, n, e]: with the scores s = q k^T, a "
      "row's "
      "values weighted by the softmax of region(s, …) along n, [b, m, e]. Further operands [b, m, "
      "n] are "
      "elements for the region, such as masks; the region is of scalars. Where three results are "
      "declared, the "
      "others are each row's maximum of region(s, …) and the sum of its weights relative to that, "
      "f32 [b, m].";
  op.samples = {
      R"(func.func @main(%q: tensor<2x5x3xf32>, %k: tensor<2x7x3xf32>, %v: tensor<2x7x4xf32>, %m: tensor<2x5x7xi1>) -> tensor<2x5x4xf32> {
  %0 = "mr.attention"(%q, %k, %v, %m) ({
  ^bb0(%s: tensor<f32>, %x: tensor<i1>):
    %low = stablehlo.constant dense<-1.0e9> : tensor<f32>
    %t = stablehlo.select %x, %s, %low : tensor<i1>, tensor<f32>
    "mr.return"(%t) : (tensor<f32>) -> ()
  }) : (tensor<2x5x3xf32>, tensor<2x7x3xf32>, tensor<2x7x4xf32>, tensor<2x5x7xi1>) -> tensor<2x5x4xf32>
  return %0 : tensor<2x5x4xf32>
})"};
  registry.add(std::move(op));
}

void register_gradient(OpRegistry& registry) {
  OpDef op = attention_op(infer_gradient, eval_gradient, gradient_factors);
  op.name = "mr.attention_gradient";
  op.doc =
      "Gradients of mr.attention by queries [b, m, d], keys [b, n, d] and values [b, n, e], given "
      "its operands, the "
      "cotangents of its first result [b, m, e], its row maxima and sums, f32 [b, m], and each "
      "row's dot product of "
      "cotangents and results, f32 [b, m]. The first region is that of mr.attention; the second "
      "takes the cotangent "
      "of region(s, …), then what the first takes, and gives that of s.";
  op.samples = {
      R"(func.func @main(%q: tensor<2x5x3xf32>, %k: tensor<2x7x3xf32>, %v: tensor<2x7x4xf32>, %g: tensor<2x5x4xf32>, %d: tensor<2x5xf32>, %m: tensor<2x5x7xi1>) -> (tensor<2x5x3xf32>, tensor<2x7x3xf32>, tensor<2x7x4xf32>) {
  %most = stablehlo.constant dense<1.0> : tensor<2x5xf32>
  %sum = stablehlo.constant dense<3.0> : tensor<2x5xf32>
  %0:3 = "mr.attention_gradient"(%q, %k, %v, %g, %most, %sum, %d, %m) ({
  ^bb0(%s: tensor<f32>, %x: tensor<i1>):
    %low = stablehlo.constant dense<-1.0e9> : tensor<f32>
    %t = stablehlo.select %x, %s, %low : tensor<i1>, tensor<f32>
    "mr.return"(%t) : (tensor<f32>) -> ()
  }, {
  ^bb0(%c: tensor<f32>, %s: tensor<f32>, %x: tensor<i1>):
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %t = stablehlo.select %x, %c, %zero : tensor<i1>, tensor<f32>
    "mr.return"(%t) : (tensor<f32>) -> ()
  }) : (tensor<2x5x3xf32>, tensor<2x7x3xf32>, tensor<2x7x4xf32>, tensor<2x5x4xf32>, tensor<2x5xf32>, tensor<2x5xf32>, tensor<2x5xf32>, tensor<2x5x7xi1>) -> (tensor<2x5x3xf32>, tensor<2x7x3xf32>, tensor<2x7x4xf32>)
  return %0#0, %0#1, %0#2 : tensor<2x5x3xf32>, tensor<2x7x3xf32>, tensor<2x7x4xf32>
})"};
  registry.add(std::move(op));
}

}  // namespace

void register_attention(OpRegistry& registry) {
  register_forward(registry);
  register_gradient(registry);
}

}  // namespace partita::ir::ops
