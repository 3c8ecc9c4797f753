// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Collectives over a mesh as pairs of mr.mesh_start and mr.mesh_done: each starts as soon as its operands are there
// and is waited for before the first use of a result.  Reductions to everybody over one list of groups, by one
// combiner and of one element type become one call, where none of their results is used before the operands of all
// are there.
#include <algorithm>
#include <limits>
#include <optional>
#include <ranges>
#include <set>

#include "partita/base/error.hpp"
#include "partita/base/parse.hpp"
#include "partita/ir/maker.hpp"
#include "partita/ir/mesh.hpp"
#include "partita/passes/pass.hpp"

namespace partita::passes::transforms {
namespace {

using ir::Graph;
using ir::MeshCollective;
using ir::Node;
using ir::Value;

/// A synchronous collective; a start is one already.
std::optional<MeshCollective> synchronous(const Node& node) {
  return node.is("mr.mesh_start") ? std::nullopt : ir::mesh_collective(node);
}

/// Bytes of a call to which others are added, so that they share its latency.
constexpr std::int64_t default_combined_bytes = std::int64_t(4) << 20;

// --- What a call can take -----------------------------------------------------------------------

/// Whether it combines values, which then travel as their own accumulator.
bool combines(MeshCollective kind) {
  return kind == MeshCollective::all_reduce || kind == MeshCollective::reduce_scatter;
}

/// One collective for each element type, of elements as they travel.
void split_by_dtype(Graph& graph, Node& node, MeshCollective kind) {
  const ir::Maker m{graph, &node, node.location()};
  std::vector<DType> dtypes;
  for (const Value& v : node.operands())
    if (std::ranges::find(dtypes, v.type().dtype) == dtypes.end()) dtypes.push_back(v.type().dtype);
  if (dtypes.size() == 1 && (!combines(kind) || travel_dtype(dtypes[0]) == dtypes[0])) return;
  for (const DType d : dtypes) {
    std::vector<Value> operands;
    std::vector<int> numbers;
    for (std::size_t k = 0; k < node.operands().size(); ++k) {
      if (node.operand(k).type().dtype != d) continue;
      operands.push_back(m.convert(node.operand(k), travel_dtype(d)));
      numbers.push_back(int(k));
    }
    Node* part =
        ir::create(graph, node.name(), operands, node.attrs, {}, {}, &node, node.location());
    for (std::size_t k = 0; k < numbers.size(); ++k)
      graph.replace_uses(node.result(numbers[k]), m.convert(part->result(int(k)), d));
  }
  graph.erase(&node);
}

// --- Calls --------------------------------------------------------------------------------------

/// Collectives that start together, and between which nodes of the graph: positions count its nodes.
struct Call {
  std::vector<Node*> nodes;
  int ready = -1;     ///< the last node that makes an operand
  int first_use = 0;  ///< the first node that uses a result
  std::int64_t bytes = 0;
  Node *start = nullptr, *done = nullptr;
};

bool can_share(const Node& a, const Node& b) {
  return synchronous(a) == MeshCollective::all_reduce && a.op().name == b.op().name &&
         a.attrs == b.attrs && a.operand(0).type().dtype == b.operand(0).type().dtype;
}

std::int64_t bytes_of(const Node& node) {
  std::int64_t bytes = 0;
  for (const Value& v : node.operands()) bytes += std::int64_t(v.type().bytes());
  return bytes;
}

/// The collectives of one graph on their way to pairs.
class Starter {
 public:
  Starter(Graph& graph, std::int64_t combined_bytes)
      : graph_(graph), order_(graph.nodes()), combined_bytes_(combined_bytes) {
    for (std::size_t i = 0; i < order_.size(); ++i) position_[order_[i]] = int(i);
  }

  /// The number of calls.
  std::int64_t run() {
    find_calls();
    for (int at = 0; at <= int(order_.size()); ++at) emit_at(at);
    graph_.replace_uses(results_);
    for (const Call& call : calls_)
      for (Node* node : call.nodes) graph_.erase(node);
    return std::ssize(calls_);
  }

 private:
  /// Whether a collective of this graph gives the value.
  [[nodiscard]] bool is_pending(Value v) const {
    return position_.contains(v.node) && synchronous(*v.node);
  }

  /// Where a value is made: -1 before the graph.
  [[nodiscard]] int made_at(Value v) const {
    const auto found = position_.find(v.node);
    return found == position_.end() ? -1 : found->second;
  }

