// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// What kernels of products have in common: which tile is a group's, how operands come through local memory, and
// where sums go.
#pragma once

#include <algorithm>
#include <functional>
#include <optional>
#include <vector>

#include "kernel/ast/element_math.hpp"
#include "lowering/ops/support/group_product.hpp"
#include "lowering/ops/support/tile_operand.hpp"
#include "lowering/values/tile_sizes.hpp"

namespace partita::lowering {

using namespace kernel;

/// The kernel that adds up products, of the whole sum or of a part of it: tiles go through local memory, and what
/// is made of them there is a subclass's.
class TiledProduct {
 public:
  TiledProduct(const Product& product, const GroupPlan& plan, KernelBody& body)
      : product_(product),
        s_(product.shape()),
        plan_(plan),
        tile_(plan.tile),
        body_(body),
        pool_(body.pool()) {
    const Dims grid{plan_.parts, s_.batch, ceil_divide(s_.rows, tile_.rows),
                    ceil_divide(s_.columns, tile_.columns)};
    groups_ = grid[0] * grid[1] * grid[2] * grid[3];
    const scalar::ExprId group = body_.set_groups(groups_, tile_.items());
    const auto place = scalar::delinearize(pool_, group, grid);
    batch_ = place[1];
    first_row_ = first_of_tile(place[2], s_.rows, tile_.rows);
    first_column_ = first_of_tile(place[3], s_.columns, tile_.columns);
    turns_ = plan_.in_turns.value_or(s_.terms) / tile_.depth;
    part_ = place[0];
    first_turn_ = pool_.mul(part_, plan_.turns);
  }
  TiledProduct(const TiledProduct&) = delete;
  TiledProduct& operator=(const TiledProduct&) = delete;
  virtual ~TiledProduct() = default;

  [[nodiscard]] std::int64_t groups() const { return groups_; }

  /// Stores into the result, or what a part gives into `partial` {parts, batch, rows, columns}.
  void write(const std::optional<Location>& partial) {
    rows_ = operand(true, s_.rows, tile_.rows);
    columns_ = operand(false, s_.columns, tile_.columns);
    for (std::int64_t i = 0; i < sum_count(); ++i)
      sums_.push_back(body_.declare(product_.accumulator(),
                                    ElementMath{pool_, product_.accumulator()}.number(0)));
    if (turns_ > 0) add_turns();
    if (turns_ * tile_.depth < s_.terms)
      body_.guard_if_needed(pool_.equal(part_, pool_.index(plan_.parts - 1)), [&] { add_rest(); });
    store(partial);
  }

 protected:
  using Write = std::function<void(scalar::ExprId row, scalar::ExprId column,
                                   const std::vector<Register>& sums)>;

  /// What local memory holds of an operand's element, and as what.
  [[nodiscard]] virtual DType held_dtype() const = 0;
  [[nodiscard]] virtual scalar::ExprId held(bool of_rows, scalar::ExprId free,
                                            scalar::ExprId term) = 0;
  /// See TileOperand::Form.
  [[nodiscard]] virtual bool keeps_order() const = 0;
  [[nodiscard]] virtual bool copies_elements() const = 0;
  [[nodiscard]] virtual bool rotates() const { return false; }
  [[nodiscard]] virtual std::int64_t padding(bool is_along_sum) const = 0;
  /// Whether all of a depth is multiplied where the sum has fewer terms left, which are zero then.
  [[nodiscard]] virtual bool fills_depth() const = 0;
  /// Sums of an item.
  [[nodiscard]] virtual std::int64_t sum_count() const = 0;
  /// The first `count` terms of a half of local memory.
  virtual void multiply(scalar::ExprId half, std::int64_t count) = 0;
  /// Calls `write` with the row and the first column of neighbours, and their sums.
  virtual void each_piece(const Write& write) = 0;

 private:
  /// The last tile begins earlier where it would end too late: no place in it has to be looked at, and what
  /// it has in common with the one before becomes the same twice.
  [[nodiscard]] scalar::ExprId first_of_tile(scalar::ExprId number, std::int64_t extent,
                                             std::int64_t tile) {
    const scalar::ExprId first = pool_.mul(number, tile);
    return extent < tile ? first : pool_.min(first, pool_.index(extent - tile));
  }

  [[nodiscard]] std::int64_t used_stages() const { return std::min(plan_.stages, plan_.turns); }

  /// Whole depths of the tile, of which others are fetched while one is multiplied.
  void add_turns() {
    scalar::ExprId end = pool_.index(plan_.turns);
    if (plan_.turns * plan_.parts != turns_)
      end = pool_.min(end, pool_.sub(pool_.index(turns_), first_turn_));
    const auto term = [&](scalar::ExprId turn) {
      return pool_.mul(pool_.add(first_turn_, turn), tile_.depth);
    };
    // Past the end the last one is fetched once more, and nobody multiplies it.
    const auto known = [&](scalar::ExprId turn) {
      return pool_.min(turn, pool_.sub(end, pool_.index(1)));
    };
    const std::int64_t stages = used_stages(), ahead = std::max<std::int64_t>(stages - 1, 1);
    for (std::int64_t turn = 0; turn < ahead; ++turn) {
      const scalar::ExprId part = pool_.index(turn);
      put(start(term(turn == 0 ? part : known(part)), part), part);
    }
    body_.barrier();
    if (plan_.turns == 1) return multiply(pool_.index(0), tile_.depth);
    body_.loop_to(end, plan_.turns, [&](scalar::ExprId turn) {
      const scalar::ExprId next = pool_.add(turn, ahead), other = pool_.mod(next, stages);
      const Fetched fetched = start(term(known(next)), other);
      multiply(pool_.mod(turn, stages), tile_.depth);
      put(fetched, other);
      body_.barrier(int(ahead - 1));
    });
  }

