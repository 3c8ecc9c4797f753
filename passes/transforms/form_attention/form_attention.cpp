// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Finds softmax(f(q k^T)) v where nothing else wants the scores, or only its gradient does, and says each as one
// op, for which there are kernels on GPUs.
#include <algorithm>
#include <functional>

#include "partita/ir/op.hpp"
#include "partita/passes/pass.hpp"
#include "passes/transforms/form_attention/interior.hpp"
#include "passes/transforms/form_attention/row_algebra.hpp"

namespace partita::passes::transforms {
namespace {

using ir::Graph;

/// Elements that regions take, arranged once where they are made: what has one form for all is computed in the
/// kernels rather than stored.
class Arranged {
 public:
  explicit Arranged(Graph& graph) : graph_(graph) {}
  [[nodiscard]] Value of(const Lines& elements) {
    for (const auto& [lines, made] : made_)
      if (lines == elements) return made;
    made_.emplace_back(elements, elements.made(Maker{graph_, after(elements.base)}));
    return made_.back().second;
  }

 private:
  [[nodiscard]] Node* after(const Value& v) const {
    const auto& nodes = graph_.nodes();
    const auto it = std::ranges::find(nodes, v.node);
    if (it == nodes.end()) return nodes.front();
    return *std::next(it);
  }

  Graph& graph_;
  std::vector<std::pair<Lines, Value>> made_;
};

class Attention {
 public:
  Attention(const Softmax& softmax, const GraphUses& uses, Arranged& arranged)
      : softmax_(softmax), uses_(uses), arranged_(arranged), interior_(softmax, uses) {}

  /// Whether all that becomes of the scores is known.
  bool match() {
    if (!interior_.is_closed()) return false;
    cotangents_ = interior_.add_cotangents();
    if (!interior_.is_closed() || (cotangents_ && !take_cotangents())) return false;
    algebra_.emplace(softmax_, cotangents_ ? cotangents_->node->result() : Value{},
                     interior_.values());
    for (const Interior::Use& use : interior_.products())
      if (!take(use)) return false;
    const bool is_whole =
        cotangents_ ? by_queries_ || by_keys_ : weighted_.has_value() && !by_values_;
    return is_whole && is_attention_float(values_->base) && values_->extent(2) > 0 &&
           values_->extent(2) <= most_depth && make_regions() && suits_order();
  }

  /// Puts the ops in the place of the products.
  void replace() {
    Graph& graph = *softmax_.exponentials.node->graph();
    const Maker make{graph, first_product(), softmax_.exponentials.node->location()};
    Node* forward = make_forward(make);
    if (weighted_) put(graph, *weighted_, forward->result());
    if (!cotangents_) return;
    const Maker after{graph, first_gradient(), make.location};
    Node* gradient = make_gradient(after, *forward);
    if (by_queries_) put(graph, *by_queries_, gradient->result(0));
    if (by_keys_) put(graph, *by_keys_, gradient->result(1));
    if (by_values_) put(graph, *by_values_, gradient->result(2));
  }

 private:
  /// A product that takes weights or their gradient, on a side.
  struct Taker {
    Product product;
    std::size_t side;
  };

  /// Their side of the product has cotangents of rows, the other one values.
  bool take_cotangents() {
    const auto side = softmax_.row_side(*cotangents_);
    if (!side) return false;
    cotangent_lines_ = cotangents_->sides[*side].free_lines();
    values_ = cotangents_->sides[1 - *side].free_lines();
    return is_attention_float(cotangent_lines_.base) &&
           is_attention_float(cotangents_->node->result());
  }

  bool take(const Interior::Use& use) {
    const Taker taker{Product(*use.node), use.side};
    const Product::Side& own = taker.product.sides[use.side];
    const bool sums_columns = own.free == softmax_.rows && own.contracting == softmax_.columns;
    const bool sums_rows = own.free == softmax_.columns && own.contracting == softmax_.rows;
    if (own.batch != softmax_.batch || sums_columns == sums_rows ||
        !is_attention_float(use.node->result()))
      return false;
    const Lines other = taker.product.sides[1 - use.side].summed_lines();
    const auto set = [&](std::optional<Taker>& place, bool fits) {
      if (place || !fits) return false;
      place.emplace(taker);
      return true;
    };
    if (algebra_->is_weights(own.value)) {
      if (sums_rows) return set(by_values_, cotangents_ && other == cotangent_lines_);
      if (!values_) values_ = other;
      return set(weighted_, other == *values_);
    }
    if (slopes_ && without_converts(*slopes_) != without_converts(own.value)) return false;
    slopes_ = own.value;
    return sums_columns ? set(by_queries_, other == softmax_.keys)
                        : set(by_keys_, other == softmax_.queries);
  }

