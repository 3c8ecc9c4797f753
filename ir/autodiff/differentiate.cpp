// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "partita/ir/differentiate.hpp"

#include <algorithm>
#include <set>

#include "ir/autodiff/unroll.hpp"
#include "partita/base/error.hpp"
#include "partita/ir/derivative.hpp"
#include "partita/ir/make_loop.hpp"
#include "partita/ir/op.hpp"
#include "partita/scalar/elementwise.hpp"

namespace partita::ir {
namespace {

// --- A body of plain ops ------------------------------------------------------------------------

std::unique_ptr<Graph> flat_body(const Module& module, const Function& function);

const Function& callee_of(const Module& module, const Node& node, std::string_view attribute) {
  const std::string& name = node.attrs.text(attribute);
  const Function* function = module.find(name);
  if (function == nullptr)
    throw_user_error(
        cat(node.name(), ": expected the name of a function as ", attribute, ", found @", name),
        node.location());
  return *function;
}

/// The op that a composite "chlo.…" names; null where the decomposition says what it does.
const OpDef* named_op(const Node& node) {
  const std::string& name = node.attrs.text("name");
  if (!name.starts_with("chlo.") || node.result_count() != 1) return nullptr;
  return OpRegistry::instance().find(name);
}

/// A form that names functions as the same with their bodies as regions.
Values with_regions(const Module& module, Node& node, std::span<const std::string_view> names) {
  std::vector<std::unique_ptr<Graph>> regions;
  for (const std::string_view name : names)
    regions.push_back(flat_body(module, callee_of(module, node, name)));
  Node* made = create(*node.graph(), node.name(), node.operands(), {}, std::move(regions),
                      node.result_types(), &node, node.location());
  Values results;
  for (int k = 0; k < made->result_count(); ++k) results.push_back(made->result(k));
  return results;
}

/// What stands for the results of a call, a composite or a derivative; nothing for other nodes.
std::optional<Values> inlined(const Module& module, Node& node) {
  const auto body = [&](const Graph& graph) {
    ValueMap<Value> map;
    for (std::size_t k = 0; k < node.operands().size(); ++k)
      map[graph.argument(int(k))] = node.operand(k);
    return clone_body(graph, *node.graph(), map, &node);
  };
  if (node.is("func.call")) return body(*flat_body(module, callee_of(module, node, "callee")));
  if (node.is("mr.grad")) return body(*expanded(module, node));
  if (node.is("mr.checkpoint") && node.regions().empty()) {
    static constexpr std::string_view names[] = {"callee"};
    return with_regions(module, node, names);
  }
  if (node.is("mr.custom_vjp") && node.regions().empty()) {
    static constexpr std::string_view names[] = {"callee", "fwd", "bwd"};
    return with_regions(module, node, names);
  }
  if (!node.is("stablehlo.composite")) return std::nullopt;
  if (const OpDef* op = named_op(node))
    return Values{
        create_value(*node.graph(), op->name, node.operands(), {}, node.result_types(), &node)};
  return body(*flat_body(module, callee_of(module, node, "decomposition")));
}

void flatten(const Module& module, Graph& graph) {
  ValueMap<Value> replaced;
  std::set<const Node*> done;
  for (Node* node : std::vector<Node*>(graph.nodes())) {
    for (const auto& region : node->regions()) flatten(module, *region);
    // Operands may be results of nodes that were replaced before.
    for (std::size_t k = 0; k < node->operands().size(); ++k) {
      const auto found = replaced.find(node->operand(k));
      if (found != replaced.end()) node->set_operand(k, found->second);
    }
    const auto results = inlined(module, *node);
    if (!results) continue;
    for (std::size_t k = 0; k < results->size(); ++k)
      replaced[node->result(int(k))] = (*results)[k];
    done.insert(node);
  }
  if (done.empty()) return;
  graph.replace_uses(replaced);
  graph.erase_if([&](const Node& node) { return done.contains(&node); });
}

std::unique_ptr<Graph> flat_body(const Module& module, const Function& function) {
  std::unique_ptr<Graph> body = clone_graph(*function.body);
  flatten(module, *body);
  return body;
}

// --- Entering sweeps ----------------------------------------------------------------------------

/// Where a sweep starts: there is nothing around it.
class Outside : public Sweep {
 public:
  Value tangent(Value) const override { return {}; }
  bool is_active(Value) const override { return false; }
  void accumulate(Value, Value) override {}
  void replace(Node&, std::span<const Value>) override {}
};

struct Start {
  Outside outside;
  Node none;
  std::vector<std::string> path;
  Graph unused;
  DerivativeContext context;
  explicit Start(const Function& function)
      : path{cat("@", function.name)}, context(none, unused, outside, path) {}
};

void expect_wrt(const Function& function, const std::vector<std::int64_t>& wrt) {
  const auto types = function.argument_types();
  const auto fail = [&](const std::string& expected, const std::string& found) {
    throw_user_error(cat("derivative of @", function.name, ": expected wrt to name ", expected,
                         ", found ", found),
                     function.location);
  };
  if (wrt.empty()) fail("at least 1 argument", "none");
  std::set<std::int64_t> seen;
  for (const std::int64_t k : wrt) {
    if (k < 0 || k >= std::int64_t(types.size()))
      fail(cat("arguments within [0, ", types.size(), ")"), cat(k));
    if (!has_tangent(types[std::size_t(k)]))
      fail("arguments of floats or complex numbers",
           cat("argument ", k, " of type ", to_string(types[std::size_t(k)])));
    if (!seen.insert(k).second) fail("each argument once", cat(k, " twice"));
  }
}

void expect_scalar_result(const Function& function) {
  const auto& types = function.result_types;
  const bool fits = types.size() == 1 && types[0].dims.empty() && is_float(types[0].dtype);
  if (fits) return;
  throw_user_error(
      cat("gradient of @", function.name, ": expected one result, a scalar of floats, ", "found ",
          types.size() == 1 ? to_string(types[0]) : cat(types.size(), " results")),
      function.location);
}

Values arguments_of(const Graph& graph, const std::vector<std::int64_t>& wrt) {
  Values values;
  for (const std::int64_t k : wrt) values.push_back(graph.argument(int(k)));
  return values;
}

// --- The gradient by tangents -------------------------------------------------------------------

/// One gradient: tangents of the result along the elements of an argument, many of them at once where
/// the ops allow it, in a loop where there are more.
class ForwardGradient {
 public:
  ForwardGradient(Graph& graph, const DerivativeContext& c, const Graph& jvp)
      : graph_(graph), c_(c), jvp_(jvp) {}

