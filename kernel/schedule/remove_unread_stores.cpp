// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Launches stop storing into temporaries that no step reads: what fusing leaves of values that are now
// taken from registers.
#include <algorithm>
#include <memory>
#include <set>
#include <utility>
#include <vector>

#include "kernel/analysis/step_access.hpp"
#include "kernel/draft_pass.hpp"
#include "kernel/rewrites/merge_kernels.hpp"
#include "kernel/rewrites/remove_stores.hpp"

namespace partita::kernel::schedule {
namespace {

void remove_unread_stores(Steps& steps, PlanDraft& draft, const std::set<int>& read) {
  const auto is_kept = [&](int buffer) {
    return read.contains(buffer) || !is_temporary(draft.plan, buffer);
  };
  for (Step& s : steps) {
    for (Steps* inner : inner_steps(s)) remove_unread_stores(*inner, draft, read);
    Launch* l = std::get_if<Launch>(&s.what);
    if (l == nullptr) continue;
    const Kernel& k = *draft.kernels[std::size_t(l->kernel)];
    std::vector<bool> is_removed;
    bool is_needed = false;
    for (std::size_t b = 0; b < l->buffers.size(); ++b) {
      is_removed.push_back(k.buffers[b].is_written && !is_kept(l->buffers[b].buffer));
      is_needed |= k.buffers[b].is_written && !is_removed.back();
    }
    if (!is_needed || std::ranges::find(is_removed, true) == is_removed.end()) continue;
    const KernelCall call{&k, l};
    if (facts_of(call).is_mergeable) {
      MergedCall fewer = merge_calls({&call, 1}, is_kept);
      fewer.kernel->stem = k.stem;
      fewer.launch.kernel = int(draft.kernels.size());
      draft.kernels.push_back(std::move(fewer.kernel));
      *l = std::move(fewer.launch);
      continue;
    }
    draft.kernels.push_back(std::make_unique<Kernel>(without_stores(k, is_removed)));
    l->kernel = int(draft.kernels.size()) - 1;
    std::vector<BufferRef> kept;
    for (std::size_t b = 0; b < l->buffers.size(); ++b)
      if (!is_removed[b]) kept.push_back(l->buffers[b]);
    l->buffers = std::move(kept);
  }
}

void remove_unread_stores(PlanDraft& draft) {
  std::set<int> read;
  for (Step& s : draft.plan.steps)
    for_each_access(s, draft, [&](const Access& a) {
      if (a.reads) read.insert(a.ref->buffer);
    });
  remove_unread_stores(draft.plan.steps, draft, read);
}

}  // namespace

DraftPass draft_pass_remove_unread_stores();
DraftPass draft_pass_remove_unread_stores() {
  return {.name = "remove-unread-stores",
          .doc = "Launches stop storing into temporaries that no step reads.",
          .run = [](PlanDraft& draft, const PassRun&) { remove_unread_stores(draft); }};
}

}  // namespace partita::kernel::schedule
