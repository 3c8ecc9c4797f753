// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// mr.attention as one kernel of groups that never stores scores: a group has some rows of queries, and goes through
// keys and values with a running maximum and sum of each row (Milakov and Gimelshein, Online normalizer calculation
// for softmax, 2018; Dao and others, FlashAttention, 2022).
#include <array>
#include <limits>

#include "kernel/ast/element_math.hpp"
#include "lowering/context/kernel_body.hpp"
#include "lowering/context/lowerings.hpp"
#include "lowering/ops/support/tile_operand.hpp"

namespace partita::lowering {

using namespace kernel;
namespace {

using ir::Node;
using scalar::ExprId;

/// An item has so many rows, and pieces of so many columns, between which lie those of the other items.
constexpr std::int64_t item_rows = 4, piece = 4;

/// Extents, and how a group shares them.
struct AttentionForm {
  std::int64_t batch, rows, columns, depth, width;
  std::int64_t across = 8;       ///< items beside each other
  std::int64_t group_rows = 64;  ///< of queries
  std::int64_t pieces = 1;       ///< of values, of an item
  std::int64_t depth_step = 16, value_step = 8;

  AttentionForm(const Node& node, const TargetInfo& target)
      : batch(node.operand(0).type().dims[0]),
        rows(node.operand(0).type().dims[1]),
        columns(node.operand(1).type().dims[1]),
        depth(node.operand(0).type().dims[2]),
        width(node.operand(2).type().dims[2]) {
    constexpr std::int64_t most_pieces = 4;
    if (width > most_pieces * piece * across) across = 16;
    pieces = ceil_divide(width, piece * across);
    // Wide values leave less local memory to rows; few rows, and few groups, want small ones.
    if (across == 16) group_rows = 32;
    const auto groups = [&] { return batch * ceil_divide(rows, group_rows); };
    while (group_rows > 16 && (rows < group_rows || groups() < target.compute_units))
      group_rows /= 2;
    depth_step = std::min(depth_step, depth);
  }
  [[nodiscard]] std::int64_t items() const { return group_rows / item_rows * across; }
  /// Columns of scores at a time, and of values.
  [[nodiscard]] std::int64_t tile() const { return across * piece; }
  [[nodiscard]] std::int64_t value_tile() const { return pieces * tile(); }
};

class AttentionKernel {
 public:
  AttentionKernel(Context& context, Node& node, KernelBody& body, Location to)
      : node_(node),
        body_(body),
        pool_(body.pool()),
        to_(std::move(to)),
        form_(node, context.policy().target) {
    const Dims grid{form_.batch, ceil_divide(form_.rows, form_.group_rows)};
    groups_ = grid[0] * grid[1];
    const auto place = scalar::delinearize(pool_, body_.set_groups(groups_, form_.items()), grid);
    batch_ = place[0];
    // The last rows begin earlier, and those it has in common with the group before become the same twice.
    first_row_ = pool_.mul(place[1], form_.group_rows);
    if (form_.rows >= form_.group_rows)
      first_row_ = pool_.min(first_row_, pool_.index(form_.rows - form_.group_rows));
    across_ = pool_.mod(body_.item(), form_.across);
    row_group_ = pool_.div(body_.item(), form_.across);
    item_row_ = pool_.mul(row_group_, item_rows);
    item_column_ = pool_.mul(across_, piece);
  }

  [[nodiscard]] const AttentionForm& form() const { return form_; }
  [[nodiscard]] std::int64_t groups() const { return groups_; }

