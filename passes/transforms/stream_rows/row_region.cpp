// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "passes/transforms/stream_rows/row_region.hpp"

#include <algorithm>
#include <iterator>
#include <span>
#include <utility>

#include "partita/base/error.hpp"
#include "partita/ir/op.hpp"
#include "partita/ir/reduction.hpp"

namespace partita::passes {
namespace {

using ir::AxisFlow;
using ir::AxisPosition;
using ir::AxisPositions;
using ir::Elements;
using ir::FactorKind;
using ir::Graph;
using ir::Node;
using ir::Value;

/// What leaves a region has at most one in so many of the product's elements.
constexpr std::int64_t least_gain = 2;

/// Whether making an element again costs little: no sums, no random bits.
bool is_cheap(const Node& node) {
  const Elements e = node.op().elements;
  return node.regions().empty() && (e == Elements::elementwise || e == Elements::generated ||
                                    e == Elements::passed || e == Elements::viewed);
}

class RegionFinder {
 public:
  RegionFinder(Graph& graph, const GraphUses& uses, Node& product, std::int64_t blocks)
      : graph_(graph), uses_(uses), product_(product) {
    region_.blocks = blocks;
    region_.large = std::max<std::int64_t>(product.result_types()[0].count() / 2, 1);
  }

  std::optional<RowRegion> run(const AxisPosition& position) {
    positions_[product_.result()] = position;
    if (!add(product_) || !close()) return std::nullopt;
    take_paths();
    if (!is_consistent()) return std::nullopt;
    find_own();
    if (!find_stages() || !gains()) return std::nullopt;
    return std::move(region_);
  }

 private:
  [[nodiscard]] std::optional<AxisPosition> position(const Value& v) const {
    const auto it = positions_.find(v);
    return it == positions_.end() ? std::nullopt : std::optional(it->second);
  }
  [[nodiscard]] bool is_inside(const Value& v) const { return region_.contains(v.node); }

  /// Takes a node in, if the axis passes it in agreement with what is known of its values.
  bool add(Node& node) {
    if (region_.contains(&node)) return true;
    if (node.op().regions_capture || node.op().has_side_effect) return false;
    AxisPositions operands, results;
    for (const Value& v : node.operands())
      operands.push_back(is_inside(v) ? position(v) : std::nullopt);
    for (int k = 0; k < node.result_count(); ++k) results.push_back(position(node.result(k)));
    AxisFlow flow = ir::flow_axis(node, region_.blocks, operands, results);
    if (!flow.why.empty() || flow.kind == FactorKind::replicated) return false;
    for (std::size_t k = 0; k < operands.size(); ++k)
      if (operands[k] && operands[k] != flow.operands[k]) return false;
    if (flow.kind == FactorKind::reduced && !can_add_up(node, flow)) return false;
    for (int k = 0; k < node.result_count(); ++k) {
      const auto& at = flow.results[std::size_t(k)];
      if (results[std::size_t(k)] && results[std::size_t(k)] != at) return false;
      if (at) positions_[node.result(k)] = *at;
    }
    region_.flows.emplace(&node, std::move(flow));
    added_.push_back(&node);
    return true;
  }

  /// Whether partial results of blocks combine to the result, in the precision that it has.
  bool can_add_up(const Node& node, const AxisFlow& flow) {
    if (!flow.combiner || node.result_count() != 1) return false;
    if (node.is("stablehlo.dot_general")) return true;
    if (!node.is("stablehlo.reduce") || !ir::starts_from_identity(node, *flow.combiner))
      return false;
    if (!info(*flow.combiner).rounds) return true;
    // Small floats are rounded once, and few terms are added in order.
    const AxisPosition& at = *flow.operands[0];
    const bool in_order = region_.blocks * at.inner <= few_terms && at.inner > 1;
    return !is_small_float(node.result_types()[0].dtype) && !in_order;
  }

