// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Items that each make some neighbouring elements, which they read and write as one, for devices of many items
// (DeviceClass::simt).  Kernels whose items do something else than store elements side by side stay as they are, and so
// do launches that are too short to keep a device busy with fewer items.
#include <algorithm>

#include "kernel/ast/expressions.hpp"
#include "kernel/ast/neighbours.hpp"
#include "kernel/ast/plan_steps.hpp"
#include "kernel/ast/statements.hpp"
#include "kernel/draft_pass.hpp"
#include "kernel/rewrites/item_rows.hpp"

namespace partita::kernel::schedule {
namespace {

using scalar::ExprId;
using scalar::ExprKind;
using scalar::ExprPool;
using scalar::no_expr;

constexpr int widths[] = {8, 4, 2};

class Widener {
 public:
  Widener(const Kernel& from, const Launch& launch, std::int64_t items)
      : from_(from), launch_(launch), items_(items) {
    body_ = &guarded_body(from);
  }

  /// The kernel of fewer items; null where it is as good as it is.
  std::unique_ptr<Kernel> build(std::int64_t local, std::int64_t least_items) {
    const bool is_plain = !body_->empty() && std::ranges::all_of(*body_, [](const Stmt& s) {
      return as<Store>(s) != nullptr && s.width == 1;
    });
    if (!is_plain) return nullptr;
    for (const int width : widths)
      if (items_ % width == 0 && items_ / width >= least_items)
        if (auto kernel = make(width, local)) return kernel;
    return nullptr;
  }
  [[nodiscard]] std::int64_t items() const { return items_ / width_; }

 private:
  /// Null where a store, or all that is read, does not lie side by side.
  std::unique_ptr<Kernel> make(int width, std::int64_t local) {
    auto to = std::make_unique<Kernel>(without_body(from_));
    ExprPool& pool = to->pool;
    ItemRewriter rewriter(from_.pool, pool, width);
    rewriter.declare_extents();
    pool.set_extent(0, items_ / width);
    const ExprId number = pool.variable(to->new_variable(width));
    rewriter.set_item(pool.add(pool.mul(pool.variable(0), width), number));
    const IsAligned is_aligned = [&](std::int32_t buffer, std::int64_t n) {
      return known_divisor(launch_.buffers[std::size_t(buffer)].offset) % n == 0;
    };
    bool reads = false, reads_side_by_side = false;
    for (const Stmt& s : rewriter.rewrite(*body_)) {
      const Store& store = *as<Store>(s);
      const std::vector<ExprId> indices = neighbours(pool, store.index, number, width, is_aligned);
      if (store_width(pool, store.buffer, store.dtype, indices, is_aligned) != std::size_t(width))
        return nullptr;
      const bool moves = depends_on(pool, store.value, ExprKind::load);
      reads |= moves;
      reads_side_by_side |= reads_as_one(pool, store.value, number, width, is_aligned);
      put(pool,
          {.buffer = store.buffer,
           .dtype = store.dtype,
           .values = neighbours(pool, store.value, number, width, is_aligned),
           .index = indices[0]},
          to->body);
    }
    if (reads && !reads_side_by_side) return nullptr;
    width_ = width;
    if (items() % local != 0)
      to->body = {
          when(pool.less(pool.variable(unbounded_item), pool.index(items())), std::move(to->body))};
    note_alignments(*to);
    return to;
  }

  /// Neighbours that are all on one side of a border are stored there, so that each side reads its own as one.
  static void put(ExprPool& pool, StoreWide store, Block& to) {
    const scalar::Expr first = pool[store.values[0]];
    const bool have_border =
        first.kind == ExprKind::choose && depends_on(pool, store.values[0], ExprKind::load_wide) &&
        std::ranges::all_of(store.values, [&](ExprId v) {
          return pool[v].kind == ExprKind::choose && pool[v].operands[0] == first.operands[0];
        });
    if (!have_border) return to.push_back({std::move(store)});
    const ExprId condition = first.operands[0];
    for (const std::size_t side : {1, 2}) {
      StoreWide part = store;
      for (ExprId& v : part.values) v = pool[v].operands[side];
      Block body;
      put(pool, std::move(part), body);
      to.push_back(when(side == 1 ? condition : pool.apply("not_", DType::i1, {condition}),
                        std::move(body)));
    }
  }

  const Kernel& from_;
  const Launch& launch_;
  const Block* body_;
  std::int64_t items_;
  int width_ = 1;
};

void widen_items(Steps& steps, PlanDraft& draft, std::int64_t least_items) {
  for (Step& s : steps) {
    for (Steps* inner : inner_steps(s)) widen_items(*inner, draft, least_items);
    Launch* l = std::get_if<Launch>(&s.what);
    if (l == nullptr) continue;
    const Kernel& k = *draft.kernels[std::size_t(l->kernel)];
    const auto items = items_of_launch(*l, k);
    if (!items || *items == 0) continue;
    Widener widener(k, *l, *items);
    auto kernel = widener.build(l->local[0], least_items);
    if (!kernel) continue;
    const std::int64_t local = l->local[0];
    l->global[0] = HostExpr((widener.items() + local - 1) / local * local);
    l->kernel = int(draft.kernels.size());
    draft.kernels.push_back(std::move(kernel));
  }
}

}  // namespace

DraftPass draft_pass_widen_items();
DraftPass draft_pass_widen_items() {
  return {.name = "widen-items",
          .doc =
              "Items make several neighbouring elements, which they read and write as one, where "
              "a launch keeps `least-items` of them.",
          .options = {"least-items"},
          .run = [](PlanDraft& draft, const PassRun& run) {
            widen_items(draft.plan.steps, draft, run.integer("least-items", 1));
          }};
}

}  // namespace partita::kernel::schedule
