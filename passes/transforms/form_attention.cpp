// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Finds softmax(f(q k^T)) v where nothing else wants the scores, and says it as one op, for which there is
// a kernel on GPUs.
#include <algorithm>
#include <optional>
#include <set>

#include "ir/core/contraction.hpp"
#include "partita/base/error.hpp"
#include "partita/ir/maker.hpp"
#include "partita/ir/op.hpp"
#include "partita/ir/reduction.hpp"
#include "partita/passes/pass.hpp"

namespace partita::passes::transforms {
namespace {

using ir::ContractionShape;
using ir::Graph;
using ir::I64s;
using ir::Maker;
using ir::Node;
using ir::Value;

/// Most elements of a query, key or value; fewest columns for which a kernel of tiles pays.
constexpr std::int64_t most_depth = 256, fewest_columns = 16;

bool is_splat_of(const Value& v, double number) {
  if (!v.node->is("stablehlo.constant")) return false;
  const auto& dense = **v.node->attrs.find("value")->get_if<ir::DenseRef>();
  return dense == *ir::make_splat(v.type(), number);
}

/// Operand 0 of the only op that could have made `v`, else nothing.
std::optional<Value> operand_of(std::string_view op, const Value& v) {
  if (!v.node->is(op)) return std::nullopt;
  return v.node->operand(0);
}

/// A contraction's dimensions by what they are to attention.
struct Side {
  I64s batch, rows, columns;  ///< of the scores
};

class Attention {
 public:
  /// What computes `values` = softmax(…) v, where it is that.
  static std::optional<Attention> find(Node& values, const ir::ValueMap<int>& uses) {
    if (!values.is("stablehlo.dot_general")) return std::nullopt;
    for (const int side : {0, 1}) {
      Attention a(values, side, uses);
      if (a.match()) return a;
    }
    return std::nullopt;
  }

  /// Puts the op in the place of the contraction.
  void replace(Graph& graph) {
    const Maker make{graph, values_, values_->location()};
    const ContractionShape s = contraction_shape(*scores_), o = contraction_shape(*values_);
    const bool first = side_ == 0, lhs_rows = rows_are_lhs_;
    const Value q =
        arranged(make, scores_->operand(lhs_rows ? 0 : 1),
                 {lhs_rows ? s.lhs_batch : s.rhs_batch, lhs_rows ? s.lhs_free : s.rhs_free,
                  lhs_rows ? s.lhs_contracting : s.rhs_contracting});
    const Value k =
        arranged(make, scores_->operand(lhs_rows ? 1 : 0),
                 {lhs_rows ? s.rhs_batch : s.lhs_batch, lhs_rows ? s.rhs_free : s.lhs_free,
                  lhs_rows ? s.rhs_contracting : s.lhs_contracting});
    const Value v =
        arranged(make, values_->operand(first ? 1 : 0),
                 {first ? o.rhs_batch : o.lhs_batch, first ? o.rhs_contracting : o.lhs_contracting,
                  first ? o.rhs_free : o.lhs_free});
    std::vector<Value> operands{q, k, v};
    std::vector<std::unique_ptr<Graph>> regions;
    regions.push_back(region(operands, make));
    const Type type{.dtype = values_->result_types()[0].dtype,
                    .dims = {q.type().dims[0], q.type().dims[1], v.type().dims[2]}};
    Node* made = ir::create(graph, "mr.attention", operands, {}, std::move(regions), {{type}},
                            values_, values_->location());
    graph.replace_uses(values_->result(), result(make, made->result(), o));
  }

 private:
  Attention(Node& values, int side, const ir::ValueMap<int>& uses)
      : values_(&values), side_(side), uses_(&uses) {}

  [[nodiscard]] bool is_used(const Value& v, int times) const {
    const auto it = uses_->find(v);
    return it != uses_->end() && it->second == times;
  }

  bool match() {
    Value p = values_->operand(std::size_t(side_));
    while (p.node->is("stablehlo.convert") && is_used(p, 1)) p = p.node->operand(0);
    if (!p.node->is("stablehlo.divide") || !is_used(p, 1)) return false;
    const Value e = p.node->operand(0);
    const auto z = row_of(p.node->operand(1), "stablehlo.add", 0);
    if (!z || without_converts(*z) != e || !is_used(e, 2)) return false;
    const auto shifted = operand_of("stablehlo.exponential", e);
    if (!shifted || !shifted->node->is("stablehlo.subtract") || !is_used(*shifted, 1)) return false;
    result_ = shifted->node->operand(0);
    const auto m = row_of(shifted->node->operand(1), "stablehlo.maximum",
                          -std::numeric_limits<double>::infinity());
    if (!m || *m != result_ || !is_used(result_, 2)) return false;
    return find_scores() && has_sides() && suits();
  }

  [[nodiscard]] static Value without_converts(Value v) {
    while (v.node->is("stablehlo.convert")) v = v.node->operand(0);
    return v;
  }

