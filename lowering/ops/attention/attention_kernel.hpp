// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// mr.attention as one kernel of groups that never stores scores: a group has some rows of queries, and goes through
// keys and values with a running maximum and sum of each row (Milakov and Gimelshein, Online normalizer calculation
// for softmax, 2018; Dao and others, FlashAttention, 2022).  Its gradient as two: groups of keys go through queries,
// groups of queries through keys, and each computes weights again from a row's maximum and sum.  This is what the
// kernels have in common.
#pragma once

#include <array>
#include <limits>
#include <numbers>
#include <vector>

#include "kernel/ast/element_math.hpp"
#include "lowering/context/kernel_body.hpp"
#include "lowering/ops/support/tile_operand.hpp"
#include "partita/ir/attention.hpp"

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

/// What a kernel of the gradient multiplies.  Its groups have lines of `own` and of their partner, and go through the
/// others: scores are own lines times others, cotangents of weights partners times partners.  The gradient of `own` is
/// the gradient of scores times other lines, that of own partners (values) weights times other partners (cotangents).
struct GradientSides {
  using Operand = ir::attention::Operand;
  Operand own, own_partner, other, other_partner;

  /// `of`: keys or queries.
  explicit GradientSides(Operand of) : own(of) {
    own_partner = is_of_keys() ? Operand::values : Operand::cotangents;
    other = is_of_keys() ? Operand::queries : Operand::keys;
    other_partner = is_of_keys() ? Operand::cotangents : Operand::values;
  }
  [[nodiscard]] bool is_of_keys() const { return own == Operand::keys; }
  /// Of the node: the gradient of `own`, and of keys' partners.
  [[nodiscard]] std::size_t result() const { return own; }
  [[nodiscard]] static std::size_t partner_result() { return Operand::values; }
};

class AttentionKernel {
 public:
  using ExprId = scalar::ExprId;
  using Operand = ir::attention::Operand;

  [[nodiscard]] std::int64_t groups() const { return groups_; }

 protected:
  /// Groups of so many items, and of so many lines of `own`; results[k] is where the node's result k goes.
  AttentionKernel(ir::Node& node, KernelBody& body, const std::vector<Location>& results,
                  Operand own, std::int64_t items, std::int64_t group_lines)
      : node_(node), body_(body), pool_(body.pool()), to_(results), s_(node), items_(items) {
    const std::int64_t lines = lines_of(own);
    const Dims grid{s_.batch, ceil_divide(lines, group_lines)};
    groups_ = grid[0] * grid[1];
    const auto place = scalar::delinearize(pool_, body_.set_groups(groups_, items), grid);
    batch_ = place[0];
    // The last lines begin earlier, and those they have in common with the group before become the same twice.
    first_line_ = pool_.mul(place[1], group_lines);
    if (lines >= group_lines)
      first_line_ = pool_.min(first_line_, pool_.index(lines - group_lines));
    // Parameters in the order of operands, whatever a kernel reads first: a launch serves two.
    for (const ir::Value& v : node.operands())
      (void)body_.element(v, std::vector(v.type().dims.size(), zero()));
  }

  using Registers = std::vector<Register>;
  /// What everything is summed up in.
  static constexpr DType d = DType::f32;
  static constexpr double lowest = -std::numeric_limits<double>::infinity(),
                          ln2 = std::numbers::ln2;

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
  /// `of(k)` of all k below `count`, two by two.
  template <class Of, class Combine>
  [[nodiscard]] static ExprId combined(std::int64_t count, const Of& of, const Combine& combine) {
    ExprId all = of(0);
    for (std::int64_t k = 1; k < count; ++k) all = combine(all, of(k));
    return all;
  }
  [[nodiscard]] std::int64_t lines_of(Operand which) const {
    return node_.operand(which).type().dims[1];
  }
  [[nodiscard]] std::int64_t elements_of(Operand which) const {
    return node_.operand(which).type().dims[2];
  }

