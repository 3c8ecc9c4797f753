// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Products of attention without matrix units: an item has some of the group's lines, in registers, and some pieces of
// what those are multiplied by.
#pragma once

#include "lowering/ops/attention/attention_kernel.hpp"
#include "partita/base/target_info.hpp"

namespace partita::lowering {

/// How a group shares its lines.
struct ElementForm {
  /// An item has so many lines, and pieces of so many columns, between which lie those of the other items.
  static constexpr std::int64_t item_lines = 4, piece = 4;

  std::int64_t group_lines = 64;
  std::int64_t across = 8;  ///< items beside each other
  /// Elements of lines, and lines that are weighted, in local memory at a time.
  std::int64_t element_step = 16, line_step = 8;

  /// For so many lines of each batch, of each of which a group sums up so many elements.
  ElementForm(std::int64_t batch, std::int64_t lines, std::int64_t widest,
              const TargetInfo& target);
  /// Of so many lines and items.
  ElementForm(std::int64_t lines, std::int64_t items)
      : group_lines(lines), across(items / (lines / item_lines)) {}
  [[nodiscard]] std::int64_t items() const;
  /// Lines of the other operands at a time.
  [[nodiscard]] std::int64_t tile() const;
};

class ElementTiles : public AttentionKernel {
 protected:
  static constexpr std::int64_t item_lines = ElementForm::item_lines, piece = ElementForm::piece;

  ElementTiles(ir::Node& node, KernelBody& body, const std::vector<Location>& results, Operand own,
               const ElementForm& form);

  /// A tile of lines by some of their elements, or turned.
  [[nodiscard]] TileOperand lines(Operand which, std::int64_t tile, ExprId first);
  [[nodiscard]] TileOperand turned(Operand which);

  /// sums = the item's lines of one operand by those of another, along all their elements.
  void multiply(const TileOperand& own, const TileOperand& other, Operand which,
                const Registers& sums);
  /// Puts weights of the item's lines where the other items find them.
  void share_weights(const Registers& weights);
  /// sums += weights times lines from `first` on.
  void add_weighted(const TileOperand& lines, ExprId first, const Registers& sums);
  /// Stores what the item has of a line, each of `sums` as `last` makes of it.
  template <class Last>
  void store_line(std::size_t result, std::int64_t i, const Registers& sums, const Last& last) {
    const std::int64_t count = of_line(sums),
                       together = node_.result_types()[result].dims[2] % piece == 0 ? piece : 1;
    for (std::int64_t e = 0; e < count; e += together) {
      std::vector<ExprId> elements;
      for (std::int64_t k = e; k < e + together; ++k)
        elements.push_back(last(value(sums, i * count + k)));
      store(result, line(i), element(e), std::move(elements));
    }
  }

  [[nodiscard]] std::int64_t pieces(Operand which) const {
    return ceil_divide(elements_of(which), form_.tile());
  }
  /// Registers for lines of results with as many elements as those of an operand.
  [[nodiscard]] Registers line_sums(Operand which) {
    return declared(item_lines * pieces(which) * piece, 0);
  }
  [[nodiscard]] static std::int64_t of_line(const Registers& sums) {
    return std::int64_t(sums.size()) / item_lines;
  }
  [[nodiscard]] ExprId line(std::int64_t i) {
    return pool_.add(pool_.add(first_line_, item_line_), i);
  }
  /// Number e of the elements of a line that the item has.
  [[nodiscard]] ExprId element(std::int64_t e) {
    return pool_.add(item_column_, e / piece * form_.tile() + e % piece);
  }

  ElementForm form_;
  ExprId across_{}, line_group_{}, item_line_{}, item_column_{};

 private:
  [[nodiscard]] std::int64_t step(Operand which) const;
  [[nodiscard]] ExprId weights_at(ExprId column, ExprId column_piece);

  std::int32_t weights_ = -1;  ///< by column
};

}  // namespace partita::lowering