  /// What is reduced along some dimensions from `start` and spread again, by nobody else.
  std::optional<Value> row_of(Value spread, std::string_view op, double start) {
    while (spread.node->is("stablehlo.convert") && is_used(spread, 1))
      spread = spread.node->operand(0);
    if (!spread.node->is("stablehlo.broadcast_in_dim") || !is_used(spread, 1)) return std::nullopt;
    const I64s& at = spread.node->attrs.i64s("broadcast_dimensions");
    Value row = spread.node->operand(0);
    while (row.node->is("stablehlo.convert") && is_used(row, 1)) row = row.node->operand(0);
    // Softmax guards its maximum against rows without elements.
    if (row.node->is("stablehlo.maximum") && is_used(row, 1))
      for (const std::size_t k : {0, 1})
        if (is_splat_of(row.node->operand(k), -std::numeric_limits<double>::infinity())) {
          row = row.node->operand(1 - k);
          break;
        }
    if (!row.node->is("stablehlo.reduce") || row.node->result_count() != 1 || !is_used(row, 1))
      return std::nullopt;
    const auto combiner = ir::simple_combiner(row.node->region(0));
    if (!combiner || cat("stablehlo.", info(*combiner).op) != op ||
        !is_splat_of(row.node->operand(1), start))
      return std::nullopt;
    I64s reduced = row.node->attrs.i64s("dimensions");
    std::ranges::sort(reduced);
    if (columns_.empty()) columns_ = reduced;
    I64s kept;
    for (std::int64_t d = 0; d < spread.type().rank(); ++d)
      if (!std::ranges::binary_search(reduced, d)) kept.push_back(d);
    if (reduced != columns_ || at != kept) return std::nullopt;
    return row.node->operand(0);
  }

  /// The one product that scores are made of, element by element and for nobody else.
  bool find_scores() {
    std::vector<Value> open{result_};
    std::set<Value> seen;
    std::map<Value, int> uses{{result_, 2}};
    const Dims& dims = result_.type().dims;
    while (!open.empty()) {
      const Value v = open.back();
      open.pop_back();
      if (!seen.insert(v).second) continue;
      if (v.node->is("stablehlo.dot_general") && v.type().dims == dims) {
        if (scores_ != nullptr && scores_ != v.node) return false;
        scores_ = v.node;
        continue;
      }
      if (!leads_to_product(v, dims)) {
        extras_.push_back(v);
        continue;
      }
      path_.insert(v.node);
      for (const Value& operand : v.node->operands()) {
        if (operand.type().dims != dims) return false;
        open.push_back(operand);
      }
    }
    if (scores_ == nullptr) return false;
    // Whoever uses a value of the path is of the path, or the softmax.
    for (const Node* node : path_)
      for (const Value& operand : node->operands()) ++uses[operand];
    return std::ranges::all_of(
               path_, [&](Node* node) { return is_used(node->result(), uses[node->result()]); }) &&
           is_used(scores_->result(), uses[scores_->result()]);
  }

  /// Whether a product of these dimensions is among what `v` is made of element by element.
  static bool leads_to_product(const Value& v, const Dims& dims, int depth = 0) {
    if (v.node->is("stablehlo.dot_general")) return v.type().dims == dims;
    if (v.node->op().elements != ir::Elements::elementwise || depth > 12) return false;
    return std::ranges::any_of(
        v.node->operands(), [&](const Value& o) { return leads_to_product(o, dims, depth + 1); });
  }

  /// Rows and columns are those of the scores' sides, in order.
  bool has_sides() {
    const ContractionShape s = contraction_shape(*scores_), o = contraction_shape(*values_);
    const std::int64_t batches = std::int64_t(s.lhs_batch.size()),
                       lhs = std::int64_t(s.lhs_free.size()), rhs = std::int64_t(s.rhs_free.size());
    const auto counting = [](std::int64_t from, std::int64_t count) {
      I64s all;
      for (std::int64_t d = from; d < from + count; ++d) all.push_back(d);
      return all;
    };
    const I64s first = counting(batches, lhs), second = counting(batches + lhs, rhs);
    rows_are_lhs_ = columns_ == second;
    if (!rows_are_lhs_ && columns_ != first) return false;
    rows_ = rows_are_lhs_ ? first : second;
    batch_ = counting(0, batches);
    const bool p_first = side_ == 0;
    return (p_first ? o.lhs_batch : o.rhs_batch) == batch_ &&
           (p_first ? o.lhs_free : o.rhs_free) == rows_ &&
           (p_first ? o.lhs_contracting : o.rhs_contracting) == columns_;
  }

  [[nodiscard]] bool suits() const {
    const ContractionShape s = contraction_shape(*scores_), o = contraction_shape(*values_);
    const std::int64_t columns = rows_are_lhs_ ? s.n : s.m, width = side_ == 0 ? o.n : o.m;
    const auto is_small = [](const Type& t) {
      return t.dtype == DType::f32 || t.dtype == DType::bf16 || t.dtype == DType::f16;
    };
    for (const Node* node : {scores_, values_}) {
      if (!is_small(node->result_types()[0]) || node->result_types()[0].count() == 0) return false;
      for (const Value& v : node->operands())
        if (!is_small(v.type())) return false;
    }
    return is_small(result_.type()) && s.k > 0 && s.k <= most_depth && width <= most_depth &&
           columns >= fewest_columns;
  }

