// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Whether the work-items of a kernel are independent of each other, proven from its index expressions
// and from what the plan's launches bind its buffers to.  Only then does generated code promise
// compilers so (docs/decisions/0011-promises-of-generated-code.md).

#include <algorithm>
#include <deque>
#include <map>
#include <optional>
#include <utility>

#include "kernel/analysis/apart.hpp"
#include "kernel/analysis/step_access.hpp"
#include "kernel/ast/body_facts.hpp"
#include "kernel/ast/expressions.hpp"
#include "kernel/draft_pass.hpp"
#include "partita/base/error.hpp"
#include "partita/base/log.hpp"

namespace partita::kernel::schedule {
namespace {

using scalar::ExprId;
using scalar::ExprPool;

/// For each buffer of a kernel the first one that is the same array; nothing where two may overlap in
/// another way and one of them is written.
using Arrays = std::vector<int>;

/// Elements [begin, end) of a buffer.
struct Extent {
  std::int64_t begin = 0, end = 0;
};

/// Where a kernel's statements load and store, by buffer.
class KernelPlaces {
 public:
  explicit KernelPlaces(const Kernel& kernel)
      : pool_(kernel.pool), loads_(kernel.buffers.size()), stores_(kernel.buffers.size()) {
    visit(kernel.body, facts_.emplace_back());
  }
  KernelPlaces(const KernelPlaces&) = delete;
  KernelPlaces& operator=(const KernelPlaces&) = delete;

  [[nodiscard]] const std::vector<Place>& loads(std::size_t buffer) const { return loads_[buffer]; }
  [[nodiscard]] const std::vector<Place>& stores(std::size_t buffer) const {
    return stores_[buffer];
  }

 private:
  /// Statements around which the same conditions hold.
  void visit(const Block& stmts, const IndexFacts& facts) {
    std::set<ExprId> seen;
    const auto load_all = [&](ExprId root) {
      for (const ExprId id : reachable(pool_, root))
        if (const scalar::Expr& e = pool_[id];
            e.kind == scalar::ExprKind::load && seen.insert(id).second)
          loads_[std::size_t(e.slot)].push_back({e.operands[0], &facts});
    };
    for (const Stmt& s : stmts) {
      for (const ExprId root : roots_of(s)) load_all(root);
      if (const Store* store = as<Store>(s))
        stores_[std::size_t(store->buffer)].push_back({store->index, &facts});
      if (const AtomicCombine* x = as<AtomicCombine>(s))
        for (auto* places : {&loads_, &stores_})
          (*places)[std::size_t(x->buffer)].push_back({x->index, &facts});
      const When* const branch = as<When>(s);
      if (branch == nullptr) {
        visit(body_of(s), facts);
        continue;
      }
      IndexFacts& inside = facts_.emplace_back(facts);
      add_facts(pool_, branch->condition, inside);
      forget(inside, changes_of(s));
      visit(branch->body, inside);
    }
  }

  /// What is known of values that statements change is not known throughout them.
  void forget(IndexFacts& facts, const Changes& changes) const {
    std::erase_if(facts, [&](const auto& fact) {
      return std::ranges::any_of(reachable(pool_, fact.first),
                                 [&](ExprId x) { return changes.include(pool_[x]); });
    });
  }

  const ExprPool& pool_;
  std::deque<IndexFacts> facts_;
  std::vector<std::vector<Place>> loads_, stores_;
};

class Prover {
 public:
  explicit Prover(PlanDraft& draft) : draft_(draft), is_open_(draft.kernels.size(), 1) {}

  void visit(Steps& steps) {
    for (Step& s : steps) {
      for (const Launch* launch : launches_of(s)) visit(*launch);
      for (Steps* inner : inner_steps(s)) visit(*inner);
    }
  }

 private:
  void visit(const Launch& launch) {
    const auto k = std::size_t(launch.kernel);
    Kernel& kernel = *draft_.kernels[k];
    if (std::exchange(is_open_[k], 0) != 0)
      kernel.has_independent_items = true;
    else if (!kernel.has_independent_items)
      return;
    kernel.has_independent_items = has_independent_items(launch);
    if (!kernel.has_independent_items)
      log(LogLevel::info, cat("kernel ", kernel.stem, " (", kernel.comment,
                              "): items are not proven to be independent"));
  }

  [[nodiscard]] bool has_independent_items(const Launch& launch) {
    // Items of a group are meant to see each other.
    if (draft_.kernels[std::size_t(launch.kernel)]->group_items > 0) return false;
    const std::optional<Arrays> arrays = arrays_of(launch);
    if (!arrays) return false;
    const auto [known, is_new] = proven_.try_emplace({launch.kernel, *arrays}, false);
    if (is_new) known->second = has_independent_items(launch.kernel, *arrays);
    return known->second;
  }

  // --- Which buffers are one array ---

