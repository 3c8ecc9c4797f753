// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "lowering/ops/contraction/tiled_contraction.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

#include "ir/core/contraction.hpp"
#include "kernel/ast/expressions.hpp"
#include "lowering/values/tile_sizes.hpp"

namespace partita::lowering {

using namespace kernel;
namespace {

using ir::I64s;
using ir::Node;
using ir::Value;
using scalar::ExprId;
using scalar::ExprPool;

/// Rows for each that may be computed twice.
constexpr std::int64_t few_rows = 8;

class Tiler {
 public:
  Tiler(const ContractionWork& work, KernelBody& body)
      : work_(work),
        dot_(*work.epilogue.contraction),
        body_(body),
        pool_(body.pool()),
        s_(contraction_shape(dot_)),
        d_(dot_.result_types()[0].dtype),
        vector_width_(work.most.vector_bytes / std::int64_t(byte_size(d_))),
        m_(s_.m),
        n_(s_.n),
        k_(s_.k),
        outer_(pool_.index(0)),
        outer_sum_(pool_.index(0)) {}

  std::optional<std::int64_t> run() {
    if (!suits() || !choose_form()) return std::nullopt;
    choose_tiles();
    const std::int64_t row_tiles = ceil_divide(rows_, tile_rows_),
                       column_tiles = ceil_divide(columns_, tile_columns_);
    const std::int64_t outer = s_.m / m_ * (s_.n / n_),
                       items = s_.batch * outer * row_tiles * column_tiles;
    body_.set_items(items);
    // Neighbouring items share what is larger: the column operand, or rows of the result.
    const bool shares_columns = s_.k > rows_;
    const auto place =
        scalar::delinearize(pool_, body_.item(),
                            shares_columns ? Dims{s_.batch, outer, column_tiles, row_tiles}
                                           : Dims{s_.batch, outer, row_tiles, column_tiles});
    outer_ = place[1];
    const ExprId row_tile = place[shares_columns ? 3 : 2],
                 column_tile = place[shares_columns ? 2 : 3];
    body_.set_stores_last();
    out_ = body_.buffer(work_.to, work_.epilogue.root().type().dtype, true);
    body_.note_count(work_.epilogue.root().type().count());
    const auto tiles_of_rows = [&](ExprId row, std::int64_t rows, std::int64_t overlap) {
      branch(column_tile, columns_, tile_columns_, [&](ExprId column, std::int64_t columns) {
        const Tile tile{.batch = place[0],
                        .row = row,
                        .rows = rows,
                        .column = column,
                        .columns = columns,
                        .overlap = overlap,
                        .first = pool_.max(pool_.sub(pool_.mul(row_tile, tile_rows_),
                                                     pool_.index(rows_ - tile_rows_)),
                                           pool_.index(0))};
        if (sums_vectors_)
          sum_tile(tile);
        else
          outer_tile(tile);
      });
    };
    // The last tile begins early enough to be a whole one, if that is not much more to compute: one text serves all.
    const std::int64_t overlap = row_tiles * tile_rows_ - rows_;
    if (row_tiles > 1 && overlap > 0 && overlap * few_rows <= rows_)
      tiles_of_rows(pool_.min(pool_.mul(row_tile, tile_rows_), pool_.index(rows_ - tile_rows_)),
                    tile_rows_, overlap);
    else
      branch(row_tile, rows_, tile_rows_,
             [&](ExprId row, std::int64_t rows) { tiles_of_rows(row, rows, 0); });
    return items;
  }

  std::optional<bool> to_pack() {
    constexpr std::int64_t often = 8;
    if (!suits() || s_.k > 16 * vector_width_) return std::nullopt;
    const Form f = form();
    if ((f.by_n && f.out_n) || (f.by_m && f.out_m)) return std::nullopt;
    if (!f.out_n && !f.out_m) return std::nullopt;
    const std::int64_t columns = f.out_n ? s_.n : s_.m, rows = f.out_n ? s_.m : s_.n;
    // Vectors whose lanes are stored one by one cost a result what a copy costs its operand.
    const std::int64_t uses = f.by_n || f.by_m ? 2 * s_.k : often;
    if (columns < vector_width_ || rows < uses) return std::nullopt;
    return !f.out_n;
  }