  /// A value with its dimensions in three groups, each as one.
  static Value arranged(const Maker& make, Value v, const std::vector<I64s>& groups) {
    I64s order;
    Dims dims;
    for (const I64s& group : groups) {
      dims.push_back(1);
      for (const std::int64_t d : group) {
        order.push_back(d);
        dims.back() *= v.type().dims[std::size_t(d)];
      }
    }
    return make.reshape(make.transpose(v, order), dims);
  }

  /// The path from scores to what softmax takes, of scalars; adds what else it needs to the operands.
  std::unique_ptr<Graph> region(std::vector<Value>& operands, const Maker& make) {
    auto region = std::make_unique<Graph>();
    const Maker in{*region};
    ir::ValueMap<Value> map;
    map[scores_->result()] = region->add_argument(Type::scalar(scores_->result_types()[0].dtype));
    for (const Value& v : extras_) {
      const Type scalar = Type::scalar(v.type().dtype);
      if (v.node->is("stablehlo.constant")) {
        const auto& dense = **v.node->attrs.find("value")->get_if<ir::DenseRef>();
        if (dense.is_splat()) {
          map[v] = in.constant(std::make_shared<const ir::Dense>(scalar, dense.bytes(), true));
          continue;
        }
      }
      operands.push_back(arranged(make, v, {batch_, rows_, columns_}));
      map[v] = region->add_argument(scalar);
    }
    for (Node* node : values_->graph()->nodes()) {
      if (!path_.contains(node)) continue;
      std::vector<Value> inner;
      for (const Value& operand : node->operands()) inner.push_back(map.at(operand));
      const Type scalar = Type::scalar(node->result_types()[0].dtype);
      map[node->result()] = ir::create(*region, node->name(), std::move(inner), node->attrs, {},
                                       {{scalar}}, nullptr, node->location())
                                ->result();
    }
    region->results = {map.at(result_)};
    return region;
  }

  /// What the op gives, as the contraction gave it.
  [[nodiscard]] Value result(const Maker& make, Value v, const ContractionShape& o) const {
    const Value p = values_->operand(std::size_t(side_)),
                other = values_->operand(std::size_t(1 - side_));
    const I64s& free = side_ == 0 ? o.rhs_free : o.lhs_free;
    Dims dims;
    for (const I64s* group : {&batch_, &rows_})
      for (const std::int64_t d : *group) dims.push_back(p.type().dims[std::size_t(d)]);
    for (const std::int64_t d : free) dims.push_back(other.type().dims[std::size_t(d)]);
    const Value whole = make.reshape(v, dims);
    if (side_ == 0) return whole;
    // The contraction gave columns of values before rows.
    const auto b = std::int64_t(batch_.size()), r = std::int64_t(rows_.size());
    I64s order = batch_;
    for (std::int64_t d = b + r; d < std::int64_t(dims.size()); ++d) order.push_back(d);
    for (std::int64_t d = b; d < b + r; ++d) order.push_back(d);
    return make.transpose(whole, order);
  }

  Node* values_;
  int side_;  ///< which operand of the contraction is the softmax
  const ir::ValueMap<int>* uses_;
  Value result_;  ///< what the softmax takes
  Node* scores_ = nullptr;
  bool rows_are_lhs_ = true;
  I64s batch_, rows_, columns_;
  std::set<Node*> path_;       ///< from the scores to result_
  std::vector<Value> extras_;  ///< what else the path takes
};

void run(ir::Module& module, PassContext& context) {
  const bool always = context.options.contains("always");
  if (context.target.device_class != DeviceClass::simt && !always) return;
  for (const auto& f : module.functions) {
    std::vector<Node*> products;
    ir::walk(*f->body, [&](Node& node) {
      if (node.is("stablehlo.dot_general")) products.push_back(&node);
    });
    const ir::ValueMap<int> uses = ir::count_uses(*f->body);
    bool changes = false;
    for (Node* node : products)
      if (auto attention = Attention::find(*node, uses)) {
        attention->replace(*node->graph());
        ++context.counts["attentions"];
        changes = true;
      }
    if (changes) ir::remove_dead_nodes(*f->body);
  }
}

}  // namespace

PassInfo pass_form_attention();
PassInfo pass_form_attention() {
  return {.name = "form-attention",
          .doc =
              "Says softmax(f(q k^T)) v as one op where nothing else wants the scores, for GPUs "
              "(`always`: for any device).",
          .needs = Stage::parsed,
          .gives = Stage::parsed,
          .idempotent = true,
          .options = {"always"},
          .run = run};
}

}  // namespace partita::passes::transforms