  Value make(Value x) {
    const Type flat{.dtype = x.type().dtype, .dims = {x.type().count()}};
    const std::int64_t count = flat.dims[0];
    if (count == 0) return c_.zeros(x.type());
    at_once_ = tangents_at_once(jvp_, graph_.argument_count(), count);
    if (at_once_ > 1) stacked_ = stacked_graph(jvp_, graph_.argument_count(), tangent(), at_once_);
    if (stacked_ == nullptr) at_once_ = 1;
    if (at_once_ == count) return c_.reshape(entries(c_, c_.zeros(index_), x), x.type().dims);
    const std::int64_t blocks = (count + at_once_ - 1) / at_once_;
    const auto step = [&](const Maker& body, Value block, std::span<const Value> carries) {
      const DerivativeContext inside(c_.node, body.graph, c_.sweep, c_.path);
      // The last block begins where it still fits.
      const Value begin = inside.multiply(block, inside.splat(index_, double(at_once_))),
                  last = inside.splat(index_, double(count - at_once_)),
                  first = inside.op("stablehlo.minimum", {begin, last});
      return Values{with_slice_along(body, carries[0], 0, first, entries(inside, first, x))};
    };
    const Values sums =
        make_counted_loop(Maker{graph_}, index_.dtype, blocks, {c_.zeros(flat)}, step);
    return c_.reshape(sums[0], x.type().dims);
  }

 private:
  [[nodiscard]] std::size_t tangent() const { return jvp_.results.size() - 1; }

  /// Tangents of the result along the elements of x from `first` on.
  Value entries(const DerivativeContext& c, Value first, Value x) {
    const DType dtype = x.type().dtype;
    if (!is_complex(dtype)) return along(c, first, x, c.splat(Type::scalar(dtype), 1));
    const Type real = Type::scalar(part_dtype(dtype));
    const Value zero = c.splat(real, 0), one = c.splat(real, 1);
    const Value by_real = along(c, first, x, c.op("stablehlo.complex", {one, zero}));
    const Value by_imag = along(c, first, x, c.op("stablehlo.complex", {zero, one}));
    return c.op("stablehlo.complex", {by_real, c.negate(by_imag)});
  }

  Value along(const DerivativeContext& c, Value first, Value x, Value unit) {
    const Dims all{at_once_, x.type().count()};
    const Type indices{.dtype = index_.dtype, .dims = all};
    const Value own = c.op("stablehlo.add", {c.iota(indices, 0), c.broadcast(first, all, I64s{})});
    const Type type{.dtype = x.type().dtype, .dims = all};
    const Value rows = c.select(c.compare("EQ", c.iota(indices, 1), own),
                                c.broadcast(unit, all, I64s{}), c.zeros(type));
    Dims dims = x.type().dims;
    if (stacked_ != nullptr) dims.insert(dims.begin(), at_once_);
    const Value found = pushed(c, c.reshape(rows, dims));
    const DType part = is_complex(type.dtype) ? part_dtype(type.dtype) : type.dtype;
    return c.convert(c.reshape(found, {at_once_}), part);
  }