  /// The terms that the turns leave.
  void add_rest() {
    for (std::int64_t first = turns_ * tile_.depth; first < s_.terms; first += tile_.depth) {
      if (first > 0) body_.barrier();
      put(fetch(pool_.index(first)), pool_.index(0));
      body_.barrier();
      multiply(pool_.index(0),
               fills_depth() ? tile_.depth : std::min(tile_.depth, s_.terms - first));
    }
  }

  // --- From memory to local memory ---

  [[nodiscard]] TileOperand operand(bool of_rows, std::int64_t extent, std::int64_t tile) {
    const scalar::ExprId zero = pool_.index(0);
    return {body_,
            {.extent = extent,
             .terms = s_.terms,
             .tile = tile,
             .depth = tile_.depth,
             .items = tile_.items(),
             .turns = turns_,
             .parts = int(used_stages()),
             .keeps_order = keeps_order(),
             .copies_elements = copies_elements(),
             .fills_depth = fills_depth(),
             .padding_along_sum = padding(true),
             .padding = padding(false),
             .rotates = rotates(),
             .held = held_dtype()},
            of_rows ? first_row_ : first_column_,
            [this, of_rows](scalar::ExprId free, scalar::ExprId term) {
              return held(of_rows, free, term);
            },
            [&](scalar::ExprId free, scalar::ExprId term) {
              return product_.operand(body_, of_rows, zero, free, term);
            }};
  }

  struct Fetched {
    TileOperand::Fetched rows, columns;
  };
  [[nodiscard]] Fetched fetch(scalar::ExprId first_term) {
    return {rows_.fetch(first_term), columns_.fetch(first_term)};
  }
  [[nodiscard]] Fetched start(scalar::ExprId first_term, scalar::ExprId half) {
    return {rows_.start(first_term, half), columns_.start(first_term, half)};
  }
  void put(const Fetched& fetched, scalar::ExprId half) {
    rows_.put(fetched.rows, half);
    columns_.put(fetched.columns, half);
  }

  // --- Results ---

  void store(const std::optional<Location>& partial) {
    const auto is_once = [](std::int64_t extent, std::int64_t tile) {
      return extent < tile || extent % tile == 0;
    };
    if (is_once(s_.rows, tile_.rows) && is_once(s_.columns, tile_.columns)) body_.set_stores_last();
    if (!partial) return store_results();
    const Dims dims{plan_.parts, s_.batch, s_.rows, s_.columns};
    body_.note_count(plan_.parts * s_.results());
    each_piece([&](scalar::ExprId row, scalar::ExprId column, const std::vector<Register>& sums) {
      store_neighbours(
          body_, *partial, product_.accumulator(),
          [&](scalar::ExprId lane) {
            return scalar::linear_index(
                pool_, std::vector{part_, batch_, row, pool_.add(column, lane)}, dims);
          },
          values_of(sums));
    });
  }

  /// What results read is read before the first of them is stored: reads do not wait for each other.
  void store_results() {
    const auto results = [&](scalar::ExprId row, scalar::ExprId column,
                             const std::vector<Register>& sums) {
      return product_.results(body_, batch_, row, column, sums);
    };
    const bool are_in_sums = product_.replaces_sums();
    if (are_in_sums)
      each_piece([&](scalar::ExprId row, scalar::ExprId column, const std::vector<Register>& sums) {
        const std::vector<scalar::ExprId> values = results(row, column, sums);
        for (std::size_t k = 0; k < sums.size(); ++k) body_.assign(sums[k], values[k]);
      });
    each_piece([&](scalar::ExprId row, scalar::ExprId column, const std::vector<Register>& sums) {
      product_.store(body_, batch_, row, column,
                     are_in_sums ? values_of(sums) : results(row, column, sums));
    });
  }
  [[nodiscard]] std::vector<scalar::ExprId> values_of(const std::vector<Register>& sums) const {
    std::vector<scalar::ExprId> values;
    for (const Register& r : sums) values.push_back(body_.value(r));
    return values;
  }

 protected:
  const Product& product_;
  const ProductShape& s_;
  const GroupPlan& plan_;
  const GroupTile& tile_;
  KernelBody& body_;
  scalar::ExprPool& pool_;
  std::int64_t groups_ = 0, turns_ = 0;
  scalar::ExprId part_{}, batch_{}, first_row_{}, first_column_{}, first_turn_{};
  TileOperand rows_, columns_;
  std::vector<Register> sums_;  ///< of an item, row-major
};

}  // namespace partita::lowering
