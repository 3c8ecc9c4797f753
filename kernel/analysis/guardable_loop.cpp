// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "kernel/analysis/guardable_loop.hpp"

#include <algorithm>

namespace partita::kernel {
namespace {

bool has_launches_alone(const Steps& steps, bool may_copy) {
  return std::ranges::all_of(steps, [&](const Step& s) {
    if (const For* loop = std::get_if<For>(&s.what))
      return has_launches_alone(loop->body, may_copy);
    if (const Copy* copy = std::get_if<Copy>(&s.what)) return may_copy && copy->count.is_constant();
    return std::holds_alternative<Launch>(s.what);
  });
}

}  // namespace

bool is_guardable(const While& loop, bool may_copy) {
  return has_launches_alone(loop.body, may_copy) && has_launches_alone(loop.condition, true);
}

}  // namespace partita::kernel
