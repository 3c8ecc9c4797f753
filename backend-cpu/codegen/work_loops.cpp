// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "backend-cpu/codegen/work_loops.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "kernel/ast/body_facts.hpp"
#include "kernel/ast/expressions.hpp"
#include "kernel/ast/statements.hpp"
#include "kernel/rewrites/item_rows.hpp"
#include "kernel/rewrites/item_split.hpp"
#include "kernel/rewrites/single_elements.hpp"
#include "partita/base/error.hpp"

namespace partita::cpu::codegen {

using namespace kernel;
namespace {

using scalar::Expr;
using scalar::ExprId;
using scalar::ExprKind;
using scalar::ExprPool;
using scalar::no_expr;

/// Registers that are worth an array each.
constexpr std::size_t most_lane_registers = 16;
/// Elements that are apart by no more are read as vectors, of which some lanes are left out.
constexpr std::int64_t most_apart = 4;

class LoopMaker {
 public:
  explicit LoopMaker(const Kernel& from)
      : from_(from),
        old_(from.pool),
        to_(without_body(from)),
        row_(choose_row(item_divisors(from))),
        rewriter_(old_, to_.pool, row_) {}

  WorkLoops build() {
    to_.scalars = from_.scalars + 2;
    const Block& body = guarded_body(from_);
    const ExprId limit = item_guard(from_);
    const std::int32_t outer = row_ > 0 ? to_.next_variable++ : 0;
    declare_extents(outer);
    ExprPool& pool = to_.pool;
    const ExprId begin = pool.scalar(from_.scalars);
    ExprId end = pool.scalar(from_.scalars + 1);
    if (limit != no_expr) end = pool.min(end, rewriter_.rewrite(limit));
    const ExprId item = pool.variable(0);
    rewriter_.set_item(row_ > 0 ? pool.add(pool.mul(pool.variable(outer), row_), item) : item);
    if (row_ == 0) {
      to_.body = row(begin, end, rewriter_.rewrite(body));
    } else {
      const ExprId first = pool.mul(pool.variable(outer), row_), zero = pool.index(0);
      Block inner = row(pool.max(pool.sub(begin, first), zero),
                        pool.min(pool.sub(end, first), pool.index(row_)), rewriter_.rewrite(body));
      Stmt rows = loop(outer, pool.div(pool.add(end, row_ - 1), row_), std::move(inner));
      as<Loop>(rows)->begin = pool.div(begin, row_);
      to_.body = {std::move(rows)};
    }
    result_.kernel = std::move(to_);
    return std::move(result_);
  }

 private:
  /// A loop over items [begin, end); two where items on either side of one read from different places.
  Block work_loops(ExprId begin, ExprId end, Block body) {
    const bool is_parallel = from_.has_independent_items && !has_vectors(body);
    Block result;
    const auto append = [&](ExprId first, ExprId last, Block stmts) {
      result.push_back({Loop{.variable = 0,
                             .end = last,
                             .begin = first,
                             .is_parallel = is_parallel,
                             .body = std::move(stmts)}});
    };
    ExprPool& pool = to_.pool;
    auto split = is_parallel ? split_of_items(pool, body) : std::nullopt;
    if (split) {
      append(begin, pool.min(end, split->at), std::move(split->before));
      append(pool.max(begin, split->at), end, std::move(split->from));
    } else {
      append(begin, end, std::move(body));
    }
    return result;
  }

  /// Items [begin, end).
  struct Items {
    ExprId begin, end;
  };

  /// Items of a row: one after the other, or in blocks whose items go through the body's loops together.
  Block row(ExprId begin, ExprId end, Block body) {
    if (!wants_lanes(body)) return work_loops(begin, end, std::move(body));
    ExprPool& pool = to_.pool;
    result_.lane_registers = shared_registers(body);
    const std::int32_t block = to_.next_variable++;
    if (row_ > 0) pool.set_extent(block, row_);
    const ExprId first = pool.variable(block);
    result_.lane = cat("[k0 - k", block, "]");
    const std::int64_t whole = whole_block(), lanes = whole > 0 ? whole : WorkLoops::lanes;
    const ExprId last = pool.add(first, lanes);
    const Items own{whole > 0 ? pool.max(first, begin) : first, pool.min(last, end)};
    Block inside = in_lanes(std::move(body), own, whole > 0 ? Items{first, last} : own);
    return {{Loop{.variable = block,
                  .end = end,
                  .begin = whole > 0 ? pool.sub(begin, pool.mod(begin, whole)) : begin,
                  .step = lanes,
                  .body = std::move(inside)}}};
  }

