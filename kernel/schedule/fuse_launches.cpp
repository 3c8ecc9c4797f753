// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Launches over the same items become one, whose items do what the items of all of them did; launches
// that do not need each other's results do so where they are short.  What is computed does not change.

#include <algorithm>
#include <map>

#include "kernel/analysis/step_access.hpp"
#include "kernel/draft_pass.hpp"
#include "kernel/rewrites/merge_kernels.hpp"
#include "partita/base/target_info.hpp"

namespace partita::kernel::schedule {
namespace {

/// Arithmetic of one item of a merged kernel: what device compilers take for long grows faster.
constexpr int most_operations = 500;
/// Buffers of a merged kernel: OpenCL promises 1024 bytes of parameters, of which one takes 16.
constexpr std::size_t most_buffers = 40;
/// How far back a launch looks for one to join.  What long launches store is large, and moved far it
/// would be alive for long.
constexpr std::size_t window = 256, near = 8;

/// How some steps use a buffer.
struct Use {
  HostExpr offset;
  DType dtype = DType::f32;
  bool loads = false, stores = false;
  bool loads_at_item = false, stores_at_item = false;
};

using Uses = std::map<int, Use>;

void add(Uses& uses, int buffer, const Use& more) {
  const auto [it, is_new] = uses.emplace(buffer, more);
  if (is_new) return;
  Use& use = it->second;
  // One buffer seen from two offsets is at no item's own place.
  const bool is_same = use.offset == more.offset && use.dtype == more.dtype;
  use.loads_at_item =
      is_same && (!use.loads || use.loads_at_item) && (!more.loads || more.loads_at_item);
  use.stores_at_item =
      is_same && (!use.stores || use.stores_at_item) && (!more.stores || more.stores_at_item);
  use.loads |= more.loads;
  use.stores |= more.stores;
}

/// Whether steps with these uses must stay in their order.
bool uses_conflict(const Uses& a, const Uses& b) {
  if (a.size() > b.size()) return uses_conflict(b, a);
  return std::ranges::any_of(a, [&](const auto& entry) {
    const auto it = b.find(entry.first);
    return it != b.end() && (entry.second.stores || it->second.stores);
  });
}

/// Steps that stay together: one, or launches that become one.
struct Group {
  Steps steps;
  Uses uses;
  bool is_mergeable = false, has_loop = false;
  bool is_wall = false;  ///< nothing moves past it
  HostExpr items;
  int operations = 0;
};

bool is_simple(const Step& s) {
  return std::holds_alternative<Launch>(s.what) || std::holds_alternative<Copy>(s.what) ||
         is_library_call(s);
}

class Fuser {
 public:
  /// Launches of at most `short_launch` items take less time than it takes to launch them.
  Fuser(PlanDraft& draft, std::int64_t short_launch) : draft_(draft), short_launch_(short_launch) {}

  bool fuse(Steps& steps) {
    bool changed = false;
    for (Step& s : steps)
      for (Steps* inner : inner_steps(s)) changed |= fuse(*inner);
    std::vector<Group> groups;
    for (Step& s : steps) {
      Group g = group_of(std::move(s));
      if (!join(groups, g)) groups.push_back(std::move(g));
    }
    changed |= groups.size() < steps.size();
    steps.clear();
    for (Group& g : groups)
      steps.push_back(g.steps.size() == 1 ? std::move(g.steps[0]) : merged(g));
    return changed;
  }

 private:
  Group group_of(Step s) {
    Group g{.is_wall = !is_simple(s)};
    if (Launch* l = std::get_if<Launch>(&s.what)) {
      const Kernel& k = *draft_.kernels[std::size_t(l->kernel)];
      const CallFacts facts = facts_of({&k, l});
      g.is_mergeable = facts.is_mergeable;
      g.has_loop = facts.has_loop;
      g.items = facts.items;
      g.operations = facts.operations;
      for (std::size_t b = 0; b < l->buffers.size(); ++b)
        add(g.uses, l->buffers[b].buffer,
            {.offset = l->buffers[b].offset,
             .dtype = k.buffers[b].dtype,
             .loads = facts.uses[b].loads,
             .stores = facts.uses[b].stores || k.buffers[b].is_written,
             .loads_at_item = facts.uses[b].loads && facts.uses[b].loads_at_item,
             .stores_at_item = facts.uses[b].stores && facts.uses[b].stores_at_item});
    } else if (!g.is_wall) {
      for_each_access(s, draft_, [&](const Access& a) {
        add(g.uses, a.ref->buffer, {.offset = a.ref->offset, .loads = a.reads, .stores = a.writes});
      });
    }
    g.steps.push_back(std::move(s));
    return g;
  }

