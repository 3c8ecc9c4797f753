// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// The custom call ApproxTopK: the first elements along a dimension in the order of a comparator that
// is a function of the module.  Exact here, which any recall target allows.
#include "ops/sorting/sort.hpp"
#include "ops/support/custom_call.hpp"
#include "ops/support/derivative_support.hpp"
#include "partita/ir/backend_config.hpp"
#include "partita/ir/interpreter.hpp"

namespace partita::ir::ops {
namespace {

const Dict& config_of(const InferContext& c) {
  if (const Dict* config = backend_config(c.attrs)) return *config;
  c.fail("a dictionary mhlo.backend_config", "none");
}

std::int64_t entry(const InferContext& c, const Dict& config, const char* name) {
  const Attribute* a = config.find(name);
  const auto* value = a == nullptr ? nullptr : a->get_if<Integer>();
  if (value == nullptr) c.fail(cat("an integer ", name, " in the backend_config"), "none");
  return value->value;
}

std::string comparator_of(const Dict& attrs) {
  const Attribute* a = attrs.find("called_computations");
  const auto* list = a == nullptr ? nullptr : a->get_if<List>();
  const auto* symbol =
      list == nullptr || list->items.size() != 1 ? nullptr : list->items[0].get_if<SymbolRef>();
  return symbol == nullptr ? std::string() : symbol->name;
}

void expect_comparator(const InferContext& c, std::size_t n) {
  const std::string name = comparator_of(c.attrs);
  c.expect(!name.empty(), "one function in called_computations", "none");
  if (c.module == nullptr) return;
  const Function* function = c.module->find(name);
  c.expect(function != nullptr, "a function as comparator", cat("@", name));
  const std::vector<Type> arguments = function->argument_types();
  bool fits = arguments.size() == 2 * n &&
              function->result_types == std::vector<Type>{Type::scalar(DType::i1)};
  for (std::size_t k = 0; fits && k < arguments.size(); ++k)
    fits = arguments[k] == Type::scalar(c.operands[k / 2].dtype);
  c.expect(fits, "a comparator of pairs of elements that gives tensor<i1>", cat("@", name));
}

std::vector<Type> infer(const InferContext& c) {
  const std::size_t n = c.operands.size() / 2;
  c.expect(n > 0 && c.operands.size() % 2 == 0, "as many operands as initial values",
           cat(c.operands.size(), " operands"));
  c.expect(c.declared().size() == n, cat(n, " results"), cat(c.declared().size()));
  const Dict& config = config_of(c);
  const std::int64_t dimension = entry(c, config, "reduction_dim"), k = entry(c, config, "top_k");
  const Type& first = c.operands[0];
  c.expect(dimension >= 0 && dimension < first.rank(),
           cat("reduction_dim within [0, ", first.rank(), ")"), cat(dimension));
  for (std::size_t i = 0; i < n; ++i) {
    const Type &x = c.operands[i], &result = c.declared()[i];
    c.expect(x.dims == first.dims, cat("operand ", i, " of the shape of ", to_string(first)),
             to_string(x));
    c.expect(c.operands[n + i] == Type::scalar(x.dtype),
             cat("an initial value of type ", to_string(Type::scalar(x.dtype))),
             to_string(c.operands[n + i]));
    Type wanted = x;
    if (result.rank() == x.rank())
      wanted.dims[std::size_t(dimension)] = result.dims[std::size_t(dimension)];
    const std::int64_t kept = wanted.dims[std::size_t(dimension)];
    c.expect(
        result == wanted && kept >= k && kept <= x.dims[std::size_t(dimension)] && k >= 0,
        cat("result ", i, " as operand ", i, " but for ", k, " elements in dimension ", dimension),
        to_string(result));
  }
  expect_comparator(c, n);
  return {c.declared().begin(), c.declared().end()};
}

std::size_t reduced_dimension(const Node& node) {
  return std::size_t(backend_config(node.attrs)->i64("reduction_dim"));
}

std::vector<Tensor> eval(const EvalContext& c) {
  const auto inputs = c.operands.subspan(0, c.operands.size() / 2);
  const Function* function = c.interpreter.module().find(comparator_of(c.node.attrs));
  PARTITA_ASSERT(function != nullptr);
  const std::size_t dimension = reduced_dimension(c.node);
  const Comparator compare = [&](std::int64_t a, std::int64_t b) {
    std::vector<Tensor> arguments;
    for (const Tensor& input : inputs) {
      arguments.push_back(element(*input, a));
      arguments.push_back(element(*input, b));
    }
    return *c.interpreter.run(*function, arguments)[0]->data<DType::i1>() != 0;
  };
  std::vector<Tensor> results;
  for (HostArray& r : sorted_together(inputs, dimension, compare, c.result_type().dims[dimension]))
    results.push_back(std::make_shared<const HostArray>(std::move(r)));
  return results;
}

/// The places that elements come from: what has become of an operand that holds places.
Value places_of(const DerivativeContext& c) {
  const auto d = std::int64_t(reduced_dimension(c.node));
  for (std::size_t k = 0; k < c.node.result_types().size(); ++k) {
    const Node& from = *c.node.operand(k).node;
    const DType type = c.node.operand(k).type().dtype;
    if (from.is("stablehlo.iota") && from.attrs.i64("iota_dimension") == d &&
        (type == DType::i32 || type == DType::i64))
      return c.node.result(int(k));
  }
  c.refuse("no operand is an iota along the dimension, which would say where elements come from");
}

Values vjp(DerivativeContext& c, const Values& cotangents) {
  const Value places = places_of(c);
  const auto d = std::int64_t(reduced_dimension(c.node));
  Values results(cotangents.size());
  for (std::size_t k = 0; k < results.size(); ++k)
    if (cotangents[k] && c.wanted(k))
      results[k] = put_along(c, c.node.operand(k).type(), places, cotangents[k], d);
  return results;
}

Values jvp(DerivativeContext& c, const Values& tangents) {
  const Value places = places_of(c);
  const auto d = std::int64_t(reduced_dimension(c.node));
  Values results;
  for (std::size_t k = 0; k < c.node.result_types().size(); ++k)
    results.push_back(tangents[k] ? take_along(c, tangents[k], places, d) : Value{});
  return results;
}

}  // namespace

void register_approx_top_k(OpRegistry& registry) {
  OpDef op = custom_call_target(
      "ApproxTopK",
      "The first elements along a dimension by a comparator, exactly; inlined as a sort.");
  op.infer = infer;
  op.eval = eval;
  op.derivative = Derivative::rules(jvp, vjp);
  op.samples = {
      R"(func.func private @greater(%x: tensor<f32>, %y: tensor<f32>, %i: tensor<i32>, %j: tensor<i32>) -> tensor<i1> {
  %0 = stablehlo.compare GT, %x, %y : (tensor<f32>, tensor<f32>) -> tensor<i1>
  return %0 : tensor<i1>
}
func.func @main(%a: tensor<3x20xf32>) -> (tensor<3x4xf32>, tensor<3x4xi32>) {
  %i = stablehlo.iota dim = 1 : tensor<3x20xi32>
  %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %none = stablehlo.constant dense<-1> : tensor<i32>
  %0:2 = stablehlo.custom_call @ApproxTopK(%a, %i, %low, %none) {called_computations = [@greater], mhlo.backend_config = {aggregate_to_topk = true, is_fallback = true, recall_target = 0.95 : f32, reduction_dim = 1 : i64, reduction_input_size_override = -1 : i64, top_k = 4 : i64}} : (tensor<3x20xf32>, tensor<3x20xi32>, tensor<f32>, tensor<i32>) -> (tensor<3x4xf32>, tensor<3x4xi32>)
  return %0#0, %0#1 : tensor<3x4xf32>, tensor<3x4xi32>
})"};
  registry.add(std::move(op));
}

}  // namespace partita::ir::ops