  /// Items of a block where rows consist of whole ones, else 0.  What items keep to themselves is then computed for a whole block
  /// wherever a launch begins and ends: loops of a known number of turns are shorter and sooner compiled.
  [[nodiscard]] std::int64_t whole_block() const {
    constexpr std::int64_t vector = 16, most = 64;
    const std::optional<std::int64_t> count = item_extent(old_);
    if (row_ == 0 || !count || *count % row_ != 0) return 0;
    // Some items of the last row may be none.
    if (const ExprId limit = item_guard(from_); limit != no_expr) {
      if (!old_.is_index_constant(limit) || std::int64_t(old_[limit].bits) != *count) return 0;
    }
    std::int64_t items = most;
    while (items > 0 && row_ % items != 0) items -= vector;
    return items;
  }

  /// Loops of the body become loops around loops over `own` items, or over `all` where nothing is stored; so do conditions.
  Block in_lanes(Block body, const Items& own, const Items& all) {
    Block result, run;
    const auto flush = [&] {
      if (run.empty()) return;
      const Items& items = stores(run) ? own : all;
      for (Stmt& s : work_loops(items.begin, items.end, std::move(run)))
        result.push_back(std::move(s));
      run.clear();
    };
    for (Stmt& s : body) {
      if (!has_body(s) || !is_shared_control(to_.pool, s, {0})) {
        run.push_back(std::move(s));
        continue;
      }
      flush();
      *body_of(s) = in_lanes(std::move(*body_of(s)), own, all);
      result.push_back(std::move(s));
    }
    flush();
    return result;
  }

  /// Whether statements change memory.
  [[nodiscard]] static bool stores(const Block& stmts) {
    return std::ranges::any_of(stmts, [](const Stmt& s) {
      const Changes changes = changes_of(s);
      return !changes.buffers.empty() || !changes.arrays.empty() || changes.all_arrays;
    });
  }

  /// Registers that more than one of the loops over items would name: the others live within one.
  [[nodiscard]] std::map<std::int32_t, DType> shared_registers(const Block& body) const {
    std::map<std::int32_t, DType> declared;
    collect_registers(body, declared);
    std::map<std::int32_t, int> loops;
    count_loops(body, loops);
    std::erase_if(declared, [&](const auto& r) { return loops[r.first] < 2; });
    return declared;
  }

  /// For each register how many loops over items name it, as in_lanes divides the body.
  void count_loops(const Block& body, std::map<std::int32_t, int>& loops) const {
    Block run;
    const auto flush = [&] {
      std::set<std::int32_t> named;
      find_registers(run, named);
      for (const std::int32_t slot : named) ++loops[slot];
      run.clear();
    };
    for (const Stmt& s : body) {
      if (!has_body(s) || !is_shared_control(to_.pool, s, {0})) {
        run.push_back(s);
        continue;
      }
      flush();
      count_loops(body_of(s), loops);
    }
    flush();
  }

  void find_registers(const Block& stmts, std::set<std::int32_t>& to) const {
    for (const ExprId id : reachable(to_.pool, stmts))
      if (to_.pool[id].kind == ExprKind::reg) to.insert(to_.pool[id].slot);
    for (const Stmt& s : stmts) {
      if (const std::int32_t* slot = register_of(s)) to.insert(*slot);
      find_registers(body_of(s), to);
    }
  }

  static bool has_body(const Stmt& s) { return as<Loop>(s) != nullptr || as<When>(s) != nullptr; }

  static void collect_registers(const Block& stmts, std::map<std::int32_t, DType>& to) {
    for (const Stmt& s : stmts) {
      if (const Declare* d = as<Declare>(s)) to.emplace(d->slot, d->dtype);
      collect_registers(body_of(s), to);
    }
  }

  /// Where a loop reads neighbours for neighbouring items but not from one iteration to the next.
  [[nodiscard]] bool wants_lanes(const Block& body) const {
    const std::map<std::int32_t, DType> registers = shared_registers(body);
    if (registers.empty() || registers.size() > most_lane_registers || has_vectors(body))
      return false;
    return reads_columns(to_.pool, body, 0, {0}, most_apart);
  }

  /// What is known of variables and scalars.
  void declare_extents(std::int32_t outer) {
    ExprPool& pool = to_.pool;
    rewriter_.declare_extents();
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

  const Kernel& from_;
  const ExprPool& old_;
  Kernel to_;
  WorkLoops result_;
  std::int64_t row_;  ///< 0: one loop
  ItemRewriter rewriter_;
};

}  // namespace

WorkLoops with_work_loops(const Kernel& kernel) {
  const std::optional<Kernel> single = with_single_elements(kernel);
  return LoopMaker(single ? *single : kernel).build();
}

}  // namespace partita::cpu::codegen
