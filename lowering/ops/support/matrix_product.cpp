// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "lowering/ops/support/matrix_product.hpp"

#include <algorithm>
#include <array>

#include "lowering/ops/support/matrix_fragments.hpp"

namespace partita::lowering {

using namespace kernel;

using scalar::ExprId;

namespace {

constexpr std::int64_t rows = 128;
/// Terms in local memory at a time: as many bytes of each row.
constexpr std::int64_t depth_bytes = 64;

/// Sub-groups of a group above each other; side by side they are as many as the group's items leave.
constexpr std::int64_t above = 2;
/// Items of a group: of few each multiplies more of what it reads from local memory, where it needs no registers for what
/// comes there.
constexpr std::int64_t few_items = 128, many_items = 256;

class MatrixProduct final : public TiledProduct {
 public:
  MatrixProduct(const Product& product, const GroupPlan& plan, KernelBody& body)
      : TiledProduct(product, plan, body),
        is_wide_(product.dtype() == DType::f32),
        across_(tile_.items() / (above * matrix_items)),
        unit_terms_(matrix_terms(product.dtype())),
        row_units_(tile_.rows / above / unit_rows),
        column_units_(tile_.columns / across_ / unit_columns) {
    const ExprId sub_group = pool_.div(body_.item(), matrix_items);
    lane_ = pool_.mod(body_.item(), matrix_items);
    row_ = pool_.mul(pool_.div(sub_group, across_), tile_.rows / above);
    column_ = pool_.mul(pool_.mod(sub_group, across_), tile_.columns / across_);
  }

 private:
  [[nodiscard]] DType held_dtype() const override { return is_wide_ ? DType::ui32 : DType::ui16; }
  [[nodiscard]] ExprId held(bool of_rows, ExprId free, ExprId term) override {
    const ExprId bits =
        pool_.bitcast(product_.element(body_, of_rows, batch_, free, term), held_dtype());
    return is_wide_ ? rounded_to_tf32(pool_, bits) : bits;
  }
  [[nodiscard]] bool keeps_order() const override { return true; }
  [[nodiscard]] bool copies_elements() const override { return false; }
  [[nodiscard]] bool rotates() const override { return !is_wide_; }
  [[nodiscard]] std::int64_t padding(bool is_along_sum) const override {
    if (rotates()) return 0;
    return is_along_sum ? between_lines / 2 : between_lines;
  }
  [[nodiscard]] bool fills_depth() const override { return true; }
  [[nodiscard]] std::int64_t sum_count() const override { return row_units_ * column_units_ * 4; }

  void multiply(ExprId half, std::int64_t count) override {
    const auto load = is_wide_ ? load_wide_fragments : load_fragments;
    for (std::int64_t term = 0; term < count; term += unit_terms_) {
      std::vector<Fragment> a, b;
      for (std::int64_t i = 0; i < row_units_; ++i)
        a.push_back(load(body_, rows_, lane_, pool_.add(row_, i * unit_rows), term, true, half));
      for (std::int64_t j = 0; j < column_units_; j += 2)
        b.push_back(
            load(body_, columns_, lane_, pool_.add(column_, j * unit_columns), term, false, half));
      for (std::int64_t i = 0; i < row_units_; ++i)
        for (std::int64_t j = 0; j < column_units_; ++j) {
          const Fragment& pair = b[std::size_t(j / 2)];
          const std::size_t of_pair = std::size_t(j % 2) * 2;
          body_.multiply_matrices(product_.dtype(), sums_of(i, j), a[std::size_t(i)],
                                  {pair[of_pair], pair[of_pair + 1]});
        }
    }
  }

  [[nodiscard]] std::vector<Register> sums_of(std::int64_t i, std::int64_t j) const {
    const auto first = sums_.begin() + (i * column_units_ + j) * 4;
    return {first, first + 4};
  }