  void write() {
    weights_ = body_.new_array(d, form_.tile() * form_.group_rows);
    shared_ = body_.new_array(d, form_.group_rows * form_.across);
    declare(scores_, item_rows * piece, 0);
    declare(most_, item_rows, -std::numeric_limits<double>::infinity());
    declare(sums_, item_rows, 0);
    declare(results_, item_rows * form_.pieces * piece, 0);
    const auto operand = [&](std::size_t k, std::int64_t extent, std::int64_t tile,
                             std::int64_t terms, std::int64_t step, ExprId first) {
      const bool is_values = k == 2;
      const TileOperand::Element element = [this, k, is_values](ExprId free, ExprId term) {
        const std::array<ExprId, 3> index{batch_, is_values ? term : free, is_values ? free : term};
        return pool_.convert(body_.element(node_.operand(k), index), d);
      };
      return TileOperand(body_,
                         {.extent = extent,
                          .terms = terms,
                          .tile = tile,
                          .depth = step,
                          .items = form_.items(),
                          .turns = ceil_divide(terms, step),
                          .fills_depth = true,
                          .padding_along_sum = piece,
                          .held = d},
                         first, element, element);
    };
    queries_ = operand(0, form_.rows, form_.group_rows, form_.depth, form_.depth_step, first_row_);
    values_ = operand(2, form_.width, form_.value_tile(), form_.columns, form_.value_step,
                      pool_.index(0));
    body_.loop(ceil_divide(form_.columns, form_.tile()), [&](ExprId tile) {
      const ExprId first = pool_.mul(tile, form_.tile());
      // Where keys begin changes from tile to tile.
      keys_ = keys_.array() < 0
                  ? operand(1, form_.columns, form_.tile(), form_.depth, form_.depth_step, first)
                  : keys_;
      score(first);
      weigh();
      add_values(first);
    });
    store();
  }

 private:
  using Registers = std::vector<Register>;
  static constexpr DType d = DType::f32;

  void declare(Registers& registers, std::int64_t count, double start) {
    for (std::int64_t i = 0; i < count; ++i) registers.push_back(body_.declare(d, number(start)));
  }
  [[nodiscard]] ExprId number(double x) { return pool_.constant_of(d, x); }
  [[nodiscard]] ExprId apply(const char* row, std::vector<ExprId> operands) {
    return pool_.apply(row, d, std::move(operands));
  }
  [[nodiscard]] ExprId value(const Registers& registers, std::int64_t k) {
    return body_.value(registers[std::size_t(k)]);
  }
  [[nodiscard]] ExprId zero() { return pool_.index(0); }

  /// Scores of the item's rows and of columns from `first` on, as the softmax takes them: past the last column
  /// they are of no weight.
  void score(ExprId first) {
    for (const Register& s : scores_) body_.assign(s, number(0));
    body_.loop(ceil_divide(form_.depth, form_.depth_step), [&](ExprId turn) {
      const ExprId term = pool_.mul(turn, form_.depth_step);
      const auto queries = queries_.fetch(term), keys = keys_.fetch(term);
      body_.barrier();
      queries_.put(queries, zero());
      keys_.put(keys, zero());
      body_.barrier();
      for (std::int64_t depth = 0; depth < form_.depth_step; ++depth)
        for (std::int64_t i = 0; i < item_rows; ++i)
          for (std::int64_t j = 0; j < piece; ++j)
            body_.multiply_add(scores_[std::size_t(i * piece + j)],
                               queries_.load(zero(), pool_.index(depth), pool_.add(item_row_, i)),
                               keys_.load(zero(), pool_.index(depth), pool_.add(item_column_, j)));
    });
    for (std::int64_t i = 0; i < item_rows; ++i)
      for (std::int64_t j = 0; j < piece; ++j) {
        const Register& s = scores_[std::size_t(i * piece + j)];
        const ExprId column = pool_.add(pool_.add(first, item_column_), j);
        body_.assign(s, apply("select", {pool_.less(column, pool_.index(form_.columns)),
                                         through_region(body_.value(s), row(i), column),
                                         number(-std::numeric_limits<double>::infinity())}));
      }
  }

  [[nodiscard]] ExprId row(std::int64_t i) {
    return pool_.add(pool_.add(first_row_, item_row_), i);
  }

