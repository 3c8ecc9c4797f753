// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "lowering/values/epilogues.hpp"

#include <algorithm>
#include <set>

#include "ir/interpreter/constants.hpp"
#include "partita/ir/maker.hpp"
#include "partita/ir/op.hpp"
#include "partita/scalar/elementwise.hpp"

namespace partita::lowering {

namespace {

using ir::Graph;
using ir::KernelShape;
using ir::Node;
using ir::Value;

/// The only user of each value that has one, with the operand's number; null: used otherwise too.
using OnlyUsers = ir::ValueMap<Node*>;

void count_uses(const Graph& graph, OnlyUsers& users) {
  const auto use = [&](Value v, Node* user) {
    const auto [it, is_first] = users.emplace(v, user);
    if (!is_first && it->second != user) it->second = nullptr;
  };
  for (Node* node : graph.nodes()) {
    for (const Value& v : node->operands()) use(v, node);
    for (const auto& region : node->regions()) count_uses(*region, users);
  }
  for (const Value& v : graph.results) {
    use(v, nullptr);
    users[v] = nullptr;
  }
}

bool is_view(const Node& node) {
  return node.is("stablehlo.transpose") || node.is("stablehlo.reshape");
}

/// Whether a node computes each element of its result from the element of `v` at the same place.
bool is_elementwise(const Node& node, Value v) {
  if (node.result_count() != 1 || node.result_types()[0].dims != v.type().dims) return false;
  if (node.is("stablehlo.convert")) return true;
  return ir::row_of(node) != nullptr && std::ranges::all_of(node.operands(), [&](Value x) {
           return x.type().dims == v.type().dims || x.type().dims.empty();
         });
}

/// Permutation of the result that exchanges m and n and keeps the batch in front.
bool exchanges(const Node& transpose, const Node& dot) {
  const ir::ContractionShape s = contraction_shape(dot);
  const auto batch = std::int64_t(s.lhs_batch.size()), m = std::int64_t(s.lhs_free.size()),
             n = std::int64_t(s.rhs_free.size());
  ir::I64s expected;
  for (std::int64_t d = 0; d < batch; ++d) expected.push_back(d);
  for (std::int64_t d = 0; d < n; ++d) expected.push_back(batch + m + d);
  for (std::int64_t d = 0; d < m; ++d) expected.push_back(batch + d);
  return transpose.attrs.i64s("permutation") == expected;
}

/// One more operation on alpha · op(dot) + beta · addend; false where it is none of these.
bool extend(Accumulation& a, const Node& node, Value previous, const Node& dot) {
  if (node.is("stablehlo.transpose")) {
    if (a.addend.node != nullptr || a.swaps || !exchanges(node, dot)) return false;
    a.swaps = true;
    return true;
  }
  if (node.is("stablehlo.negate")) {
    a.alpha = -a.alpha;
    a.beta = -a.beta;
    return true;
  }
  if (node.operands().size() != 2) return false;
  const bool is_first = node.operand(0) == previous;
  const Value other = node.operand(is_first ? 1 : 0);
  if (other == previous || other.type() != previous.type()) return false;
  if (node.is("stablehlo.multiply")) {
    const auto factor = splat_of(other);
    if (!factor || a.addend.node != nullptr) return false;
    const HostArray value = convert(factor->to_array(), DType::f64);
    a.alpha *= *value.data<DType::f64>();
    return true;
  }
  const bool subtracts = node.is("stablehlo.subtract");
  if ((!subtracts && !node.is("stablehlo.add")) || a.addend.node != nullptr) return false;
  a.addend = other;
  a.beta = subtracts && is_first ? -1 : 1;
  if (subtracts && !is_first) a.alpha = -a.alpha;
  return true;
}

class Finder {
 public:
  Finder(const Graph& body, const std::function<bool(const Node&)>& is_library,
         const std::function<bool(Value)>& is_forced)
      : is_library_(is_library), is_forced_(is_forced) {
    count_uses(body, users_);
    visit(body);
    // What another contraction stores is no step on the way of one.
    std::erase_if(found, [&](const auto& entry) {
      const auto& chain = entry.second.chain;
      return std::any_of(chain.begin(), chain.end() - 1,
                         [&](Node* node) { return roots_.contains(node->result()); });
    });
  }

  ir::ValueMap<Epilogue> found;

 private:
  void visit(const Graph& graph) {
    for (Node* node : graph.nodes()) {
      for (const auto& region : node->regions())
        if (node->op().shape == KernelShape::none) visit(*region);
      if (node->op().shape != KernelShape::contraction) continue;
      Epilogue e = chain_of(*node);
      if (e.chain.empty()) continue;
      // Of several contractions with one root the last computes it.
      roots_.insert(e.root());
      found[e.root()] = std::move(e);
    }
  }

  Epilogue chain_of(Node& dot) const {
    Epilogue e{.contraction = &dot, .chain = {}};
    const bool is_library = is_library_(dot);
    Accumulation sum;
    for (Value v = dot.result(); !(v != dot.result() && is_forced_(v));) {
      const auto it = users_.find(v);
      Node* user = it == users_.end() ? nullptr : it->second;
      if (user == nullptr || user->graph() != dot.graph() || user->op().shape != KernelShape::loops)
        break;
      if (!is_view(*user) && !is_elementwise(*user, v)) break;
      // A kernel that has to follow the library's call does all of it.
      if (is_library && !extend(sum, *user, v, dot)) return {.contraction = &dot, .chain = {}};
      e.chain.push_back(user);
      v = user->result();
    }
    // Views at the end cost nothing in their readers.
    while (!e.chain.empty() && is_view(*e.chain.back()) && !is_forced_(e.root()))
      e.chain.pop_back();
    return e;
  }

  const std::function<bool(const Node&)>& is_library_;
  const std::function<bool(Value)>& is_forced_;
  OnlyUsers users_;
  std::set<Value> roots_;
};

}  // namespace

std::optional<Accumulation> accumulation(const Epilogue& epilogue) {
  Accumulation sum;
  Value previous = epilogue.contraction->result();
  for (const Node* node : epilogue.chain) {
    if (!extend(sum, *node, previous, *epilogue.contraction)) return std::nullopt;
    previous = const_cast<Node*>(node)->result();
  }
  return sum;
}

ir::ValueMap<Epilogue> find_epilogues(const Graph& body,
                                      const std::function<bool(const Node&)>& is_library,
                                      const std::function<bool(Value)>& is_forced) {
  return std::move(Finder(body, is_library, is_forced).found);
}

}  // namespace partita::lowering