  /// Some lines of an operand from `first` on by `step` of their elements at a time; turned: elements by lines.
  /// Local memory has them as `held` makes of an element.
  template <class Held>
  [[nodiscard]] TileOperand operand(Operand which, bool is_turned, std::int64_t tile,
                                    std::int64_t step, TileOperand::Form form, ExprId first,
                                    Held held) {
    form.extent = is_turned ? elements_of(which) : lines_of(which);
    form.terms = is_turned ? lines_of(which) : elements_of(which);
    form.tile = tile;
    form.depth = step;
    form.items = items_;
    form.turns = ceil_divide(form.terms, step);
    form.fills_depth = true;
    const TileOperand::Element element = [this, which, is_turned, held](ExprId free, ExprId term) {
      const std::array<ExprId, 3> index{batch_, is_turned ? term : free, is_turned ? free : term};
      return held(body_.element(node_.operand(which), index));
    };
    return {body_, form, first, element, element};
  }

  /// What a region of the node makes of `first` and of the elements at a place.
  [[nodiscard]] ExprId by_region(std::size_t region, std::vector<ExprId> first, ExprId row,
                                 ExprId column) {
    const ir::Graph& graph = node_.region(region);
    const std::array<ExprId, 3> index{batch_, pool_.min(row, pool_.index(s_.rows - 1)),
                                      pool_.min(column, pool_.index(s_.columns - 1))};
    for (std::size_t e = ir::first_region_operand(node_); e < node_.operands().size(); ++e)
      first.push_back(body_.element(node_.operand(e), index));
    for (std::size_t k = 0; k < first.size(); ++k) {
      const ir::Value argument = graph.argument(int(k));
      body_.define(argument, pool_.convert(first[k], argument.type().dtype));
    }
    return pool_.convert(body_.combined(graph, 0), d);
  }

  /// The larger one.  No number is passed over: it comes back by its weight.
  [[nodiscard]] ExprId larger(ExprId x, ExprId y) {
    return apply("select", {pool_.apply("compare_gt", d, {x, y}), x, y});
  }
  /// e to the power of what a score is above a base, for at most 88; 0 below -87.  Of the library's function, which
  /// knows all numbers, kernels would have more instructions than of all else.
  [[nodiscard]] ExprId weight(ExprId score, const Register& at) {
    const Register x = body_.declare(d, apply("subtract", {score, body_.value(at)}));
    // x = n ln 2 + r.  Added to this number, n is in the lowest bits, where 127 is that of exponents.
    const ExprId shift = number(12582912 + 127);
    const Register z = body_.declare(d, shift);
    body_.multiply_add(z, body_.value(x), number(1 / ln2));
    const Register n = body_.declare(d, apply("subtract", {body_.value(z), shift}));
    const Register r = body_.declare(d, body_.value(x));
    const double upper = float(ln2);
    for (const double part : {upper, ln2 - upper})
      body_.multiply_add(r, body_.value(n), number(-part));
    // (e^r - 1) / r on [-ln 2 / 2, ln 2 / 2] within 2e-9, by exchange; the whole within 1.1 ulp.
    Register p = body_.declare(d, number(0.0013843989));
    for (const double c : {0.008374142, 0.041667994, 0.16666432, 0.49999994, 1.0, 1.0}) {
      const Register next = body_.declare(d, number(c));
      body_.multiply_add(next, body_.value(p), body_.value(r));
      p = next;
    }
    const ExprId bits = pool_.apply(
        "shift_left", DType::ui32,
        {pool_.bitcast(body_.value(z), DType::ui32), pool_.constant_of(DType::ui32, 23)});
    const ExprId scaled = apply("multiply", {body_.value(p), pool_.bitcast(bits, d)});
    const ExprId is_small = pool_.apply("compare_lt", d, {body_.value(x), number(-87)});
    return apply("select", {is_small, number(0), scaled});
  }

  // --- Forward ---

