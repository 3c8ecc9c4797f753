// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "backend-cpu/codegen/work_loops.hpp"

#include <algorithm>
#include <optional>
#include <set>
#include <unordered_map>

#include "partita/base/error.hpp"
#include "passes/kernel/expressions.hpp"
#include "passes/kernel/statements.hpp"

namespace partita::passes {
namespace {

using kernel::Expr;
using kernel::ExprId;
using kernel::ExprKind;
using kernel::ExprPool;
using kernel::no_expr;

/// Iterations that an innermost loop should have at least, so that vectors are filled.
constexpr std::int64_t good_row = 16, shortest_row = 8;
/// Registers that are worth an array each.
constexpr std::size_t most_lane_registers = 6;

class LoopMaker {
 public:
  explicit LoopMaker(const Kernel& from) : from_(from), old_(from.pool) {}

  WorkLoops build() {
    to_.stem = from_.stem;
    to_.comment = from_.comment;
    to_.buffers = from_.buffers;
    to_.scalars = from_.scalars + 2;
    to_.wide_index = from_.wide_index;
    to_.next_variable = from_.next_variable;
    to_.next_register = from_.next_register;
    const std::vector<Stmt>* body = &from_.body;
    const ExprId limit = item_guard(from_);
    if (limit != no_expr) body = &from_.body[0].body;
    row_ = choose_row();
    const std::int32_t outer = row_ > 0 ? to_.next_variable++ : 0;
    declare_extents(outer);
    ExprPool& pool = to_.pool;
    const ExprId begin = pool.scalar(from_.scalars);
    ExprId end = pool.scalar(from_.scalars + 1);
    if (limit != no_expr) end = pool.min(end, rewrite(limit));
    const ExprId item = pool.variable(0);
    item_ = row_ > 0 ? pool.add(pool.mul(pool.variable(outer), row_), item) : item;
    if (row_ == 0) {
      to_.body = {row(begin, end, rewrite(*body))};
    } else {
      const ExprId first = pool.mul(pool.variable(outer), row_), zero = pool.index(0);
      Stmt inner = row(pool.max(pool.sub(begin, first), zero),
                       pool.min(pool.sub(end, first), pool.index(row_)), rewrite(*body));
      Stmt rows = loop(outer, pool.div(pool.add(end, row_ - 1), row_), {});
      rows.other = pool.div(begin, row_);
      rows.body.push_back(std::move(inner));
      to_.body = {std::move(rows)};
    }
    result_.kernel = std::move(to_);
    return std::move(result_);
  }

 private:
  static Stmt work_loop(ExprId begin, ExprId end, std::vector<Stmt> body) {
    Stmt s = loop(0, end, std::move(body));
    s.other = begin;
    s.is_parallel = true;
    return s;
  }

  /// Items [begin, end) of a row: one after the other, or in blocks whose items go through the
  /// body's loops together.
  Stmt row(ExprId begin, ExprId end, std::vector<Stmt> body) {
    if (!wants_lanes(body)) return work_loop(begin, end, std::move(body));
    ExprPool& pool = to_.pool;
    const std::int32_t block = to_.next_variable++;
    if (row_ > 0) pool.set_extent(block, row_);
    const ExprId first = pool.variable(block);
    result_.lane = cat("[k0 - k", block, "]");
    collect_registers(body, result_.lane_registers);
    Stmt blocks = loop(block, end, {});
    blocks.other = begin;
    blocks.step = WorkLoops::lanes;
    blocks.body =
        in_lanes(std::move(body), first, pool.min(pool.add(first, WorkLoops::lanes), end));
    return blocks;
  }

  /// Loops of the body become loops around loops over the items; so do conditions.
  std::vector<Stmt> in_lanes(std::vector<Stmt> body, ExprId begin, ExprId end) {
    std::vector<Stmt> result, run;
    const auto flush = [&] {
      if (!run.empty()) result.push_back(work_loop(begin, end, std::move(run)));
      run.clear();
    };
    for (Stmt& s : body) {
      if (!is_shared_loop(s) && !is_shared_condition(s)) {
        run.push_back(std::move(s));
        continue;
      }
      flush();
      s.body = in_lanes(std::move(s.body), begin, end);
      result.push_back(std::move(s));
    }
    flush();
    return result;
  }

