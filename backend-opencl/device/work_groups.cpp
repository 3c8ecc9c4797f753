// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// The numbers come from docs/opencl-device.md.
#include "backend-opencl/device/work_groups.hpp"

#include <algorithm>

namespace partita::opencl {
namespace {

std::size_t largest_divisor(std::size_t n, std::size_t limit) {
  for (std::size_t d = std::min(n, limit); d > 1; --d)
    if (n % d == 0) return d;
  return 1;
}

// Items a work-group should have: enough for the vector unit, few enough to keep every compute
// unit busy.
std::size_t desired_items(std::size_t total, const GroupLimits& limits) {
  const std::size_t units = std::max<std::size_t>(limits.compute_units, 1);
  const std::size_t desired = limits.is_cpu
                                  ? std::min(std::clamp<std::size_t>(total / (4 * units), 16, 1024),
                                             (total + units - 1) / units)
                                  : std::clamp<std::size_t>(total / units, 32, 256);
  return std::clamp<std::size_t>(desired, 1, std::max<std::size_t>(limits.max_items, 1));
}

}  // namespace

std::vector<Part> choose_work_groups(const Range3& global, const GroupLimits& limits) {
  constexpr std::size_t lanes = 16;      // items that a vector unit handles at once
  constexpr std::size_t few_items = 64;  // not worth a second launch
  const auto [x, y, z] = global;
  const std::size_t desired = desired_items(x * y * z, limits);
  Range3 local{largest_divisor(x, desired), 1, 1};
  const bool wasteful = local[0] < std::min({desired, lanes, x});
  if (wasteful && x <= few_items && x <= limits.max_items) local[0] = x;
  if (wasteful && x > few_items && desired >= lanes) {
    const std::size_t items = desired / lanes * lanes;
    const std::size_t rest = x % items;
    return {{.offset = {}, .global = {x - rest, y, z}, .local = {items, 1, 1}},
            {.offset = {x - rest, 0, 0}, .global = {rest, y, z}, .local = {rest, 1, 1}}};
  }
  const std::size_t left = std::max<std::size_t>(desired / local[0], 1);
  local[1] = largest_divisor(y, left);
  local[2] = largest_divisor(z, std::max<std::size_t>(left / local[1], 1));
  return {{.offset = {}, .global = global, .local = local}};
}

std::vector<Part> parts_of(const Range3& global, Range3 local, const GroupLimits& limits) {
  if (local == Range3{}) return choose_work_groups(global, limits);
  for (std::size_t& items : local) items = std::max<std::size_t>(items, 1);
  return {{.offset = {}, .global = global, .local = local}};
}

}  // namespace partita::opencl