  /// A score as the softmax takes it: past the last column it is of no weight.
  [[nodiscard]] ExprId score(ExprId sum, ExprId row, ExprId column) {
    return apply("select", {pool_.less(column, pool_.index(s_.columns)),
                            by_region(0, {sum}, row, column), number(lowest)});
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

  /// Stores a row's maximum and sum where the node gives them, by one of the items that share the row.
  void store_row(ExprId row, ExprId is_first, ExprId most, ExprId sum) {
    if (to_.size() == 1) return;
    const ExprId at = scalar::linear_index(pool_, std::vector{batch_, row}, {s_.batch, s_.rows});
    body_.guard_if_needed(is_first, [&] {
      body_.store_to(to_[1], d, at, most);
      body_.store_to(to_[2], d, at, sum);
    });
  }

  // --- Gradient ---

  /// What is known of a row: its maximum, the inverse of its sum, its dot.
  struct RowFacts {
    Register most, inverse, dot;
  };
  [[nodiscard]] RowFacts facts_of(ExprId row) {
    const std::array<ExprId, 2> index{batch_, pool_.min(row, pool_.index(s_.rows - 1))};
    const auto fact = [&](Operand which) { return body_.element(node_.operand(which), index); };
    const Register most = body_.declare(d, fact(Operand::maxima));
    const Register inverse = body_.declare(d, apply("divide", {number(1), fact(Operand::sums)}));
    return {most, inverse, body_.declare(d, fact(Operand::dots))};
  }

  /// Facts of so many rows from `first` on, for all items; between barriers.
  void share_facts(ExprId first, std::int64_t rows) {
    if (facts_ < 0) facts_ = body_.new_array(d, 3 * rows);
    body_.guard_if_needed(pool_.less(body_.item(), pool_.index(rows)), [&] {
      const RowFacts of_row = facts_of(pool_.add(first, body_.item()));
      std::int64_t kind = 0;
      for (const Register& fact : {of_row.most, of_row.inverse, of_row.dot})
        body_.store_local(facts_, pool_.add(body_.item(), rows * kind++), body_.value(fact));
    });
  }
  /// Of a row by its number among those that are shared.
  [[nodiscard]] RowFacts shared_facts(ExprId row, std::int64_t rows) {
    const auto fact = [&](std::int64_t kind) {
      return body_.declare(d, body_.load_local(facts_, pool_.add(row, rows * kind)));
    };
    return {fact(0), fact(1), fact(2)};
  }

  /// A sum of queries times keys becomes the weight, one of cotangents times values the gradient of the former sum.
  /// Where `is_within` does not hold, both become 0.
  void weigh(const Register& sum, const Register& slope, ExprId row, ExprId column,
             ExprId is_within, const RowFacts& facts) {
    const ExprId score = by_region(0, {body_.value(sum)}, row, column);
    const ExprId scaled =
        apply("multiply", {weight(score, facts.most), body_.value(facts.inverse)});
    const Register weight = body_.declare(d, apply("select", {is_within, scaled, number(0)}));
    const ExprId from_dot = apply("subtract", {body_.value(slope), body_.value(facts.dot)});
    const Register back = body_.declare(d, apply("multiply", {body_.value(weight), from_dot}));
    const ExprId gradient = by_region(1, {body_.value(back), body_.value(sum)}, row, column);
    body_.assign(slope, apply("select", {is_within, gradient, number(0)}));
    body_.assign(sum, body_.value(weight));
  }

  /// Stores neighbouring elements of a line of a result.
  void store(std::size_t result, ExprId line, ExprId column, std::vector<ExprId> elements) {
    const Type& type = node_.result_types()[result];
    for (ExprId& x : elements) x = pool_.convert(x, type.dtype);
    body_.note_count(type.count());
    body_.guard_if_needed(pool_.less(column, pool_.index(type.dims[2])), [&] {
      store_neighbours(
          body_, to_[result], type.dtype,
          [&](ExprId lane) {
            return scalar::linear_index(pool_, std::vector{batch_, line, pool_.add(column, lane)},
                                        type.dims);
          },
          elements);
    });
  }

  ir::Node& node_;
  KernelBody& body_;
  scalar::ExprPool& pool_;
  const std::vector<Location>& to_;
  AttentionShape s_;
  std::int64_t items_, groups_ = 0;
  ExprId batch_{}, first_line_{};

 private:
  std::int32_t facts_ = -1;  ///< of rows, where they are shared
};

}  // namespace partita::lowering