 private:
  struct Tile {
    ExprId batch, row;
    std::int64_t rows;
    ExprId column;
    std::int64_t columns;
    std::int64_t overlap = 0;  ///< first rows of the last tile, which the one before stores
    ExprId first{};            ///< of its rows that this tile stores: 0 or `overlap`
  };

  // --- Elements.  Rows and columns are those of the tiles: m and n, or n and m where swapped. ---

  /// Of m where `is_m`, else of n: the place among all that a place within an outer index has.
  ExprId whole(bool is_m, ExprId inner) {
    const std::int64_t size = is_m ? m_ : n_;
    return size == (is_m ? s_.m : s_.n) ? inner : pool_.add(pool_.mul(outer_, size), inner);
  }

  ExprId operand(bool of_rows, ExprId b, ExprId free, ExprId k) {
    const bool is_lhs = of_rows != swapped_;
    free = whole(is_lhs, free);
    if (k_ < s_.k) k = pool_.add(pool_.mul(outer_sum_, k_), k);
    if (work_.packed && work_.packed->is_lhs == is_lhs) {
      const Dims dims{s_.batch, s_.k, is_lhs ? s_.m : s_.n};
      body_.note_count(s_.batch * s_.k * dims[2]);
      return pool_.load(body_.buffer(work_.packed->at, d_, false), d_,
                        scalar::linear_index(pool_, std::vector{b, k, free}, dims));
    }
    const OperandIndex index = is_lhs ? OperandIndex{dot_.operand(0).type().dims, s_.lhs_batch,
                                                     s_.lhs_free, s_.lhs_contracting}
                                      : OperandIndex{dot_.operand(1).type().dims, s_.rhs_batch,
                                                     s_.rhs_free, s_.rhs_contracting};
    return body_.element(dot_.operand(is_lhs ? 0 : 1), index.at(pool_, b, free, k));
  }

  std::vector<ExprId> result_index(ExprId b, ExprId row, ExprId column) {
    const ExprId m = whole(true, swapped_ ? column : row),
                 n = whole(false, swapped_ ? row : column);
    return root_index(pool_, work_.epilogue, b, m, n);
  }

  // --- Choices ---

  [[nodiscard]] bool suits() const {
    if (vector_width_ < 2 || vector_width_ > 16 || std::ranges::count(vector_dtypes, d_) == 0)
      return false;
    return s_.k > 0 && std::ranges::all_of(dot_.operands(),
                                           [&](const Value& v) { return v.type().dtype == d_; });
  }

  /// What lies side by side: elements of an operand along m, n or the sum, and results.
  struct Form {
    bool by_m, by_n, both_k, out_m, out_n;
  };
  Form form() {
    const ExprId zero = pool_.index(0);
    const std::int32_t m = body_.new_variable(std::max<std::int64_t>(m_, 2)),
                       n = body_.new_variable(std::max<std::int64_t>(n_, 2)),
                       k = body_.new_variable(std::max<std::int64_t>(k_, 2));
    const ExprId at_m = m_ == 1 ? zero : pool_.variable(m),
                 at_n = n_ == 1 ? zero : pool_.variable(n),
                 at_k = k_ == 1 ? zero : pool_.variable(k);
    const ExprId lhs = operand(true, zero, at_m, at_k), rhs = operand(false, zero, at_n, at_k);
    const ExprId out = scalar::linear_index(pool_, result_index(zero, at_m, at_n),
                                            work_.epilogue.root().type().dims);
    const bool lhs_m = m_ > 1 && along(pool_, lhs, m) == Along::contiguous,
               rhs_n = n_ > 1 && along(pool_, rhs, n) == Along::contiguous,
               both_k = k_ > 1 && along(pool_, lhs, k) == Along::contiguous &&
                        along(pool_, rhs, k) == Along::contiguous,
               out_m = index_stride(pool_, out, m) == 1, out_n = index_stride(pool_, out, n) == 1;
    constexpr std::int64_t few = 4;
    return {.by_m = lhs_m && m_ >= few,
            .by_n = rhs_n && n_ >= few,
            .both_k = both_k,
            .out_m = out_m,
            .out_n = out_n};
  }

