// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// An estimate of what a kernel does, from its statements alone: simple operations on elements, in
// which elementary functions count as several, and what memory moves.
#pragma once

#include <vector>

#include "kernel/ast/kernel.hpp"
#include "kernel/ast/plan_draft.hpp"
#include "partita/artifact/kernel_work.hpp"

namespace partita::kernel {

/// Operations of one work-item at most; infinite where a loop of the kernel has no known bound.
[[nodiscard]] double work_per_item(const Kernel& kernel);

/// What an artifact says of the kernel.
[[nodiscard]] KernelWork work_of(const Kernel& kernel);

/// Items that interpreters of kernels take together, as a block.
inline constexpr std::int64_t block_items = 256;

/// What one run of a plan on one shard does; infinite where a loop's turns are not known.
struct PlanWork {
  double launches = 0;                    ///< of kernels, library products and copies
  double operations = 0;                  ///< of kernels
  double block_operations = 0;            ///< the same, where a block of items does one at once
  double multiply_adds = 0;               ///< of library products
  std::vector<double> kernel_operations;  ///< by kernel
  std::vector<double> launch_operations;  ///< of its largest launch
};
/// Launches name `kernels`.
[[nodiscard]] PlanWork work_of(const Plan& plan, const std::vector<const Kernel*>& kernels);

}  // namespace partita::kernel
