// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "partita/ir/partial_values.hpp"

#include <algorithm>
#include <ranges>

#include "ir/axes/dim_edit.hpp"
#include "partita/ir/maker.hpp"
#include "partita/ir/manual_computation.hpp"
#include "partita/ir/op.hpp"
#include "partita/ir/reduction.hpp"

namespace partita::ir {

namespace {

/// How many terms a value has; 1 where it is reduced.
std::int64_t terms_of(const Module& module, const Sharding& sharding) {
  const std::optional<Mesh> mesh = find_mesh(module, sharding);
  std::int64_t terms = 1;
  for (const AxisRef& ref : sharding.unreduced) {
    const auto axis = mesh ? mesh->find(ref.name) : std::nullopt;
    if (axis) terms *= ref.size != 0 ? ref.size : mesh->axes[*axis].size;
  }
  return terms;
}

/// Of the array of terms: the unreduced axes cut its first dimension.
Sharding of_terms(const Sharding& sharding) {
  Sharding terms = sharding;
  terms.dims.insert(terms.dims.begin(),
                    DimSharding{.axes = std::exchange(terms.unreduced, {}), .priority = {}});
  return terms;
}

/// `v` as the only one along a new first dimension.
Value as_one(const Maker& make, Value v) {
  return make.reshape(v, with_dim_inserted(v.type(), 0, 1).dims);
}

/// Of terms that are a value and zeros, for want of others.
constexpr const char* made_terms = "mr.made_terms";

/// The terms of which `v` was made a sum; nothing where it was not.
std::optional<Value> known_terms(Value v, std::int64_t count) {
  const Node* const made = v.node;
  const bool is_sum = made->is("stablehlo.reduce") && made->result_count() == 1 &&
                      simple_combiner(made->region(0)) == Combiner::sum &&
                      starts_from_identity(*made, Combiner::sum) &&
                      made->attrs.i64s("dimensions") == I64s{0};
  if (!is_sum || made->operand(0).type().dims.front() != count) return std::nullopt;
  return made->operand(0);
}

bool is_constraint(const Node& node) {
  return node.is("sdy.sharding_constraint") || node.is("sdy.reshard");
}

/// The value that constraints which ask for terms are about.
Value without_unreduced(Value v) {
  while (is_constraint(*v.node)) {
    const Sharding* const said = sharding_in(v.node->attrs.find("sharding"));
    if (said == nullptr || said->unreduced.empty()) break;
    v = v.node->operand(0);
  }
  return v;
}

/// Makes terms of values, one for each of the devices along some axes.
class Terms {
 public:
  /// `arguments`: what is said of those of the function; empty where it is not known.
  Terms(Maker make, const std::vector<AxisRef>& axes, std::int64_t count,
        ValueMap<const Sharding*> arguments = {})
      : make_(make), axes_(axes), count_(count), arguments_(std::move(arguments)) {}

  /// Terms whose sum is `v`: those it was made of, those of a product or sum along a dimension that the axes cut, or the
  /// pieces of a value that they cut, zeros elsewhere; else itself and zeros.
  [[nodiscard]] Value of(Value v) const {
    const Value whole = without_unreduced(v);
    if (const auto terms = known_terms(whole, count_)) return *terms;
    if (const auto terms = of_product(*whole.node)) return *terms;
    if (const auto terms = of_sum(*whole.node)) return *terms;
    if (const auto dim = cut_dim(whole)) return pieces(whole, *dim);
    return first_alone(v);
  }

 private:
  /// The dimension that just these axes are said to cut, evenly.
  [[nodiscard]] std::optional<std::size_t> cut_dim(Value v) const {
    const Sharding* said = nullptr;
    if (is_constraint(*v.node)) said = sharding_in(v.node->attrs.find("sharding"));
    if (const auto found = arguments_.find(v); found != arguments_.end()) said = found->second;
    if (said == nullptr) return std::nullopt;
    for (std::size_t d = 0; d < said->dims.size(); ++d)
      if (said->dims[d].axes == axes_ && v.type().dims[d] % count_ == 0) return d;
    return std::nullopt;
  }

