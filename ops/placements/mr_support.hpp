// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// What the mr ops share: placements and the axes that belong to them, slices of one partition.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "ops/support/combiners.hpp"
#include "ops/support/support.hpp"

namespace partita::ir::ops {

[[nodiscard]] AttrSpec placement_attr(bool required = true);

/// Size that mr.placements gives; nothing where there is no module to ask.  An unknown placement and
/// a size below 1 are errors.
[[nodiscard]] std::optional<std::int64_t> declared_size(const InferContext& c,
                                                        const std::string& placement);

/// The extents that operands and results have along the axis of a placement: all the same, positive,
/// and that of mr.placements.
class PlacementSize {
 public:
  PlacementSize(const InferContext& c, std::string placement);
  /// `what` ("operand 1") has `axis` as the placement's; errors name the type that is expected.
  void expect(const std::string& what, const Type& type, std::int64_t axis);
  /// Fails when nothing says what it is.
  [[nodiscard]] std::int64_t size() const;

 private:
  const InferContext& c_;
  std::string placement_;
  std::optional<std::int64_t> size_;
};

/// `type` without dimension `axis`, and with one of extent n before dimension `axis`.
[[nodiscard]] Type without_axis(Type type, std::int64_t axis);
[[nodiscard]] Type with_axis(Type type, std::int64_t axis, std::int64_t n);

/// Entries of `operand_segments`, which must be `count` and add up to the operands.
[[nodiscard]] I64s operand_segments(const InferContext& c, std::size_t count);

/// Index `i` of dimension `axis`.
[[nodiscard]] HostArray slice_of(const HostArray& array, std::int64_t axis, std::int64_t i);
void put_slice(const HostArray& slice, HostArray& into, std::int64_t axis, std::int64_t i);

}  // namespace partita::ir::ops
