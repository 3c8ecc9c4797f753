// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Chooses work-group sizes for launches that leave them to the device.  OpenCL 1.2 wants the local
// size to divide the global one; where no good divisor exists (a prime), the first dimension is
// cut into a main part and a rest, launched one after the other.  Pure arithmetic.
#pragma once

#include <array>
#include <cstddef>
#include <vector>

namespace partita::opencl {

using Range3 = std::array<std::size_t, 3>;

/// One NDRange of a launch.
struct Part {
  Range3 offset{0, 0, 0};
  Range3 global{1, 1, 1};
  Range3 local{1, 1, 1};
};

struct GroupLimits {
  std::size_t max_items = 1;      ///< of a work-group for this kernel
  std::size_t compute_units = 1;  ///< of the device
  bool is_cpu = true;
};

/// One or two parts that together cover `global` (no dimension 0) once.
[[nodiscard]] std::vector<Part> choose_work_groups(const Range3& global, const GroupLimits& limits);
/// The same with groups of `local` items, where a dimension of it that is 0 means 1; all of them 0: they are chosen.
[[nodiscard]] std::vector<Part> parts_of(const Range3& global, Range3 local,
                                         const GroupLimits& limits);

}  // namespace partita::opencl
