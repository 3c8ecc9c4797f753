// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Launches of two dimensions, for targets whose kernels are printed for one work-item: a place in a
// row and the row.  Indices are then sums without divisions, and what a device's compiler makes of
// neighbouring items are vectors.  Where items walk down columns of an array, an item takes some
// neighbouring columns, as a vector.  Kernels that index their item as it is stay as they are.

#include <algorithm>
#include <optional>

#include "kernel/analysis/step_access.hpp"
#include "kernel/ast/expressions.hpp"
#include "kernel/ast/statements.hpp"
#include "kernel/draft_pass.hpp"
#include "kernel/rewrites/item_rows.hpp"

namespace partita::kernel::schedule {
namespace {

using scalar::ExprId;
using scalar::ExprPool;
using scalar::no_expr;

/// Vectors that an item keeps at most: what a device has registers for.
constexpr int most_registers = 12;
constexpr int fewest_lanes = 4;

/// What a kernel's statements ask of the items' form.
struct Facts {
  int registers = 0;
  bool has_vectors = false, is_one_dtype = true;
  std::optional<DType> dtype;
};

void collect(const Block& stmts, Facts& facts) {
  for (const Stmt& s : stmts) {
    facts.has_vectors |= s.width > 1;
    facts.registers += as<Declare>(s) != nullptr;
    if (const auto dtype = dtype_of(s)) {
      facts.is_one_dtype &= facts.dtype.value_or(*dtype) == *dtype;
      facts.dtype = dtype;
    }
    collect(body_of(s), facts);
  }
}

void widen(Block& stmts, int width, std::int32_t lane) {
  for (Stmt& s : stmts) {
    if (Block* body = body_of(s))
      widen(*body, width, lane);
    else
      s.width = width, s.lane = lane;
  }
}

class RowLauncher {
 public:
  RowLauncher(const Kernel& from, std::int64_t items, std::int64_t vector_bytes)
      : from_(from), items_(items), vector_bytes_(vector_bytes) {
    body_ = &guarded_body(from);
    collect(*body_, facts_);
  }

  /// The kernel over rows; null where it is as good as it is.
  std::unique_ptr<Kernel> build() {
    if (facts_.has_vectors || !from_.arrays.empty()) return nullptr;
    std::set<std::int64_t> divisors = item_divisors(from_);
    std::erase_if(divisors, [&](std::int64_t d) { return items_ % d != 0 || d >= items_; });
    row_ = choose_row(divisors);
    if (auto columns = make(column_lanes())) return columns;
    return row_ > 0 ? make(1) : nullptr;
  }

  [[nodiscard]] std::array<std::int64_t, 2> global() const {
    const std::int64_t row = row_ > 0 ? row_ : items_;
    return {row / lanes_, items_ / row};
  }

 private:
  /// Columns that an item can take at once: a power of two that divides a row.
  [[nodiscard]] int column_lanes() const {
    if (vector_bytes_ == 0 || !facts_.is_one_dtype || facts_.registers > most_registers ||
        (facts_.dtype != DType::f32 && facts_.dtype != DType::f64))
      return 0;
    auto lanes = int(vector_bytes_ / std::int64_t(byte_size(*facts_.dtype)));
    while (lanes >= fewest_lanes && (row_ > 0 ? row_ : items_) % lanes != 0) lanes /= 2;
    return lanes >= fewest_lanes ? lanes : 0;
  }

  /// With `lanes` above 1: null where the kernel has no loop over columns.
  std::unique_ptr<Kernel> make(int lanes) {
    if (lanes == 0) return nullptr;
    lanes_ = lanes;
    auto to = std::make_unique<Kernel>(without_body(from_));
    ExprPool& pool = to->pool;
    ItemRewriter rewriter(from_.pool, pool, row_);
    rewriter.declare_extents();
    const auto [places, rows] = global();
    pool.set_extent(0, places);
    ExprId item = pool.mul(pool.variable(0), lanes);
    std::set<std::int32_t> variables{0};
    std::int32_t along = 0;
    if (lanes > 1) {
      along = to->new_variable(lanes);
      item = pool.add(item, pool.variable(along));
      variables.insert(along);
    }
    if (row_ > 0) {
      to->row_variable = to->new_variable(rows);
      item = pool.add(pool.mul(pool.variable(to->row_variable), row_), item);
      variables.insert(to->row_variable);
    }
    rewriter.set_item(item);
    to->body = rewriter.rewrite(*body_);
    if (lanes > 1) {
      if (!reads_columns(pool, to->body, along, variables) ||
          !is_shared(pool, to->body, variables)) {
        lanes_ = 1;
        return nullptr;
      }
      widen(to->body, lanes, along);
    }
    return to;
  }

  /// Whether neighbouring items go through all loops and branches together.
  static bool is_shared(const ExprPool& pool, const Block& stmts,
                        const std::set<std::int32_t>& variables) {
    return std::ranges::all_of(stmts, [&](const Stmt& s) {
      const bool has_body = as<Loop>(s) != nullptr || as<When>(s) != nullptr;
      return !has_body ||
             (is_shared_control(pool, s, variables) && is_shared(pool, body_of(s), variables));
    });
  }

  const Kernel& from_;
  const Block* body_;
  std::int64_t items_, vector_bytes_;
  Facts facts_;
  std::int64_t row_ = 0;  ///< 0: one row
  int lanes_ = 1;
};

void launch_rows(Steps& steps, PlanDraft& draft, std::int64_t vector_bytes) {
  for (Step& s : steps) {
    for (Steps* inner : inner_steps(s)) launch_rows(*inner, draft, vector_bytes);
    Launch* l = std::get_if<Launch>(&s.what);
    if (l == nullptr) continue;
    const Kernel& k = *draft.kernels[std::size_t(l->kernel)];
    const auto items = items_of_launch(*l, k);
    if (!items || *items == 0) continue;
    RowLauncher rows(k, *items, vector_bytes);
    auto kernel = rows.build();
    if (!kernel) continue;
    const auto [x, y] = rows.global();
    l->global = {HostExpr(x), HostExpr(y), HostExpr(1)};
    l->local = {0, 0, 0};
    l->kernel = int(draft.kernels.size());
    draft.kernels.push_back(std::move(kernel));
  }
}

}  // namespace

DraftPass draft_pass_launch_rows();
DraftPass draft_pass_launch_rows() {
  return {.name = "launch-rows",
          .doc =
              "Launches become two-dimensional, a place in a row and the row, so that indices are "
              "sums; neighbouring columns are taken as vectors of `vector-bytes` (0: none).",
          .options = {"vector-bytes"},
          .run = [](PlanDraft& draft, const PassRun& run) {
            launch_rows(draft.plan.steps, draft, run.integer("vector-bytes", 0));
          }};
}

}  // namespace partita::kernel::schedule
