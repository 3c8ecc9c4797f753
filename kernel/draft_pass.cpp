// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "kernel/draft_pass.hpp"

#include <algorithm>

#include "kernel/ast/verify.hpp"
#include "kernel/text/draft_text.hpp"
#include "partita/base/error.hpp"

namespace partita::kernel {
namespace {

const std::vector<DraftPass>& known_passes() {
  static const std::vector<DraftPass> passes = all_draft_passes();
  return passes;
}

manager::Pass over_draft(const DraftPass& pass, PlanDraft& draft, DraftVerifier& verifier) {
  return {.options = pass.options,
          .missing = [&]() -> std::string {
            if (draft.has_places == pass.needs_places) return {};
            return cat("expected a draft whose temporaries have ",
                       pass.needs_places ? "their places (assign-arena), found one where they have "
                                           "none"
                                         : "no places yet, found one after assign-arena");
          },
          .run =
              [&](const PassRun& run) {
                pass.run(draft, run);
                draft.has_places |= pass.gives_places;
                verifier.verify(draft);
              }};
}

/// A user error where there is none of that name.
const DraftPass& draft_pass(std::string_view name) {
  if (const DraftPass* found = find_draft_pass(name)) return *found;
  std::string known;
  for (const DraftPass& p : known_passes()) known += (known.empty() ? "" : ", ") + p.name;
  throw_user_error(cat("passes: unknown pass '", name, "' of a draft; known: ", known));
}

}  // namespace

const DraftPass* find_draft_pass(std::string_view name) {
  const std::vector<DraftPass>& passes = known_passes();
  const auto it = std::ranges::find(passes, name, &DraftPass::name);
  return it == passes.end() ? nullptr : &*it;
}

void DraftVerifier::verify(const PlanDraft& draft) {
  const auto is_new = [&](const Kernel& k) { return verified_.insert(&k).second; };
  if (const auto problem = find_problem(draft, is_new)) throw_internal_error(*problem);
}

std::vector<manager::PassTiming> run_draft_passes(PlanDraft& draft,
                                                  const std::vector<PassRun>& passes,
                                                  const std::function<manager::Source()>& original,
                                                  const manager::RunOptions& options,
                                                  DraftVerifier verifier) {
  return manager::run(
      {.ending = "draft",
       .text = [&] { return print_draft(draft); },
       .find =
           [&](const std::string& name) { return over_draft(draft_pass(name), draft, verifier); },
       .original = original},
      passes, options);
}

}  // namespace partita::kernel