  /// Whether no node of the graph makes `v`: arguments, and what a loop's body sees of the graph around it.
  [[nodiscard]] bool is_given(const Value& v) const {
    return graph_.is_argument(v) || v.node->graph() != &graph_;
  }

  /// Whether `v` can be made again in every block of what is small.
  [[nodiscard]] bool is_free(const Value& v) {
    if (is_given(v) || !is_cheap(*v.node)) return !region_.is_large(v);
    const auto [it, is_new] = free_.try_emplace(v.node, true);
    if (!is_new) return it->second;
    const bool free =
        std::ranges::all_of(v.node->operands(), [&](const Value& o) { return is_free(o); });
    return free_[v.node] = free;
  }

  /// Users of what is large, and what makes large operands.
  bool close() {
    for (std::size_t next = 0; next < added_.size(); ++next) {
      Node& node = *added_[next];
      for (int k = 0; k < node.result_count(); ++k) {
        const Value v = node.result(k);
        if (!region_.is_large(v) || is_free(v)) continue;
        if (uses_.is_returned(v)) return false;
        for (Node* user : uses_.users(v))
          if (!add(*user)) return false;
      }
      take_operands(node);
    }
    return true;
  }

  /// What makes a large operand is taken in where that can be; otherwise the operand is read in slices.
  void take_operands(const Node& node) {
    const AxisFlow& flow = region_.flows.at(&node);
    for (std::size_t k = 0; k < node.operands().size(); ++k) {
      const Value v = node.operand(k);
      if (!flow.operands[k] || is_inside(v) || is_given(v) || !region_.is_large(v)) continue;
      if (!is_cheap(*v.node) && !v.node->is("stablehlo.dot_general")) continue;
      const auto known = position(v);
      positions_[v] = *flow.operands[k];
      if (!add(*v.node) && !known) positions_.erase(v);
    }
  }

  /// Small nodes by which results of the region come back to it, such as the logarithm of a sum.
  void take_paths() {
    find_own();
    const auto [first, last] = own_span();
    // By place: the region's nodes, and those between its own ones that lead to them.
    std::vector<bool> reaching(uses_.count(), false);
    const auto mark_inputs = [&](std::size_t place) {
      for (const auto& [value, from] : uses_.inputs(place))
        if (from != GraphUses::nowhere) reaching[from] = true;
    };
    for (const auto& [node, flow] : region_.flows) {
      reaching[uses_.place(node)] = true;
      mark_inputs(uses_.place(node));
    }
    for (std::size_t place = last + 1; place-- > first;)
      if (reaching[place]) mark_inputs(place);
    std::vector<Node*> taken;
    for (std::size_t place = first; place <= last; ++place) {
      Node* const node = graph_.nodes()[place];
      if (region_.contains(node) || !reaching[place] || !is_cheap(*node)) continue;
      const bool is_fed = std::ranges::any_of(node->operands(), [&](const Value& v) {
        return is_inside(v) && position(v).has_value();
      });
      if (is_fed && !depends_otherwise(*node) && add(*node)) taken.push_back(node);
    }
    // Those that only lead out again stay outside.
    for (auto it = taken.rbegin(); it != taken.rend(); ++it) {
      bool returns = false;
      for (int k = 0; k < (*it)->result_count(); ++k)
        for (const Node* user : uses_.users((*it)->result(k))) returns |= region_.contains(user);
      if (!returns) region_.flows.erase(*it);
    }
  }

  /// Whether some operand depends on the region by a way around it.
  bool depends_otherwise(const Node& node) {
    if (fed_.empty()) fed_ = dependents();
    return std::ranges::any_of(uses_.inputs(uses_.place(&node)), [&](const auto& input) {
      return input.from != GraphUses::nowhere && fed_[input.from] &&
             (!is_inside(input.value) || !position(input.value));
    });
  }

