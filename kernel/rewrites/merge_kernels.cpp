// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "kernel/rewrites/merge_kernels.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "kernel/ast/expressions.hpp"
#include "kernel/ast/statements.hpp"
#include "partita/base/error.hpp"
#include "partita/scalar/elementwise.hpp"

namespace partita::kernel {
namespace {

using scalar::Expr;
using scalar::ExprId;
using scalar::ExprKind;
using scalar::ExprPool;
using scalar::no_expr;

/// A kernel's statements without the test for the last group, and how many items pass that test.
struct Form {
  const Block* body = nullptr;
  HostExpr items;
  bool is_guarded = false;
};

Form form_of(const KernelCall& call) {
  const Kernel& k = *call.kernel;
  const ExprId guard = item_guard(k);
  if (guard == no_expr) return {&k.body, call.launch->global[0]};
  const Expr& limit = k.pool[guard];
  const Block& body = body_of(k.body[0]);
  if (limit.kind == ExprKind::index_constant)
    return {&body, HostExpr(std::int64_t(limit.bits)), true};
  return {&body, call.launch->scalars[std::size_t(limit.slot)].value, true};
}

bool contains_store(const Block& stmts) {
  return std::ranges::any_of(stmts, [](const Stmt& s) {
    return as<Store>(s) != nullptr || as<AtomicCombine>(s) != nullptr || contains_store(body_of(s));
  });
}

/// Stores all at the end, outside of loops and branches.
bool ends_with_stores(const Block& body) {
  bool is_end = false;
  for (const Stmt& s : body) {
    const bool is_store = as<Store>(s) != nullptr;
    if ((is_end && !is_store) || as<AtomicCombine>(s) != nullptr || contains_store(body_of(s)))
      return false;
    is_end = is_store;
  }
  return is_end;
}

bool is_loop(const Stmt& s) { return as<Loop>(s) != nullptr; }

/// Rounds of a loop that counts from 0 by ones to a number that is known, else 0.
std::int64_t known_rounds(const ExprPool& pool, const Loop& loop) {
  const bool is_known = pool.is_index_constant(loop.end) && loop.begin == no_expr && loop.step == 1;
  return is_known ? std::int64_t(pool[loop.end].bits) : 0;
}

class KernelMerger {
 public:
  explicit KernelMerger(const KernelCall& first)
      : form_(form_of(first)), out_(std::make_unique<Kernel>()) {
    if (form_.items.is_constant())
      out_->pool.set_extent(0, form_.items.value());
    else if (const auto extent = item_extent(first.kernel->pool))
      out_->pool.set_extent(0, *extent);
    launch_.global = first.launch->global;
    launch_.local = first.launch->local;
  }

  /// For calls that are packed.
  explicit KernelMerger(const Grid& grid) : out_(std::make_unique<Kernel>()) {
    out_->pool.set_extent(0, grid.items);
    if (grid.rows > 1) out_->row_variable = out_->new_variable(grid.rows);
    launch_.global = {HostExpr(grid.items), HostExpr(grid.rows), HostExpr(1)};
  }

  /// All of a call, done by the items that it has.
  void append_whole(const KernelCall& call) {
    const Grid grid = grid_of(call).value();
    begin(call);
    if (call.kernel->row_variable >= 0 && out_->row_variable >= 0)
      variables_[call.kernel->row_variable] = out_->row_variable;
    Block body;
    for (const Stmt& s : *form_of(call).body) body.push_back(map(s));
    for (std::size_t b = 0; b < call.kernel->buffers.size(); ++b)
      if (call.kernel->buffers[b].is_written)
        out_->buffers[std::size_t(buffer(std::int32_t(b)))].is_written = true;
    ExprPool& pool = out_->pool;
    // Ends first, whatever order a compiler evaluates arguments in.
    if (HostExpr(grid.rows) != launch_.global[1]) {
      const ExprId end = pool.index(grid.rows);
      body = {when(pool.less(pool.variable(out_->row_variable), end), std::move(body))};
    }
    const ExprId end = pool.index(grid.items);
    out_->body.push_back(when(pool.less(pool.variable(unbounded_item), end), std::move(body)));
  }

  MergedCall finish_whole() { return {std::move(out_), std::move(launch_)}; }

  void append(const KernelCall& call, const std::function<bool(int)>& is_kept) {
    begin(call);
    Block before, stores;
    for (const Stmt& s : *form_of(call).body)
      if (const Store* store = as<Store>(s); store == nullptr)
        before.push_back(s);
      else if (is_kept(call.launch->buffers[std::size_t(store->buffer)].buffer))
        stores.push_back(s);
    if (!append_into_loop(before))
      for (const Stmt& s : before) body_.push_back(map(s));
    // What the stores hold is read before any of them is done.
    Block done;
    for (const Stmt& s : stores) done.push_back(map(s));
    for (const Stmt& s : done) {
      const Store& store = *as<Store>(s);
      out_->buffers[std::size_t(store.buffer)].is_written = true;
      stored_[store.buffer] = {store.index, store.value,
                               depends_on(out_->pool, store.value, ExprKind::reg)};
      stores_.push_back(s);
    }
  }

