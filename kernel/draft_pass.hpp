// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Passes over a plan and its kernels: functions over a draft, one file or folder each in kernel/schedule,
// found by folder, run by name.
#pragma once

#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "kernel/ast/plan_draft.hpp"
#include "partita/manager/manager.hpp"

namespace partita::kernel {

using manager::PassRun;

struct DraftPass {
  std::string name, doc;
  /// Temporaries must have their places in the arena; else they must have none yet.
  bool needs_places = false;
  bool gives_places = false;
  std::vector<std::string> options = {};  ///< that it knows
  std::function<void(PlanDraft&, const PassRun&)> run;
};

[[nodiscard]] std::vector<DraftPass> all_draft_passes();  ///< generated list, by name
/// Null where there is none of that name.
[[nodiscard]] const DraftPass* find_draft_pass(std::string_view name);

/// Looks at drafts one after the other.  Passes make kernels rather than change them, so that each is looked
/// at once.
class DraftVerifier {
 public:
  /// An internal error where the draft does not hold together (kernel/ast/verify.hpp).
  void verify(const PlanDraft& draft);

 private:
  std::set<const Kernel*> verified_;
};

/// Runs in order; the draft is verified after each pass.  A pass that needs places where there are none,
/// or the other way round, is a user error.  `original`: the draft as it is now, or what it was
/// made from, asked for if a pass breaks.  `verifier`: has seen what
/// the draft holds now, or nothing.
std::vector<manager::PassTiming> run_draft_passes(PlanDraft& draft,
                                                  const std::vector<PassRun>& passes,
                                                  const std::function<manager::Source()>& original,
                                                  const manager::RunOptions& options = {},
                                                  DraftVerifier verifier = {});

}  // namespace partita::kernel
