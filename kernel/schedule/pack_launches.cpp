// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Fewer launches for the same plan: launches with little to do that do not need each other's results
// become one, whatever their sizes.  What is computed does not change, nor in what order.

#include <algorithm>
#include <map>
#include <optional>

#include "kernel/analysis/step_access.hpp"
#include "kernel/ast/expressions.hpp"
#include "kernel/draft_pass.hpp"
#include "kernel/rewrites/merge_kernels.hpp"
#include "partita/base/target_info.hpp"

namespace partita::kernel::schedule {
namespace {

using scalar::ExprId;
using scalar::ExprKind;
using scalar::ExprPool;

/// Rounds of a loop whose number is known when the plan runs.
constexpr std::int64_t usual_rounds = 16;
/// Of a packed kernel.  Small kernels are often the same for several launches, and compiled once; one
/// that holds them all takes device compilers longer.
constexpr int most_packed_operations = 64;
constexpr std::size_t most_packed_buffers = 32;
/// How far back a launch looks for one to join.
constexpr std::size_t pack_window = 64;

/// What takes about as long as a launch does.
struct Limits {
  std::int64_t most_work;  ///< loads and operations, vectors counted once
  std::int64_t most_idle;  ///< items of packed launches that may have nothing to do

  explicit Limits(std::int64_t launch_elements)
      : most_work(2 * launch_elements), most_idle(launch_elements / 4) {}
};

/// Loads and operations of one item; more than `most` is no matter.
std::int64_t work_of(const Kernel& k, const Block& stmts, std::int64_t most) {
  std::int64_t work = 0;
  for (const Stmt& s : stmts) {
    ++work;
    for (const ExprId root : roots_of(s)) {
      for (const ExprId id : reachable(k.pool, root)) {
        const ExprKind kind = k.pool[id].kind;
        work += kind == ExprKind::apply || kind == ExprKind::load;
      }
    }
    std::int64_t rounds = 1;
    if (const Loop* loop = as<Loop>(s)) {
      const std::int64_t high = k.pool.bounds(loop->end).high;
      rounds =
          high < ExprPool::unbounded ? std::max<std::int64_t>(high / loop->step, 1) : usual_rounds;
    }
    work = std::min(work, most) +
           std::min(rounds, most) * std::min(work_of(k, body_of(s), most), most);
  }
  return work;
}

/// Whether an item keeps a tile of sums in registers: beside other work it would not.
bool is_contraction(const Block& stmts) {
  return std::ranges::any_of(stmts, [](const Stmt& s) {
    return as<MultiplyAdd>(s) != nullptr || is_contraction(body_of(s));
  });
}

/// Steps that stay together: one, or launches that become one.
struct Pack {
  Steps steps;
  std::map<int, bool> uses;  ///< buffers, and whether they are written
  Grid grid;
  std::int64_t most_items = 0;  ///< of a launch
  int operations = 0;
  bool is_wall = false;  ///< nothing moves past it
  bool is_short = false;
};

Grid larger(const Grid& a, const Grid& b) {
  return {std::max(a.items, b.items), std::max(a.rows, b.rows)};
}

class Packer {
 public:
  Packer(PlanDraft& draft, const Limits& limits) : draft_(draft), limits_(limits) {}

  void pack(Steps& steps) {
    std::vector<Pack> packs;
    for (Step& s : steps) {
      for (Steps* inner : inner_steps(s)) pack(*inner);
      Pack g = pack_of(std::move(s));
      if (!join(packs, g)) packs.push_back(std::move(g));
    }
    steps.clear();
    for (Pack& g : packs) steps.push_back(g.steps.size() == 1 ? std::move(g.steps[0]) : packed(g));
  }

 private:
  [[nodiscard]] KernelCall call_of(const Step& s) const {
    const Launch& l = std::get<Launch>(s.what);
    return {draft_.kernels[std::size_t(l.kernel)].get(), &l};
  }