  MergedCall finish() {
    Block body = std::move(body_);
    if (stores_.size() > 1)
      for (Stmt& s : stores_) {
        Store& store = *as<Store>(s);
        const Register held(*out_, store.dtype);
        body.push_back(held.declare(store.value));
        store.value = held.value(out_->pool);
      }
    body.insert(body.end(), stores_.begin(), stores_.end());
    if (form_.is_guarded) {
      ExprPool& pool = out_->pool;
      const ExprId limit =
          form_.items.is_constant() ? pool.index(form_.items.value()) : scalar(form_.items);
      body = {when(pool.less(pool.variable(unbounded_item), limit), std::move(body))};
    }
    out_->body = std::move(body);
    return {std::move(out_), std::move(launch_)};
  }

 private:
  struct Stored {
    ExprId index, value;
    bool depends_on_register;
  };

  void begin(const KernelCall& call) {
    call_ = call;
    mapped_.assign(std::size_t(call.kernel->pool.size()), no_expr);
    variables_ = {{0, 0}, {unbounded_item, unbounded_item}};
    counted_.clear();
    first_register_ = out_->next_register;
    out_->next_register += call.kernel->next_register;
    out_->wide_index |= call.kernel->wide_index;
  }

  std::int32_t buffer(std::int32_t slot) {
    const BufferRef& ref = call_.launch->buffers[std::size_t(slot)];
    const DType d = call_.kernel->buffers[std::size_t(slot)].dtype;
    for (std::size_t k = 0; k < launch_.buffers.size(); ++k)
      if (launch_.buffers[k].buffer == ref.buffer && launch_.buffers[k].offset == ref.offset &&
          out_->buffers[k].dtype == d)
        return std::int32_t(k);
    launch_.buffers.push_back(ref);
    out_->buffers.push_back({d, false});
    return std::int32_t(launch_.buffers.size()) - 1;
  }

  ExprId scalar(const HostExpr& value) {
    const auto it = std::ranges::find(launch_.scalars, value, &ScalarArg::value);
    const auto slot = std::int32_t(it - launch_.scalars.begin());
    if (it == launch_.scalars.end()) launch_.scalars.push_back({DType::i64, value});
    out_->scalars = int(launch_.scalars.size());
    return out_->pool.scalar(slot);
  }

  std::int32_t variable(std::int32_t slot) {
    const auto [it, is_new] = variables_.emplace(slot, out_->next_variable);
    if (is_new) ++out_->next_variable;
    return it->second;
  }

  ExprId map_variable(ExprId id) {
    if (const auto it = counted_.find(call_.kernel->pool[id].slot); it != counted_.end())
      return it->second;
    const std::int32_t slot = variable(call_.kernel->pool[id].slot);
    const std::int64_t high = call_.kernel->pool.bounds(id).high;
    if (slot > 0 && slot != out_->row_variable && high < ExprPool::unbounded)
      out_->pool.set_extent(slot, high + 1);
    return out_->pool.variable(slot);
  }

  ExprId map_scalar(ExprId id) {
    const Expr& e = call_.kernel->pool[id];
    const ExprId to = scalar(call_.launch->scalars[std::size_t(e.slot)].value);
    const ExprPool::Bounds b = call_.kernel->pool.bounds(id);
    out_->pool.set_scalar_bounds(out_->pool[to].slot, b.low, b.high);
    return to;
  }

  ExprId map_load(const Expr& e) {
    const std::int32_t slot = buffer(e.slot);
    const ExprId index = map(e.operands[0]);
    const auto it = stored_.find(slot);
    if (it == stored_.end()) return out_->pool.load(slot, e.dtype, index);
    PARTITA_ASSERT(it->second.index == index);
    return it->second.value;
  }

  ExprId map(ExprId id) {
    if (id == no_expr) return id;
    if (mapped_[std::size_t(id)] == no_expr) {
      const ExprId result = map_new(id);
      mapped_[std::size_t(id)] = result;
    }
    return mapped_[std::size_t(id)];
  }