  void each_piece(const Write& write) override {
    const bool is_pair = s_.columns >= tile_.columns || s_.columns % 2 == 0;
    for (std::int64_t i = 0; i < row_units_; ++i)
      for (const std::int64_t lower : {0, 1}) {
        const ExprId row = pool_.add(pool_.add(pool_.add(first_row_, row_), pool_.div(lane_, 4)),
                                     i * unit_rows + lower * 8);
        body_.guard_if_needed(pool_.less(row, pool_.index(s_.rows)), [&] {
          for (std::int64_t j = 0; j < column_units_; ++j)
            write_pair(write, row, j, sums_of(i, j), std::size_t(lower) * 2, is_pair);
        });
      }
  }
  void write_pair(const Write& write, ExprId row, std::int64_t j, const std::vector<Register>& sums,
                  std::size_t from, bool is_pair) {
    const ExprId column =
        pool_.add(pool_.add(pool_.add(first_column_, column_), pool_.mul(pool_.mod(lane_, 4), 2)),
                  j * unit_columns);
    for (std::size_t k = 0; k < 2; k += is_pair ? 2 : 1) {
      const ExprId at = pool_.add(column, std::int64_t(k));
      const auto first = sums.begin() + std::ptrdiff_t(from + k);
      body_.guard_if_needed(pool_.less(at, pool_.index(s_.columns)), [&] {
        write(row, at, std::vector<Register>(first, first + (is_pair ? 2 : 1)));
      });
    }
  }

  bool is_wide_;  ///< elements of 32 bits
  std::int64_t across_, unit_terms_, row_units_, column_units_;
  ExprId lane_{}, row_{}, column_{};
};

}  // namespace

/// Whether both operands are copied to local memory by 16 bytes, on their way in any order.
static bool is_copied(const Product& product, Context& context) {
  const ProductShape& s = product.shape();
  const auto piece = std::int64_t(widest_access / byte_size(product.dtype()));
  KernelBody probe(context, "probe");
  const ExprId zero = probe.pool().index(0);
  return std::ranges::all_of(std::array{true, false}, [&](bool of_rows) {
    const auto lies_along = [&](std::int64_t extent, bool sum) {
      return extent % piece == 0 && lie_side_by_side(probe, extent, [&](ExprId moving) {
               return product.element(probe, of_rows, zero, sum ? zero : moving,
                                      sum ? moving : zero);
             });
    };
    return lies_along(of_rows ? s.rows : s.columns, false) || lies_along(s.terms, true);
  });
}

std::optional<GroupPlan> choose_matrix_plan(const Product& product, Context& context) {
  const TargetInfo& target = context.policy().target;
  constexpr std::int64_t least = 64, least_turns = 4, wide_bytes = std::int64_t(40) << 10;
  const ProductShape& s = product.shape();
  const DType d = product.dtype();
  const bool has_units =
      d == DType::bf16 || d == DType::f16 || (d == DType::f32 && product.allows_tf32());
  const std::int64_t depth = depth_bytes / std::int64_t(byte_size(d));
  if (!has_units || product.accumulator() != DType::f32 || !target.features.contains("matrices") ||
      target.most_group < many_items || s.rows < least || s.columns < least || s.terms < depth)
    return std::nullopt;
  const std::int64_t columns = target.local_bytes >= wide_bytes && s.columns > least ? 128 : 64;
  const std::int64_t tiles = s.batch * ceil_divide(s.rows, rows) * ceil_divide(s.columns, columns),
                     turns = s.terms / depth;
  const std::int64_t wanted = std::clamp(target.compute_units / tiles, std::int64_t(1),
                                         std::max(turns / least_turns, std::int64_t(1)));
  const bool has_few = d != DType::f32 && is_copied(product, context);
  const std::int64_t items = has_few ? few_items : many_items;
  // Sums of an item where there are no units, as many as with them.
  GroupPlan plan{.tile = {rows, columns, depth, 8, rows * columns / items / 8}};
  // A third tile is on its way without registers.
  if (has_few && 3 * (rows + columns) * depth_bytes <= target.local_bytes) plan.stages = 3;
  plan.turns = ceil_divide(turns, wanted);
  plan.parts = ceil_divide(turns, plan.turns);
  return plan;
}

GroupPlan without_matrices(const GroupPlan& plan, const Product& product) {
  GroupPlan plain = plan;
  plain.in_turns = product.shape().terms / plan.tile.depth * plan.tile.depth;
  plain.tile.depth = 8;
  plain.stages = 2;
  plain.turns = plan.turns * (plan.tile.depth / plain.tile.depth);
  return plain;
}

std::int64_t write_matrix_product(const Product& product, const GroupPlan& plan, KernelBody& body,
                                  const std::optional<Location>& partial) {
  MatrixProduct kernel(product, plan, body);
  kernel.write(partial);
  return kernel.groups();
}

}  // namespace partita::lowering
