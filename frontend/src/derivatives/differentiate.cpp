// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "partita/ir/differentiate.hpp"

#include <algorithm>
#include <set>

#include "frontend/src/derivatives/unroll.hpp"
#include "partita/base/error.hpp"
#include "partita/ir/derivative.hpp"
#include "partita/ir/elementwise.hpp"
#include "partita/ir/op.hpp"

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

/// One gradient: a loop over its elements, each the tangent of the result along one of them.
class ForwardGradient {
 public:
  ForwardGradient(Graph& graph, const DerivativeContext& c, const Graph& jvp)
      : graph_(graph), c_(c), jvp_(jvp) {}

  Value make(Value x) {
    const Type flat{.dtype = x.type().dtype, .dims = {x.type().count()}};
    if (flat.dims[0] == 0) return c_.zeros(x.type());
    if (flat.dims[0] == 1) return c_.reshape(entry(c_, Value{}, x), x.type().dims);
    const Type counter = Type::scalar(DType::i64);
    auto condition = std::make_unique<Graph>(), body = std::make_unique<Graph>();
    const Value i = condition->add_argument(counter);
    condition->add_argument(flat);
    const DerivativeContext test(c_.node, *condition, c_.sweep, c_.path);
    condition->results = {test.compare("LT", i, test.splat(counter, double(flat.dims[0])))};
    const Value at = body->add_argument(counter), sums = body->add_argument(flat);
    const DerivativeContext inside(c_.node, *body, c_.sweep, c_.path);
    const Value element = inside.reshape(entry(inside, at, x), {1});
    const Value next = inside.op("stablehlo.add", {at, inside.splat(counter, 1)});
    body->results = {next, inside.op("stablehlo.dynamic_update_slice", {sums, element, at})};
    std::vector<std::unique_ptr<Graph>> regions;
    regions.push_back(std::move(condition));
    regions.push_back(std::move(body));
    Node* loop = create(graph_, "stablehlo.while", {c_.zeros(counter), c_.zeros(flat)}, {},
                        std::move(regions));
    return c_.reshape(loop->result(1), x.type().dims);
  }

 private:
  /// The tangent of the result along element `at` of x; absent: along its only one.
  Value entry(const DerivativeContext& c, Value at, Value x) {
    const auto along = [&](const char* part) {
      Value unit = c.splat(x.type(), 1);
      if (is_complex(x.type().dtype)) {
        const Type real{.dtype = part_dtype(x.type().dtype), .dims = x.type().dims};
        const bool is_real = std::string_view(part) == "real";
        unit = c.op("stablehlo.complex",
                    {c.splat(real, is_real ? 1 : 0), c.splat(real, is_real ? 0 : 1)});
      }
      if (!at) return derivative(c, x, unit);
      const Type index{.dtype = DType::i64, .dims = {x.type().count()}};
      const Value hit = c.compare("EQ", c.iota(index, 0), c.broadcast(at, index.dims, I64s{}));
      return derivative(c, x, c.select(c.reshape(hit, x.type().dims), unit, c.zeros(x.type())));
    };
    if (!is_complex(x.type().dtype)) return along("real");
    const DType part = part_dtype(x.type().dtype);
    return c.op("stablehlo.complex",
                {c.convert(along("real"), part), c.negate(c.convert(along("imag"), part))});
  }

  Value derivative(const DerivativeContext& c, Value x, Value tangent) {
    ValueMap<Value> map;
    for (int k = 0; k < graph_.argument_count(); ++k) map[jvp_.argument(k)] = graph_.argument(k);
    map[jvp_.argument(graph_.argument_count())] = tangent;
    const Values results = clone_body(jvp_, c.graph, map);
    return c.convert(results.back(), x.type().dtype == DType::c64 || x.type().dtype == DType::c128
                                         ? part_dtype(x.type().dtype)
                                         : x.type().dtype);
  }

  Graph& graph_;
  const DerivativeContext& c_;
  const Graph& jvp_;
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
