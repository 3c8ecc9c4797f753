// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Verifies a whole module: every node again as when it was made, order of definition and use,
// isolation of regions, results of functions.
#include "ir/core/verify.hpp"

#include <algorithm>
#include <set>
#include <unordered_set>

#include "ir/core/attribute_check.hpp"
#include "partita/ir/op.hpp"
#include "partita/ir/sharding.hpp"

namespace partita::ir {

namespace {

class Verifier {
 public:
  explicit Verifier(const Module& module) : module_(module) {}

  void run() {
    check_module_level();
    for (const auto& function : module_.functions) check_function(*function);
    for (const auto& function : module_.functions) check_calls(*function);
  }

  void run(const Function& function) {
    check_function(function);
    check_calls(function);
  }

  void check_module_level() {
    check_placements();
    std::set<std::string_view> names;
    for (const auto& function : module_.functions)
      if (!names.insert(function->name).second)
        throw_user_error(cat("func.func: expected one function @", function->name, ", found two"),
                         function->location);
  }

 private:
  void check_placements() {
    const Attribute* placements = module_.attrs.find("mr.placements");
    if (placements == nullptr) return;
    const auto fail = [&](const std::string& expected, const Attribute& found) {
      const auto* number = found.get_if<Integer>();
      throw_user_error(
          cat("module: mr.placements: expected ", expected, ", found ",
              number != nullptr ? cat(number->value) : std::string("an attribute of another kind")),
          {.file = module_.file});
    };
    const auto* sizes = placements->get_if<Dict>();
    if (sizes == nullptr) return fail("sizes by name such as {clients = 8}", *placements);
    for (const NamedAttribute& entry : sizes->items()) {
      const auto* size = entry.value.get_if<Integer>();
      if (size == nullptr || size->value < 1)
        fail(cat("a size of '", entry.name, "' of at least 1"), entry.value);
    }
  }

  /// Calls `check` and says of what it complains.
  template <class Check>
  static void located(const std::string& what, const SourceLocation& where, const Check& check) {
    try {
      check();
    } catch (const Error& error) {
      throw_user_error(cat(what, ": ", error.what()), where);
    }
  }

  /// All shardings that attributes hold are on meshes that there are, by their axes.
  void check_meshes_of(const Dict& attrs) {
    const auto check = [&](const Sharding& sharding) {
      check_sharding(sharding, std::ssize(sharding.dims), &module_);
    };
    for (const NamedAttribute& attribute : attrs.items()) {
      if (const Sharding* one = sharding_in(&attribute.value)) check(*one);
      for (const Sharding& one : shardings_in(&attribute.value)) check(one);
    }
  }

  void check_ports(const Function& function, const char* kind, const std::vector<Dict>& attrs,
                   const std::vector<Type>& types) {
    for (std::size_t k = 0; k < attrs.size() && k < types.size(); ++k)
      located(cat("func.func: @", function.name, ": ", kind, " ", k), function.location, [&] {
        check_meshes_of(attrs[k]);
        const Sharding* sharding = sharding_in(attrs[k].find("sdy.sharding"));
        if (sharding && !types[k].is_token) check_sharding(*sharding, types[k].rank(), &module_);
      });
  }

  void check_function(const Function& function) {
    check_ports(function, "argument", function.arg_attrs, function.argument_types());
    check_ports(function, "result", function.res_attrs, function.result_types);
    check_graph(*function.body, true);
    const auto& results = function.body->results;
    const auto fail = [&](const std::string& expected, const std::string& found) {
      throw_user_error(
          cat("func.func: @", function.name, ": expected ", expected, ", found ", found),
          function.location);
    };
    if (results.size() != function.result_types.size())
      fail(cat(function.result_types.size(), " results"), cat(results.size()));
    for (std::size_t k = 0; k < results.size(); ++k)
      if (results[k].type() != function.result_types[k])
        fail(cat("result ", k, " of type ", to_string(function.result_types[k])),
             to_string(results[k].type()));
  }