  /// A loop that is the same for all items.
  [[nodiscard]] bool is_shared_loop(const Stmt& s) const {
    if (s.kind != Stmt::Kind::loop) return false;
    for (const ExprId e : {s.value, s.other})
      if (e != no_expr && (depends(e, ExprKind::index_variable, 0) || depends(e, ExprKind::reg)))
        return false;
    return true;
  }

  /// A condition that is the same for all items.
  [[nodiscard]] bool is_shared_condition(const Stmt& s) const {
    return s.kind == Stmt::Kind::when && !depends(s.value, ExprKind::index_variable, 0) &&
           !depends(s.value, ExprKind::reg);
  }

  /// Whether an expression of the new pool holds one of that kind (and slot).
  [[nodiscard]] bool depends(ExprId id, ExprKind kind, std::int32_t slot = -1) const {
    return std::ranges::any_of(reachable(to_.pool, id), [&](ExprId x) {
      const Expr& e = to_.pool[x];
      return e.kind == kind && (slot < 0 || e.slot == slot);
    });
  }

  static void collect_registers(const std::vector<Stmt>& stmts, std::map<std::int32_t, DType>& to) {
    for (const Stmt& s : stmts) {
      if (s.kind == Stmt::Kind::declare) to.emplace(s.slot, s.dtype);
      collect_registers(s.body, to);
    }
  }

  /// How far a load's address moves with a variable: nothing where that is not a number.
  [[nodiscard]] std::optional<std::int64_t> stride(ExprId id, std::int32_t variable) const {
    const Expr& e = to_.pool[id];
    switch (e.kind) {
      case ExprKind::index_variable:
        return e.slot == variable ? 1 : 0;
      case ExprKind::index_add:
      case ExprKind::index_sub: {
        const auto a = stride(e.operands[0], variable), b = stride(e.operands[1], variable);
        if (!a || !b) return std::nullopt;
        return e.kind == ExprKind::index_add ? *a + *b : *a - *b;
      }
      case ExprKind::index_mul: {
        const auto a = stride(e.operands[0], variable), b = stride(e.operands[1], variable);
        if (a && b && *a == 0 && *b == 0) return 0;
        const auto factor = [&](ExprId x) { return std::int64_t(to_.pool[x].bits); };
        if (b && to_.pool.is_index_constant(e.operands[0])) return *b * factor(e.operands[0]);
        if (a && to_.pool.is_index_constant(e.operands[1])) return *a * factor(e.operands[1]);
        return std::nullopt;
      }
      default:
        if (depends(id, ExprKind::index_variable, variable)) return std::nullopt;
        return 0;
    }
  }

  /// Whether a register below is a vector already.
  [[nodiscard]] static bool has_vectors(const std::vector<Stmt>& stmts) {
    return std::ranges::any_of(stmts,
                               [](const Stmt& s) { return s.width > 1 || has_vectors(s.body); });
  }

  /// Where a loop reads neighbours for neighbouring items but not from one iteration to the next.
  [[nodiscard]] bool wants_lanes(const std::vector<Stmt>& body) const {
    std::map<std::int32_t, DType> registers;
    collect_registers(body, registers);
    if (registers.empty() || registers.size() > most_lane_registers || has_vectors(body))
      return false;
    bool wanted = false;
    for (const Stmt& s : body) {
      if (!is_shared_loop(s)) continue;
      for (const ExprId id : reachable(to_.pool, s.body)) {
        if (to_.pool[id].kind != ExprKind::load) continue;
        const ExprId at = to_.pool[id].operands[0];
        const auto by_item = stride(at, 0), by_trip = stride(at, s.slot);
        if (by_trip == 1 && by_item != 0 && by_item != 1) return false;
        wanted = wanted || (by_item == 1 && by_trip != 1 && by_trip != 0);
      }
    }
    return wanted;
  }

