// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Loops whose number of iterations the device decides: every kernel of the body looks at the predicate first, so that
// iterations may be enqueued before the host knows of it (While::guarded).
#include <algorithm>
#include <map>
#include <set>

#include "kernel/analysis/guardable_loop.hpp"
#include "kernel/analysis/step_access.hpp"
#include "kernel/ast/expressions.hpp"
#include "kernel/ast/statements.hpp"
#include "kernel/draft_pass.hpp"

namespace partita::kernel::schedule {
namespace {

/// The kernel with a buffer more, the predicate's: it does nothing where that does not hold.
std::unique_ptr<Kernel> guarded(const Kernel& kernel) {
  auto result = std::make_unique<Kernel>(kernel);
  drop_unreached(*result);
  const auto slot = std::int32_t(result->buffers.size());
  result->buffers.push_back({.dtype = DType::i1});
  const scalar::ExprId holds = result->pool.load(slot, DType::i1, result->pool.index(0));
  result->body = {when(holds, std::move(result->body))};
  if (kernel.plain) result->plain = guarded(*kernel.plain);
  return result;
}

class LoopGuard {
 public:
  explicit LoopGuard(PlanDraft& draft) : draft_(draft) {}

  void visit(Steps& steps) {
    for (Step& s : steps) {
      for (Steps* inner : inner_steps(s)) visit(*inner);
      While* const loop = std::get_if<While>(&s.what);
      if (loop == nullptr || !is_guardable(*loop, false)) continue;
      if (writes_predicate(*loop)) keep_predicate(*loop);
      guard(loop->body, loop->predicate);
      loop->guarded = true;
    }
  }

 private:
  /// Whether the body changes what it is guarded by.
  [[nodiscard]] bool writes_predicate(While& loop) const {
    bool is_written = false;
    for (Step& s : loop.body)
      for_each_access(s, draft_, [&](const Access& a) {
        is_written |= a.writes && a.ref->buffer == loop.predicate.buffer;
      });
    return is_written;
  }

  /// The body is guarded by a copy of the predicate as it was when the iteration began.
  void keep_predicate(While& loop) {
    const BufferRef kept{int(draft_.plan.buffers.size()), 0};
    draft_.plan.buffers.push_back({.dtype = DType::i1, .count = 1, .name = "predicate"});
    loop.condition.push_back({Copy{.from = loop.predicate, .to = kept, .count = 1}, "predicate"});
    loop.predicate = kept;
  }

  void guard(Steps& steps, const BufferRef& predicate) {
    for (Step& s : steps) {
      for (Steps* inner : inner_steps(s)) guard(*inner, predicate);
      Launch* const launch = std::get_if<Launch>(&s.what);
      if (launch == nullptr) continue;
      const auto [known, is_new] = guarded_.try_emplace(launch->kernel, int(draft_.kernels.size()));
      if (is_new) draft_.kernels.push_back(guarded(*draft_.kernels[std::size_t(launch->kernel)]));
      launch->kernel = known->second;
      launch->buffers.push_back(predicate);
    }
  }

  PlanDraft& draft_;
  std::map<int, int> guarded_;  ///< by the kernel that is not
};

}  // namespace

DraftPass draft_pass_guard_loops();
DraftPass draft_pass_guard_loops() {
  return {
      .name = "guard-loops",
      .doc =
          "Kernels in the body of a loop whose number of iterations the device decides do nothing "
          "where its "
          "predicate does not hold, so that iterations can be enqueued before the host knows it.",
      .run = [](PlanDraft& draft, const PassRun&) { LoopGuard(draft).visit(draft.plan.steps); }};
}

}  // namespace partita::kernel::schedule
