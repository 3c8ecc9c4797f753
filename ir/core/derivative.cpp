// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "partita/ir/derivative.hpp"

#include "partita/base/error.hpp"
#include "partita/ir/maker.hpp"
#include "partita/ir/op.hpp"

namespace partita::ir {

// --- Derivative ---------------------------------------------------------------------------------

Derivative Derivative::linear_in(std::vector<int> operands, VjpFn vjp) {
  Derivative d;
  d.linear = Linear::jointly;
  d.operands = std::move(operands);
  d.vjp = std::move(vjp);
  d.reason.clear();
  return d;
}

Derivative Derivative::linear_in_each(std::vector<int> operands, VjpFn vjp) {
  Derivative d = linear_in(std::move(operands), std::move(vjp));
  d.linear = Linear::separately;
  return d;
}

Derivative Derivative::rules(JvpFn jvp, VjpFn vjp) {
  Derivative d;
  d.jvp = std::move(jvp);
  d.vjp = std::move(vjp);
  d.reason.clear();
  return d;
}

Derivative Derivative::transposed(VjpFn vjp) { return rules(nullptr, std::move(vjp)); }

Derivative Derivative::none(std::string reason) {
  Derivative d;
  d.reason = std::move(reason);
  return d;
}

// --- DerivativeContext --------------------------------------------------------------------------

void DerivativeContext::refuse(const std::string& reason) const {
  std::string where;
  for (const std::string& step : path) where += cat(where.empty() ? "" : " > ", step);
  throw_user_error(cat("no derivative of ", node.op().name, " (in ", where, "): ", reason),
                   node.location());
}

Value DerivativeContext::op(std::string_view name, Values operands, Dict attrs) const {
  return Maker{graph}.op(name, std::move(operands), std::move(attrs));
}

Value DerivativeContext::op(std::string_view name, Values operands, Dict attrs,
                            const Type& result) const {
  return Maker{graph}.typed(name, std::move(operands), result, std::move(attrs));
}

Values DerivativeContext::same(Values operands) const {
  std::vector<std::unique_ptr<Graph>> regions;
  for (const auto& region : node.regions()) regions.push_back(clone_graph(*region));
  Node* made = graph.add_node(node.op(), std::move(operands), node.attrs, node.result_types(),
                              std::move(regions));
  made->set_location(node.location());
  Values results;
  for (int k = 0; k < made->result_count(); ++k) results.push_back(made->result(k));
  return results;
}

Value DerivativeContext::splat(const Type& type, double value) const {
  return Maker{graph}.splat(type, value);
}

Value DerivativeContext::add(Value a, Value b) const {
  if (!a || !b) return a ? a : b;
  const auto placement = [](Value v) {
    return v.node->is("mr.map") || v.node->is("mr.broadcast") ? v.node->attrs.text("placement")
                                                              : std::string();
  };
  const std::string home = placement(a);
  if (home.empty() || home != placement(b) || a.type().dims.empty())
    return op("stablehlo.add", {a, b});
  return map(home, a.type().dims[0], {a, b},
             [](const DerivativeContext& c, const Values& v) -> Values {
               return {c.op("stablehlo.add", v)};
             })[0];
}

Value DerivativeContext::negate(Value v) const { return v ? op("stablehlo.negate", {v}) : v; }

Value DerivativeContext::multiply(Value a, Value b) const {
  return op("stablehlo.multiply", {a, b});
}

Value DerivativeContext::select(Value condition, Value a, Value b) const {
  return op("stablehlo.select", {condition, a, b});
}

Value DerivativeContext::compare(std::string_view direction, Value a, Value b) const {
  return Maker{graph}.compare(direction, a, b);
}

Value DerivativeContext::reshape(Value v, const Dims& dims) const {
  return Maker{graph}.reshape(v, dims);
}

Value DerivativeContext::transpose(Value v, const I64s& permutation) const {
  return Maker{graph}.transpose(v, permutation);
}

Value DerivativeContext::convert(Value v, DType dtype) const {
  return Maker{graph}.convert(v, dtype);
}

Value DerivativeContext::broadcast(Value v, const Dims& dims, const I64s& at) const {
  return Maker{graph}.broadcast(v, dims, at);
}

Value DerivativeContext::sum(Value v, const I64s& dimensions) const {
  return Maker{graph}.sum(v, dimensions);
}

Value DerivativeContext::iota(const Type& type, std::int64_t dimension) const {
  return Maker{graph}.iota(type, dimension);
}

Values DerivativeContext::map(const std::string& placement, std::int64_t n, const Values& operands,
                              const MapBody& body) const {
  auto region = std::make_unique<Graph>();
  Values arguments;
  for (const Value& v : operands) {
    Type type = v.type();
    type.dims.erase(type.dims.begin());
    arguments.push_back(region->add_argument(type));
  }
  const DerivativeContext inside(node, *region, sweep, path);
  region->results = body(inside, arguments);
  std::vector<Type> types;
  for (const Value& v : region->results) {
    types.push_back(v.type());
    types.back().dims.insert(types.back().dims.begin(), n);
  }
  const I64s in(operands.size(), 0), out(types.size(), 0);
  std::vector<std::unique_ptr<Graph>> regions;
  regions.push_back(std::move(region));
  Node* made = create(graph, "mr.map", operands,
                      {{"placement", placement}, {"in_axes", in}, {"out_axes", out}},
                      std::move(regions), types);
  Values results;
  for (int k = 0; k < made->result_count(); ++k) results.push_back(made->result(k));
  return results;
}

}  // namespace partita::ir