  Pack pack_of(Step s) {
    Pack g;
    const bool is_launch = std::holds_alternative<Launch>(s.what);
    g.is_wall = !is_launch && !std::holds_alternative<Copy>(s.what) && !is_library_call(s);
    if (!g.is_wall)
      for_each_access(s, draft_, [&](const Access& a) { g.uses[a.ref->buffer] |= a.writes; });
    if (is_launch) measure(call_of(s), g);
    g.steps.push_back(std::move(s));
    return g;
  }

  void measure(const KernelCall& call, Pack& g) const {
    const std::optional<Grid> grid = grid_of(call);
    if (!grid || grid->items > limits_.most_work || grid->rows > limits_.most_work) return;
    g.grid = *grid;
    g.most_items = grid->count();
    g.operations = facts_of(call).operations;
    const Kernel& k = *call.kernel;
    g.is_short = g.most_items > 0 && k.group_items == 0 && !is_contraction(k.body) &&
                 g.most_items <= limits_.most_work / std::max<std::int64_t>(
                                                         work_of(k, k.body, limits_.most_work), 1);
  }

  [[nodiscard]] bool fits(const Pack& first, const Pack& g) const {
    if (!first.is_short || first.operations + g.operations > most_packed_operations ||
        conflict(first.uses, g.uses))
      return false;
    const std::int64_t items = std::max(first.most_items, g.most_items);
    if (larger(first.grid, g.grid).count() > items + limits_.most_idle) return false;
    return first.uses.size() + g.uses.size() <= most_packed_buffers;
  }

  /// Puts `g` into the nearest pack before it that takes it; that one moves to `g`, or `g` to it.
  bool join(std::vector<Pack>& packs, Pack& g) {
    if (!g.is_short) return false;
    bool may_rise = true;
    const std::size_t from = packs.size() - std::min(packs.size(), pack_window);
    for (std::size_t i = packs.size(); i-- > from;) {
      Pack& candidate = packs[i];
      if (candidate.is_wall) return false;
      const auto at = packs.begin() + std::ptrdiff_t(i);
      const auto may_sink = [&] {
        return std::none_of(at + 1, packs.end(), [&](const Pack& between) {
          return conflict(between.uses, candidate.uses);
        });
      };
      if (fits(candidate, g) && (may_rise || may_sink())) {
        absorb(candidate, g);
        if (!may_rise) std::rotate(at, at + 1, packs.end());
        return true;
      }
      may_rise = may_rise && !conflict(candidate.uses, g.uses);
    }
    return false;
  }

  static void absorb(Pack& first, Pack& g) {
    for (Step& s : g.steps) first.steps.push_back(std::move(s));
    for (const auto& [buffer, is_written] : g.uses) first.uses[buffer] |= is_written;
    first.grid = larger(first.grid, g.grid);
    first.most_items = std::max(first.most_items, g.most_items);
    first.operations += g.operations;
  }

  Step packed(const Pack& g) {
    std::vector<KernelCall> calls;
    for (const Step& s : g.steps) calls.push_back(call_of(s));
    MergedCall call = pack_calls(calls);
    call.kernel->stem = calls.back().kernel->stem;
    call.launch.kernel = int(draft_.kernels.size());
    draft_.kernels.push_back(std::move(call.kernel));
    return {std::move(call.launch), g.steps.back().name};
  }

  PlanDraft& draft_;
  Limits limits_;
};

}  // namespace

DraftPass draft_pass_pack_launches();
DraftPass draft_pass_pack_launches() {
  return {.name = "pack-launches",
          .doc =
              "Launches with little to do that do not need each other's results become one, "
              "whatever their sizes. Little is what takes as long as a launch: twice "
              "`launch-elements` loads and operations.",
          .options = {"launch-elements"},
          .run = [](PlanDraft& draft, const PassRun& run) {
            const Limits limits(run.integer("launch-elements", TargetInfo().launch_elements()));
            Packer(draft, limits).pack(draft.plan.steps);
          }};
}

}  // namespace partita::kernel::schedule
