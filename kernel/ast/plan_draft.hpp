// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// A plan on its way to an artifact: what lowering makes, what kernel/schedule works on, and what a
// backend prints.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "kernel/ast/kernel.hpp"
#include "partita/artifact/plan.hpp"
#include "partita/base/host_array.hpp"

namespace partita::kernel {

/// A plan whose launches name kernels that are not yet printed.
struct PlanDraft {
  Plan plan;
  std::vector<std::unique_ptr<Kernel>> kernels;  ///< Launch::kernel is an index here
  std::vector<HostArray> constants;
  bool has_places = false;  ///< temporaries have their offsets in the arena
  std::map<std::string, std::int64_t> counts;
  std::map<std::string, std::string> contractions;  ///< by name: how they are computed, and why
};

}  // namespace partita::kernel