  /// Dimension d as [count, rest].
  [[nodiscard]] Value split(Value v, std::int64_t d) const {
    Dims dims = v.type().dims;
    dims[std::size_t(d)] /= count_;
    dims.insert(dims.begin() + d, count_);
    return make_.reshape(v, dims);
  }

  /// The parts of the contraction are a batch of products.
  [[nodiscard]] std::optional<Value> of_product(const Node& dot) const {
    if (!dot.is("stablehlo.dot_general")) return std::nullopt;
    const I64s& lhs = dot.attrs.i64s_or_empty("lhs_contracting_dimensions");
    const I64s& rhs = dot.attrs.i64s_or_empty("rhs_contracting_dimensions");
    for (std::size_t j = 0; j < lhs.size(); ++j) {
      const auto is_cut = [&](std::size_t operand, std::int64_t d) {
        const auto cut = cut_dim(dot.operand(operand));
        return cut && std::int64_t(*cut) == d;
      };
      if (!is_cut(0, lhs[j]) && !is_cut(1, rhs[j])) continue;
      Dict attrs = dot.attrs;
      const auto renumber = [&](const char* side, std::int64_t at) {
        const std::string batch = cat(side, "_batching_dimensions"),
                          contracting = cat(side, "_contracting_dimensions");
        I64s batching = attrs.i64s_or_empty(batch), contracted = attrs.i64s_or_empty(contracting);
        for (I64s* list : {&batching, &contracted})
          for (std::int64_t& d : *list) d += d >= at ? 1 : 0;  // the rest of `at` too
        batching.insert(batching.begin(), at);
        attrs.set(batch, batching);
        attrs.set(contracting, contracted);
      };
      renumber("lhs", lhs[j]);
      renumber("rhs", rhs[j]);
      return make_.typed("stablehlo.dot_general",
                         {split(dot.operand(0), lhs[j]), split(dot.operand(1), rhs[j])},
                         with_dim_inserted(dot.result_types()[0], 0, count_), attrs);
    }
    return std::nullopt;
  }

  [[nodiscard]] std::optional<Value> of_sum(const Node& sum) const {
    if (!sum.is("stablehlo.reduce") || sum.result_count() != 1 ||
        simple_combiner(sum.region(0)) != Combiner::sum ||
        !starts_from_identity(sum, Combiner::sum))
      return std::nullopt;
    const auto cut = cut_dim(sum.operand(0));
    I64s dimensions = sum.attrs.i64s("dimensions");
    if (!cut || std::ranges::find(dimensions, std::int64_t(*cut)) == dimensions.end())
      return std::nullopt;
    const Value parts = split(sum.operand(0), std::int64_t(*cut));
    const I64s order = moved_dim(parts.type().rank(), std::int64_t(*cut), 0);
    for (std::int64_t& d : dimensions) ++d;  // one in front; those behind the cut move with it
    return make_.sum(make_.transpose(parts, order), dimensions);
  }

  [[nodiscard]] Value pieces(Value v, std::size_t dim) const {
    const Type type = with_dim_inserted(v.type(), 0, count_);
    const Type places{.dtype = DType::i64, .dims = type.dims};
    const std::int64_t extent = v.type().dims[dim] / count_;
    const Value part = make_.op("stablehlo.divide", {make_.iota(places, std::int64_t(dim) + 1),
                                                     make_.splat(places, double(extent))});
    return make_.op(
        "stablehlo.select",
        {make_.compare("EQ", part, make_.iota(places, 0)),
         make_.broadcast(v, type.dims, counting(v.type().rank(), 1)), make_.splat(type, 0)});
  }

  [[nodiscard]] Value first_alone(Value v) const {
    const auto rank = std::size_t(v.type().rank() + 1);
    const I64s none(rank, 0);
    I64s after = none;
    after[0] = count_ - 1;
    return make_.op("stablehlo.pad",
                    {as_one(make_, v), make_.splat(Type::scalar(v.type().dtype), 0)},
                    {{"edge_padding_low", none},
                     {"edge_padding_high", after},
                     {"interior_padding", none},
                     {made_terms, 1}});
  }

