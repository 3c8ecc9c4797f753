// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// mr.attention as one kernel of groups that never stores scores: a group has some rows of queries, and goes through
// keys and values with a running maximum and sum of each row (Milakov and Gimelshein, Online normalizer calculation
// for softmax, 2018; Dao and others, FlashAttention, 2022).  This is what its kernels have in common.
#pragma once

#include <array>
#include <limits>
#include <vector>

#include "kernel/ast/element_math.hpp"
#include "lowering/context/kernel_body.hpp"
#include "lowering/ops/support/tile_operand.hpp"

namespace partita::lowering {

using namespace kernel;

struct AttentionShape {
  std::int64_t batch, rows, columns, depth, width;
  explicit AttentionShape(const ir::Node& node)
      : batch(node.operand(0).type().dims[0]),
        rows(node.operand(0).type().dims[1]),
        columns(node.operand(1).type().dims[1]),
        depth(node.operand(0).type().dims[2]),
        width(node.operand(2).type().dims[2]) {}
};

class AttentionKernel {
 public:
  using ExprId = scalar::ExprId;

  /// Groups of so many items and rows.
  AttentionKernel(ir::Node& node, KernelBody& body, Location to, std::int64_t items,
                  std::int64_t group_rows)
      : node_(node), body_(body), pool_(body.pool()), to_(std::move(to)), s_(node), items_(items) {
    const Dims grid{s_.batch, ceil_divide(s_.rows, group_rows)};
    groups_ = grid[0] * grid[1];
    const auto place = scalar::delinearize(pool_, body_.set_groups(groups_, items), grid);
    batch_ = place[0];
    // The last rows begin earlier, and those they have in common with the group before become the same twice.
    first_row_ = pool_.mul(place[1], group_rows);
    if (s_.rows >= group_rows)
      first_row_ = pool_.min(first_row_, pool_.index(s_.rows - group_rows));
  }
  [[nodiscard]] std::int64_t groups() const { return groups_; }

 protected:
  using Registers = std::vector<Register>;
  /// What everything is summed up in.
  static constexpr DType d = DType::f32;
  static constexpr double lowest = -std::numeric_limits<double>::infinity();
  enum Operand : std::uint8_t { queries, keys, values };

  [[nodiscard]] ExprId number(double x) { return pool_.constant_of(d, x); }
  [[nodiscard]] ExprId apply(const char* row, std::vector<ExprId> operands) {
    return pool_.apply(row, d, std::move(operands));
  }
  [[nodiscard]] ExprId value(const Registers& registers, std::int64_t k) {
    return body_.value(registers[std::size_t(k)]);
  }
  [[nodiscard]] ExprId zero() { return pool_.index(0); }
  [[nodiscard]] Registers declared(std::int64_t count, double start) {
    Registers registers;
    for (std::int64_t i = 0; i < count; ++i) registers.push_back(body_.declare(d, number(start)));
    return registers;
  }

  /// A tile of an operand from row `first` on (values: column), some of its depth (values: rows) at a time; held as
  /// `held` makes of an element.
  template <class Held>
  [[nodiscard]] TileOperand operand(Operand which, std::int64_t tile, std::int64_t step,
                                    TileOperand::Form form, ExprId first, Held held) {
    form.extent = which == queries ? s_.rows : which == keys ? s_.columns : s_.width;
    form.terms = which == values ? s_.columns : s_.depth;
    form.tile = tile;
    form.depth = step;
    form.items = items_;
    form.turns = ceil_divide(form.terms, step);
    form.fills_depth = true;
    const TileOperand::Element element = [this, which, held](ExprId free, ExprId term) {
      const std::array<ExprId, 3> index{batch_, which == values ? term : free,
                                        which == values ? free : term};
      return held(body_.element(node_.operand(which), index));
    };
    return {body_, form, first, element, element};
  }

  /// A score as the softmax takes it: past the last column it is of no weight.
  [[nodiscard]] ExprId score(ExprId sum, ExprId row, ExprId column) {
    const ir::Graph& region = node_.region(0);
    const std::array<ExprId, 3> index{batch_, pool_.min(row, pool_.index(s_.rows - 1)),
                                      pool_.min(column, pool_.index(s_.columns - 1))};
    body_.define(region.argument(0), pool_.convert(sum, region.argument(0).type().dtype));
    for (std::size_t e = 3; e < node_.operands().size(); ++e)
      body_.define(region.argument(int(e) - 2), body_.element(node_.operand(e), index));
    return apply("select", {pool_.less(column, pool_.index(s_.columns)),
                            pool_.convert(body_.combined(region, 0), d), number(lowest)});
  }

  /// The larger one.  No number is passed over: it comes back by its weight.
  [[nodiscard]] ExprId larger(ExprId x, ExprId y) {
    return apply("select", {pool_.apply("compare_gt", d, {x, y}), x, y});
  }

  /// What a row's weights are relative to, and what those so far are multiplied by.
  struct Base {
    Register most, factor;
  };
  /// For a row whose maximum so far was `before` and is `most` now.
  [[nodiscard]] Base base(ExprId before, ExprId most) {
    const Register now = body_.declare(d, most);
    // Of a row of nothing but -inf so far, whose difference would be no number.
    const ExprId is_empty = pool_.apply("compare_eq", d, {body_.value(now), number(lowest)});
    const Register at = body_.declare(d, apply("select", {is_empty, number(0), body_.value(now)}));
    const Register factor = body_.declare(d, weight(before, at));
    return {at, factor};
  }
  [[nodiscard]] ExprId weight(ExprId score, const Register& at) {
    return apply("exponential", {apply("subtract", {score, body_.value(at)})});
  }

  /// Stores neighbouring columns of a row, where they are: sums of weighted values over the sum of weights.
  void store(ExprId row, ExprId column, const std::vector<ExprId>& weighted, ExprId sum) {
    const Type& type = node_.result_types()[0];
    std::vector<ExprId> results;
    for (const ExprId x : weighted)
      results.push_back(pool_.convert(apply("divide", {x, sum}), type.dtype));
    body_.note_count(type.count());
    body_.guard_if_needed(pool_.less(column, pool_.index(s_.width)), [&] {
      store_neighbours(
          body_, to_, type.dtype,
          [&](ExprId lane) {
            return scalar::linear_index(pool_, std::vector{batch_, row, pool_.add(column, lane)},
                                        type.dims);
          },
          results);
    });
  }

  ir::Node& node_;
  KernelBody& body_;
  scalar::ExprPool& pool_;
  Location to_;
  AttentionShape s_;
  std::int64_t items_, groups_ = 0;
  ExprId batch_{}, first_row_{};
};

}  // namespace partita::lowering
