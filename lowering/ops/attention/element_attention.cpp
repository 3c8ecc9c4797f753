// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "lowering/ops/attention/element_attention.hpp"

namespace partita::lowering {

using namespace kernel;
namespace {

class ElementAttention final : public ElementTiles {
 public:
  ElementAttention(ir::Node& node, const ElementForm& form, KernelBody& body,
                   const std::vector<Location>& results)
      : ElementTiles(node, body, results, Operand::queries, form) {}

  void write() {
    shared_ = body_.new_array(d, form_.group_lines * form_.across);
    scores_ = declared(item_lines * piece, 0);
    most_ = declared(item_lines, lowest);
    sums_ = declared(item_lines, 0);
    results_ = line_sums(Operand::values);
    const TileOperand queries = lines(Operand::queries, form_.group_lines, first_line_),
                      values = turned(Operand::values);
    body_.loop(ceil_divide(s_.columns, form_.tile()), [&](ExprId tile) {
      const ExprId first = pool_.mul(tile, form_.tile());
      const TileOperand keys = lines(Operand::keys, form_.tile(), first);
      multiply(queries, keys, Operand::keys, scores_);
      weigh(first);
      add_weighted(values, first, results_);
    });
    store_results();
  }

 private:
  /// Weights by the maximum so far, to which what there is is brought as well.
  void weigh(ExprId first) {
    const auto score_at = [this](std::int64_t i, std::int64_t j) {
      return value(scores_, i * piece + j);
    };
    for (std::int64_t i = 0; i < item_lines; ++i) {
      for (std::int64_t j = 0; j < piece; ++j) {
        const ExprId column = pool_.add(pool_.add(first, item_column_), j);
        body_.assign(scores_[std::size_t(i * piece + j)], score(score_at(i, j), line(i), column));
      }
      share(i, combined(
                   piece, [&](std::int64_t j) { return score_at(i, j); },
                   [this](ExprId x, ExprId y) { return larger(y, x); }));
    }
    body_.barrier();
    for (std::int64_t i = 0; i < item_lines; ++i) weigh_row(i);
    share_weights(scores_);
  }
  void weigh_row(std::int64_t i) {
    const ExprId shared = all_of(i, [this](ExprId x, ExprId y) { return larger(y, x); });
    const ExprId most = larger(shared, value(most_, i));
    const Base now = base(value(most_, i), most);
    body_.assign(most_[std::size_t(i)], most);
    ExprId sum = apply("multiply", {value(sums_, i), body_.value(now.factor)});
    for (std::int64_t j = 0; j < piece; ++j) {
      const Register& s = scores_[std::size_t(i * piece + j)];
      body_.assign(s, weight(body_.value(s), now.most));
      sum = apply("add", {sum, body_.value(s)});
    }
    body_.assign(sums_[std::size_t(i)], sum);
    const std::int64_t count = of_line(results_);
    for (std::int64_t e = 0; e < count; ++e) {
      const Register& r = results_[std::size_t(i * count + e)];
      body_.assign(r, apply("multiply", {body_.value(r), body_.value(now.factor)}));
    }
  }

  /// What items of a row have for each other.
  void share(std::int64_t i, ExprId x) { body_.store_local(shared_, place(i, across_), x); }
  template <class Combine>
  [[nodiscard]] ExprId all_of(std::int64_t i, const Combine& combine) {
    return combined(
        form_.across,
        [&](std::int64_t k) { return body_.load_local(shared_, place(i, pool_.index(k))); },
        combine);
  }
  [[nodiscard]] ExprId place(std::int64_t i, ExprId across) {
    return pool_.add(pool_.add(pool_.mul(line_group_, form_.across), across), i * form_.items());
  }

  void store_results() {
    for (std::int64_t i = 0; i < item_lines; ++i) share(i, value(sums_, i));
    body_.barrier();
    for (std::int64_t i = 0; i < item_lines; ++i) {
      const Register sum = body_.declare(d, all_of(i, [this](ExprId x, ExprId y) {
                                           return apply("add", {x, y});
                                         }));
      body_.guard_if_needed(pool_.less(line(i), pool_.index(s_.rows)), [&] {
        store_line(0, i, results_, [&](ExprId x) {
          return apply("divide", {x, body_.value(sum)});
        });
        store_row(line(i), pool_.less(across_, pool_.index(1)), value(most_, i), body_.value(sum));
      });
    }
  }

