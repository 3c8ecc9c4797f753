// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "lowering/ops/support/group_product.hpp"

#include <algorithm>
#include <optional>

#include "kernel/ast/element_math.hpp"

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

std::int64_t ceil_divide(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

/// An operand on its way through local memory, in chunks of neighbours.
struct Side {
  bool of_rows;
  std::int64_t extent, tile;  ///< of its free dimension
  bool is_along_sum = false;  ///< neighbours are terms of the sum, else rows or columns
  std::int64_t width = 1;     ///< of a chunk
  std::int64_t pitch = 0;     ///< from one term of the sum to the next in the group's array
  std::int64_t chunks = 0;    ///< of an item
  std::int32_t array = -1;
};

/// The kernel that adds up products, of the whole sum or of a part of it.
class GroupProduct {
 public:
  GroupProduct(const Product& product, const GroupPlan& plan, KernelBody& body)
      : product_(product),
        s_(product.shape()),
        plan_(plan),
        tile_(plan.tile),
        body_(body),
        pool_(body.pool()) {
    const Dims grid{plan_.parts, s_.batch, ceil_divide(s_.rows, tile_.rows),
                    ceil_divide(s_.columns, tile_.columns)};
    groups_ = grid[0] * grid[1] * grid[2] * grid[3];
    const ExprId group = body_.set_groups(groups_, tile_.items());
    const auto place = scalar::delinearize(pool_, group, grid);
    batch_ = place[1];
    first_row_ = first_of_tile(place[2], s_.rows, tile_.rows);
    first_column_ = first_of_tile(place[3], s_.columns, tile_.columns);
    turns_ = s_.terms / tile_.depth;
    part_ = place[0];
    first_turn_ = pool_.mul(part_, plan_.turns);
    const std::int64_t across = tile_.columns / tile_.item_columns;
    item_column_ = pool_.mul(pool_.mod(body_.item(), across), piece);
    item_row_ = pool_.mul(pool_.div(body_.item(), across), tile_.item_rows);
  }

  [[nodiscard]] std::int64_t groups() const { return groups_; }

  /// Stores into the result, or what a part gives into `partial` {parts, batch, rows, columns}.
  void write(const std::optional<Location>& partial) {
    rows_ = side(true, s_.rows, tile_.rows);
    columns_ = side(false, s_.columns, tile_.columns);
    for (std::int64_t i = 0; i < tile_.item_rows * tile_.item_columns; ++i)
      sums_.push_back(body_.declare(product_.accumulator(),
                                    ElementMath{pool_, product_.accumulator()}.number(0)));
    if (turns_ > 0) add_turns();
    const std::int64_t rest = s_.terms % tile_.depth;
    if (rest > 0)
      body_.guard_if_needed(pool_.equal(part_, pool_.index(plan_.parts - 1)),
                            [&] { add_rest(rest); });
    store(partial);
  }

 private:
  /// Columns of an item are in pieces of so many, between which lie those of the others: items next to each
  /// other read local memory next to each other.
  static constexpr std::int64_t piece = 4;
  static constexpr std::int64_t padding = 4;

  /// The last tile begins earlier where it would end too late: no place in it has to be looked at, and what
  /// it has in common with the one before becomes the same twice.
  [[nodiscard]] ExprId first_of_tile(ExprId number, std::int64_t extent, std::int64_t tile) {
    const ExprId first = pool_.mul(number, tile);
    return extent < tile ? first : pool_.min(first, pool_.index(extent - tile));
  }

  /// Whole depths of the tile, one of which is fetched while another is multiplied.
  void add_turns() {
    ExprId end = pool_.index(plan_.turns);
    if (plan_.turns * plan_.parts != turns_)
      end = pool_.min(end, pool_.sub(pool_.index(turns_), first_turn_));
    const auto term = [&](ExprId turn) {
      return pool_.mul(pool_.add(first_turn_, turn), tile_.depth);
    };
    put(fetch(term(pool_.index(0))), pool_.index(0));
    body_.barrier();
    if (plan_.turns == 1) return multiply(pool_.index(0), tile_.depth);
    body_.loop_to(end, plan_.turns, [&](ExprId turn) {
      // Past the end the last one is fetched once more, and nobody multiplies it.
      const ExprId next = pool_.min(pool_.add(turn, 1), pool_.sub(end, pool_.index(1)));
      const Fetched fetched = fetch(term(next));
      multiply(pool_.mod(turn, 2), tile_.depth);
      put(fetched, pool_.mod(pool_.add(turn, 1), 2));
      body_.barrier();
    });
  }

  /// The terms that are left, where they are fewer than a depth.
  void add_rest(std::int64_t rest) {
    if (turns_ > 0) body_.barrier();
    put(fetch(pool_.index(turns_ * tile_.depth)), pool_.index(0));
    body_.barrier();
    multiply(pool_.index(0), rest);
  }

  // --- From memory to local memory ---

  struct Chunk {
    ExprId free, depth;  ///< of its first element, in the tile
  };
  [[nodiscard]] Chunk chunk(const Side& side, std::int64_t k) {
    const ExprId number = pool_.add(body_.item(), k * tile_.items());
    const std::int64_t row = (side.is_along_sum ? tile_.depth : side.tile) / side.width;
    const ExprId outer = pool_.div(number, row),
                 inner = pool_.mul(pool_.mod(number, row), side.width);
    return side.is_along_sum ? Chunk{outer, inner} : Chunk{inner, outer};
  }
  /// The elements of a chunk, by their number in it.  Past the ends of rows, columns and sum the last ones
  /// are read again: what they give is neither stored nor multiplied.
  [[nodiscard]] ExprId element(const Side& side, const Chunk& at, ExprId first_term, ExprId lane) {
    const std::int64_t free_width = side.is_along_sum ? 1 : side.width,
                       term_width = side.is_along_sum ? side.width : 1;
    const ExprId first = side.of_rows ? first_row_ : first_column_;
    ExprId free = pool_.min(pool_.add(first, at.free), pool_.index(side.extent - free_width)),
           term = pool_.min(pool_.add(first_term, at.depth), pool_.index(s_.terms - term_width));
    (side.is_along_sum ? term : free) = pool_.add(side.is_along_sum ? term : free, lane);
    return product_.operand(body_, side.of_rows, batch_, free, term);
  }

  [[nodiscard]] Side side(bool of_rows, std::int64_t extent, std::int64_t tile) {
    Side side{.of_rows = of_rows, .extent = extent, .tile = tile};
    const ExprId zero = pool_.index(0);
    const auto is_along = [&](bool sum) {
      return lie_side_by_side(body_, sum ? s_.terms : extent, [&](ExprId moving) {
        return product_.operand(body_, of_rows, zero, sum ? zero : moving, sum ? moving : zero);
      });
    };
    side.is_along_sum = !is_along(false) && is_along(true);
    const std::int64_t along = side.is_along_sum ? s_.terms : extent,
                       cut = side.is_along_sum ? tile_.depth : tile, elements = tile * tile_.depth;
    const ExprId turn = pool_.mul(
        pool_.variable(body_.new_variable(std::max<std::int64_t>(turns_, 2))), tile_.depth);
    for (const std::int64_t width : {8, 4, 2}) {
      if (along % width != 0 || cut % width != 0 || elements % (width * tile_.items()) != 0)
        continue;
      side.width = width;
      const Chunk first = chunk(side, 0);
      if (reads_as_one(body_, int(width),
                       [&](ExprId lane) { return element(side, first, turn, lane); }))
        break;
      side.width = 1;
    }
    side.chunks = elements / (side.width * tile_.items());
    side.pitch = tile + (side.is_along_sum ? padding : 0);
    side.array = body_.new_array(product_.accumulator(),
                                 (plan_.turns > 1 ? 2 : 1) * tile_.depth * side.pitch);
    return side;
  }

  /// What an item has read and is yet to put into local memory.
  struct Fetched {
    std::vector<Register> rows, columns;
  };
  [[nodiscard]] Fetched fetch(ExprId first_term) {
    return {fetch(rows_, first_term), fetch(columns_, first_term)};
  }
  [[nodiscard]] std::vector<Register> fetch(const Side& side, ExprId first_term) {
    std::vector<Register> fetched;
    for (std::int64_t k = 0; k < side.chunks; ++k) {
      const Chunk at = chunk(side, k);
      for (const ExprId e : neighbours(body_, int(side.width), [&](ExprId lane) {
             return element(side, at, first_term, lane);
           }))
        fetched.push_back(body_.declare(product_.accumulator(), e));
    }
    return fetched;
  }
  void put(const Fetched& fetched, ExprId half) {
    put(rows_, fetched.rows, half);
    put(columns_, fetched.columns, half);
  }
  void put(const Side& side, const std::vector<Register>& fetched, ExprId half) {
    for (std::int64_t k = 0; k < side.chunks; ++k) {
      const Chunk at = chunk(side, k);
      for (std::int64_t lane = 0; lane < side.width; ++lane) {
        const ExprId free = side.is_along_sum ? at.free : pool_.add(at.free, lane),
                     depth = side.is_along_sum ? pool_.add(at.depth, lane) : at.depth;
        body_.store_local(side.array, local(side, half, depth, free),
                          body_.value(fetched[std::size_t(k * side.width + lane)]));
      }
    }
  }
  [[nodiscard]] ExprId local(const Side& side, ExprId half, ExprId depth, ExprId free) {
    return pool_.add(
        pool_.add(pool_.mul(half, tile_.depth * side.pitch), pool_.mul(depth, side.pitch)), free);
  }

  // --- Products ---

  [[nodiscard]] ExprId column_of_item(std::int64_t j) {
    return pool_.add(item_column_,
                     j / piece * (tile_.columns / tile_.item_columns * piece) + j % piece);
  }
  void multiply(ExprId half, std::int64_t count) {
    for (std::int64_t depth = 0; depth < count; ++depth) {
      std::vector<ExprId> a, b;
      for (std::int64_t i = 0; i < tile_.item_rows; ++i)
        a.push_back(body_.load_local(
            rows_.array, local(rows_, half, pool_.index(depth), pool_.add(item_row_, i))));
      for (std::int64_t j = 0; j < tile_.item_columns; ++j)
        b.push_back(body_.load_local(columns_.array,
                                     local(columns_, half, pool_.index(depth), column_of_item(j))));
      for (std::size_t i = 0; i < a.size(); ++i)
        for (std::size_t j = 0; j < b.size(); ++j)
          body_.multiply_add(sums_[i * b.size() + j], a[i], b[j]);
    }
  }

  // --- Results ---

  /// Calls `write` with the row and the first column of neighbours, and their sums.
  template <class Write>
  void each_piece(const Write& write) {
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
  void store(const std::optional<Location>& partial) {
    const auto is_once = [](std::int64_t extent, std::int64_t tile) {
      return extent < tile || extent % tile == 0;
    };
    if (is_once(s_.rows, tile_.rows) && is_once(s_.columns, tile_.columns)) body_.set_stores_last();
    if (!partial)
      return each_piece([&](ExprId row, ExprId column, const std::vector<Register>& sums) {
        product_.store(body_, batch_, row, column, sums);
      });
    const Dims dims{plan_.parts, s_.batch, s_.rows, s_.columns};
    body_.note_count(plan_.parts * s_.results());
    each_piece([&](ExprId row, ExprId column, const std::vector<Register>& sums) {
      std::vector<ExprId> values;
      for (const Register& r : sums) values.push_back(body_.value(r));
      store_neighbours(
          body_, *partial, product_.accumulator(),
          [&](ExprId lane) {
            return scalar::linear_index(
                pool_, std::vector{part_, batch_, row, pool_.add(column, lane)}, dims);
          },
          values);
    });
  }

  const Product& product_;
  const ProductShape& s_;
  const GroupPlan& plan_;
  const GroupTile& tile_;
  KernelBody& body_;
  ExprPool& pool_;
  std::int64_t groups_ = 0, turns_ = 0;
  ExprId part_{}, batch_{}, first_row_{}, first_column_{}, first_turn_{}, item_row_{},
      item_column_{};
  Side rows_{}, columns_{};
  std::vector<Register> sums_;  ///< of an item, row-major
};

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
  product.store(body, place[0], place[1], place[2], {sum});
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
  const GroupPlan plan = choose_group_plan(s, d, context.policy().target);
  if (plan.tile.rows == 0) {
    context.explain(stem, "an item for each result");
    return launch_sums(
        context, product, stem, s.terms,
        [&](KernelBody& body, const Register& sum, const std::vector<ExprId>& place, ExprId k) {
          const ExprId a = product.operand(body, true, place[0], place[1], k);
          body.multiply_add(sum, a, product.operand(body, false, place[0], place[2], k));
        });
  }
  context.explain(stem, explain(plan));
  std::optional<Location> partial;
  if (plan.parts > 1)
    partial = context.new_temporary({.dtype = d, .dims = {plan.parts, s.batch, s.rows, s.columns}},
                                    "partial");
  KernelBody body(context, plan.parts > 1 ? "partial_" + stem : stem);
  GroupProduct kernel(product, plan, body);
  kernel.write(partial);
  context.launch_groups(body, kernel.groups());
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
