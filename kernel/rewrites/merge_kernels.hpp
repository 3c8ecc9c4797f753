// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// One kernel out of several that run over the same items: each item does what the items of the
// kernels did, in their order.  What a kernel reads at the item where an earlier one stores is taken
// from there instead of memory.  Launches of different sizes become one whose items each do the parts
// that have such an item.  Which launches may be merged is decided elsewhere.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "kernel/ast/kernel.hpp"
#include "partita/artifact/plan.hpp"

namespace partita::kernel {

/// A launch and the kernel that it runs.
struct KernelCall {
  const Kernel* kernel = nullptr;
  const Launch* launch = nullptr;
};

/// What merging needs to know of a call.
struct CallFacts {
  /// All stores end the kernel, outside of loops and branches, and no element is loaded that another
  /// item may store.
  bool is_mergeable = false;
  HostExpr items;
  bool has_loop = false;
  int operations = 0;  ///< simple ones of one item, loops counted once
  struct Use {
    bool loads = false, stores = false;
    bool loads_at_item = true, stores_at_item = true;  ///< nowhere but at the item's own number
  };
  std::vector<Use> uses;  ///< of each buffer of the launch
};
[[nodiscard]] CallFacts facts_of(const KernelCall& call);

struct MergedCall {
  std::unique_ptr<Kernel> kernel;
  Launch launch;  ///< `kernel` is not set
};

/// The calls, all mergeable and over the same items, as one.  A later one may load what an earlier
/// one stores only at the item, where both have the same offset; no two store into one buffer.
/// Stores into buffers for which `is_kept` does not hold are left out.
[[nodiscard]] MergedCall merge_calls(std::span<const KernelCall> calls,
                                     const std::function<bool(int buffer)>& is_kept);

/// Items that a call has along dimensions 0 and 1; nothing where they are not known, or there are
/// more dimensions.
struct Grid {
  std::int64_t items = 0, rows = 0;
  [[nodiscard]] std::int64_t count() const { return items * rows; }
};
[[nodiscard]] std::optional<Grid> grid_of(const KernelCall& call);

/// The calls, of any grids, as one over the largest.  None may read or write what another writes.
[[nodiscard]] MergedCall pack_calls(std::span<const KernelCall> calls);

}  // namespace partita::kernel