  Value pushed(const DerivativeContext& c, Value tangents) {
    const Graph& from = stacked_ != nullptr ? *stacked_ : jvp_;
    ValueMap<Value> map;
    for (int k = 0; k < graph_.argument_count(); ++k) map[from.argument(k)] = graph_.argument(k);
    map[from.argument(graph_.argument_count())] = tangents;
    return clone_body(from, c.graph, map).back();
  }

  Graph& graph_;
  const DerivativeContext& c_;
  const Graph& jvp_;
  const Type index_ = Type::scalar(DType::i64);
  std::int64_t at_once_ = 1;
  std::unique_ptr<Graph> stacked_;  ///< null: one at a time
};

std::unique_ptr<Graph> forward_grad_graph(const Module& module, const Function& function,
                                          const GradOptions& options) {
  std::unique_ptr<Graph> graph = flat_body(module, function);
  Start start(function);
  const DerivativeContext c(start.none, *graph, start.outside, start.path);
  Values results;
  if (options.value) results = graph->results;
  for (const std::int64_t k : options.wrt) {
    const auto jvp = jvp_graph(module, function, {k});
    results.push_back(ForwardGradient(*graph, c, *jvp).make(graph->argument(int(k))));
  }
  graph->results = results;
  remove_dead_nodes(*graph);
  return graph;
}

Function& add_function(Module& module, std::string name, std::unique_ptr<Graph> body,
                       const Function& original) {
  if (module.find(name) != nullptr)
    throw_user_error(cat("derivative of @", original.name, ": expected a new name, found @", name,
                         ", which exists"));
  auto function = std::make_unique<Function>();
  function->name = std::move(name);
  function->is_public = false;
  for (const Value& v : body->results) function->result_types.push_back(v.type());
  function->arg_attrs.resize(std::size_t(body->argument_count()));
  for (std::size_t k = 0; k < original.arg_attrs.size() && k < function->arg_attrs.size(); ++k)
    function->arg_attrs[k] = original.arg_attrs[k];
  function->res_attrs.resize(body->results.size());
  function->body = std::move(body);
  function->location = original.location;
  module.functions.push_back(std::move(function));
  return *module.functions.back();
}

const Function& function_of(const Module& module, std::string_view name) {
  const Function* function = module.find(name);
  if (function == nullptr)
    throw_user_error(cat("derivative: expected the name of a function, found @", name),
                     {.file = module.file});
  return *function;
}

}  // namespace

// --- Graphs -------------------------------------------------------------------------------------

std::unique_ptr<Graph> jvp_graph(const Module& module, const Function& function,
                                 const std::vector<std::int64_t>& wrt) {
  expect_wrt(function, wrt);
  const std::unique_ptr<Graph> body = flat_body(module, function);
  auto graph = std::make_unique<Graph>();
  ValueMap<Value> map, tangents;
  for (int k = 0; k < body->argument_count(); ++k)
    map[body->argument(k)] = graph->add_argument(body->argument(k).type(), body->argument_hint(k));
  for (const std::int64_t k : wrt)
    tangents[graph->argument(int(k))] = graph->add_argument(body->argument(int(k)).type());
  Start start(function);
  const ForwardRegion region = forward_region(start.context, "", *body, *graph, map, tangents);
  graph->results = region.results;
  const DerivativeContext c(start.none, *graph, start.outside, start.path);
  for (std::size_t k = 0; k < region.results.size(); ++k)
    if (has_tangent(region.results[k].type()))
      graph->results.push_back(c.or_zeros(region.tangents[k], region.results[k].type()));
  remove_dead_nodes(*graph);
  return graph;
}

std::unique_ptr<Graph> vjp_graph(const Module& module, const Function& function,
                                 const std::vector<std::int64_t>& wrt) {
  expect_wrt(function, wrt);
  std::unique_ptr<Graph> graph = flat_body(module, function);
  unroll_rounds(*graph);
  Start start(function);
  Values cotangents;
  for (const Value& v : graph->results)
    cotangents.push_back(has_tangent(v.type()) ? graph->add_argument(v.type()) : Value{});
  const Values inputs = arguments_of(*graph, wrt), outputs = graph->results;
  const Values found = reverse_region(start.context, "", *graph, outputs, cotangents, inputs);
  const DerivativeContext c(start.none, *graph, start.outside, start.path);
  for (std::size_t k = 0; k < inputs.size(); ++k)
    graph->results.push_back(c.or_zeros(found[k], inputs[k].type()));
  remove_dead_nodes(*graph);
  return graph;
}

std::unique_ptr<Graph> grad_graph(const Module& module, const Function& function,
                                  const GradOptions& options) {
  expect_wrt(function, options.wrt);
  expect_scalar_result(function);
  if (options.forward) return forward_grad_graph(module, function, options);
  std::unique_ptr<Graph> graph = flat_body(module, function);
  unroll_rounds(*graph);
  Start start(function);
  const DerivativeContext c(start.none, *graph, start.outside, start.path);
  const Values inputs = arguments_of(*graph, options.wrt), outputs = graph->results;
  const Values seeds{c.splat(outputs[0].type(), 1)};
  const Values found = reverse_region(start.context, "", *graph, outputs, seeds, inputs);
  if (!options.value) graph->results.clear();
  for (std::size_t k = 0; k < inputs.size(); ++k)
    graph->results.push_back(c.or_zeros(found[k], inputs[k].type()));
  remove_dead_nodes(*graph);
  return graph;
}

// --- Functions ----------------------------------------------------------------------------------

Function& grad(Module& module, std::string_view function, std::string name,
               const GradOptions& options) {
  const Function& f = function_of(module, function);
  return add_function(module, std::move(name), grad_graph(module, f, options), f);
}

Function& jvp(Module& module, std::string_view function, std::string name,
              const std::vector<std::int64_t>& wrt) {
  const Function& f = function_of(module, function);
  return add_function(module, std::move(name), jvp_graph(module, f, wrt), f);
}

Function& vjp(Module& module, std::string_view function, std::string name,
              const std::vector<std::int64_t>& wrt) {
  const Function& f = function_of(module, function);
  return add_function(module, std::move(name), vjp_graph(module, f, wrt), f);
}

Function* stacked(Module& module, std::string_view function, std::string name, int argument,
                  std::size_t result, std::int64_t size) {
  const Function& f = function_of(module, function);
  std::unique_ptr<Graph> body = stacked_graph(*f.body, argument, result, size);
  return body == nullptr ? nullptr : &add_function(module, std::move(name), std::move(body), f);
}

// --- mr.grad ------------------------------------------------------------------------------------

GradOptions grad_options(const Node& node) {
  const Attribute* wrt = node.attrs.find("wrt");
  return {.wrt = wrt != nullptr ? node.attrs.i64s("wrt") : std::vector<std::int64_t>{0},
          .value = node.attrs.flag("value"),
          .forward = node.attrs.text("mode", "reverse") == "forward"};
}

std::unique_ptr<Graph> expanded(const Module& module, const Node& node) {
  return grad_graph(module, callee_of(module, node, "callee"), grad_options(node));
}

namespace {

/// What says how to differentiate; it has to stay until every gradient is expanded.
bool is_form(const Node& node) {
  return node.is("mr.custom_vjp") || node.is("mr.checkpoint") || node.is("mr.stop_gradient");
}

/// Appends the forms that are in no region of another.
void collect_forms(const Graph& graph, std::vector<Node*>& forms) {
  for (Node* node : graph.nodes()) {
    if (is_form(*node)) {
      forms.push_back(node);
      continue;
    }
    for (const auto& region : node->regions()) collect_forms(*region, forms);
  }
}

std::vector<Node*> forms_in(const Graph& graph) {
  std::vector<Node*> forms;
  collect_forms(graph, forms);
  return forms;
}

/// What a form computes itself.
Values computed(const Module& module, Node& node) {
  if (node.is("mr.stop_gradient")) return node.operands();
  const Graph& body =
      node.regions().empty() ? *callee_of(module, node, "callee").body : node.region(0);
  ValueMap<Value> map;
  for (std::size_t k = 0; k < node.operands().size(); ++k)
    map[body.argument(int(k))] = node.operand(k);
  return clone_body(body, *node.graph(), map, &node);
}

void replace(Node& node, const Values& results) {
  Graph& graph = *node.graph();
  ValueMap<Value> map;
  for (std::size_t k = 0; k < results.size(); ++k) map[node.result(int(k))] = results[k];
  graph.replace_uses(map);
  graph.erase(&node);
}

}  // namespace

int expand_derivatives(Module& module) {
  int count = 0;
  for (const auto& function : module.functions) {
    std::vector<Node*> gradients;
    walk(*function->body, [&](Node& node) {
      if (node.is("mr.grad")) gradients.push_back(&node);
    });
    for (Node* node : gradients) replace(*node, *inlined(module, *node));
    count += int(gradients.size());
  }
  return count;
}

void expand_forms(Module& module) {
  for (const auto& function : module.functions) {
    // What stands for a form may hold further ones.
    Graph& body = *function->body;
    for (auto forms = forms_in(body); !forms.empty(); forms = forms_in(body))
      for (Node* node : forms) replace(*node, computed(module, *node));
  }
}

}  // namespace partita::ir