  ExprId map_new(ExprId id) {
    const Expr& e = call_.kernel->pool[id];
    ExprPool& pool = out_->pool;
    if (e.kind == ExprKind::load) return map_load(e);
    std::vector<ExprId> x;
    for (const ExprId operand : e.operands) x.push_back(map(operand));
    switch (e.kind) {
      case ExprKind::reg:
        return pool.reg(e.slot + first_register_, e.dtype);
      case ExprKind::index_variable:
        return map_variable(id);
      case ExprKind::index_scalar:
        return map_scalar(id);
      default:
        return rebuild(pool, e, x);
    }
  }

  Stmt map(const Stmt& s) {
    Stmt to = s;
    if (to.lane >= 0) to.lane = variable(to.lane);
    if (Block* body = body_of(to))
      for (Stmt& inner : *body) inner = map(inner);
    map_roots(to, [&](ExprId e) { return map(e); });
    if (Loop* loop = as<Loop>(to)) loop->variable = variable(loop->variable);
    if (Store* store = as<Store>(to)) store->buffer = buffer(store->buffer);
    if (AtomicCombine* x = as<AtomicCombine>(to)) x->buffer = buffer(x->buffer);
    if (std::int32_t* slot = register_of(to)) *slot += first_register_;
    return to;
  }

  /// Whether statements need nothing that a loop before them computes, and read a buffer that
  /// `loop` reads.
  bool fits_into(const Loop& loop, const Block& stmts) {
    std::set<std::int32_t> read;
    for (const ExprId id : reachable(out_->pool, loop.body))
      if (out_->pool[id].kind == ExprKind::load) read.insert(out_->pool[id].slot);
    bool shares = false;
    for (const ExprId id : reachable(call_.kernel->pool, stmts)) {
      const Expr& e = call_.kernel->pool[id];
      if (e.kind != ExprKind::load) continue;
      const std::int32_t slot = buffer(e.slot);
      const auto it = stored_.find(slot);
      if (it != stored_.end() && it->second.depends_on_register) return false;
      shares |= read.contains(slot);
    }
    return shares;
  }

  /// The loop that another one's rounds go into, and which of its rounds each of them is.
  struct Place {
    Loop* loop = nullptr;
    ExprId round = no_expr;
  };

  /// A loop of so many rounds: `outer`, or the one within it if all of its rounds together are as many.
  std::optional<Place> rounds_of(Loop& outer, std::int64_t rounds) {
    ExprPool& pool = out_->pool;
    const std::int64_t own = known_rounds(pool, outer);
    if (own == rounds) return Place{&outer, pool.variable(outer.variable)};
    if (std::ranges::count_if(outer.body, is_loop) != 1) return std::nullopt;
    Loop& inner = *as<Loop>(*std::ranges::find_if(outer.body, is_loop));
    const std::int64_t each = known_rounds(pool, inner);
    if (own * each != rounds) return std::nullopt;
    return Place{&inner, pool.add(pool.mul(pool.variable(outer.variable), each),
                                  pool.variable(inner.variable))};
  }

  /// Puts the first loop of some statements into one that is there already and has as many rounds.
  bool append_into_loop(const Block& stmts) {
    const auto mine = std::ranges::find_if(stmts, is_loop);
    const auto theirs = std::find_if(body_.rbegin(), body_.rend(), is_loop);
    if (mine == stmts.end() || theirs == body_.rend()) return false;
    const Loop& my_loop = *as<Loop>(*mine);
    Loop& their_loop = *as<Loop>(*theirs);
    const std::int64_t rounds = known_rounds(call_.kernel->pool, my_loop);
    if (rounds == 0) return false;
    const std::optional<Place> place = rounds_of(their_loop, rounds);
    if (!place || !fits_into(their_loop, {stmts.begin(), mine + 1})) return false;
    counted_[my_loop.variable] = place->round;
    const auto at = std::size_t(std::distance(theirs, body_.rend())) - 1;
    for (const Stmt& s : my_loop.body) place->loop->body.push_back(map(s));
    Block before;
    for (auto it = stmts.begin(); it != mine; ++it) before.push_back(map(*it));
    body_.insert(body_.begin() + std::ptrdiff_t(at), before.begin(), before.end());
    for (auto it = mine + 1; it != stmts.end(); ++it) body_.push_back(map(*it));
    return true;
  }