  /// Of scalars, from a score to what softmax takes, and from the cotangent of that to a score's.
  bool make_regions() {
    const Value product = softmax_.product->node->result();
    ScalarRegion forward(interior_.values(), elements_), back(interior_.values(), elements_);
    forward.define(product, forward.argument(product.type().dtype));
    const Value score = forward.scalar(softmax_.scores);
    if (!score) return false;
    Value slope;
    if (cotangents_) {
      const Value cotangent = back.argument(DType::f32);
      back.define(product, back.argument(product.type().dtype));
      back.special = [&](const Value& v) {
        return multiple(back.maker(), cotangent, algebra_->gradient_factor(v), v.type().dtype);
      };
      slope = back.scalar(*slopes_);
      if (!slope || !is_attention_float(slope)) return false;
    }
    regions_.push_back(forward.finish(score));
    if (cotangents_) regions_.push_back(back.finish(slope));
    return std::ranges::all_of(elements_,
                               [&](const Value& v) { return proper_dims(v) == softmax_.dims; });
  }
  [[nodiscard]] static Value multiple(const Maker& make, Value v, std::optional<double> factor,
                                      DType dtype) {
    if (!factor) return {};
    if (*factor == 0) return make.splat(Type::scalar(dtype), 0);
    if (*factor != 1) v = make.op("stablehlo.multiply", {v, make.splat(v.type(), *factor)});
    return make.convert(v, dtype);
  }

  /// Whether there are all operands where the first product is that takes what the ops give.
  [[nodiscard]] bool suits_order() const {
    std::vector<Value> operands = elements_;
    for (const Lines* lines : {&softmax_.queries, &softmax_.keys, &*values_})
      operands.push_back(lines->base);
    if (!are_before(operands, first_product())) return false;
    return !cotangents_ || are_before({cotangent_lines_.base}, first_gradient());
  }
  [[nodiscard]] bool are_before(const std::vector<Value>& values, const Node* node) const {
    const Graph& graph = *node->graph();
    return std::ranges::all_of(values, [&](const Value& v) {
      return v.node->graph() != &graph || graph.is_argument(v) ||
             uses_.place(v.node) < uses_.place(node);
    });
  }
  [[nodiscard]] Node* first_of(std::initializer_list<const std::optional<Taker>*> takers) const {
    Node* first = nullptr;
    for (const auto* taker : takers)
      if (*taker && (first == nullptr || uses_.place((*taker)->product.node) < uses_.place(first)))
        first = (*taker)->product.node;
    return first;
  }
  [[nodiscard]] Node* first_gradient() const {
    return first_of({&by_queries_, &by_keys_, &by_values_});
  }
  [[nodiscard]] Node* first_product() const {
    return first_of({&weighted_, &by_queries_, &by_keys_, &by_values_});
  }

  [[nodiscard]] std::vector<Value> with_elements(std::vector<Value> operands) {
    for (const Value& v : elements_)
      operands.push_back(arranged_.of({v, {softmax_.batch, softmax_.rows, softmax_.columns}}));
    return operands;
  }

  [[nodiscard]] Node* make_forward(const Maker& make) {
    lines_ = {softmax_.queries.made(make), softmax_.keys.made(make), values_->made(make)};
    const Type weighted{
        .dtype = weighted_ ? wanted(*weighted_) : DType::f32,
        .dims = {softmax_.queries.extent(0), softmax_.queries.extent(1), values_->extent(2)}};
    std::vector<Type> types{weighted};
    if (cotangents_)
      types.resize(3, {.dtype = DType::f32, .dims = {weighted.dims[0], weighted.dims[1]}});
    std::vector<std::unique_ptr<Graph>> regions;
    regions.push_back(cotangents_ ? clone_graph(*regions_[0]) : std::move(regions_[0]));
    return ir::create(make.graph, "mr.attention", with_elements(lines_), {}, std::move(regions),
                      types, make.before, make.location);
  }

