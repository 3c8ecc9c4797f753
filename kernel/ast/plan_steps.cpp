// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "kernel/ast/plan_steps.hpp"

namespace partita::kernel {
namespace {

/// `List` is Steps or const Steps.
template <class List, class AnyStep>
std::vector<List*> lists_inside(AnyStep& step) {
  if (auto* loop = std::get_if<For>(&step.what)) return {&loop->body};
  if (auto* loop = std::get_if<While>(&step.what)) return {&loop->condition, &loop->body};
  std::vector<List*> lists;
  if (auto* choice = std::get_if<Case>(&step.what))
    for (auto& branch : choice->branches) lists.push_back(&branch);
  return lists;
}

/// `AnyLaunch` is Launch or const Launch.
template <class AnyLaunch, class AnyStep>
std::vector<AnyLaunch*> launches_in(AnyStep& step) {
  std::vector<AnyLaunch*> launches;
  if (auto* launch = std::get_if<Launch>(&step.what)) launches.push_back(launch);
  if (auto* call = std::get_if<Convolve>(&step.what))
    for (auto& launch : call->then) launches.push_back(&launch);
  return launches;
}

void find_launched(const Steps& steps, std::set<int>& launched) {
  for (const Step& s : steps) {
    for (const Launch* l : launches_of(s)) launched.insert(l->kernel);
    for (const Steps* inner : inner_steps(s)) find_launched(*inner, launched);
  }
}

}  // namespace

std::vector<Steps*> inner_steps(Step& step) { return lists_inside<Steps>(step); }
std::vector<const Steps*> inner_steps(const Step& step) { return lists_inside<const Steps>(step); }

std::vector<Launch*> launches_of(Step& step) { return launches_in<Launch>(step); }
std::vector<const Launch*> launches_of(const Step& step) { return launches_in<const Launch>(step); }

bool is_library_call(const Step& step) {
  return std::holds_alternative<Gemm>(step.what) || std::holds_alternative<Convolve>(step.what);
}

std::optional<int> started_request(const Step& step) {
  if (const auto* reduce = std::get_if<AllReduceStart>(&step.what)) return reduce->request;
  if (const auto* gather = std::get_if<AllGatherStart>(&step.what)) return gather->request;
  if (const auto* group = std::get_if<GroupStart>(&step.what)) return group->request;
  return std::nullopt;
}

std::set<int> launched_kernels(const Steps& steps) {
  std::set<int> launched;
  find_launched(steps, launched);
  return launched;
}

void renumber_kernels(Steps& steps, const std::vector<int>& numbers) {
  for (Step& s : steps) {
    for (Launch* l : launches_of(s)) l->kernel = numbers[std::size_t(l->kernel)];
    for (Steps* inner : inner_steps(s)) renumber_kernels(*inner, numbers);
  }
}

}  // namespace partita::kernel