  Maker make_;
  std::vector<AxisRef> axes_;
  std::int64_t count_;
  ValueMap<const Sharding*> arguments_;
};

/// Where terms were made of a value that has become a sum of others, these are taken.
void use_known_terms(Graph& graph) {
  ValueMap<Value> known;
  walk(graph, [&](Node& node) {
    if (!node.attrs.contains(made_terms)) return;
    const Value whole = node.operand(0).node->operand(0);  // of a reshape
    if (const auto terms = known_terms(whole, node.result_types()[0].dims.front()))
      known[node.result()] = *terms;
  });
  graph.replace_uses(known);
}

/// Puts the bodies of functions whose results are partial in the place of their calls, where their terms can be seen.
void open_calls(const Module& module, Function& f, const std::vector<std::size_t>& partial) {
  for (const std::size_t k : partial) {
    while (true) {
      Node& call = *without_unreduced(f.body->results[k]).node;
      const Attribute* const callee = call.is("func.call") && call.graph() == f.body.get()
                                          ? call.attrs.find("callee")
                                          : nullptr;
      const Function* const called =
          callee == nullptr ? nullptr : module.find(callee->get_if<SymbolRef>()->name);
      if (called == nullptr || called == &f) break;
      ValueMap<Value> map, replaced;
      for (int a = 0; a < called->body->argument_count(); ++a)
        map[called->body->argument(a)] = call.operand(std::size_t(a));
      const std::vector<Value> results = clone_body(*called->body, *f.body, map, &call);
      for (std::size_t r = 0; r < results.size(); ++r) replaced[call.result(int(r))] = results[r];
      f.body->replace_uses(replaced);
      f.body->erase(&call);
    }
  }
}

bool any_partial(const Module& module, const std::vector<Sharding>& shardings) {
  return std::ranges::any_of(shardings, [&](const Sharding& s) { return terms_of(module, s) > 1; });
}

/// Those of a computation for devices, without what they say of axes that are not manual.
std::vector<Sharding> shardings_of(const Node& node, std::string_view name,
                                   const std::vector<std::string>& manual) {
  std::vector<Sharding> all = shardings_in(node.attrs.find(name));
  for (Sharding& s : all)
    std::erase_if(s.unreduced, [&](const AxisRef& ref) {
      return std::ranges::find(manual, ref.name) == manual.end();
    });
  return all;
}

/// Puts what replaces the results before the node; nothing where it has no partial values.
std::optional<ValueMap<Value>> split(const Module& module, Node& node) {
  const auto manual = read_manual_computation(node.attrs, &module);
  if (!manual) return std::nullopt;
  std::vector<Sharding> in = shardings_of(node, "in_shardings", manual->axes),
                        out = shardings_of(node, "out_shardings", manual->axes);
  if (!any_partial(module, in) && !any_partial(module, out)) return std::nullopt;
  const Graph& old = node.region(0);
  const Maker make{*node.graph(), &node, node.location()};
  auto region = std::make_unique<Graph>();
  ValueMap<Value> map;
  std::vector<Value> operands, arguments;
  for (std::size_t k = 0; k < in.size(); ++k) {
    const Value argument = old.argument(int(k));
    const std::int64_t terms = terms_of(module, in[k]);
    operands.push_back(terms > 1 ? Terms(make, in[k].unreduced, terms).of(node.operand(k))
                                 : node.operand(k));
    arguments.push_back(region->add_argument(terms > 1 ? with_dim_inserted(argument.type(), 0, 1)
                                                       : argument.type()));
  }
  const Maker inside{*region, nullptr, node.location()};
  for (std::size_t k = 0; k < in.size(); ++k) {
    const Value argument = old.argument(int(k));
    map[argument] = inside.reshape(arguments[k], argument.type().dims);
    if (terms_of(module, in[k]) > 1) in[k] = of_terms(in[k]);
  }
  region->results = clone_body(old, *region, map);
  std::vector<Type> types = node.result_types();
  std::vector<bool> is_partial(out.size());
  for (std::size_t k = 0; k < out.size(); ++k) {
    const std::int64_t terms = terms_of(module, out[k]);
    if (terms <= 1) continue;
    is_partial[k] = true;
    Value& result = region->results[k];
    result = as_one(inside, result);
    types[k] = with_dim_inserted(types[k], 0, terms);
    out[k] = of_terms(out[k]);
  }
  Dict attrs = node.attrs;
  attrs.set("in_shardings", to_attribute(std::move(in)));
  attrs.set("out_shardings", to_attribute(std::move(out)));
  std::vector<std::unique_ptr<Graph>> regions;
  regions.push_back(std::move(region));
  Node* const split = node.graph()->add_node(node.op(), std::move(operands), std::move(attrs),
                                             std::move(types), std::move(regions), &node);
  split->set_location(node.location());
  ValueMap<Value> replaced;
  for (std::size_t k = 0; k < is_partial.size(); ++k)
    replaced[node.result(int(k))] =
        is_partial[k] ? make.sum(split->result(int(k)), {0}) : split->result(int(k));
  return replaced;
}

const Sharding* sharding_of_port(const Dict& attributes) {
  return sharding_in(attributes.find("sdy.sharding"));
}

}  // namespace

void split_partial_values(Module& module) {
  for (const auto& f : module.functions) {
    std::vector<Node*> manual;
    walk(*f->body, [&](Node& node) {
      if (node.is("sdy.manual_computation")) manual.push_back(&node);
    });
    bool has_split = false;
    for (Node* const node : manual | std::views::reverse) {  // inner ones first
      const std::optional<ValueMap<Value>> replaced = split(module, *node);
      if (!replaced) continue;
      has_split = true;
      f->body->replace_uses(*replaced);
      node->graph()->erase(node);
    }
    if (!has_split) continue;
    use_known_terms(*f->body);
    remove_dead_nodes(*f->body);
  }
}

bool is_partial_port(const Module& module, const Dict& attributes) {
  const Sharding* const sharding = sharding_of_port(attributes);
  return sharding != nullptr && terms_of(module, *sharding) > 1;
}

void split_partial_ports(const Module& module, Function& f) {
  const auto is_partial = [&](const Dict& attributes) {
    return is_partial_port(module, attributes);
  };
  if (std::ranges::none_of(f.arg_attrs, is_partial) &&
      std::ranges::none_of(f.res_attrs, is_partial))
    return;
  std::vector<std::size_t> partial_results;
  for (std::size_t k = 0; k < f.res_attrs.size(); ++k)
    if (is_partial(f.res_attrs[k])) partial_results.push_back(k);
  open_calls(module, f, partial_results);
  auto body = std::make_unique<Graph>();
  const Maker make{*body, nullptr, f.location};
  const auto split_attribute = [&](Dict& attributes) {
    attributes.set("sdy.sharding", to_attribute(of_terms(*sharding_of_port(attributes))));
  };
  std::vector<Value> arguments;
  for (int k = 0; k < f.body->argument_count(); ++k) {
    const Type& type = f.body->argument(k).type();
    const Dict& attributes = f.arg_attrs[std::size_t(k)];
    arguments.push_back(
        is_partial(attributes)
            ? body->add_argument(
                  with_dim_inserted(type, 0, terms_of(module, *sharding_of_port(attributes))),
                  f.body->argument_hint(k))
            : body->add_argument(type, f.body->argument_hint(k)));
  }
  ValueMap<Value> map;
  ValueMap<const Sharding*> said;
  for (std::size_t k = 0; k < arguments.size(); ++k) {
    const bool is_split = is_partial(f.arg_attrs[k]);
    map[f.body->argument(int(k))] = is_split ? make.sum(arguments[k], {0}) : arguments[k];
    if (is_split) split_attribute(f.arg_attrs[k]);
    if (const Sharding* const sharding = sharding_of_port(f.arg_attrs[k]))
      said[arguments[k]] = sharding;
  }
  body->results = clone_body(*f.body, *body, map);
  use_known_terms(*body);
  for (const std::size_t k : partial_results) {
    const Sharding& sharding = *sharding_of_port(f.res_attrs[k]);
    Value& result = body->results[k];
    result = Terms(make, sharding.unreduced, terms_of(module, sharding), said).of(result);
    f.result_types[k] = result.type();
    split_attribute(f.res_attrs[k]);
  }
  f.body = std::move(body);
  remove_dead_nodes(*f.body);
}

}  // namespace partita::ir