  // A program that calls itself has no end that is known at compile time.
  void check_calls(const Function& function) {
    if (calls_checked_.contains(&function)) return;
    if (!calls_open_.insert(&function).second || calls_open_.size() > max_calls)
      throw_user_error(
          cat("func.func: @", function.name, ": expected calls without recursion, at most ",
              max_calls, " deep, found others"),
          function.location);
    std::set<std::string> callees;
    walk(*function.body, [&](const Node& node) {
      for (const NamedAttribute& attribute : node.attrs.items())
        if (const auto* symbol = attribute.value.get_if<SymbolRef>()) callees.insert(symbol->name);
    });
    for (const std::string& name : callees)
      if (const Function* callee = module_.find(name)) check_calls(*callee);
    calls_open_.erase(&function);
    calls_checked_.insert(&function);
  }

  // Graphs from `first_visible_` on in `open_` are those whose values may be used.
  void check_graph(const Graph& graph, bool isolated) {
    const std::size_t outer_visible = first_visible_;
    if (isolated) first_visible_ = open_.size();
    open_.push_back(&graph);
    for (const Node* node : graph.nodes()) {
      check_node(*node, graph);
      defined_.insert(node);
    }
    for (const Value& v : graph.results) check_use(v, graph.owner(), "a result of the region");
    open_.pop_back();
    first_visible_ = outer_visible;
  }

  void check_node(const Node& node, const Graph& graph) {
    PARTITA_ASSERT(node.graph() == &graph);
    for (std::size_t k = 0; k < node.operands().size(); ++k)
      check_use(node.operand(k), &node, cat("operand ", k));
    for (const auto& region : node.regions()) {
      PARTITA_ASSERT(region->owner() == &node);
      check_graph(*region, !node.op().regions_capture);
    }
    Dict attrs = node.attrs;
    normalize_attributes(node.op(), attrs, node.location());
    check_types(node, attrs);
    located(std::string(node.name()), node.location(), [&] { check_meshes_of(attrs); });
  }

  void check_types(const Node& node, const Dict& attrs) {
    std::vector<Type> operands;
    for (const Value& v : node.operands()) operands.push_back(v.type());
    const InferContext context{.op = node.op().name,
                               .operands = operands,
                               .attrs = attrs,
                               .regions = node.regions(),
                               .location = node.location(),
                               .module = &module_,
                               .declared_results = node.result_types()};
    const std::vector<Type> types = node.op().infer(context);
    if (types.size() != node.result_types().size())
      context.fail(cat(types.size(), " results"), cat(node.result_types().size()));
    for (std::size_t k = 0; k < types.size(); ++k)
      if (types[k] != node.result_types()[k])
        context.fail(cat("result ", k, " of type ", to_string(types[k])),
                     to_string(node.result_types()[k]));
  }

  void check_use(const Value& value, const Node* user, const std::string& what) {
    const auto fail = [&](const char* reason) {
      const std::string op = user ? std::string(user->name()) : "func.return";
      throw_user_error(cat(op, ": expected ", what, " to be a value ", reason),
                       user ? user->location() : SourceLocation{.file = module_.file});
    };
    PARTITA_ASSERT(value.node && value.index >= 0 && value.index < value.node->result_count());
    const Graph* home = value.node->graph();
    const auto at = std::find(open_.begin(), open_.end(), home);
    if (at == open_.end()) fail("that is visible here, found one of another region");
    if (std::size_t(at - open_.begin()) < first_visible_)
      fail("of an isolated region, found one from outside of it");
    if (!home->is_argument(value) && !defined_.contains(value.node))
      fail("that is defined before, found one defined later");
  }

  static constexpr std::size_t max_calls = 200;

  const Module& module_;
  std::unordered_set<const Function*> calls_open_, calls_checked_;
  std::vector<const Graph*> open_;
  std::size_t first_visible_ = 0;
  std::unordered_set<const Node*> defined_;
};

}  // namespace

void verify(const Module& module) { Verifier(module).run(); }
void verify_module_level(const Module& module) { Verifier(module).check_module_level(); }
void verify_function(const Module& module, const Function& function) {
  Verifier(module).run(function);
}

}  // namespace partita::ir
