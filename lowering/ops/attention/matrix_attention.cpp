// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "lowering/ops/attention/matrix_attention.hpp"

#include <algorithm>

#include "lowering/ops/attention/matrix_tiles.hpp"

namespace partita::lowering {

using namespace kernel;
namespace {

constexpr std::int64_t most_depth = 128;

class MatrixAttention final : public MatrixTiles {
 public:
  MatrixAttention(ir::Node& node, KernelBody& body, const std::vector<Location>& results)
      : MatrixTiles(node, body, results, Operand::queries),
        tile_(std::max(whole_elements(Operand::keys), whole_elements(Operand::values)) <= 64 ? 64
                                                                                             : 32) {
  }

  void write() {
    const TileOperand queries = lines(Operand::queries, matrix_group_lines, first_line_),
                      values = turned(Operand::values, tile_);
    shared_ = body_.new_array(d, matrix_group_lines * sharing);
    queries.bring(zero(), zero());
    body_.barrier();
    queries_ = own_fragments(queries, Operand::queries);
    scores_ = declared(tile_ / unit_columns * 4, 0);
    most_ = declared(halves, lowest);
    sums_ = declared(halves, 0);
    results_ = line_sums(Operand::values);
    body_.loop(ceil_divide(s_.columns, tile_), [&](ExprId tile) {
      const ExprId first = pool_.mul(tile, tile_);
      const TileOperand keys = lines(Operand::keys, tile_, first);
      body_.barrier();
      keys.bring(zero(), zero());
      values.bring(first, zero());
      body_.barrier();
      add_products(keys, first);
      weigh();
      add_weighted(results_, scores_, values);
    });
    store_results();
  }

 private:
  void add_products(const TileOperand& keys, ExprId first) {
    for (const Register& s : scores_) body_.assign(s, number(0));
    for (std::size_t unit = 0; unit < queries_.size(); ++unit)
      multiply(scores_, queries_[unit], keys, std::int64_t(unit) * unit_terms);
    for (std::int64_t k = 0; k < tile_ / unit_columns; ++k)
      for (std::int64_t of_unit = 0; of_unit < 4; ++of_unit) {
        const Register& s = scores_[std::size_t(k * 4 + of_unit)];
        const ExprId at = pool_.add(pool_.add(first, column(k)), of_unit % 2);
        body_.assign(s, score(body_.value(s), line(of_unit / 2), at));
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
      const ExprId shared = all_of(half, [this](ExprId x, ExprId y) { return larger(y, x); });
      const ExprId most = larger(shared, value(most_, half));
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

  void share(std::int64_t half, ExprId x) { body_.store_local(shared_, place(half, of_row()), x); }
  template <class Combine>
  [[nodiscard]] ExprId all_of(std::int64_t half, const Combine& combine) {
    return combined(
        sharing,
        [&](std::int64_t k) { return body_.load_local(shared_, place(half, pool_.index(k))); },
        combine);
  }
  [[nodiscard]] ExprId place(std::int64_t half, ExprId k) {
    return pool_.add(pool_.mul(line_in_group(half), sharing), k);
  }
  /// The item's number among those that share a row.
  [[nodiscard]] ExprId of_row() { return pool_.mod(lane_, sharing); }

  void store_results() {
    for (std::int64_t half = 0; half < halves; ++half) share(half, value(sums_, half));
    body_.barrier();
    for (std::int64_t half = 0; half < halves; ++half) {
      const Register sum = body_.declare(d, all_of(half, [this](ExprId x, ExprId y) {
                                           return apply("add", {x, y});
                                         }));
      body_.guard_if_needed(pool_.less(line(half), pool_.index(s_.rows)), [&] {
        store_line(0, half, results_, [&](ExprId x) {
          return apply("divide", {x, body_.value(sum)});
        });
        store_row(line(half), pool_.less(of_row(), pool_.index(1)), value(most_, half),
                  body_.value(sum));
      });
    }
  }

  std::int64_t tile_;              ///< columns of scores at a time
  std::vector<Fragment> queries_;  ///< of the sub-group's rows
  /// Scores, then weights, and results as units have them; maxima and sums so far, of the item's two rows.
  Registers scores_, most_, sums_, results_;
  std::int32_t shared_ = -1;
};

}  // namespace

bool suits_matrices(const ir::Node& node, ir::attention::Operand own, const TargetInfo& target) {
  const AttentionShape s(node);
  const DType dtype = node.operand(0).type().dtype;
  if (dtype != DType::bf16 && dtype != DType::f16) return false;
  const std::size_t arrays = node.is("mr.attention") ? 3 : 4;
  for (std::size_t k = 1; k < arrays; ++k)
    if (node.operand(k).type().dtype != dtype) return false;
  return target.features.contains("matrices") && target.most_group >= matrix_group_items &&
         node.operand(own).type().dims[1] >= matrix_group_lines && s.depth <= most_depth &&
         s.width <= most_depth;
}

void write_matrix_attention(ir::Node& node, KernelBody& body,
                            const std::vector<Location>& results) {
  MatrixAttention(node, body, results).write();
}

}  // namespace partita::lowering