  [[nodiscard]] Node* make_gradient(const Maker& make, Node& forward) {
    const Value cotangents = cotangent_lines_.made(make);
    const auto wide = [&](const Value& v) { return make.convert(v, DType::f32); };
    const Value products =
        make.op("stablehlo.multiply", {wide(cotangents), wide(forward.result())});
    std::vector<Value> operands = lines_;
    for (const Value& v :
         {cotangents, forward.result(1), forward.result(2), make.sum(products, {2})})
      operands.push_back(v);
    std::vector<Type> types;
    const std::array takers{&by_queries_, &by_keys_, &by_values_};
    for (std::size_t k = 0; k < takers.size(); ++k) {
      types.push_back(lines_[k].type());
      if (*takers[k]) types.back().dtype = wanted(**takers[k]);
    }
    return ir::create(make.graph, "mr.attention_gradient", with_elements(std::move(operands)), {},
                      std::move(regions_), types, make.before, make.location);
  }

  /// What a product's result is converted to wherever it is used, transposed or not; else as it is.
  [[nodiscard]] DType wanted(const Taker& taker) const {
    std::set<DType> found;
    const std::function<void(const Value&)> visit = [&](const Value& v) {
      if (uses_.is_returned(v)) found.insert(v.type().dtype);
      for (Node* user : uses_.users(v)) {
        if (user->is("stablehlo.transpose") && v.node == taker.product.node)
          visit(user->result());
        else
          found.insert(user->is("stablehlo.convert") ? user->result_types()[0].dtype
                                                     : v.type().dtype);
      }
    };
    const Value result = taker.product.node->result();
    visit(result);
    return found.size() == 1 && is_small_float(*found.begin()) ? *found.begin()
                                                               : result.type().dtype;
  }

  /// In the place of a product, and of its result transposed: two permutations are often none.
  void put(Graph& graph, const Taker& taker, const Value& v) const {
    Node* node = taker.product.node;
    const Maker make{graph, node, node->location()};
    const auto replace = [&](const Value& old, const Value& now) {
      if (now.type() == old.type()) return graph.replace_uses(old, now);
      for (Node* user : uses_.users(old))
        if (user->is("stablehlo.convert")) graph.replace_uses(user->result(), now);
    };
    for (Node* user : uses_.users(node->result()))
      if (user->is("stablehlo.transpose"))
        replace(user->result(), as_product(make, v, taker.product, taker.side, user));
    replace(node->result(), as_product(make, v, taker.product, taker.side));
  }

  const Softmax& softmax_;
  const GraphUses& uses_;
  Arranged& arranged_;
  Interior interior_;
  std::optional<RowAlgebra> algebra_;
  std::optional<Product> cotangents_;  ///< of the weights
  Lines cotangent_lines_;              ///< of the weighted values
  std::optional<Lines> values_;
  /// Weights by values; their gradient by keys and queries; weights by cotangents.
  std::optional<Taker> weighted_, by_queries_, by_keys_, by_values_;
  std::optional<Value> slopes_;  ///< gradient of the product of queries and keys
  std::vector<Value> elements_;  ///< that the regions take
  std::vector<std::unique_ptr<Graph>> regions_;
  std::vector<Value> lines_;  ///< queries, keys and values as operands
};

/// Whether something was found in the graph.
bool form(Graph& graph) {
  std::vector<Node*> exponentials;
  std::ranges::copy_if(graph.nodes(), std::back_inserter(exponentials),
                       [](const Node* node) { return node->is("stablehlo.exponential"); });
  std::optional<GraphUses> uses;
  Arranged arranged(graph);
  bool changes = false;
  for (Node* node : exponentials) {
    if (!uses) uses.emplace(graph);
    const auto softmax = Softmax::find(*node, *uses);
    if (!softmax || softmax->product->node->graph() != &graph) continue;
    Attention attention(*softmax, *uses, arranged);
    if (!attention.match()) continue;
    attention.replace();
    changes = true;
    uses.reset();
  }
  return changes;
}

void run(ir::Module& module, PassContext& context) {
  const bool always = context.options.contains("always");
  if (context.target.device_class != DeviceClass::simt && !always) return;
  for (const auto& f : module.functions) {
    std::vector<Graph*> graphs{f->body.get()};
    ir::walk(*f->body, [&](Node& node) {
      for (const auto& region : node.regions()) graphs.push_back(region.get());
    });
    bool changes = false;
    for (Graph* graph : graphs) changes |= form(*graph);
    if (changes) ir::remove_dead_nodes(*f->body);
  }
}

}  // namespace

PassInfo pass_form_attention();
PassInfo pass_form_attention() {
  return {.name = "form-attention",
          .doc =
              "Says softmax(f(q k^T)) v, and its gradient, as one op each where nothing else "
              "wants the scores, for GPUs (`always`: for any device).",
          .needs = Stage::parsed,
          .gives = Stage::parsed,
          .idempotent = true,
          .options = {"always"},
          .run = run};
}

}  // namespace partita::passes::transforms
