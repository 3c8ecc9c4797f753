// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "partita/ir/partition_blocks.hpp"

#include <optional>
#include <vector>

#include "partita/ir/op.hpp"

namespace partita::ir {
namespace {

/// What may lie as blocks: an argument, a stacked result, a branch's result, a carry (the arguments of a loop's regions), or
/// what a loop gives, which lies as its carry does.
struct Holder {
  std::optional<std::string> placement;  ///< of which loop it is a result, or that slices it
  bool is_stack = false;
  std::optional<int> carry;  ///< of what a loop gives
  bool is_whole = false;
  std::vector<std::string> sliced_by;  ///< placements of the outermost loops that do
  std::vector<int> moves_to;           ///< carries and results of branches that it becomes
  std::vector<int> comes_from;         ///< of those: the holders that become it
};

class Search {
 public:
  explicit Search(const Function& function) : function_(function) {
    find_holders();
    find_uses();
    while (find_placements()) {
    }
    for (Holder& h : holders_) h.is_whole |= !h.placement;
    while (find_whole_ones()) {
    }
  }

  [[nodiscard]] const ValueMap<int>& numbers() const { return numbers_; }
  [[nodiscard]] const Holder& holder(int number) const { return holders_[std::size_t(number)]; }

 private:
  int add(std::initializer_list<Value> values) {
    holders_.emplace_back();
    for (const Value& v : values) numbers_[v] = int(holders_.size()) - 1;
    return int(holders_.size()) - 1;
  }
  /// The holder of a value; null where it has none.
  Holder* find(Value v) {
    const auto it = numbers_.find(v);
    return it == numbers_.end() ? nullptr : &holders_[std::size_t(it->second)];
  }

  void find_holders() {
    for (const Value& v : function_.body->arguments())
      if (!v.type().dims.empty()) add({v});
    walk(*function_.body, [&](Node& node) {
      if (!is_outside_of_partitions(node)) return;
      if (node.is("mr.foreach")) {
        const auto& kinds = node.attrs.find("results")->get_if<List>()->items;
        for (int k = 0; k < node.result_count(); ++k) {
          if (*kinds[std::size_t(k)].get_if<std::string>() != "stack") continue;
          Holder& stack = holders_[std::size_t(add({node.result(k)}))];
          stack.placement = node.attrs.text("placement");
          stack.is_stack = true;
        }
      }
      if (node.is("stablehlo.while"))
        for (int k = 0; k < node.result_count(); ++k) {
          if (node.result(k).type().dims.empty()) continue;
          const int carry = add({node.region(0).argument(k), node.region(1).argument(k)});
          const int given = add({node.result(k)});
          holders_[std::size_t(given)].carry = carry;
        }
      if (is_branching(node))
        for (int k = 0; k < node.result_count(); ++k)
          if (!node.result(k).type().dims.empty()) add({node.result(k)});
    });
  }

  static bool is_branching(const Node& node) {
    return node.is("stablehlo.case") || node.is("stablehlo.if");
  }

  void move(Value from, Value to) {
    Holder* const source = find(from);
    Holder* const target = find(to);
    if (source == nullptr || target == nullptr) return;
    source->moves_to.push_back(numbers_.at(to));
    target->comes_from.push_back(numbers_.at(from));
  }

  void find_uses() {
    const auto use_whole = [&](Value v) {
      if (Holder* h = find(v)) h->is_whole = true;
    };
    walk(*function_.body, [&](Node& node) {
      const bool is_outside = is_outside_of_partitions(node);
      const bool is_loop = is_outside && node.is("mr.foreach");
      const bool carries = is_outside && node.is("stablehlo.while");
      for (std::size_t k = 0; k < node.operands().size(); ++k) {
        const Value v = node.operand(k);
        if (carries)
          move(v, node.region(1).argument(int(k)));
        else if (is_loop && std::int64_t(k) < node.attrs.i64s("operand_segments")[0]) {
          if (Holder* h = find(v)) h->sliced_by.push_back(node.attrs.text("placement"));
        } else if (!node.is("mr.all_gather_start"))
          use_whole(v);
      }
      for (const auto& region : node.regions())
        for (std::size_t k = 0; k < region->results.size(); ++k) {
          if (carries && region.get() == &node.region(1))
            move(region->results[k], node.region(1).argument(int(k)));
          else if (is_outside && is_branching(node))
            move(region->results[k], node.result(int(k)));
          else
            use_whole(region->results[k]);
        }
    });
  }

  /// Whether one more holder has a placement.
  bool find_placements() {
    bool found = false;
    const auto learn = [&](Holder& h, const std::optional<std::string>& from) {
      if (h.placement || !from) return;
      h.placement = from;
      found = true;
    };
    for (Holder& h : holders_) {
      if (h.carry) learn(h, holders_[std::size_t(*h.carry)].placement);
      if (h.carry) learn(holders_[std::size_t(*h.carry)], h.placement);
      if (!h.sliced_by.empty()) learn(h, h.sliced_by[0]);
      for (const int c : h.moves_to) learn(h, holders_[std::size_t(c)].placement);
      for (const int s : h.comes_from) learn(h, holders_[std::size_t(s)].placement);
    }
    return found;
  }

  /// Whether one more holder has to be whole.
  bool find_whole_ones() {
    bool found = false;
    for (Holder& h : holders_) {
      if (h.is_whole) continue;
      for (const std::string& p : h.sliced_by) h.is_whole |= p != *h.placement;
      for (const int c : h.moves_to) {
        const Holder& carry = holders_[std::size_t(c)];
        h.is_whole |= carry.is_whole || carry.placement != h.placement;
      }
      found |= h.is_whole;
    }
    return found;
  }

  const Function& function_;
  std::vector<Holder> holders_;
  ValueMap<int> numbers_;
};

}  // namespace

bool is_outside_of_partitions(const Node& node) {
  for (const Graph* g = node.graph(); g != nullptr && g->owner() != nullptr;
       g = g->owner()->graph())
    if (g->owner()->is("mr.foreach")) return false;
  return true;
}

PartitionBlocks::PartitionBlocks(const Function& function) {
  const Search search(function);
  for (const auto& [value, number] : search.numbers()) {
    const Holder& holder = search.holder(number);
    const bool is_made_in_blocks =
        holder.is_stack || (holder.carry && !search.holder(*holder.carry).is_whole);
    if (is_made_in_blocks && holder.is_whole) gathered_.insert(value);
    if (holder.carry ? is_made_in_blocks : holder.is_stack || !holder.is_whole)
      placements_[value] = *holder.placement;
  }
}

const std::string* PartitionBlocks::placement(Value v) const {
  const auto it = placements_.find(v);
  return it == placements_.end() ? nullptr : &it->second;
}

}  // namespace partita::ir