  /// Whether vectors of results lie side by side along the last of several dimensions that are m (n) together: then the
  /// others are outer ones.
  bool splits(bool of_m) {
    const I64s& free = of_m ? s_.lhs_free : s_.rhs_free;
    const Dims& dims = dot_.operand(of_m ? 0 : 1).type().dims;
    std::int64_t& inner = of_m ? m_ : n_;
    const std::int64_t all = inner;
    if (free.size() < 2 || work_.packed) return false;
    inner = dims[std::size_t(free.back())];
    if (inner >= vector_width_ && inner < all) {
      outer_ = pool_.variable(body_.new_variable(all / inner));
      const Form f = form();
      if (of_m ? f.by_m && f.out_m : f.by_n && f.out_n) return true;
    }
    inner = all;
    return false;
  }

  /// Whether both operands are contiguous along one of several dimensions that are summed over: then it becomes the last of
  /// them, and the others an outer loop.
  bool splits_sum() {
    const std::size_t count = s_.lhs_contracting.size();
    if (count < 2 || work_.packed) return false;
    const Dims& dims = dot_.operand(0).type().dims;
    for (std::size_t last = count; last-- > 0;) {
      k_ = dims[std::size_t(s_.lhs_contracting[last])];
      if (k_ < vector_width_ || k_ == s_.k) continue;
      const auto in_order = std::pair(s_.lhs_contracting, s_.rhs_contracting);
      for (I64s* of : {&s_.lhs_contracting, &s_.rhs_contracting})
        std::rotate(of->begin() + std::ptrdiff_t(last), of->begin() + std::ptrdiff_t(last) + 1,
                    of->end());
      outer_sum_ = pool_.variable(body_.new_variable(s_.k / k_));
      if (form().both_k) return true;
      std::tie(s_.lhs_contracting, s_.rhs_contracting) = in_order;
    }
    k_ = s_.k;
    return false;
  }

  /// Which operand gives the vectors, and along what.
  bool choose_form() {
    auto [by_m, by_n, both_k, out_m, out_n] = form();
    if (!(by_n && out_n) && !(by_m && out_m) && !both_k) {
      if (splits(false))
        by_n = out_n = true;
      else if (splits(true))
        by_m = out_m = true;
      else
        both_k = splits_sum();
    }
    if (by_n && out_n)
      swapped_ = false;
    else if (by_m && out_m)
      swapped_ = true;
    else if (both_k)
      sums_vectors_ = true, swapped_ = out_m && !out_n;
    else if (by_n || by_m)
      swapped_ = !by_n;
    else
      return false;
    // Where there is more to a result than a store, results go through an array: one row's statements serve all.
    uses_array_ = !work_.epilogue.chain.empty() || sums_vectors_ || !(swapped_ ? out_m : out_n);
    rows_ = swapped_ ? n_ : m_;
    columns_ = swapped_ ? m_ : n_;
    return true;
  }

  void choose_tiles() {
    if (sums_vectors_) {
      const std::int64_t registers = work_.most.rows * work_.most.vectors;
      const std::int64_t side = 5;
      tile_columns_ = tile_size(columns_, side);
      tile_rows_ = tile_size(rows_, std::clamp<std::int64_t>(registers / tile_columns_, 1, side));
      if (k_ % vector_width_ != 0 && k_ % vector_width_ >= vector_width_ / 2 && vector_width_ > 2)
        vector_width_ /= 2;
      while (vector_width_ > k_) vector_width_ /= 2;
      return;
    }
    tile_rows_ = tile_size(rows_, work_.most.rows);
    const std::int64_t vectors =
        vectors_of_tile(ceil_divide(columns_, vector_width_), tile_rows_, work_.most);
    tile_columns_ = std::min(vectors * vector_width_, columns_);
  }

