// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Combiners that attributes of mr ops name, and accumulation by them over partitions and shards in the
// interpreter.
#pragma once

#include <string>
#include <string_view>

#include "ops/support/support.hpp"
#include "partita/ir/reduction.hpp"

namespace partita::ir::ops {

/// The combiner that an attribute of an mr op names; a user error for another text, which asks for
/// `expected`.
[[nodiscard]] Combiner expect_combiner(const InferContext& c, const std::string& text,
                                       std::string_view expected);

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