  /// The row length: of the numbers that the item is divided by, the smallest that is long enough.
  [[nodiscard]] std::int64_t choose_row() const {
    std::set<std::int64_t> divisors;
    for (const ExprId id : reachable(old_, from_.body)) {
      const Expr& e = old_[id];
      if (e.kind != ExprKind::index_div && e.kind != ExprKind::index_mod) continue;
      const Expr& of = old_[e.operands[0]];
      if (of.kind == ExprKind::index_variable && of.slot == 0 &&
          old_.is_index_constant(e.operands[1]))
        divisors.insert(std::int64_t(old_[e.operands[1]].bits));
    }
    for (const std::int64_t d : divisors)
      if (d >= good_row) return d;
    return divisors.empty() || *divisors.rbegin() < shortest_row ? 0 : *divisors.rbegin();
  }

  /// What the old pool knows of variables and scalars.
  void declare_extents(std::int32_t outer) {
    ExprPool& pool = to_.pool;
    for (std::int32_t i = 0; i < old_.size(); ++i) {
      const ExprId id{i};
      const Expr& e = old_[id];
      if (e.kind != ExprKind::index_variable && e.kind != ExprKind::index_scalar) continue;
      const ExprPool::Bounds b = old_.bounds(id);
      if (e.kind == ExprKind::index_scalar)
        pool.set_scalar_bounds(e.slot, b.low, b.high);
      else if (e.slot > 0 && b.high < ExprPool::unbounded)
        pool.set_extent(e.slot, b.high + 1);
    }
    const std::optional<std::int64_t> count = item_extent(old_);
    // Launches may have more items than there is work for.
    pool.set_scalar_bounds(from_.scalars, 0, ExprPool::unbounded);
    pool.set_scalar_bounds(from_.scalars + 1, 0, ExprPool::unbounded);
    if (row_ > 0) {
      pool.set_extent(0, row_);
      if (count) pool.set_extent(outer, (*count + row_ - 1) / row_);
    } else if (count) {
      pool.set_extent(0, *count);
    }
  }

  std::vector<Stmt> rewrite(const std::vector<Stmt>& stmts) {
    std::vector<Stmt> result;
    for (const Stmt& s : stmts) {
      Stmt copy = s;
      if (s.value != no_expr) copy.value = rewrite(s.value);
      if (s.other != no_expr) copy.other = rewrite(s.other);
      copy.body = rewrite(s.body);
      result.push_back(std::move(copy));
    }
    return result;
  }

  ExprId rewrite(ExprId id) {
    if (const auto it = memo_.find(id); it != memo_.end()) return it->second;
    const Expr& e = old_[id];
    std::vector<ExprId> operands;
    for (ExprId o : e.operands) operands.push_back(rewrite(o));
    const ExprId result = remake(e, operands);
    memo_.emplace(id, result);
    return result;
  }

  ExprId remake(const Expr& e, const std::vector<ExprId>& x) {
    ExprPool& pool = to_.pool;
    const auto constant = [&] { return std::int64_t(pool[x[1]].bits); };
    switch (e.kind) {
      case ExprKind::load:
        return pool.load(e.slot, e.dtype, x[0]);
      case ExprKind::reg:
        return pool.reg(e.slot, e.dtype);
      case ExprKind::index_variable:
        return e.slot == 0 || e.slot == unbounded_item ? item_ : pool.variable(e.slot);
      case ExprKind::index_scalar:
        return pool.scalar(e.slot);
      case ExprKind::index_div:
        return divide(x[0], constant());
      case ExprKind::index_mod:
        if (is_rows(constant()))
          return pool.add(pool.mul(pool.mod(pool.div(x[0], row_), constant() / row_), row_),
                          pool.mod(x[0], row_));
        return pool.mod(x[0], constant());
      default:
        return rebuild(pool, e, x);
    }
  }

  [[nodiscard]] bool is_rows(std::int64_t c) const { return row_ > 0 && c > row_ && c % row_ == 0; }
  ExprId divide(ExprId x, std::int64_t c) {
    ExprPool& pool = to_.pool;
    return is_rows(c) ? pool.div(pool.div(x, row_), c / row_) : pool.div(x, c);
  }

  const Kernel& from_;
  const ExprPool& old_;
  Kernel to_;
  WorkLoops result_;
  std::int64_t row_ = 0;  ///< 0: one loop
  ExprId item_ = no_expr;
  std::unordered_map<ExprId, ExprId> memo_;
};

}  // namespace

WorkLoops with_work_loops(const Kernel& kernel) { return LoopMaker(kernel).build(); }

}  // namespace partita::passes