  /// Puts `g` into the nearest group before it that takes it; that one moves to `g`, or `g` to it.
  bool join(std::vector<Group>& groups, Group& g) {
    if (!g.is_mergeable) return false;
    bool may_rise = true;
    const std::size_t from = groups.size() - std::min(groups.size(), is_short(g) ? window : near);
    for (std::size_t i = groups.size(); i-- > from;) {
      Group& candidate = groups[i];
      if (candidate.is_wall) return false;
      if (fits(candidate, g)) {
        if (may_rise) {
          absorb(candidate, g);
          return true;
        }
        const bool may_sink = std::none_of(
            groups.begin() + std::ptrdiff_t(i) + 1, groups.end(),
            [&](const Group& between) { return uses_conflict(between.uses, candidate.uses); });
        if (may_sink) {
          absorb(candidate, g);
          std::rotate(groups.begin() + std::ptrdiff_t(i), groups.begin() + std::ptrdiff_t(i) + 1,
                      groups.end());
          return true;
        }
      }
      may_rise = may_rise && !uses_conflict(candidate.uses, g.uses);
    }
    return false;
  }

  /// Whether `g` can follow `first` in one kernel, and whether that is worth it.
  [[nodiscard]] bool fits(const Group& first, const Group& g) const {
    if (!first.is_mergeable || !(first.items == g.items) ||
        first.operations + g.operations > most_operations)
      return false;
    bool is_related = false;
    std::size_t buffers = first.uses.size();
    for (const auto& [buffer, use] : g.uses) {
      const auto it = first.uses.find(buffer);
      if (it == first.uses.end()) {
        ++buffers;
        continue;
      }
      is_related = true;
      if (!agrees(it->second, use)) return false;
    }
    if (buffers > most_buffers) return false;
    return is_related || (is_short(g) && !first.has_loop && !g.has_loop);
  }

  [[nodiscard]] bool is_short(const Group& g) const {
    return g.items.is_constant() && g.items.value() <= short_launch_;
  }

  /// Whether an item may do both, without regard to what other items have done.
  static bool agrees(const Use& first, const Use& second) {
    if (!first.stores && !second.stores) return true;
    if (!(first.offset == second.offset) || first.dtype != second.dtype) return false;
    if (first.stores && second.stores) return false;
    const auto is_at_item = [](const Use& u) {
      return (!u.loads || u.loads_at_item) && (!u.stores || u.stores_at_item);
    };
    return is_at_item(first) && is_at_item(second);
  }

  static void absorb(Group& first, Group& g) {
    for (Step& s : g.steps) first.steps.push_back(std::move(s));
    for (const auto& [buffer, use] : g.uses) add(first.uses, buffer, use);
    first.has_loop |= g.has_loop;
    first.operations += g.operations;
  }

  Step merged(const Group& g) {
    std::vector<KernelCall> calls;
    for (const Step& s : g.steps) {
      const Launch& l = std::get<Launch>(s.what);
      calls.push_back({draft_.kernels[std::size_t(l.kernel)].get(), &l});
    }
    MergedCall call = merge_calls(calls, [](int) { return true; });
    call.kernel->stem = calls.back().kernel->stem;
    call.launch.kernel = int(draft_.kernels.size());
    draft_.kernels.push_back(std::move(call.kernel));
    return {std::move(call.launch), g.steps.back().name};
  }

  PlanDraft& draft_;
  std::int64_t short_launch_;
};

void fuse_launches(PlanDraft& draft, std::int64_t launch_elements) {
  while (Fuser(draft, launch_elements).fuse(draft.plan.steps)) {
  }
}

}  // namespace

DraftPass draft_pass_fuse_launches();
DraftPass draft_pass_fuse_launches() {
  return {.name = "fuse-launches",
          .doc =
              "Launches over the same items become one kernel; each item does what the items of "
              "the kernels did, and what an earlier one stores at the item is not loaded again. "
              "Launches that share nothing do so where they have at most `launch-elements` items: "
              "elements that the device reads in the time that a launch takes.",
          .options = {"launch-elements"},
          .run = [](PlanDraft& draft, const PassRun& run) {
            fuse_launches(draft, run.integer("launch-elements", TargetInfo().launch_elements()));
          }};
}

}  // namespace partita::kernel::schedule
