// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include <algorithm>

#include "partita/artifact/plan.hpp"

namespace partita {
namespace {

void add_called(const Steps& steps, std::vector<std::string>& names) {
  for (const Step& step : steps) {
    if (const auto* const call = std::get_if<FunctionCall>(&step.what)) {
      if (std::ranges::find(names, call->function) == names.end()) names.push_back(call->function);
    } else if (const auto* const counted = std::get_if<For>(&step.what)) {
      add_called(counted->body, names);
    } else if (const auto* const loop = std::get_if<While>(&step.what)) {
      add_called(loop->condition, names);
      add_called(loop->body, names);
    } else if (const auto* const choice = std::get_if<Case>(&step.what)) {
      for (const Steps& branch : choice->branches) add_called(branch, names);
    }
  }
}

}  // namespace

std::vector<std::string> called_functions(const Plan& plan) {
  std::vector<std::string> names;
  add_called(plan.steps, names);
  return names;
}

}  // namespace partita
