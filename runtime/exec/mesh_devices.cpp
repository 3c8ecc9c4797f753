// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "runtime/exec/mesh_devices.hpp"

#include <algorithm>
#include <set>

#include "partita/base/error.hpp"

namespace partita {
namespace {

/// Placements whose blocks are the bounds of loops with collectives of the mesh.
class MeetingLoops {
 public:
  explicit MeetingLoops(const Plan& plan) : plan_(plan) { visit(plan.steps, {}); }
  [[nodiscard]] const std::set<int>& placements() const { return found_; }

 private:
  void visit(const Steps& steps, const std::set<int>& around) {
    for (const Step& step : steps) {
      const auto* const reduce = std::get_if<AllReduceStart>(&step.what);
      if (std::holds_alternative<GroupStart>(step.what) ||
          (reduce != nullptr && reduce->groups >= 0))
        found_.insert(around.begin(), around.end());
      if (const auto* loop = std::get_if<For>(&step.what)) {
        std::set<int> inner = around;
        add_placements(loop->begin, inner);
        add_placements(loop->end, inner);
        visit(loop->body, inner);
      }
      if (const auto* loop = std::get_if<While>(&step.what)) {
        visit(loop->condition, around);
        visit(loop->body, around);
      }
      if (const auto* choice = std::get_if<Case>(&step.what))
        for (const Steps& branch : choice->branches) visit(branch, around);
    }
  }

  void add_placements(const HostExpr& e, std::set<int>& to) const {
    if (e.kind() == HostExpr::Kind::variable)
      for (std::size_t p = 0; p < plan_.placements.size(); ++p)
        if (plan_.placements[p].begin_variable == e.value() ||
            plan_.placements[p].end_variable == e.value())
          to.insert(int(p));
    for (const HostExpr& operand : e.operands()) add_placements(operand, to);
  }

  const Plan& plan_;
  std::set<int> found_;
};

}  // namespace

int shards_per_device(const Plan& plan, int ranks, int devices) {
  const std::int64_t mesh = mesh_shards(plan), all = std::int64_t(ranks) * devices;
  if (mesh % all != 0 && all % mesh != 0)
    throw_user_error(cat("devices: expected ", fitting_devices(mesh), " for a mesh of ", mesh,
                         " shards, found ", all, " (", ranks, ranks == 1 ? " rank, " : " ranks, ",
                         devices, " on each)"));
  const std::int64_t blocks = std::max<std::int64_t>(1, all / mesh);
  const MeetingLoops loops(plan);
  for (const int p : loops.placements()) {
    const Placement& placement = plan.placements[std::size_t(p)];
    if (placement.size % blocks != 0)
      throw_user_error(cat("placement '", placement.name, "' of ", placement.size,
                           ": expected a number of blocks that divides it, because collectives of "
                           "the mesh are within its loop, found ",
                           blocks, " (", all, " devices for a mesh of ", mesh, ")"));
  }
  return int(std::max<std::int64_t>(1, mesh / all));
}

}  // namespace partita