  void find_calls() {
    std::map<const Node*, int> first_use;
    const auto use = [&](Value v, int at) {
      const auto [found, is_new] = first_use.try_emplace(v.node, at);
      if (!is_new) found->second = std::min(found->second, at);
    };
    for (std::size_t i = 0; i < order_.size(); ++i)
      for (const Value v : ir::captures(*order_[i])) use(v, int(i));
    for (const Value v : graph_.results) use(v, int(order_.size()));
    for (std::size_t i = 0; i < order_.size(); ++i)
      if (synchronous(*order_[i])) add(*order_[i], int(i), first_use.at(order_[i]));
  }

  void add(Node& node, int at, int first_use) {
    Call own{.nodes = {&node}, .ready = -1, .first_use = first_use, .bytes = bytes_of(node)};
    for (const Value v : node.operands()) {
      // What another collective gives is waited for here at the latest.
      own.ready = std::max(own.ready, is_pending(v) ? at : made_at(v));
    }
    const auto joined = std::find_if(calls_.rbegin(), calls_.rend(), [&](const Call& call) {
      return can_share(*call.nodes[0], node);
    });
    if (joined == calls_.rend() || joined->first_use <= own.ready ||
        joined->bytes + own.bytes > combined_bytes_) {
      calls_.push_back(std::move(own));
      return;
    }
    joined->nodes.push_back(&node);
    joined->ready = std::max(joined->ready, own.ready);
    joined->first_use = std::min(joined->first_use, own.first_use);
    joined->bytes += own.bytes;
  }

  /// What stands before node `at`; an operand may be the result of a call that is waited for here too.
  void emit_at(int at) {
    Node* const before = at < int(order_.size()) ? order_[std::size_t(at)] : nullptr;
    for (bool has_emitted = true; has_emitted;) {
      has_emitted = false;
      for (Call& call : calls_) {
        if (!call.start && call.ready + 1 <= at && has_operands(call)) {
          start(call, before);
          has_emitted = true;
        }
        if (call.start && !call.done && call.first_use == at) {
          wait_for(call, before);
          has_emitted = true;
        }
      }
    }
  }

  /// Whether every operand that a collective gives was waited for.
  [[nodiscard]] bool has_operands(const Call& call) const {
    return std::ranges::all_of(call.nodes, [&](const Node* node) {
      return std::ranges::all_of(node->operands(),
                                 [&](Value v) { return !is_pending(v) || results_.contains(v); });
    });
  }

  void start(Call& call, Node* before) {
    const Node& first = *call.nodes[0];
    ir::Dict attrs = first.attrs;
    attrs.set("kind", std::string(to_string(*synchronous(first))));
    std::vector<Value> operands;
    for (const Node* node : call.nodes)
      for (const Value v : node->operands()) {
        const auto given = results_.find(v);
        operands.push_back(given == results_.end() ? v : given->second);
      }
    call.start = ir::create(graph_, "mr.mesh_start", std::move(operands), std::move(attrs), {}, {},
                            before, first.location());
  }

  void wait_for(Call& call, Node* before) {
    std::vector<Type> types;
    for (const Node* node : call.nodes)
      types.insert(types.end(), node->result_types().begin(), node->result_types().end());
    call.done = ir::create(graph_, "mr.mesh_done", {call.start->result()}, {}, {}, types, before,
                           call.nodes[0]->location());
    int k = 0;
    for (Node* node : call.nodes)
      for (int r = 0; r < node->result_count(); ++r)
        results_[node->result(r)] = call.done->result(k++);
  }

  Graph& graph_;
  const std::vector<Node*> order_;
  std::int64_t combined_bytes_;
  std::map<const Node*, int> position_;
  std::vector<Call> calls_;
  ir::ValueMap<Value> results_;  ///< of collectives: those of the done
};

// --- What collectives send ------------------------------------------------------------------------

/// Whether it only says otherwise what its operand says.
bool is_rewording(const Node& node) {
  return node.is("stablehlo.reshape") || node.is("stablehlo.transpose") ||
         node.is("stablehlo.convert");
}

/// What lies between the making of a value and the collective that alone needs it comes right behind the making, so
/// that the collective can start there.
void send_early(Graph& graph) {
  const auto uses = ir::count_uses(graph);
  const auto is_own = [&](Value v) {
    const auto found = uses.find(v);
    return v.node->graph() == &graph && found != uses.end() && found->second == 1;
  };
  for (const Node* collective : std::vector<Node*>(graph.nodes())) {
    if (!synchronous(*collective)) continue;
    for (Value v : collective->operands()) {
      std::vector<Node*> chain;
      for (; is_own(v) && is_rewording(*v.node); v = v.node->operand(0)) chain.push_back(v.node);
      if (graph.is_argument(v) || v.node->graph() != &graph) continue;
      Node* before = v.node;
      for (Node* node : chain | std::views::reverse) {
        before = *std::next(std::ranges::find(graph.nodes(), before));  // the chain is behind it
        if (node != before) graph.move_before(node, before);
        before = node;
      }
    }
  }
}

// --- Placements ---------------------------------------------------------------------------------

bool is_done(const Node& node) {
  return node.is("mr.all_reduce_done") || node.is("mr.all_gather_done");
}

/// The waits for collectives over placements, and elements that are made of what they bring, come right before what
/// needs them and takes time: what does not need them is computed meanwhile.
class LateWaits {
 public:
  explicit LateWaits(Graph& graph) : graph_(graph) {}

