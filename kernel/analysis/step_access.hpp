// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// What a plan step reads and writes, at the granularity of buffers.
#pragma once

#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <utility>
#include <vector>

#include "kernel/ast/plan_draft.hpp"
#include "kernel/ast/plan_steps.hpp"

namespace partita::kernel {

struct Access {
  BufferRef* ref = nullptr;
  bool reads = false, writes = false;
  /// Reads exactly the element that the same work-item then writes through every written buffer, so
  /// that the two may be one array.
  bool is_in_place = false;
  std::int64_t alignment = 1;  ///< elements of which the place is a multiple
};

/// Loads and stores of a kernel by buffer: the set of index expressions used.
struct KernelAccess {
  std::vector<std::set<scalar::ExprId>> loads, stores;
  std::set<std::size_t> late;  ///< buffers that are read behind a store
  bool is_looped = false;      ///< a store under a loop: one item writes several elements

  explicit KernelAccess(const Kernel& kernel);

 private:
  void find_stores(const Block& stmts, bool in_loop);
  void find_late_loads(const Kernel& kernel, const Block& stmts, bool& has_stored);
};

/// The accesses of a draft's kernels, each found when it is first asked for; right as long as no
/// kernel changes.
class KernelAccesses {
 public:
  explicit KernelAccesses(const PlanDraft& draft) : draft_(draft), found_(draft.kernels.size()) {}

  [[nodiscard]] const PlanDraft& draft() const { return draft_; }
  [[nodiscard]] const KernelAccess& of(int kernel);

 private:
  const PlanDraft& draft_;
  std::vector<std::unique_ptr<KernelAccess>> found_;
};

/// Calls `visit` for every buffer reference of a step and of the steps inside it.
void for_each_access(Step& step, KernelAccesses& kernels,
                     const std::function<void(const Access&)>& visit);
void for_each_access(Step& step, const PlanDraft& draft,
                     const std::function<void(const Access&)>& visit);
/// How often the plan's steps refer to each buffer.
[[nodiscard]] std::map<int, int> access_counts(Plan& plan, KernelAccesses& kernels);
/// What buffers have in common: an argument or result, of which there may be several, else the buffer itself.  A result
/// that may lie in an argument is one with it.
using Memory = std::pair<BufferKind, int>;
[[nodiscard]] Memory memory_of(const Plan& plan, const BufferRef& ref);
/// Whether steps that touch these, and write those that map to true, may not change places.
template <class Key>
[[nodiscard]] bool conflict(const std::map<Key, bool>& a, const std::map<Key, bool>& b) {
  return std::ranges::any_of(a, [&](const auto& entry) {
    const auto it = b.find(entry.first);
    return it != b.end() && (entry.second || it->second);
  });
}
/// Whether a buffer is nobody's outside of the plan.
[[nodiscard]] bool is_temporary(const Plan& plan, int buffer);

}  // namespace partita::kernel
