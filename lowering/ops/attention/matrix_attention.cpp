// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "lowering/ops/attention/matrix_attention.hpp"

#include <algorithm>

#include "lowering/ops/support/matrix_fragments.hpp"

namespace partita::lowering {

using namespace kernel;
namespace {

using scalar::ExprId;

constexpr std::int64_t group_rows = matrix_attention_rows, items = 128, most_depth = 128;
/// Rows of a sub-group that an item has sums of: one, and one this much further.
constexpr std::int64_t halves = 2, lower = 8;
/// Items that share a row.
constexpr std::int64_t sharing = 4;

std::int64_t whole(std::int64_t extent, std::int64_t unit) {
  return ceil_divide(extent, unit) * unit;
}

class MatrixAttention final : public AttentionKernel {
 public:
  MatrixAttention(ir::Node& node, KernelBody& body, const Location& to)
      : AttentionKernel(node, body, to, items, group_rows),
        dtype_(node.operand(0).type().dtype),
        depth_(whole(s_.depth, unit_terms)),
        width_(whole(s_.width, 2 * unit_columns)),
        tile_(std::max(depth_, width_) <= 64 ? 64 : 32),
        lane_(pool_.mod(body_.item(), matrix_items)),
        sub_group_(pool_.div(body_.item(), matrix_items)) {}

  void write() {
    const TileOperand::Form form{.keeps_order = true,
                                 .padding_along_sum = between_lines,
                                 .padding = between_lines,
                                 .held = DType::ui16};
    const auto held = [this](ExprId x) { return pool_.bitcast(x, DType::ui16); };
    const TileOperand queries = operand(AttentionKernel::queries, group_rows, depth_, form,
                                        first_row_, held),
                      values = operand(AttentionKernel::values, width_, tile_, form, zero(), held);
    shared_ = body_.new_array(d, group_rows * sharing);
    queries.put(queries.fetch(zero()), zero());
    body_.barrier();
    const ExprId first_of_sub_group = pool_.mul(sub_group_, unit_rows);
    for (std::int64_t term = 0; term < depth_; term += unit_terms)
      queries_.push_back(
          load_fragments(body_, queries, lane_, first_of_sub_group, term, true, zero()));
    scores_ = declared(tile_ / unit_columns * 4, 0);
    most_ = declared(halves, lowest);
    sums_ = declared(halves, 0);
    results_ = declared(width_ / unit_columns * 4, 0);
    body_.loop(ceil_divide(s_.columns, tile_), [&](ExprId tile) {
      const ExprId first = pool_.mul(tile, tile_);
      const TileOperand keys = operand(AttentionKernel::keys, tile_, depth_, form, first, held);
      body_.barrier();
      keys.put(keys.fetch(zero()), zero());
      values.put(values.fetch(first), zero());
      body_.barrier();
      add_products(keys, first);
      weigh();
      add_values(values);
    });
    store_results();
  }

 private:
  [[nodiscard]] static Registers four(const Registers& all, std::int64_t k) {
    const auto first = all.begin() + k * 4;
    return {first, first + 4};
  }
  /// The item's row of a half of its sub-group's rows, in the group.
  [[nodiscard]] ExprId row_in_group(std::int64_t half) {
    return pool_.add(pool_.add(pool_.mul(sub_group_, unit_rows), pool_.div(lane_, sharing)),
                     half * lower);
  }
  [[nodiscard]] ExprId row(std::int64_t half) { return pool_.add(first_row_, row_in_group(half)); }
  /// The item's first column of unit k of columns.
  [[nodiscard]] ExprId column(std::int64_t k) {
    return pool_.add(pool_.mul(pool_.mod(lane_, sharing), 2), k * unit_columns);
  }

  void add_products(const TileOperand& keys, ExprId first) {
    for (const Register& s : scores_) body_.assign(s, number(0));
    for (std::int64_t term = 0; term < depth_; term += unit_terms)
      multiply(scores_, queries_[std::size_t(term / unit_terms)], keys, tile_, term);
    for (std::int64_t k = 0; k < tile_ / unit_columns; ++k)
      for (std::int64_t of_unit = 0; of_unit < 4; ++of_unit) {
        const Register& s = scores_[std::size_t(k * 4 + of_unit)];
        const ExprId at = pool_.add(pool_.add(first, column(k)), of_unit % 2);
        body_.assign(s, score(body_.value(s), row(of_unit / 2), at));
      }
  }

  /// sums += fragments of rows times so many columns of an operand.
  void multiply(const Registers& sums, const Fragment& rows, const TileOperand& columns,
                std::int64_t count, std::int64_t term) {
    for (std::int64_t k = 0; k < count / unit_columns; k += 2) {
      const Fragment pair =
          load_fragments(body_, columns, lane_, pool_.index(k * unit_columns), term, false, zero());
      body_.multiply_matrices(dtype_, four(sums, k), rows, {pair[0], pair[1]});
      body_.multiply_matrices(dtype_, four(sums, k + 1), rows, {pair[2], pair[3]});
    }
  }