  [[nodiscard]] std::optional<Arrays> arrays_of(const Launch& launch) {
    const Kernel& kernel = *draft_.kernels[std::size_t(launch.kernel)];
    Arrays arrays(launch.buffers.size());
    for (int b = 0; b < int(arrays.size()); ++b) {
      arrays[std::size_t(b)] = b;
      for (int a = 0; a < b; ++a) {
        const BufferParam &x = kernel.buffers[std::size_t(a)], &y = kernel.buffers[std::size_t(b)];
        if (!x.is_written && !y.is_written) continue;
        const BufferRef &at = launch.buffers[std::size_t(a)], &bt = launch.buffers[std::size_t(b)];
        const bool are_one =
            at.buffer == bt.buffer || may_be_one(draft_.plan, buffer_of(at), buffer_of(bt));
        if (are_one && at.offset == bt.offset && x.dtype == y.dtype)
          arrays[std::size_t(b)] = std::min(arrays[std::size_t(b)], arrays[std::size_t(a)]);
        else if (!are_disjoint(launch, a, b))
          return std::nullopt;
      }
    }
    return arrays;
  }

  [[nodiscard]] const Buffer& buffer_of(const BufferRef& ref) const {
    return draft_.plan.buffers[std::size_t(ref.buffer)];
  }

  /// Bytes of its memory that a launch may touch by one of its buffers; nothing where that is unknown.
  [[nodiscard]] std::optional<Extent> bytes_of(const Launch& launch, int b) {
    const BufferRef& ref = launch.buffers[std::size_t(b)];
    const Buffer& buffer = buffer_of(ref);
    if (!buffer.count.is_constant()) return std::nullopt;
    const std::int64_t width = std::int64_t(byte_size(buffer.dtype));
    Extent all{0, buffer.count.value()};
    if (ref.offset.is_constant()) {
      const Extent used = elements_of(launch.kernel, b);
      const std::int64_t offset = ref.offset.value();
      if (used.begin > -ExprPool::unbounded) all.begin = std::max(all.begin, offset + used.begin);
      if (used.end < ExprPool::unbounded) all.end = std::min(all.end, offset + used.end);
    }
    return Extent{buffer.arena_offset + width * all.begin, buffer.arena_offset + width * all.end};
  }

  [[nodiscard]] const KernelPlaces& places_of(int k) {
    return places_.try_emplace(k, *draft_.kernels[std::size_t(k)]).first->second;
  }

  [[nodiscard]] Extent elements_of(int k, int b) {
    const Kernel& kernel = *draft_.kernels[std::size_t(k)];
    const KernelPlaces& places = places_of(k);
    Extent all{ExprPool::unbounded, -ExprPool::unbounded};
    for (const auto* used : {&places.loads(std::size_t(b)), &places.stores(std::size_t(b))})
      for (const Place& place : *used) {
        const ExprPool::Bounds bounds = kernel.pool.bounds(place.index);
        all.begin = std::min(all.begin, bounds.low);
        all.end = std::max(all.end, bounds.high + 1);
      }
    return all;
  }

  [[nodiscard]] bool are_disjoint(const Launch& launch, int a, int b) {
    const Buffer &x = buffer_of(launch.buffers[std::size_t(a)]),
                 &y = buffer_of(launch.buffers[std::size_t(b)]);
    if (may_be_one(draft_.plan, x, y)) return false;
    if (x.kind != y.kind && !(is_of_output(x.kind) && is_of_output(y.kind))) return true;
    // A block is memory of its own; an input or output may have several buffers.
    if (x.kind == BufferKind::block && &x != &y) return true;
    if (x.kind != BufferKind::arena && x.kind != BufferKind::block && x.index != y.index)
      return true;
    const auto p = bytes_of(launch, a), q = bytes_of(launch, b);
    return p && q && (p->end <= q->begin || q->end <= p->begin);
  }

  // --- Which items touch which elements ---

  [[nodiscard]] bool has_independent_items(int k, const Arrays& arrays) {
    const Kernel& kernel = *draft_.kernels[std::size_t(k)];
    const KernelPlaces& places = places_of(k);
    std::set<std::int32_t> items{0};
    if (kernel.row_variable >= 0) items.insert(kernel.row_variable);
    const ItemIndices indices(kernel.pool, std::move(items));
    for (std::size_t a = 0; a < arrays.size(); ++a)
      for (std::size_t b = 0; b < arrays.size(); ++b) {
        if (arrays[a] != arrays[b]) continue;
        for (const Place& stored : places.stores(a))
          for (const auto* others : {&places.stores(b), &places.loads(b)})
            for (const Place& other : *others)
              if (!indices.are_apart(stored, other)) return false;
      }
    return true;
  }

  PlanDraft& draft_;
  std::map<int, KernelPlaces> places_;
  std::vector<char> is_open_;  // per kernel: no launch of it has been seen
  std::map<std::pair<int, Arrays>, bool> proven_;
};

}  // namespace

DraftPass draft_pass_prove_independence();
DraftPass draft_pass_prove_independence() {
  return {.name = "prove-independence",
          .doc =
              "Says of each kernel whether its items are independent: no item stores what another "
              "one loads or stores, in any launch of the plan.",
          .needs_places = true,
          .run = [](PlanDraft& draft, const PassRun&) { Prover(draft).visit(draft.plan.steps); }};
}

}  // namespace partita::kernel::schedule