  /// What the region makes of a score; at the last row and column for those past the end.
  [[nodiscard]] ExprId through_region(ExprId score, ExprId row, ExprId column) {
    const ir::Graph& region = node_.region(0);
    const std::array<ExprId, 3> index{batch_, pool_.min(row, pool_.index(form_.rows - 1)),
                                      pool_.min(column, pool_.index(form_.columns - 1))};
    body_.define(region.argument(0), pool_.convert(score, region.argument(0).type().dtype));
    for (std::size_t e = 3; e < node_.operands().size(); ++e)
      body_.define(region.argument(int(e) - 2), body_.element(node_.operand(e), index));
    return pool_.convert(body_.combined(region, 0), d);
  }

  /// Weights by the maximum so far, to which what there is is brought as well.
  void weigh() {
    for (std::int64_t i = 0; i < item_rows; ++i) {
      ExprId most = value(scores_, i * piece);
      for (std::int64_t j = 1; j < piece; ++j)
        most = apply("maximum", {most, value(scores_, i * piece + j)});
      share(i, most);
    }
    body_.barrier();
    for (std::int64_t i = 0; i < item_rows; ++i) {
      ExprId most = value(most_, i);
      for (std::int64_t k = 0; k < form_.across; ++k) most = apply("maximum", {most, shared(i, k)});
      const Register now = body_.declare(d, most);
      // Of a row of nothing but -inf so far, whose difference would be no number.
      const ExprId is_empty = pool_.apply(
          "compare_eq", d, {body_.value(now), number(-std::numeric_limits<double>::infinity())});
      const Register base =
          body_.declare(d, apply("select", {is_empty, number(0), body_.value(now)}));
      const auto weight = [&](ExprId x) {
        return apply("exponential", {apply("subtract", {x, body_.value(base)})});
      };
      const Register factor = body_.declare(d, weight(value(most_, i)));
      body_.assign(most_[std::size_t(i)], body_.value(now));
      ExprId sum = apply("multiply", {value(sums_, i), body_.value(factor)});
      for (std::int64_t j = 0; j < piece; ++j) {
        const Register& s = scores_[std::size_t(i * piece + j)];
        body_.assign(s, weight(body_.value(s)));
        sum = apply("add", {sum, body_.value(s)});
      }
      body_.assign(sums_[std::size_t(i)], sum);
      for (std::int64_t e = 0; e < form_.pieces * piece; ++e) {
        const Register& r = results_[std::size_t(i * form_.pieces * piece + e)];
        body_.assign(r, apply("multiply", {body_.value(r), body_.value(factor)}));
      }
    }
    for (std::int64_t j = 0; j < piece; ++j) {
      std::vector<ExprId> rows;
      for (std::int64_t i = 0; i < item_rows; ++i) rows.push_back(value(scores_, i * piece + j));
      body_.store_local_wide(weights_, weights_at(pool_.add(item_column_, j), across_), rows);
    }
  }

  /// What items of a row have for each other.
  void share(std::int64_t i, ExprId x) { body_.store_local(shared_, place(i, across_), x); }
  [[nodiscard]] ExprId shared(std::int64_t i, std::int64_t k) {
    return body_.load_local(shared_, place(i, pool_.index(k)));
  }
  [[nodiscard]] ExprId place(std::int64_t i, ExprId across) {
    return pool_.add(pool_.add(pool_.mul(row_group_, form_.across), across), i * form_.items());
  }
  /// Where the weights of the item's rows are, of a column: turned by its piece, so that items that store
  /// different pieces store to different banks.
  [[nodiscard]] ExprId weights_at(ExprId column, ExprId column_piece) {
    return pool_.add(
        pool_.mul(column, form_.group_rows),
        pool_.mul(pool_.mod(pool_.add(row_group_, column_piece), form_.group_rows / item_rows),
                  item_rows));
  }