  /// By place.
  [[nodiscard]] std::vector<bool> dependents() const {
    std::vector<bool> all(uses_.count(), false);
    const auto [first, last] = own_span();
    for (const Node* node : region_.own) all[uses_.place(node)] = true;
    for (std::size_t place = first; place <= last; ++place)
      for (const auto& [value, from] : uses_.inputs(place))
        if (from != GraphUses::nowhere && all[from]) all[place] = true;
    return all;
  }

  /// The places of the first and the last of the region's own nodes.
  [[nodiscard]] std::pair<std::size_t, std::size_t> own_span() const {
    const auto [first, last] =
        std::ranges::minmax(region_.own, {}, [&](const Node* node) { return uses_.place(node); });
    return {uses_.place(first), uses_.place(last)};
  }

  /// Every operand from within has the axis where its node wants it.
  bool is_consistent() {
    sort_region();
    for (const Node* node : region_.nodes) {
      const AxisFlow& flow = region_.flows.at(node);
      for (std::size_t k = 0; k < node->operands().size(); ++k) {
        const Value& v = node->operand(k);
        if (is_inside(v) && position(v) != flow.operands[k]) return false;
      }
    }
    return true;
  }

  bool find_stages() {
    std::vector<int>& stages = region_.stages;
    stages.assign(uses_.count(), -1);
    const auto [first, last] = own_span();
    for (std::size_t place = first; place <= last; ++place) {
      const Node* const node = graph_.nodes()[place];
      int stage = 0;
      const bool inside = region_.own.contains(node);
      bool depends = inside, is_sum_needed = false;
      for (const auto& [v, from] : uses_.inputs(place)) {
        if (from == GraphUses::nowhere || stages[from] < 0) continue;
        depends = true;
        const bool is_sum = is_inside(v) && region_.is_reduced(v.node);
        is_sum_needed |= is_sum && inside;
        stage = std::max(stage, stages[from] + int(is_inside(v) && !inside));
      }
      if (!depends) continue;
      if (is_sum_needed) return false;
      stages[place] = stage;
      if (inside) region_.stage_count = std::max(region_.stage_count, stage + 1);
    }
    return true;
  }

  /// The region's nodes in the graph's order.
  void sort_region() {
    region_.nodes.clear();
    std::ranges::copy_if(added_, std::back_inserter(region_.nodes),
                         [&](const Node* node) { return region_.contains(node); });
    std::ranges::sort(region_.nodes, {}, [&](const Node* node) { return uses_.place(node); });
  }

  void find_own() {
    region_.own.clear();
    sort_region();
    for (const Node* node : region_.nodes)
      if (!is_cheap(*node) || std::ranges::any_of(node->operands(), [&](const Value& v) {
            return region_.own.contains(v.node);
          }))
        region_.own.insert(node);
  }

  /// Whether all that leaves the region is small beside the product.
  bool gains() {
    const std::int64_t most = product_.result_types()[0].count() / least_gain;
    for (Node* node : region_.nodes)
      for (int k = 0; region_.own.contains(node) && k < node->result_count(); ++k) {
        const Value v = node->result(k);
        const bool leaves = region_.is_reduced(node) || uses_.is_returned(v) ||
                            std::ranges::any_of(uses_.users(v), [&](const Node* user) {
                              return !region_.contains(user);
                            });
        if (leaves && v.type().count() > most) return false;
      }
    return true;
  }

  Graph& graph_;
  const GraphUses& uses_;
  Node& product_;
  RowRegion region_;
  ir::ValueMap<AxisPosition> positions_;
  std::vector<Node*> added_;  ///< in the order in which they were taken in
  std::vector<bool> fed_;     ///< by place: what depends on the region; empty: not asked yet
  std::map<const Node*, bool> free_;
};

}  // namespace

std::optional<RowRegion> find_row_region(Graph& graph, const GraphUses& uses, Node& product,
                                         const AxisPosition& position, std::int64_t blocks) {
  return RegionFinder(graph, uses, product, blocks).run(position);
}

}  // namespace partita::passes
