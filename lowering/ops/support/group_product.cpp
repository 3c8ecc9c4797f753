// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "lowering/ops/support/group_product.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "kernel/ast/copied_neighbours.hpp"
#include "kernel/ast/element_math.hpp"
#include "kernel/ast/neighbours.hpp"
#include "lowering/ops/support/matrix_fragments.hpp"
#include "lowering/ops/support/matrix_product.hpp"
#include "lowering/ops/support/tiled_product.hpp"

namespace partita::lowering {

using namespace kernel;

using scalar::ExprId;
using scalar::ExprPool;

namespace {

std::string explain(const GroupPlan& plan) {
  const GroupTile& t = plan.tile;
  return cat("generated for groups of ", t.items(), " items, ", t.rows, "x", t.columns, "x",
             t.depth, ", ", t.item_rows, "x", t.item_columns, " of an item",
             plan.parts > 1 ? cat(", the sum in ", plan.parts, " parts") : std::string());
}

/// Items multiply elements of local memory, each some rows by some columns.  `copies`: what can be is copied to local
/// memory while another tile is multiplied, without registers between.
class ElementProduct final : public TiledProduct {
 public:
  ElementProduct(const Product& product, const GroupPlan& plan, KernelBody& body, bool copies)
      : TiledProduct(product, plan, body), copies_(copies) {
    const std::int64_t across = tile_.columns / tile_.item_columns;
    item_column_ = pool_.mul(pool_.mod(body_.item(), across), piece);
    item_row_ = pool_.mul(pool_.div(body_.item(), across), tile_.item_rows);
  }

 private:
  /// Columns of an item are in pieces of so many, between which lie those of the others: items next to each
  /// other read local memory next to each other.
  static constexpr std::int64_t piece = 4;

  [[nodiscard]] DType held_dtype() const override { return product_.accumulator(); }
  [[nodiscard]] ExprId held(bool of_rows, ExprId free, ExprId term) override {
    return product_.operand(body_, of_rows, batch_, free, term);
  }
  [[nodiscard]] bool keeps_order() const override { return false; }
  [[nodiscard]] bool copies_elements() const override { return copies_; }
  /// What is turned on its way is stored to all banks.
  [[nodiscard]] std::int64_t padding(bool is_along_sum) const override {
    return is_along_sum ? 4 : 0;
  }
  [[nodiscard]] bool fills_depth() const override { return false; }
  [[nodiscard]] std::int64_t sum_count() const override {
    return tile_.item_rows * tile_.item_columns;
  }

  [[nodiscard]] ExprId column_of_item(std::int64_t j) {
    return pool_.add(item_column_,
                     j / piece * (tile_.columns / tile_.item_columns * piece) + j % piece);
  }
  /// What an item multiplies of one term.
  struct Operands {
    std::vector<ExprId> a, b;
  };
  [[nodiscard]] Operands operands(ExprId half, std::int64_t term) {
    const auto in_register = [&](ExprId e) {
      return copies_ ? body_.value(body_.declare(product_.accumulator(), e)) : e;
    };
    Operands o;
    for (std::int64_t i = 0; i < tile_.item_rows; ++i)
      o.a.push_back(in_register(rows_.load(half, pool_.index(term), pool_.add(item_row_, i))));
    for (std::int64_t j = 0; j < tile_.item_columns; ++j)
      o.b.push_back(in_register(columns_.load(half, pool_.index(term), column_of_item(j))));
    return o;
  }
  /// Beside copies, what the next term needs is read before one is multiplied: few sub-groups do not wait for local
  /// memory.  That takes registers, for want of which many would be fewer.
  void multiply(ExprId half, std::int64_t count) override {
    Operands now = operands(half, 0);
    for (std::int64_t term = 0; term < count; ++term) {
      const bool is_last = term + 1 == count;
      Operands next;
      if (copies_ && !is_last) next = operands(half, term + 1);
      for (std::size_t i = 0; i < now.a.size(); ++i)
        for (std::size_t j = 0; j < now.b.size(); ++j)
          body_.multiply_add(sums_[i * now.b.size() + j], now.a[i], now.b[j]);
      if (!is_last) now = copies_ ? std::move(next) : operands(half, term + 1);
    }
  }