  /// Of the item's rows: scores, then weights; maxima and sums so far; results. Row-major.
  Registers scores_, most_, sums_, results_;
  std::int32_t shared_ = -1;  ///< what items share
};

class ElementGradient final : public ElementTiles {
 public:
  ElementGradient(ir::Node& node, Operand own, const ElementForm& form, KernelBody& body,
                  const std::vector<Location>& results)
      : ElementTiles(node, body, results, own, form), sides_(own) {}

  void write() {
    const TileOperand own = lines(sides_.own, form_.group_lines, first_line_),
                      own_partner = lines(sides_.own_partner, form_.group_lines, first_line_),
                      turned_other = turned(sides_.other);
    TileOperand turned_partner;
    if (sides_.is_of_keys()) turned_partner = turned(sides_.other_partner);
    weights_ = declared(item_lines * piece, 0);
    slopes_ = declared(item_lines * piece, 0);
    results_ = line_sums(sides_.other);
    if (sides_.is_of_keys()) weighted_ = line_sums(sides_.other_partner);
    if (!sides_.is_of_keys())
      for (std::int64_t i = 0; i < item_lines; ++i) facts_.push_back(facts_of(line(i)));
    body_.loop(ceil_divide(lines_of(sides_.other), form_.tile()), [&](ExprId tile) {
      const ExprId first = pool_.mul(tile, form_.tile());
      const TileOperand other = lines(sides_.other, form_.tile(), first),
                        partner = lines(sides_.other_partner, form_.tile(), first);
      if (sides_.is_of_keys()) share_facts(first, form_.tile());
      multiply(own, other, sides_.other, weights_);
      multiply(own_partner, partner, sides_.other_partner, slopes_);
      weigh_all(first);
      if (sides_.is_of_keys()) {
        share_weights(weights_);
        add_weighted(turned_partner, first, weighted_);
        body_.barrier();
      }
      share_weights(slopes_);
      add_weighted(turned_other, first, results_);
    });
    store_results();
  }

 private:
  void weigh_all(ExprId first) {
    for (std::int64_t j = 0; j < piece; ++j) {
      const ExprId in_tile = pool_.add(item_column_, j), other = pool_.add(first, in_tile);
      const ExprId is_within = pool_.less(other, pool_.index(lines_of(sides_.other)));
      const bool is_of_keys = sides_.is_of_keys();
      std::vector<RowFacts> of_other;
      if (is_of_keys) of_other.push_back(shared_facts(in_tile, form_.tile()));
      for (std::int64_t i = 0; i < item_lines; ++i) {
        const auto at = std::size_t(i * piece + j);
        weigh(weights_[at], slopes_[at], is_of_keys ? other : line(i), is_of_keys ? line(i) : other,
              is_within, is_of_keys ? of_other[0] : facts_[std::size_t(i)]);
      }
    }
  }

  void store_results() {
    const auto same = [](ExprId x) { return x; };
    for (std::int64_t i = 0; i < item_lines; ++i)
      body_.guard_if_needed(pool_.less(line(i), pool_.index(lines_of(sides_.own))), [&] {
        store_line(sides_.result(), i, results_, same);
        if (sides_.is_of_keys()) store_line(sides_.partner_result(), i, weighted_, same);
      });
  }

  GradientSides sides_;
  Registers weights_, slopes_;  ///< of the item's lines, by columns
  Registers results_, weighted_;
  std::vector<RowFacts> facts_;  ///< of the item's lines, where these are rows
};

}  // namespace

std::int64_t write_element_attention(ir::Node& node, const ElementForm& form, KernelBody& body,
                                     const std::vector<Location>& results) {
  ElementAttention kernel(node, form, body, results);
  kernel.write();
  return kernel.groups();
}

std::int64_t write_element_gradient(ir::Node& node, ir::attention::Operand own,
                                    const ElementForm& form, KernelBody& body,
                                    const std::vector<Location>& results) {
  ElementGradient kernel(node, own, form, body, results);
  kernel.write();
  return kernel.groups();
}

}  // namespace partita::lowering
