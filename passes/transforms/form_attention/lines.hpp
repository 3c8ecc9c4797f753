// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Arrays as attention sees them: batches of lines of elements, in whatever order dimensions lie.  Dimensions of one
// element say nothing, so dimensions are told by their places among the others.
#pragma once

#include <array>
#include <optional>

#include "ir/core/contraction.hpp"
#include "partita/ir/maker.hpp"

namespace partita::passes::transforms {

using ir::I64s;
using ir::Maker;
using ir::Node;
using ir::Value;

/// Extents of the dimensions of more than one element.
[[nodiscard]] Dims proper_dims(const Value& v);
/// Places among the dimensions of more than one element of those in a list; the others are left out.
[[nodiscard]] I64s proper_places(const Dims& dims, const I64s& listed);
/// Numbers from `from` on.
[[nodiscard]] I64s counting(std::int64_t from, std::size_t count);

/// Whether the node gives operand 0 with more or fewer dimensions of one element.
[[nodiscard]] bool keeps_proper_dims(const Node& node);
/// Without conversions and changes of dimensions of one element.
[[nodiscard]] Value without_converts(Value v);
/// Where the operand's proper dimensions lie in those of a broadcast's result.
[[nodiscard]] I64s spread_places(const Node& broadcast);

/// A value of three groups of proper dimensions: [batch, lines, elements].
struct Lines {
  Value base;
  std::array<I64s, 3> groups;  ///< proper places in `base`

  /// Looks through what only widens, turns or adds dimensions of one element.
  [[nodiscard]] static Lines of(Value v, std::array<I64s, 3> groups);
  [[nodiscard]] bool operator==(const Lines&) const = default;
  /// The array of three dimensions.
  [[nodiscard]] Value made(const Maker& make) const;
  [[nodiscard]] std::int64_t extent(std::size_t group) const;
};

/// A contraction by proper places.
struct Product {
  struct Side {
    Value value;
    I64s batch, free, contracting;
    /// Lines along the free dimensions, or along those that are summed over.
    [[nodiscard]] Lines free_lines() const { return Lines::of(value, {batch, free, contracting}); }
    [[nodiscard]] Lines summed_lines() const {
      return Lines::of(value, {batch, contracting, free});
    }
  };
  Node* node;
  std::array<Side, 2> sides;
  explicit Product(Node& dot);
  /// Where the result has the free dimensions of a side.
  [[nodiscard]] I64s free_of(std::size_t side) const;
};

/// `v` of [batch, free dimensions of `rows`, those of the other side] as the product gives it, or as a transpose of the
/// product's result does.
[[nodiscard]] Value as_product(const Maker& make, Value v, const Product& product, std::size_t rows,
                               const Node* transpose = nullptr);

}  // namespace partita::passes::transforms
