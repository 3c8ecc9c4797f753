// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// What the mr ops share: placements and the axes that belong to them, slices of one partition, and
// accumulation over partitions in the interpreter.
#pragma once

#include <optional>
#include <string>
#include <string_view>

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

/// The combiner that an attribute of an mr op names; a user error for another text, which asks for
/// `expected`.
[[nodiscard]] Combiner expect_combiner(const InferContext& c, const std::string& text,
                                       std::string_view expected);
/// Whether mr ops apply it to such elements: truth values are not summed, they have "or" for that.
[[nodiscard]] bool is_combined_over_partitions(Combiner combiner, DType dtype);

/// Combines values of one type, from the combiner's identity on; sums of floats in f64.
class Accumulator {
 public:
  Accumulator(Combiner combiner, const Type& type);
  /// Takes in the elements of `from` from element `offset` on.
  void add(const HostArray& from, std::int64_t offset = 0);
  [[nodiscard]] HostArray result() const;
  /// A sum of floats, divided before it is rounded.
  [[nodiscard]] HostArray mean(std::int64_t count) const;

 private:
  Type type_;
  HostArray value_;
  std::string_view row_;
};

}  // namespace partita::ir::ops