  // --- Statements ---

  /// Calls `emit` for the tiles of full size and, in a branch of their own, for the smaller last one.
  template <class Emit>
  void branch(ExprId tile, std::int64_t extent, std::int64_t size, const Emit& emit) {
    const std::int64_t full = extent / size, rest = extent % size;
    if (full > 0 && rest == 0) return emit(pool_.mul(tile, size), size);
    if (full > 0)
      body_.guard(pool_.less(tile, pool_.index(full)), [&] { emit(pool_.mul(tile, size), size); });
    body_.guard(pool_.less_equal(pool_.index(full), tile),
                [&] { emit(pool_.index(full * size), rest); });
  }

  /// A sum of vectors that starts from zero.
  Register declare_zero(int width) {
    const Register r = body_.new_register(d_);
    body_.over_lanes(width, d_, [&] { body_.declare(r, pool_.constant_of(d_, 0)); });
    return r;
  }

  void store_result(const Tile& tile, ExprId row, ExprId column, ExprId sum, int width) {
    const Value root = work_.epilogue.root();
    const auto index = result_index(tile.batch, row, column);
    body_.define(dot_.result(), sum);
    const ExprId value = body_.element(root, index);
    const ExprId at = scalar::linear_index(pool_, index, root.type().dims);
    body_.over_lanes(width, d_, [&] { body_.store(out_, at, value); });
  }

  /// The places of parts of a row that begins at `first`.
  std::vector<ExprId> places_of(const std::vector<Columns>& parts, ExprId first) {
    std::vector<ExprId> places;
    for (const Columns& c : parts)
      places.push_back(body_.lanes_from(pool_.add(first, c.offset), c.width));
    return places;
  }

  /// Stores what becomes of the sums of a tile, by row and part of its columns.
  void store_results(const Tile& tile, const std::vector<Columns>& parts,
                     const std::vector<Register>& sums) {
    const std::vector<ExprId> columns = places_of(parts, tile.column);
    const auto of_row = [&](ExprId row, const auto& sum_of) {
      for (std::size_t j = 0; j < parts.size(); ++j)
        store_result(tile, pool_.add(tile.row, row), columns[j], sum_of(j), parts[j].width);
    };
    const auto sum = [&](std::int64_t i, std::size_t j) {
      return body_.value(sums[std::size_t(i) * parts.size() + j]);
    };
    if (!uses_array_) {
      const auto of_rows = [&](std::int64_t first, std::int64_t end) {
        for (std::int64_t i = first; i < end; ++i)
          of_row(pool_.index(i), [&](std::size_t j) { return sum(i, j); });
      };
      if (tile.overlap > 0)
        body_.guard(pool_.less(tile.first, pool_.index(tile.overlap)),
                    [&] { of_rows(0, tile.overlap); });
      return of_rows(tile.overlap, tile.rows);
    }
    if (!array_) array_ = body_.new_array(d_, tile_rows_ * tile_columns_);
    for (std::int64_t i = 0; i < tile.rows; ++i) {
      const auto places = places_of(parts, pool_.index(i * tile.columns));
      for (std::size_t j = 0; j < parts.size(); ++j)
        body_.over_lanes(parts[j].width, d_,
                         [&] { body_.store_local(*array_, places[j], sum(i, j)); });
    }
    const auto from_array = [&](ExprId row) {
      const auto places = places_of(parts, pool_.mul(row, tile.columns));
      of_row(row, [&](std::size_t j) { return body_.load_local(*array_, places[j]); });
    };
    if (tile.overlap == 0) return body_.loop(tile.rows, from_array);
    body_.loop_to(pool_.sub(pool_.index(tile.rows), tile.first), tile.rows,
                  [&](ExprId i) { from_array(pool_.add(tile.first, i)); });
  }