  /// Calls `visit` for what the item has of a row's half.
  template <class Visit>
  void each_of(const Registers& registers, std::int64_t half, const Visit& visit) {
    for (std::size_t k = 0; k < registers.size(); ++k)
      if (std::int64_t(k) % 4 / 2 == half) visit(registers[k]);
  }

  void weigh() {
    for (std::int64_t half = 0; half < halves; ++half) {
      ExprId most = number(lowest);
      each_of(scores_, half, [&](const Register& s) { most = larger(body_.value(s), most); });
      share(half, most);
    }
    body_.barrier();
    for (std::int64_t half = 0; half < halves; ++half) {
      ExprId most = value(most_, half);
      for (std::int64_t k = 0; k < sharing; ++k) most = larger(shared(half, k), most);
      const Base now = base(value(most_, half), most);
      body_.assign(most_[std::size_t(half)], most);
      ExprId sum = apply("multiply", {value(sums_, half), body_.value(now.factor)});
      each_of(scores_, half, [&](const Register& s) {
        body_.assign(s, weight(body_.value(s), now.most));
        sum = apply("add", {sum, body_.value(s)});
      });
      body_.assign(sums_[std::size_t(half)], sum);
      each_of(results_, half, [&](const Register& r) {
        body_.assign(r, apply("multiply", {body_.value(r), body_.value(now.factor)}));
      });
    }
  }

  void share(std::int64_t half, ExprId x) {
    body_.store_local(shared_, place(half, pool_.mod(lane_, sharing)), x);
  }
  [[nodiscard]] ExprId shared(std::int64_t half, std::int64_t k) {
    return body_.load_local(shared_, place(half, pool_.index(k)));
  }
  [[nodiscard]] ExprId place(std::int64_t half, ExprId k) {
    return pool_.add(pool_.mul(row_in_group(half), sharing), k);
  }

  /// Sums of two units side by side are what the units take as rows of 16 terms.
  void add_values(const TileOperand& values) {
    for (std::int64_t term = 0; term < tile_; term += unit_terms) {
      const std::int64_t unit = term / unit_columns;
      Fragment weights;
      for (const std::int64_t k : {0, 1})
        for (const std::int64_t half : {0, 1}) {
          const std::int64_t first = (unit + k) * 4 + half * 2;
          weights.push_back(pair(value(scores_, first), value(scores_, first + 1)));
        }
      multiply(results_, weights, values, width_, term);
    }
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

  void store_results() {
    for (std::int64_t half = 0; half < halves; ++half) share(half, value(sums_, half));
    body_.barrier();
    const std::int64_t together = s_.width % 2 == 0 ? 2 : 1;
    for (std::int64_t half = 0; half < halves; ++half) {
      ExprId all = shared(half, 0);
      for (std::int64_t k = 1; k < sharing; ++k) all = apply("add", {all, shared(half, k)});
      const Register sum = body_.declare(d, all);
      body_.guard_if_needed(pool_.less(row(half), pool_.index(s_.rows)), [&] {
        for (std::int64_t k = 0; k < width_ / unit_columns; ++k)
          for (std::int64_t e = 0; e < 2; e += together) {
            std::vector<ExprId> weighted;
            for (std::int64_t at = e; at < e + together; ++at)
              weighted.push_back(value(results_, k * 4 + half * 2 + at));
            store(row(half), pool_.add(column(k), e), weighted, body_.value(sum));
          }
      });
    }
  }

  DType dtype_;
  std::int64_t depth_, width_;  ///< whole units
  std::int64_t tile_;           ///< columns of scores at a time
  ExprId lane_, sub_group_;
  std::vector<Fragment> queries_;  ///< of the sub-group's rows
  /// Scores, then weights, and results as units have them; maxima and sums so far, of the item's two rows.
  Registers scores_, most_, sums_, results_;
  std::int32_t shared_ = -1;
};

}  // namespace

bool suits_matrices(const ir::Node& node, const TargetInfo& target) {
  const AttentionShape s(node);
  const DType dtype = node.operand(0).type().dtype;
  if (dtype != DType::bf16 && dtype != DType::f16) return false;
  for (const std::size_t k : {1, 2})
    if (node.operand(k).type().dtype != dtype) return false;
  return target.features.contains("matrices") && target.most_group >= items &&
         s.rows >= group_rows && s.depth <= most_depth && s.width <= most_depth;
}

std::int64_t write_matrix_attention(ir::Node& node, KernelBody& body, const Location& to) {
  MatrixAttention kernel(node, body, to);
  kernel.write();
  return kernel.groups();
}

}  // namespace partita::lowering
