// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Whether two work-items of a kernel can name one element: the proof behind what generated code
// promises a compiler about its loops over items (docs/decisions/0011-promises-of-generated-code.md).
// It knows index expressions alone; which arrays are one array is said by independence.hpp.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <vector>

#include "partita/scalar/expr.hpp"

namespace partita::kernel {

/// What conditions around a statement say of index expressions.
using IndexFacts = std::map<scalar::ExprId, scalar::ExprPool::Bounds>;

/// Adds what is known where `condition` holds.
void add_facts(const scalar::ExprPool& pool, scalar::ExprId condition, IndexFacts& facts);

/// An index where an element is loaded or stored, and what is known there.
struct Place {
  scalar::ExprId index = scalar::no_expr;
  const IndexFacts* facts = nullptr;  ///< borrowed
};

class ItemIndices {
 public:
  /// `items`: the index variables whose values together are a work-item.  `pool` is borrowed.
  ItemIndices(const scalar::ExprPool& pool, std::set<std::int32_t> items)
      : pool_(pool), items_(std::move(items)) {}

  /// True only if index `a` of one item and index `b` of another are different numbers, whatever the
  /// items' loops and registers hold at that time.  Indices must not overflow.
  [[nodiscard]] bool are_apart(const Place& a, const Place& b) const;

 private:
  struct Sum;
  struct Term;
  /// The value of an item variable / divisor % extent; `extent` 0: no modulus.
  struct Digit {
    std::int32_t variable = 0;
    std::int64_t divisor = 1, extent = 0;
  };

  [[nodiscard]] Sum sum_of(const Place& place) const;
  void add(scalar::ExprId id, std::int64_t scale, Sum& to) const;
  void use_fact(scalar::ExprId fact, Sum& sum) const;
  [[nodiscard]] scalar::ExprPool::Bounds bounds(scalar::ExprId id, const Place& at) const;
  [[nodiscard]] bool find_digit(scalar::ExprId id, Digit& digit) const;
  [[nodiscard]] bool is_shared(scalar::ExprId id) const;
  [[nodiscard]] std::vector<Term> difference(const Place& a, const Sum& x, const Place& b,
                                             const Sum& y) const;
  [[nodiscard]] std::set<scalar::ExprId> pinned(const Place& a, const Place& b) const;
  [[nodiscard]] std::int64_t extent(std::int32_t variable, const Place& at) const;
  [[nodiscard]] bool determine(std::int32_t variable, std::int64_t items,
                               const std::set<scalar::ExprId>& digits) const;

  const scalar::ExprPool& pool_;
  std::set<std::int32_t> items_;
};

}  // namespace partita::kernel
