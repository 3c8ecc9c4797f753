// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Products of attention on matrix units: a sub-group has 16 of the group's lines, and what it sums up stays in the
// registers in which the units give and take it.
#pragma once

#include "lowering/ops/attention/attention_kernel.hpp"
#include "lowering/ops/support/matrix_fragments.hpp"

namespace partita::lowering {

/// Lines of a group, and its items.
inline constexpr std::int64_t matrix_group_lines = 64, matrix_group_items = 128;

class MatrixTiles : public AttentionKernel {
 protected:
  /// Lines of a sub-group that an item has sums of: one, and one this much further.
  static constexpr std::int64_t halves = 2, lower = 8;
  /// Items that share a line.
  static constexpr std::int64_t sharing = 4;

  /// A small float as its bits.
  [[nodiscard]] static auto bits_in(scalar::ExprPool& pool) {
    return [&pool](ExprId x) { return pool.bitcast(x, DType::ui16); };
  }

  MatrixTiles(ir::Node& node, KernelBody& body, const std::vector<Location>& results, Operand own)
      : AttentionKernel(node, body, results, own, matrix_group_items, matrix_group_lines),
        dtype_(node.operand(0).type().dtype),
        lane_(pool_.mod(body_.item(), matrix_items)),
        sub_group_(pool_.div(body_.item(), matrix_items)) {}

  /// Elements of lines, as whole units.
  [[nodiscard]] std::int64_t whole_elements(Operand which) const {
    return ceil_divide(elements_of(which), unit_terms) * unit_terms;
  }
  /// Some lines with all their elements.
  [[nodiscard]] TileOperand lines(Operand which, std::int64_t tile, ExprId first) {
    return operand(which, false, tile, whole_elements(which), form(), first, bits_in(pool_));
  }
  /// Elements of all lines, some lines at a time.
  [[nodiscard]] TileOperand turned(Operand which, std::int64_t tile) {
    return operand(which, true, whole_elements(which), tile, form(), zero(), bits_in(pool_));
  }
  /// The sub-group's lines of a tile, by units of their elements.
  [[nodiscard]] std::vector<Fragment> own_fragments(const TileOperand& own, Operand which) {
    std::vector<Fragment> all;
    for (std::int64_t term = 0; term < whole_elements(which); term += unit_terms)
      all.push_back(own_fragment(own, term));
    return all;
  }
  [[nodiscard]] Fragment own_fragment(const TileOperand& own, std::int64_t term) {
    return load_fragments(body_, own, lane_, pool_.mul(sub_group_, unit_rows), term, true, zero());
  }

  [[nodiscard]] static Registers four(const Registers& all, std::int64_t k) {
    const auto first = all.begin() + k * 4;
    return {first, first + 4};
  }
  /// The item's line of a half of its sub-group's, in the group.
  [[nodiscard]] ExprId line_in_group(std::int64_t half) {
    return pool_.add(pool_.add(pool_.mul(sub_group_, unit_rows), pool_.div(lane_, sharing)),
                     half * lower);
  }
  [[nodiscard]] ExprId line(std::int64_t half) {
    return pool_.add(first_line_, line_in_group(half));
  }
  /// The item's first column of unit k of columns.
  [[nodiscard]] ExprId column(std::int64_t k) {
    return pool_.add(pool_.mul(pool_.mod(lane_, sharing), 2), k * unit_columns);
  }

  /// sums += a fragment of lines times all columns of an operand, of the terms from `term` on.
  void multiply(const Registers& sums, const Fragment& lines, const TileOperand& columns,
                std::int64_t term) {
    for (std::int64_t k = 0; k < std::int64_t(sums.size()) / 4; k += 2) {
      const Fragment pair =
          load_fragments(body_, columns, lane_, pool_.index(k * unit_columns), term, false, zero());
      body_.multiply_matrices(dtype_, four(sums, k), lines, {pair[0], pair[1]});
      body_.multiply_matrices(dtype_, four(sums, k + 1), lines, {pair[2], pair[3]});
    }
  }
  /// sums += weights times as many lines: sums of two units side by side are what the units take as 16 terms.
  void add_weighted(const Registers& sums, const Registers& weights, const TileOperand& lines) {
    for (std::int64_t unit = 0; unit < std::int64_t(weights.size()) / 4; unit += 2) {
      Fragment terms;
      for (const std::int64_t k : {0, 1})
        for (const std::int64_t half : {0, 1}) {
          const std::int64_t first = (unit + k) * 4 + half * 2;
          terms.push_back(pair(value(weights, first), value(weights, first + 1)));
        }
      multiply(sums, terms, lines, unit * unit_columns);
    }
  }

  /// Stores what the item has of a line, each of `sums` as `last` makes of it.
  template <class Last>
  void store_line(std::size_t result, std::int64_t half, const Registers& sums, const Last& last) {
    const std::int64_t together = node_.result_types()[result].dims[2] % 2 == 0 ? 2 : 1;
    for (std::int64_t k = 0; k < std::int64_t(sums.size()) / 4; ++k)
      for (std::int64_t e = 0; e < 2; e += together) {
        std::vector<ExprId> elements;
        for (std::int64_t at = e; at < e + together; ++at)
          elements.push_back(last(value(sums, k * 4 + half * 2 + at)));
        store(result, line(half), pool_.add(column(k), e), std::move(elements));
      }
  }
  /// Registers for lines of results with as many elements as those of an operand.
  [[nodiscard]] Registers line_sums(Operand which) {
    return declared(whole_elements(which) / unit_columns * 4, 0);
  }

  DType dtype_;
  ExprId lane_, sub_group_;

 private:
  [[nodiscard]] static TileOperand::Form form() {
    return {.keeps_order = true,
            .padding_along_sum = between_lines,
            .padding = between_lines,
            .held = DType::ui16};
  }
  /// Two small floats in one word, the first in its lower half.
  [[nodiscard]] ExprId pair(ExprId first, ExprId second) {
    const auto bits = [&](ExprId x) {
      return pool_.convert(pool_.bitcast(pool_.convert(x, dtype_), DType::ui16), DType::ui32);
    };
    const ExprId upper =
        pool_.apply("shift_left", DType::ui32, {bits(second), pool_.constant_of(DType::ui32, 16)});
    const Register word =
        body_.declare(DType::ui32, pool_.apply("or_", DType::ui32, {bits(first), upper}));
    return body_.value(word);
  }
};

}  // namespace partita::lowering