  Form form_;
  std::unique_ptr<Kernel> out_;
  Launch launch_;
  KernelCall call_;
  std::vector<ExprId> mapped_;
  std::map<std::int32_t, std::int32_t> variables_;
  std::map<std::int32_t, ExprId> counted_;  ///< variables of the call that another loop counts
  std::int32_t first_register_ = 0;
  Block body_, stores_;
  std::map<std::int32_t, Stored> stored_;
};

/// Of rounding a result to a float of at most 16 bits, which most devices compute in f32.
constexpr int rounding_operations = 10;

int operations_of(const Expr& e) {
  switch (e.kind) {
    case ExprKind::apply:
    case ExprKind::convert: {
      const int own = e.kind == ExprKind::apply ? scalar::elementwise_row(e.name).cost : 1;
      return own + (is_float(e.dtype) && info(e.dtype).bits <= 16 ? rounding_operations : 0);
    }
    case ExprKind::bitcast:
    case ExprKind::choose:
      return 1;
    default:
      return 0;
  }
}

}  // namespace

CallFacts facts_of(const KernelCall& call) {
  const Kernel& k = *call.kernel;
  const Form form = form_of(call);
  CallFacts facts{.items = form.items, .uses = std::vector<CallFacts::Use>(k.buffers.size())};
  const bool is_single = facts.items == HostExpr(1);
  const auto is_item = [&](ExprId id) {
    const Expr& e = k.pool[id];
    return (e.kind == ExprKind::index_variable && e.slot == 0) ||
           (is_single && e.kind == ExprKind::index_constant && e.bits == 0);
  };
  for (const ExprId id : reachable(k.pool, *form.body)) {
    const Expr& e = k.pool[id];
    if (e.kind == ExprKind::load) {
      CallFacts::Use& use = facts.uses[std::size_t(e.slot)];
      use.loads = true;
      use.loads_at_item &= is_item(e.operands[0]);
    }
    facts.operations += operations_of(e);
  }
  std::set<std::int32_t> stored;
  bool is_once = true;
  for (const Stmt& s : *form.body) {
    facts.has_loop |= is_loop(s);
    const Store* const store = as<Store>(s);
    if (store == nullptr) continue;
    CallFacts::Use& use = facts.uses[std::size_t(store->buffer)];
    use.stores = true;
    use.stores_at_item &= is_item(store->index);
    is_once &= stored.insert(store->buffer).second;
  }
  const bool is_sound = std::ranges::all_of(facts.uses, [](const CallFacts::Use& u) {
    return !u.loads || !u.stores || (u.loads_at_item && u.stores_at_item);
  });
  const bool is_line =
      call.launch->global[1] == HostExpr(1) && call.launch->global[2] == HostExpr(1);
  facts.is_mergeable = k.group_items == 0 && !k.stores_last && is_once && is_sound && is_line &&
                       ends_with_stores(*form.body);
  return facts;
}

std::optional<Grid> grid_of(const KernelCall& call) {
  const Launch& l = *call.launch;
  const HostExpr items = form_of(call).items;
  if (!items.is_constant() || !l.global[0].is_constant() || !l.global[1].is_constant() ||
      !(l.global[2] == HostExpr(1)))
    return std::nullopt;
  return Grid{std::min(items.value(), l.global[0].value()), l.global[1].value()};
}

/// Whether no call touches a buffer that another stores.
static bool are_independent(std::span<const KernelCall> calls) {
  std::set<int> touched, stored;
  for (const KernelCall& call : calls) {
    std::set<int> own, own_stores;
    const CallFacts facts = facts_of(call);
    for (std::size_t k = 0; k < facts.uses.size(); ++k) {
      const int buffer = call.launch->buffers[k].buffer;
      own.insert(buffer);
      if (facts.uses[k].stores) own_stores.insert(buffer);
    }
    const auto meets = [](const std::set<int>& a, const std::set<int>& b) {
      return std::ranges::any_of(a, [&](int x) { return b.contains(x); });
    };
    if (meets(own, stored) || meets(own_stores, touched)) return false;
    touched.merge(own);
    stored.merge(own_stores);
  }
  return true;
}

/// Whether a loop holds another: rounds of others go into such a nest, not the other way round.
static bool has_nest(const KernelCall& call) {
  return std::ranges::any_of(*form_of(call).body, [](const Stmt& s) {
    return is_loop(s) && std::ranges::any_of(body_of(s), is_loop);
  });
}

MergedCall merge_calls(std::span<const KernelCall> calls,
                       const std::function<bool(int buffer)>& is_kept) {
  KernelMerger merger(calls.front());
  std::vector<KernelCall> order(calls.begin(), calls.end());
  if (!std::ranges::is_partitioned(order, has_nest) && are_independent(calls))
    std::ranges::stable_partition(order, has_nest);
  for (const KernelCall& call : order) merger.append(call, is_kept);
  return merger.finish();
}

MergedCall pack_calls(std::span<const KernelCall> calls) {
  Grid all;
  for (const KernelCall& call : calls) {
    const Grid grid = grid_of(call).value();
    all = {std::max(all.items, grid.items), std::max(all.rows, grid.rows)};
  }
  KernelMerger merger(all);
  for (const KernelCall& call : calls) merger.append_whole(call);
  return merger.finish_whole();
}

}  // namespace partita::kernel