  void run() {
    for (Node* node : std::vector<Node*>(graph_.nodes())) {
      const bool is_light = node->regions().empty() && node->op().shape == ir::KernelShape::loops;
      const bool needs_some = needs_deferred(*node);
      if (is_done(*node) || (is_light && needs_some)) {
        deferred_.push_back(node);
        members_.insert(node);
      } else if (needs_some) {
        put_before(*node);
      }
    }
    for (Node* node : deferred_) graph_.move_before(node, nullptr);
  }

 private:
  [[nodiscard]] bool needs_deferred(const Node& node) const {
    return !members_.empty() && std::ranges::any_of(ir::captures(node), [&](Value v) {
      return members_.contains(v.node);
    });
  }

  /// Those that the node needs, with those that they need.
  void put_before(Node& node) {
    std::set<const Node*> needed;
    const auto note = [&](const Node& n) {
      for (const Value& v : ir::captures(n)) needed.insert(v.node);
    };
    note(node);
    for (auto it = deferred_.rbegin(); it != deferred_.rend(); ++it)
      if (needed.contains(*it)) note(**it);
    for (Node* d : deferred_)
      if (needed.contains(d)) graph_.move_before(d, &node);
    std::erase_if(deferred_, [&](const Node* d) { return needed.contains(d); });
    std::erase_if(members_, [&](const Node* d) { return needed.contains(d); });
  }

  Graph& graph_;
  std::vector<Node*> deferred_;    ///< in their order
  std::set<const Node*> members_;  ///< the same
};

// --- The pass -----------------------------------------------------------------------------------

/// Collectives whose results nothing uses, on every shard alike; and what only they used.
void remove_unused(Graph& graph) {
  ir::remove_dead_nodes(graph);
  while (true) {
    const auto uses = ir::count_uses(graph);
    const bool has_removed = graph.erase_if([&](const Node& node) {
      if (!synchronous(node)) return false;
      for (int k = 0; k < node.result_count(); ++k)
        if (uses.contains(Value{const_cast<Node*>(&node), k})) return false;  // a key only
      return true;
    });
    if (!has_removed) return;
    ir::remove_dead_nodes(graph);
  }
}

void process(Graph& graph, std::int64_t combined_bytes, PassContext& context) {
  for (Node* node : std::vector<Node*>(graph.nodes())) {
    for (const auto& region : node->regions()) process(*region, combined_bytes, context);
    if (const auto kind = synchronous(*node)) split_by_dtype(graph, *node, *kind);
  }
  remove_unused(graph);
  LateWaits(graph).run();
  send_early(graph);
  if (const std::int64_t calls = Starter(graph, combined_bytes).run(); calls > 0)
    context.counts["mesh_collectives"] += calls;
}

void run(ir::Module& module, PassContext& context) {
  const auto option = context.options.find("combined-bytes");
  const std::int64_t bytes = option == context.options.end()
                                 ? default_combined_bytes
                                 : parse_number(option->second, "combined-bytes",
                                                std::numeric_limits<std::int64_t>::max());
  for (const auto& f : module.functions) process(*f->body, bytes, context);
}

}  // namespace

PassInfo pass_start_collectives();
PassInfo pass_start_collectives() {
  return {.name = "start-collectives",
          .doc =
              "Starts collectives over a mesh early and joins small ones; waits for all "
              "collectives late.",
          .needs = Stage::distributed,
          .gives = Stage::distributed,
          .idempotent = true,
          .options = {"combined-bytes"},
          .run = run};
}

}  // namespace partita::passes::transforms
