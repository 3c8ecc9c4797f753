// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// mr.attention: softmax of scores times values, as one op.  Made by the pass form-attention; programs say
// the ops that it stands for.
#include <cmath>

#include "ir/axes/removal.hpp"
#include "ops/support/batch_folding.hpp"
#include "ops/support/support.hpp"

namespace partita::ir::ops {
namespace {

std::vector<Type> infer(const InferContext& c) {
  c.expect(c.operands.size() >= 3, "queries, keys, values", cat(c.operands.size(), " operands"));
  c.expect(c.regions.size() == 1, "1 region", cat(c.regions.size()));
  const Type &q = c.operands[0], &k = c.operands[1], &v = c.operands[2];
  for (const Type& t : {q, k, v})
    c.expect(t.rank() == 3 && is_float(t.dtype), "floats of three dimensions", to_string(t));
  c.expect(k.dims[0] == q.dims[0] && k.dims[2] == q.dims[2],
           cat("keys of batch ", q.dims[0], " and depth ", q.dims[2]), to_string(k));
  c.expect(v.dims[0] == q.dims[0] && v.dims[1] == k.dims[1],
           cat("values of batch ", q.dims[0], " and ", k.dims[1], " rows"), to_string(v));
  const Dims scores{q.dims[0], q.dims[1], k.dims[1]};
  const Graph& region = *c.regions[0];
  c.expect(std::size_t(region.argument_count()) == c.operands.size() - 2,
           cat("a region with ", c.operands.size() - 2, " arguments"),
           cat(region.argument_count()));
  const auto is_scalar_float = [](const Type& t) { return t.rank() == 0 && is_float(t.dtype); };
  c.expect(is_scalar_float(region.argument(0).type()), "a score as the region's first argument",
           to_string(region.argument(0).type()));
  for (std::size_t e = 3; e < c.operands.size(); ++e) {
    c.expect(c.operands[e].dims == scores, cat("operand ", e, " of the scores' shape"),
             to_string(c.operands[e]));
    const Type wanted = Type::scalar(c.operands[e].dtype);
    c.expect(region.argument(int(e) - 2).type() == wanted,
             cat("argument ", e - 2, " of the region of type ", to_string(wanted)),
             to_string(region.argument(int(e) - 2).type()));
  }
  c.expect(region.results.size() == 1 && is_scalar_float(region.results[0].type()),
           "a region with one score as result", cat(region.results.size(), " results"));
  Type result{.dtype = v.dtype, .dims = {q.dims[0], q.dims[1], v.dims[2]}};
  if (!c.declared_results.empty()) {
    c.expect(is_float(c.declared_results[0].dtype), "floats as result",
             to_string(c.declared_results[0]));
    result.dtype = c.declared_results[0].dtype;
  }
  return {result};
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
    for (std::int64_t e = 0; e < width; ++e) {
      double total = 0;
      for (std::int64_t j = 0; j < columns; ++j)
        total +=
            scores[std::size_t(j)] / sum * v.data<DType::f64>()[(batch * columns + j) * width + e];
      out.data<DType::f64>()[row * width + e] = total;
    }
  }
  return one(convert(out, c.result_type().dtype));
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
  return rule;
}

/// A further batch is part of the one that there is.
void batch(const BatchJob& job) {
  const Maker b = job.maker();
  std::vector<Value> operands;
  for (std::size_t k = 0; k < job.operands.size(); ++k)
    operands.push_back(folded(b, job.with_batch(k), {}));
  Type type = job.node.result_types()[0];
  type.dims[0] *= job.context.size;
  Node* made = remake(job.node, b.graph, std::move(operands), job.node.attrs, {type}, b.before);
  job.set(0, unfolded(b, made->result(), {}, job.context.size));
}

}  // namespace

void register_attention(OpRegistry& registry) {
  OpDef op;
  op.name = "mr.attention";
  op.doc =
      "Of queries [b, m, d], keys [b, n, d] and values [b, n, e]: with the scores s = q k^T, a "
      "row's "
      "values weighted by the softmax of region(s, …) along n, [b, m, e]. Further operands [b, m, "
      "n] are "
      "elements for the region, such as masks; the region is of scalars.";
  op.infer = infer;
  op.eval = eval;
  op.shape = KernelShape::attention;
  op.factors = factors;
  op.remove_axis = remove_from_each_dim;
  op.batch = batch;
  op.cost = 1;
  op.derivative = Derivative::none("is made of what it stands for after that is differentiated");
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

}  // namespace partita::ir::ops
