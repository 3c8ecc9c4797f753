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
#include "lowering/values/tile_sizes.hpp"

namespace partita::lowering {

using namespace kernel;

/// An operand on its way through local memory, in chunks of neighbours.
struct Side {
  bool of_rows;
  std::int64_t extent, tile;  ///< of its free dimension
  bool is_along_sum = false;  ///< neighbours are terms of the sum, else rows or columns
  std::int64_t width = 1;     ///< of a chunk
  /// In the group's array terms lie side by side, else rows or columns; `pitch` from one such line to the next.
  bool lies_by_terms = false;
  std::int64_t pitch = 0;
  std::int64_t size = 0;    ///< of a half
  std::int64_t chunks = 0;  ///< of an item
  std::int32_t array = -1;
};

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
    rows_ = side(true, s_.rows, tile_.rows);
    columns_ = side(false, s_.columns, tile_.columns);
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
  /// Whether local memory has neighbours where memory has them, else rows and columns side by side; and how many
  /// elements there are between them beyond those of the tile.
  [[nodiscard]] virtual bool keeps_order() const = 0;
  [[nodiscard]] virtual std::int64_t padding(const Side& side) const = 0;
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

  /// Whole depths of the tile, one of which is fetched while another is multiplied.
  void add_turns() {
    scalar::ExprId end = pool_.index(plan_.turns);
    if (plan_.turns * plan_.parts != turns_)
      end = pool_.min(end, pool_.sub(pool_.index(turns_), first_turn_));
    const auto term = [&](scalar::ExprId turn) {
      return pool_.mul(pool_.add(first_turn_, turn), tile_.depth);
    };
    put(fetch(term(pool_.index(0))), pool_.index(0));
    body_.barrier();
    if (plan_.turns == 1) return multiply(pool_.index(0), tile_.depth);
    body_.loop_to(end, plan_.turns, [&](scalar::ExprId turn) {
      // Past the end the last one is fetched once more, and nobody multiplies it.
      const scalar::ExprId next = pool_.min(pool_.add(turn, 1), pool_.sub(end, pool_.index(1)));
      const Fetched fetched = fetch(term(next));
      multiply(pool_.mod(turn, 2), tile_.depth);
      put(fetched, pool_.mod(pool_.add(turn, 1), 2));
      body_.barrier();
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

  struct Chunk {
    scalar::ExprId free, depth;  ///< of its first element, in the tile
  };
  [[nodiscard]] Chunk chunk(const Side& side, std::int64_t k) {
    const scalar::ExprId number = pool_.add(body_.item(), k * tile_.items());
    const std::int64_t row = (side.is_along_sum ? tile_.depth : side.tile) / side.width;
    const scalar::ExprId outer = pool_.div(number, row),
                         inner = pool_.mul(pool_.mod(number, row), side.width);
    return side.is_along_sum ? Chunk{outer, inner} : Chunk{inner, outer};
  }
  /// The elements of a chunk, by their number in it.  Past the ends of rows, columns and sum the last ones
  /// are read again: what they give is neither stored nor multiplied.
  [[nodiscard]] scalar::ExprId element(const Side& side, const Chunk& at, scalar::ExprId first_term,
                                       scalar::ExprId lane) {
    const std::int64_t free_width = side.is_along_sum ? 1 : side.width,
                       term_width = side.is_along_sum ? side.width : 1;
    const scalar::ExprId first = side.of_rows ? first_row_ : first_column_;
    scalar::ExprId free =
                       pool_.min(pool_.add(first, at.free), pool_.index(side.extent - free_width)),
                   term = pool_.min(pool_.add(first_term, at.depth),
                                    pool_.index(s_.terms - term_width));
    const scalar::ExprId is_term =
        pool_.less(pool_.add(first_term, at.depth), pool_.index(s_.terms));
    (side.is_along_sum ? term : free) = pool_.add(side.is_along_sum ? term : free, lane);
    const scalar::ExprId value = held(side.of_rows, free, term);
    if (!fills_depth() || is_term == pool_.boolean(true)) return value;
    return pool_.apply("select", held_dtype(),
                       {is_term, value, ElementMath{pool_, held_dtype()}.number(0)});
  }

  [[nodiscard]] Side side(bool of_rows, std::int64_t extent, std::int64_t tile) {
    Side side{.of_rows = of_rows, .extent = extent, .tile = tile};
    const scalar::ExprId zero = pool_.index(0);
    const auto is_along = [&](bool sum) {
      return lie_side_by_side(body_, sum ? s_.terms : extent, [&](scalar::ExprId moving) {
        return product_.operand(body_, of_rows, zero, sum ? zero : moving, sum ? moving : zero);
      });
    };
    side.is_along_sum = !is_along(false) && is_along(true);
    const std::int64_t along = side.is_along_sum ? s_.terms : extent,
                       cut = side.is_along_sum ? tile_.depth : tile, elements = tile * tile_.depth;
    const scalar::ExprId turn = pool_.mul(
        pool_.variable(body_.new_variable(std::max<std::int64_t>(turns_, 2))), tile_.depth);
    for (const std::int64_t width : {8, 4, 2}) {
      if (along % width != 0 || cut % width != 0 || elements % (width * tile_.items()) != 0)
        continue;
      side.width = width;
      const Chunk first = chunk(side, 0);
      if (reads_as_one(body_, int(width),
                       [&](scalar::ExprId lane) { return element(side, first, turn, lane); }))
        break;
      side.width = 1;
    }
    side.chunks = elements / (side.width * tile_.items());
    side.lies_by_terms = keeps_order() && side.is_along_sum;
    side.pitch = (side.lies_by_terms ? tile_.depth : tile) + padding(side);
    side.size = (side.lies_by_terms ? tile : tile_.depth) * side.pitch;
    side.array = body_.new_array(held_dtype(), (plan_.turns > 1 ? 2 : 1) * side.size);
    return side;
  }

  /// What an item has read and is yet to put into local memory.
  struct Fetched {
    std::vector<Register> rows, columns;
  };
  [[nodiscard]] Fetched fetch(scalar::ExprId first_term) {
    return {fetch(rows_, first_term), fetch(columns_, first_term)};
  }
  [[nodiscard]] std::vector<Register> fetch(const Side& side, scalar::ExprId first_term) {
    std::vector<Register> fetched;
    for (std::int64_t k = 0; k < side.chunks; ++k) {
      const Chunk at = chunk(side, k);
      for (const scalar::ExprId e : neighbours(body_, int(side.width), [&](scalar::ExprId lane) {
             return element(side, at, first_term, lane);
           }))
        fetched.push_back(body_.declare(held_dtype(), e));
    }
    return fetched;
  }
  void put(const Fetched& fetched, scalar::ExprId half) {
    put(rows_, fetched.rows, half);
    put(columns_, fetched.columns, half);
  }
  void put(const Side& side, const std::vector<Register>& fetched, scalar::ExprId half) {
    for (std::int64_t k = 0; k < side.chunks; ++k) {
      const Chunk at = chunk(side, k);
      std::vector<scalar::ExprId> values;
      for (std::int64_t lane = 0; lane < side.width; ++lane)
        values.push_back(body_.value(fetched[std::size_t(k * side.width + lane)]));
      if (keeps_order() && side.width > 1) {
        body_.store_local_wide(side.array, local(side, half, at.depth, at.free), values);
        continue;
      }
      for (std::int64_t lane = 0; lane < side.width; ++lane) {
        const scalar::ExprId free = side.is_along_sum ? at.free : pool_.add(at.free, lane),
                             depth = side.is_along_sum ? pool_.add(at.depth, lane) : at.depth;
        body_.store_local(side.array, local(side, half, depth, free), values[std::size_t(lane)]);
      }
    }
  }

  // --- Results ---

  void store(const std::optional<Location>& partial) {
    const auto is_once = [](std::int64_t extent, std::int64_t tile) {
      return extent < tile || extent % tile == 0;
    };
    if (is_once(s_.rows, tile_.rows) && is_once(s_.columns, tile_.columns)) body_.set_stores_last();
    if (!partial)
      return each_piece(
          [&](scalar::ExprId row, scalar::ExprId column, const std::vector<Register>& sums) {
            product_.store(body_, batch_, row, column, sums);
          });
    const Dims dims{plan_.parts, s_.batch, s_.rows, s_.columns};
    body_.note_count(plan_.parts * s_.results());
    each_piece([&](scalar::ExprId row, scalar::ExprId column, const std::vector<Register>& sums) {
      std::vector<scalar::ExprId> values;
      for (const Register& r : sums) values.push_back(body_.value(r));
      store_neighbours(
          body_, *partial, product_.accumulator(),
          [&](scalar::ExprId lane) {
            return scalar::linear_index(
                pool_, std::vector{part_, batch_, row, pool_.add(column, lane)}, dims);
          },
          values);
    });
  }

 protected:
  [[nodiscard]] scalar::ExprId local(const Side& side, scalar::ExprId half, scalar::ExprId depth,
                                     scalar::ExprId free) {
    const scalar::ExprId line = side.lies_by_terms ? free : depth,
                         in_line = side.lies_by_terms ? depth : free;
    return pool_.add(pool_.add(pool_.mul(half, side.size), pool_.mul(line, side.pitch)), in_line);
  }

  const Product& product_;
  const ProductShape& s_;
  const GroupPlan& plan_;
  const GroupTile& tile_;
  KernelBody& body_;
  scalar::ExprPool& pool_;
  std::int64_t groups_ = 0, turns_ = 0;
  scalar::ExprId part_{}, batch_{}, first_row_{}, first_column_{}, first_turn_{};
  Side rows_{}, columns_{};
  std::vector<Register> sums_;  ///< of an item, row-major
};

}  // namespace partita::lowering