  void each_piece(const Write& write) override {
    const bool is_whole = s_.columns >= tile_.columns || s_.columns % piece == 0;
    for (std::int64_t i = 0; i < tile_.item_rows; ++i) {
      const ExprId row = pool_.add(pool_.add(first_row_, item_row_), i);
      body_.guard_if_needed(pool_.less(row, pool_.index(s_.rows)), [&] {
        for (std::int64_t j = 0; j < tile_.item_columns; j += is_whole ? piece : 1) {
          const ExprId column = pool_.add(first_column_, column_of_item(j));
          const auto first = sums_.begin() + (i * tile_.item_columns + j);
          body_.guard_if_needed(pool_.less(column, pool_.index(s_.columns)), [&] {
            write(row, column, std::vector<Register>(first, first + (is_whole ? piece : 1)));
          });
        }
      });
    }
  }
  bool copies_;
  ExprId item_row_{}, item_column_{};
};

/// What can be copied where there are copies beside what is multiplied: devices with matrix units have them.
ProductCopies copies_of(const Product& product, Context& context) {
  ProductCopies copies;
  if (!context.policy().target.features.contains("matrices")) return copies;
  const ProductShape& s = product.shape();
  KernelBody probe(context, "probe");
  auto& pool = probe.pool();
  const ExprId zero = pool.index(0);
  for (const bool of_rows : {true, false}) {
    const auto element = [&](ExprId free, ExprId term) {
      return product.operand(probe, of_rows, zero, free, term);
    };
    const std::int64_t extent = of_rows ? s.rows : s.columns;
    const ExprId free = pool.variable(probe.new_variable(std::max<std::int64_t>(extent, 2))),
                 term = pool.variable(probe.new_variable(std::max<std::int64_t>(s.terms, 2)));
    const std::int64_t wide = std::int64_t(widest_access / byte_size(product.accumulator()));
    OperandCopies& operand = of_rows ? copies.rows : copies.columns;
    operand.are_possible = copied_element(pool, element(free, term)).has_value();
    operand.are_wide = extent % wide == 0 && lie_side_by_side(probe, extent, [&](ExprId moving) {
                         return element(moving, zero);
                       });
  }
  return copies;
}

/// An item for each result, which adds up `count` terms.
template <class Term>
void launch_sums(Context& context, const Product& product, const std::string& stem,
                 std::int64_t count, const Term& term) {
  KernelBody body(context, stem, product.shape().results());
  auto& pool = body.pool();
  const ProductShape& s = product.shape();
  const auto place = scalar::delinearize(pool, body.item(), {s.batch, s.rows, s.columns});
  const DType d = product.accumulator();
  const Register sum = body.declare(d, ElementMath{pool, d}.number(0));
  body.loop(count, [&](ExprId k) { term(body, sum, place, k); });
  product.store(body, place[0], place[1], place[2],
                product.results(body, place[0], place[1], place[2], {sum}));
  context.launch(body, product.shape().results());
}

}  // namespace

bool lie_side_by_side(KernelBody& body, std::int64_t extent, const OfNeighbour& element) {
  if (extent < 2) return false;
  auto& pool = body.pool();
  const auto test = [&](std::int64_t width) {
    const ExprId number = pool.variable(body.new_variable(width));
    ExprId at = number;
    if (extent > width)
      at = pool.add(pool.mul(pool.variable(body.new_variable(extent / width)), width), number);
    return moves_by_one(pool, element(at), number, int(width));
  };
  // Numbers of several dimensions move by one within pieces alone.
  if (test(extent)) return true;
  for (const std::int64_t width : {4, 2})
    if (extent % width == 0 && test(width)) return true;
  return false;
}

void lower_product(Context& context, const Product& product, const std::string& stem) {
  const ProductShape& s = product.shape();
  const DType d = product.accumulator();
  GroupPlan plan = choose_group_plan(s, d, copies_of(product, context), context.policy().target);
  if (plan.tile.rows == 0) {
    context.explain(stem, "an item for each result");
    return launch_sums(
        context, product, stem, s.terms,
        [&](KernelBody& body, const Register& sum, const std::vector<ExprId>& place, ExprId k) {
          const ExprId a = product.operand(body, true, place[0], place[1], k);
          body.multiply_add(sum, a, product.operand(body, false, place[0], place[2], k));
        });
  }
  const auto matrices = choose_matrix_plan(product, context);
  if (matrices) plan = without_matrices(*matrices, product);
  context.explain(stem,
                  cat(explain(plan), matrices ? ", on matrix units where there are some" : ""));
  std::optional<Location> partial;
  if (plan.parts > 1)
    partial = context.new_temporary({.dtype = d, .dims = {plan.parts, s.batch, s.rows, s.columns}},
                                    "partial");
  const std::string name = plan.parts > 1 ? "partial_" + stem : stem;
  KernelBody body(context, name);
  ElementProduct kernel(product, plan, body, false);
  kernel.write(partial);
  if (matrices) {
    KernelBody units(context, name);
    const std::int64_t groups = write_matrix_product(product, *matrices, units, partial);
    launch_matrices(context, units, body, groups);
  } else if (plan.copies) {
    KernelBody ahead(context, name);
    ElementProduct(product, plan, ahead, true).write(partial);
    launch_matrices(context, ahead, body, kernel.groups());
  } else {
    context.launch_groups(body, kernel.groups());
  }
  if (!partial) return;
  launch_sums(context, product, stem, plan.parts,
              [&](KernelBody& sums, const Register& sum, const std::vector<ExprId>& /*place*/,
                  ExprId part) {
                auto& pool = sums.pool();
                sums.note_count(plan.parts * s.results());
                const ExprId at = pool.add(pool.mul(part, s.results()), sums.item());
                sums.assign(sum, pool.apply("add", d,
                                            {sums.value(sum),
                                             pool.load(sums.buffer(*partial, d, false), d, at)}));
              });
}

}  // namespace partita::lowering