  /// Vectors of results: column vectors of one operand times elements of the other.
  void outer_tile(const Tile& tile) {
    const auto parts = split_columns(tile.columns, vector_width_);
    const std::vector<ExprId> columns = places_of(parts, tile.column);
    std::vector<Register> sums;
    for (std::int64_t i = 0; i < tile.rows; ++i)
      for (const Columns& c : parts) sums.push_back(declare_zero(c.width));
    body_.loop(s_.k, [&](ExprId k) {
      std::vector<ExprId> vectors;
      for (const ExprId column : columns) vectors.push_back(operand(false, tile.batch, column, k));
      for (std::int64_t i = 0; i < tile.rows; ++i) {
        const ExprId a = operand(true, tile.batch, pool_.add(tile.row, i), k);
        for (std::size_t j = 0; j < parts.size(); ++j)
          body_.over_lanes(parts[j].width, d_, [&] {
            body_.multiply_add(sums[std::size_t(i) * parts.size() + j], a, vectors[j]);
          });
      }
    });
    store_results(tile, parts, sums);
  }

  /// sums += rows times columns of a tile at k, in vectors of `width`.
  void add_products(const Tile& tile, const std::vector<Register>& sums, ExprId k, int width) {
    std::vector<ExprId> b;
    for (std::int64_t j = 0; j < tile.columns; ++j)
      b.push_back(operand(false, tile.batch, pool_.add(tile.column, j), k));
    for (std::int64_t i = 0; i < tile.rows; ++i) {
      const ExprId a = operand(true, tile.batch, pool_.add(tile.row, i), k);
      body_.over_lanes(width, d_, [&] {
        for (std::size_t j = 0; j < b.size(); ++j)
          body_.multiply_add(sums[std::size_t(i) * b.size() + j], a, b[j]);
      });
    }
  }

  /// So many turns for each outer index of the sum.
  template <class Emit>
  void loop_over_sum(std::int64_t count, const Emit& emit) {
    if (k_ == s_.k) return body_.loop(count, emit);
    body_.loop(s_.k / k_, [&](ExprId outer) {
      outer_sum_ = outer;
      body_.loop(count, emit);
    });
  }

  /// Vectors along the sum, added up at the end; what is left of the sum one by one.
  void sum_tile(const Tile& tile) {
    const int width = int(vector_width_);
    const std::int64_t blocks = k_ / width, rest = k_ % width;
    const std::size_t count = std::size_t(tile.rows * tile.columns);
    std::vector<Register> vectors, sums;
    for (std::size_t i = 0; i < count; ++i) vectors.push_back(declare_zero(width));
    const ExprId lane = body_.lane(width);
    loop_over_sum(blocks, [&](ExprId block) {
      add_products(tile, vectors, pool_.add(pool_.mul(block, width), lane), width);
    });
    for (const Register& vector : vectors) {
      sums.push_back(declare_zero(1));
      body_.over_lanes(width, d_, [&] { body_.add_lanes(sums.back(), body_.value(vector)); });
    }
    if (rest > 0)
      loop_over_sum(rest,
                    [&](ExprId r) { add_products(tile, sums, pool_.add(r, blocks * width), 1); });
    store_results(tile, split_columns(tile.columns, 1), sums);
  }

  const ContractionWork& work_;
  Node& dot_;
  KernelBody& body_;
  ExprPool& pool_;
  ir::ContractionShape s_;
  DType d_;
  std::int64_t vector_width_;
  /// Of an outer index, which items have one each: m and n, but for what `splits` found.
  std::int64_t m_, n_;
  /// Of an outer index of the sum: k, but for what `splits_sum` found.
  std::int64_t k_;
  ExprId outer_, outer_sum_;
  bool swapped_ = false, sums_vectors_ = false, uses_array_ = false;
  std::int64_t rows_ = 0, columns_ = 0, tile_rows_ = 0, tile_columns_ = 0;
  std::int32_t out_ = 0;
  std::optional<std::int32_t> array_;  ///< a tile's results
};

}  // namespace

std::optional<bool> operand_to_pack(const ContractionWork& work, KernelBody& body) {
  return Tiler(work, body).to_pack();
}

std::optional<std::int64_t> tile_contraction(const ContractionWork& work, KernelBody& body) {
  return Tiler(work, body).run();
}

}  // namespace partita::lowering
