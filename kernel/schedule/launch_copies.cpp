// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Copies in the bodies of loops that can be guarded become launches, which can be fused and guarded.
#include <limits>

#include "kernel/analysis/guardable_loop.hpp"
#include "kernel/ast/kernel_builder.hpp"
#include "kernel/ast/plan_steps.hpp"
#include "kernel/draft_pass.hpp"

namespace partita::kernel::schedule {
namespace {

/// A kernel that copies `count` elements by groups of `group` items at most.
Launch launch_of(const Copy& copy, std::int64_t group, PlanDraft& draft) {
  const std::int64_t count = copy.count.value();
  while (group / 2 >= count) group /= 2;
  const std::int64_t items = (count + group - 1) / group * group;
  const DType dtype = draft.plan.buffers[std::size_t(copy.from.buffer)].dtype;
  KernelBuilder k(cat("copy_", to_string(dtype), "_", count), count);
  const std::int32_t from = k.new_buffer(dtype, false), to = k.new_buffer(dtype, true);
  k.store(to, k.item(), k.pool().load(from, dtype, k.item()));
  if (items != count) {
    const scalar::ExprId end =
        k.pool().index(count);  // first, whatever order a compiler evaluates in
    k.guard_all(k.pool().less(k.pool().variable(unbounded_item), end));
  }
  k.set_stores_last();
  auto kernel = k.finish();
  kernel->wide_index = items > std::numeric_limits<std::int32_t>::max();
  draft.kernels.push_back(std::move(kernel));
  return {.kernel = int(draft.kernels.size()) - 1,
          .buffers = {copy.from, copy.to},
          .scalars = {},
          .global = {HostExpr(items), 1, 1},
          .local = {group, 1, 1}};
}

bool is_empty(const Step& step) {
  const Copy* const copy = std::get_if<Copy>(&step.what);
  return copy != nullptr && copy->count == HostExpr(0);
}

void launch_copies_of(Steps& body, std::int64_t group, PlanDraft& draft) {
  std::erase_if(body, is_empty);
  for (Step& s : body) {
    for (Steps* inner : inner_steps(s)) launch_copies_of(*inner, group, draft);
    if (const Copy* copy = std::get_if<Copy>(&s.what))
      s.what = launch_of(Copy(*copy), group, draft);
  }
}

void launch_copies(Steps& steps, std::int64_t group, PlanDraft& draft) {
  for (Step& s : steps) {
    While* const loop = std::get_if<While>(&s.what);
    if (loop != nullptr && is_guardable(*loop, true))
      launch_copies_of(loop->body, group, draft);
    else
      for (Steps* inner : inner_steps(s)) launch_copies(*inner, group, draft);
  }
}

}  // namespace

DraftPass draft_pass_launch_copies();
DraftPass draft_pass_launch_copies() {
  return {.name = "launch-copies",
          .doc =
              "Copies in loops whose number of iterations the device decides become launches, by "
              "groups of "
              "`group` items, where `guard-loops` could then guard the loop.",
          .options = {"group"},
          .run = [](PlanDraft& draft, const PassRun& run) {
            launch_copies(draft.plan.steps, run.integer("group", 64), draft);
          }};
}

}  // namespace partita::kernel::schedule