  /// Results += weights times the values of columns from `first` on.
  void add_values(ExprId first) {
    body_.loop(form_.tile() / form_.value_step, [&](ExprId turn) {
      const ExprId begin = pool_.mul(turn, form_.value_step);
      const auto values = values_.fetch(pool_.add(first, begin));
      body_.barrier();
      values_.put(values, zero());
      body_.barrier();
      for (std::int64_t step = 0; step < form_.value_step; ++step) {
        const ExprId weights =
            weights_at(pool_.add(begin, step),
                       pool_.add(pool_.mul(turn, form_.value_step / piece), step / piece));
        for (std::int64_t i = 0; i < item_rows; ++i)
          for (std::int64_t e = 0; e < form_.pieces * piece; ++e)
            body_.multiply_add(results_[std::size_t(i * form_.pieces * piece + e)],
                               body_.load_local(weights_, pool_.add(weights, i)),
                               values_.load(zero(), pool_.index(step), value_column(e)));
      }
    });
  }
  [[nodiscard]] ExprId value_column(std::int64_t e) {
    return pool_.add(item_column_, e / piece * form_.tile() + e % piece);
  }

  void store() {
    for (std::int64_t i = 0; i < item_rows; ++i) share(i, value(sums_, i));
    body_.barrier();
    const DType out = node_.result_types()[0].dtype;
    const Dims dims = node_.result_types()[0].dims;
    body_.note_count(node_.result_types()[0].count());
    const std::int64_t together = form_.width % piece == 0 ? piece : 1;
    for (std::int64_t i = 0; i < item_rows; ++i) {
      ExprId all = shared(i, 0);
      for (std::int64_t k = 1; k < form_.across; ++k) all = apply("add", {all, shared(i, k)});
      const Register sum = body_.declare(d, all);
      body_.guard_if_needed(pool_.less(row(i), pool_.index(form_.rows)), [&] {
        for (std::int64_t e = 0; e < form_.pieces * piece; e += together)
          body_.guard_if_needed(pool_.less(value_column(e), pool_.index(form_.width)), [&] {
            std::vector<ExprId> values;
            for (std::int64_t k = e; k < e + together; ++k)
              values.push_back(pool_.convert(
                  apply("divide",
                        {value(results_, i * form_.pieces * piece + k), body_.value(sum)}),
                  out));
            store_neighbours(
                body_, to_, out,
                [&](ExprId lane) {
                  return scalar::linear_index(
                      pool_, std::vector{batch_, row(i), pool_.add(value_column(e), lane)}, dims);
                },
                values);
          });
      });
    }
  }

  Node& node_;
  KernelBody& body_;
  scalar::ExprPool& pool_;
  Location to_;
  AttentionForm form_;
  std::int64_t groups_ = 0;
  ExprId batch_{}, first_row_{}, across_{}, row_group_{}, item_row_{}, item_column_{};
  TileOperand queries_, keys_, values_;
  /// Of the item's rows: scores, then weights; maxima and sums so far; results. Row-major.
  Registers scores_, most_, sums_, results_;
  std::int32_t weights_ = -1, shared_ = -1;  ///< weights by column; what items share by row
};

void lower_attention(Context& context, Node& node) {
  const Type& type = node.result_types()[0];
  const Location to = context.new_temporary(type, step_name(node));
  KernelBody body(context, step_name(node));
  AttentionKernel kernel(context, node, body, to);
  kernel.write();
  const AttentionForm& f = kernel.form();
  context.explain(step_name(node), cat("attention in one kernel: groups of ", f.items(), " items, ",
                                       f.group_rows, " rows by ", f.tile(), " columns at a time"));
  context.launch_groups(body, kernel.groups());
  context.place(node.result(), to);
}

}  // namespace

void register_attention_lowering(Lowerings& all) {
  all.add(ir::KernelShape::attention, lower_attention);
}

}  // namespace partita::lowering
