// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "lowering/ops/attention/element_attention.hpp"

#include <algorithm>

namespace partita::lowering {

using namespace kernel;
namespace {

using scalar::ExprId;

/// An item has so many rows, and pieces of so many columns, between which lie those of the other items.
constexpr std::int64_t item_rows = 4, piece = 4;
constexpr std::int64_t depth_step = 16, value_step = 8;

class ElementAttention final : public AttentionKernel {
 public:
  ElementAttention(ir::Node& node, const ElementAttentionForm& form, KernelBody& body,
                   const Location& to)
      : AttentionKernel(node, body, to, form.items(), form.group_rows),
        form_(form),
        depth_step_(std::min(depth_step, s_.depth)) {
    across_ = pool_.mod(body_.item(), form_.across);
    row_group_ = pool_.div(body_.item(), form_.across);
    item_row_ = pool_.mul(row_group_, item_rows);
    item_column_ = pool_.mul(across_, piece);
  }

  void write() {
    weights_ = body_.new_array(d, form_.tile() * form_.group_rows);
    shared_ = body_.new_array(d, form_.group_rows * form_.across);
    scores_ = declared(item_rows * piece, 0);
    most_ = declared(item_rows, lowest);
    sums_ = declared(item_rows, 0);
    results_ = declared(item_rows * form_.pieces * piece, 0);
    const TileOperand::Form form{.padding_along_sum = piece, .held = d};
    const auto held = [this](ExprId x) { return pool_.convert(x, d); };
    queries_ = operand(queries, form_.group_rows, depth_step_, form, first_row_, held);
    values_ = operand(values, form_.pieces * form_.tile(), value_step, form, zero(), held);
    body_.loop(ceil_divide(s_.columns, form_.tile()), [&](ExprId tile) {
      const ExprId first = pool_.mul(tile, form_.tile());
      keys_ = operand(keys, form_.tile(), depth_step_, form, first, held);
      add_products(first);
      weigh();
      add_values(first);
    });
    store_results();
  }

 private:
  /// Scores of the item's rows and of columns from `first` on.
  void add_products(ExprId first) {
    for (const Register& s : scores_) body_.assign(s, number(0));
    body_.loop(ceil_divide(s_.depth, depth_step_), [&](ExprId turn) {
      const ExprId term = pool_.mul(turn, depth_step_);
      const auto queries = queries_.fetch(term), keys = keys_.fetch(term);
      body_.barrier();
      queries_.put(queries, zero());
      keys_.put(keys, zero());
      body_.barrier();
      for (std::int64_t depth = 0; depth < depth_step_; ++depth)
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
        body_.assign(s, score(body_.value(s), row(i), column));
      }
  }

  [[nodiscard]] ExprId row(std::int64_t i) {
    return pool_.add(pool_.add(first_row_, item_row_), i);
  }

  /// Weights by the maximum so far, to which what there is is brought as well.
  void weigh() {
    for (std::int64_t i = 0; i < item_rows; ++i) {
      ExprId most = value(scores_, i * piece);
      for (std::int64_t j = 1; j < piece; ++j) most = larger(value(scores_, i * piece + j), most);
      share(i, most);
    }
    body_.barrier();
    for (std::int64_t i = 0; i < item_rows; ++i) weigh_row(i);
    for (std::int64_t j = 0; j < piece; ++j) {
      std::vector<ExprId> rows;
      for (std::int64_t i = 0; i < item_rows; ++i) rows.push_back(value(scores_, i * piece + j));
      body_.store_local_wide(weights_, weights_at(pool_.add(item_column_, j), across_), rows);
    }
  }
  void weigh_row(std::int64_t i) {
    ExprId most = value(most_, i);
    for (std::int64_t k = 0; k < form_.across; ++k) most = larger(shared(i, k), most);
    const Base now = base(value(most_, i), most);
    body_.assign(most_[std::size_t(i)], most);
    ExprId sum = apply("multiply", {value(sums_, i), body_.value(now.factor)});
    for (std::int64_t j = 0; j < piece; ++j) {
      const Register& s = scores_[std::size_t(i * piece + j)];
      body_.assign(s, weight(body_.value(s), now.most));
      sum = apply("add", {sum, body_.value(s)});
    }
    body_.assign(sums_[std::size_t(i)], sum);
    for (std::int64_t e = 0; e < form_.pieces * piece; ++e) {
      const Register& r = results_[std::size_t(i * form_.pieces * piece + e)];
      body_.assign(r, apply("multiply", {body_.value(r), body_.value(now.factor)}));
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
    body_.loop(form_.tile() / value_step, [&](ExprId turn) {
      const ExprId begin = pool_.mul(turn, value_step);
      const auto values = values_.fetch(pool_.add(first, begin));
      body_.barrier();
      values_.put(values, zero());
      body_.barrier();
      for (std::int64_t step = 0; step < value_step; ++step) {
        const ExprId weights = weights_at(
            pool_.add(begin, step), pool_.add(pool_.mul(turn, value_step / piece), step / piece));
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

  void store_results() {
    for (std::int64_t i = 0; i < item_rows; ++i) share(i, value(sums_, i));
    body_.barrier();
    const std::int64_t together = s_.width % piece == 0 ? piece : 1;
    for (std::int64_t i = 0; i < item_rows; ++i) {
      ExprId all = shared(i, 0);
      for (std::int64_t k = 1; k < form_.across; ++k) all = apply("add", {all, shared(i, k)});
      const Register sum = body_.declare(d, all);
      body_.guard_if_needed(pool_.less(row(i), pool_.index(s_.rows)), [&] {
        for (std::int64_t e = 0; e < form_.pieces * piece; e += together) {
          std::vector<ExprId> weighted;
          for (std::int64_t k = e; k < e + together; ++k)
            weighted.push_back(value(results_, i * form_.pieces * piece + k));
          store(row(i), value_column(e), weighted, body_.value(sum));
        }
      });
    }
  }

  ElementAttentionForm form_;
  std::int64_t depth_step_;
  ExprId across_{}, row_group_{}, item_row_{}, item_column_{};
  TileOperand queries_, keys_, values_;
  /// Of the item's rows: scores, then weights; maxima and sums so far; results. Row-major.
  Registers scores_, most_, sums_, results_;
  std::int32_t weights_ = -1, shared_ = -1;  ///< weights by column; what items share
};

}  // namespace

ElementAttentionForm::ElementAttentionForm(const AttentionShape& s, const TargetInfo& target) {
  constexpr std::int64_t most_pieces = 4, fewest_rows = 16;
  if (s.width > most_pieces * tile()) across = 16;
  pieces = ceil_divide(s.width, tile());
  // Wide values leave less local memory to rows; few rows, and few groups, want small ones.
  if (across == 16) group_rows = 32;
  const auto groups = [&] { return s.batch * ceil_divide(s.rows, group_rows); };
  while (group_rows > fewest_rows && (s.rows < group_rows || groups() < target.compute_units))
    group_rows /= 2;
}

std::int64_t ElementAttentionForm::items() const { return group_rows / item_rows * across; }
std::int64_t ElementAttentionForm::tile() const { return across * piece; }

std::int64_t write_element_attention(ir::Node& node, const ElementAttentionForm& form,
                                     KernelBody& body, const Location& to) {
  ElementAttention kernel(node, form, body, to);
  kernel.write();
  return kernel.groups();
}

}  // namespace partita::lowering
