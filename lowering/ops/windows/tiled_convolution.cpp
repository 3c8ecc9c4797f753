// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "lowering/ops/windows/tiled_convolution.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "lowering/ops/windows/window_index.hpp"
#include "lowering/values/tile_sizes.hpp"

namespace partita::lowering {

using namespace kernel;
namespace {

using ir::Convolution;
using ir::WindowDim;
using scalar::ExprId;
using scalar::ExprPool;

/// So few input features are written out rather than looped over.
constexpr std::int64_t few_features = 4;
/// Weights beyond this many elements do not stay in a core's cache.
constexpr std::int64_t cached_weights = 100'000;

/// The dimension of the result along which the windows of a tile lie.
struct RowAxis {
  int spatial = -1;  ///< -1: batch
  /// A tile takes every step-th window, so that all of them meet an element or all meet a hole of the
  /// dilated input.
  std::int64_t step = 1;
  std::int64_t windows = 1;  ///< along the axis
  std::int64_t extent = 1;   ///< windows of one phase of `step`
  std::int64_t tile = 1;     ///< windows of a tile
};

class ConvolutionTiler {
 public:
  ConvolutionTiler(const ConvolutionWork& work, KernelBody& body)
      : work_(work),
        body_(body),
        pool_(body.pool()),
        conv_(work.node.operand(0).type(), work.node.operand(1).type(), work.node.attrs),
        type_(work.node.result_types()[0]),
        vector_width_(work.most.vector_bytes / std::int64_t(byte_size(work.sums))) {
    while (vector_width_ > conv_.output) vector_width_ /= 2;
    vectors_ = ceil_divide(conv_.output, vector_width_);
    axis_ = choose_axis();
    const std::int64_t tiles =
        ceil_divide(vectors_, vectors_of_tile(vectors_, axis_.tile, work_.most));
    tile_columns_ = std::min(conv_.output, ceil_divide(vectors_, tiles) * vector_width_);
  }

  std::int64_t run() {
    const std::int64_t column_tiles = ceil_divide(conv_.output, tile_columns_);
    const std::int64_t row_tiles = ceil_divide(axis_.extent, axis_.tile);
    const bool shares_columns = has_many_weights();
    Dims extents{conv_.groups(), shares_columns ? column_tiles : 1};
    extents.push_back(axis_.spatial < 0 ? 1 : conv_.batch);
    for (int k = 0; k < int(conv_.window.size()); ++k)
      extents.push_back(axis_.spatial == k ? 1 : conv_.window[std::size_t(k)].count());
    for (const std::int64_t e : {axis_.step, row_tiles, shares_columns ? 1 : column_tiles})
      extents.push_back(e);
    std::int64_t items = 1;
    for (const std::int64_t e : extents) items *= e;
    body_.set_items(items);
    const auto place = scalar::delinearize(pool_, body_.item(), extents);
    const std::size_t rank = conv_.window.size();
    group_ = place[0];
    const ExprId column_tile = place[shares_columns ? 1 : rank + 5], phase = place[rank + 3],
                 row_tile = place[rank + 4];
    // The last tile begins early enough to be a whole one; its first windows are stored by the one
    // before it.
    begin_ = pool_.mul(row_tile, axis_.tile);
    const ExprId first = pool_.min(begin_, pool_.index(axis_.extent - axis_.tile));
    for (std::int64_t i = 0; i < axis_.tile; ++i) {
      std::vector<ExprId> at(place.begin() + 2, place.begin() + 3 + std::ptrdiff_t(rank));
      in_phase_.push_back(pool_.add(first, i));
      at[std::size_t(axis_.spatial) + 1] =
          pool_.add(pool_.mul(in_phase_.back(), axis_.step), phase);
      rows_.push_back(std::move(at));
    }
    out_ = body_.buffer(work_.to, type_.dtype, true);
    body_.note_count(type_.count());
    branch(column_tile);
    return items;
  }

 private:
  // --- Choices ---

  [[nodiscard]] bool has_many_weights() const {
    return work_.node.operand(1).type().count() > cached_weights;
  }

  /// Of the windows of tiles, the part that meets both elements and padding at a place of the window.
  [[nodiscard]] double mixed_part(const RowAxis& axis) const {
    const WindowDim& w = conv_.window[std::size_t(axis.spatial)];
    std::int64_t mixed = 0, all = 0;
    for (std::int64_t first = 0; first < axis.extent && all < 10'000; first += axis.tile)
      for (std::int64_t k = 0; k < w.size; ++k, ++all) {
        const std::int64_t low = w.position(first * axis.step, k),
                           high = w.position((first + axis.tile - 1) * axis.step, k);
        if (high >= 0 && low < w.spread() && (low < 0 || high >= w.spread())) ++mixed;
      }
    return double(mixed) / double(std::max<std::int64_t>(all, 1));
  }

  /// Estimated time per result, of which only comparisons matter.
  [[nodiscard]] double cost(const RowAxis& axis) const {
    const auto rows = double(axis.tile),
               vectors = double(vectors_of_tile(vectors_, axis.tile, work_.most));
    const double tiles = std::ceil(double(axis.extent) / rows);
    constexpr double latency = 8;  // products that have to be under way at once
    // Of a product: its share of an element of the input, and of a vector of weights.
    const double loads = 0.5 / vectors + (has_many_weights() ? 2 : 0.5) / rows;
    double cost = tiles * rows / double(axis.extent) * (1 + loads) *
                  std::max(1.0, latency / (rows * vectors));
    if (axis.spatial >= 0) return cost * (1 + 0.5 * mixed_part(axis));
    // Images lie far apart, often so that they share lines of the cache.
    const bool is_contiguous =
        conv_.dims.input_batch + 1 == std::int64_t(work_.node.operand(0).type().dims.size());
    return is_contiguous ? cost : 1.2 * cost;
  }

  [[nodiscard]] RowAxis choose_axis() const {
    RowAxis best;
    for (int k = int(conv_.window.size()) - 1; k >= -1; --k) {
      RowAxis axis{.spatial = k, .windows = conv_.batch};
      if (k >= 0) {
        const WindowDim& w = conv_.window[std::size_t(k)];
        axis.windows = w.count();
        axis.step = std::min(w.base_dilation / std::gcd(w.stride, w.base_dilation), axis.windows);
      }
      axis.extent = ceil_divide(axis.windows, axis.step);
      axis.tile = tile_size(axis.extent, work_.most.rows);
      if (k == int(conv_.window.size()) - 1 || cost(axis) < cost(best)) best = axis;
    }
    return best;
  }

  // --- Elements ---

  /// What is known of a place of the window for a tile's rows.
  struct Places {
    std::vector<std::vector<ExprId>> index;  ///< of the input by row and spatial dimension
    std::vector<ExprId> inside;              ///< by row, along the axis
    ExprId all, some;                        ///< of the rows lie inside
  };

  Places places(const std::vector<ExprId>& in_window) {
    Places p;
    ExprId common = pool_.boolean(true);
    for (const auto& row : rows_) {
      std::vector<ExprId> index;
      ExprId inside = pool_.boolean(true);
      for (std::size_t k = 0; k < conv_.window.size(); ++k) {
        const WindowDim& w = conv_.window[k];
        const WindowIndex at = window_index(pool_, w, row[k + 1], in_window[k]);
        index.push_back(at.position);
        if (int(k) == axis_.spatial)
          inside = pool_.logical_and(pool_.less_equal(pool_.index(0), at.position),
                                     pool_.less(at.position, pool_.index(w.spread())));
        else if (&row == &rows_.front())
          common = pool_.logical_and(common, at.inside);
      }
      p.index.push_back(std::move(index));
      p.inside.push_back(inside);
    }
    p.all = p.some = common;
    if (axis_.spatial < 0) return p;
    const WindowDim& w = conv_.window[std::size_t(axis_.spatial)];
    const ExprId first = p.index.front()[std::size_t(axis_.spatial)],
                 last = p.index.back()[std::size_t(axis_.spatial)];
    if (w.base_dilation > 1)  // holes are the same for all rows
      common = pool_.logical_and(
          common,
          pool_.equal(pool_.mod(pool_.add(first, (w.low / w.base_dilation + 1) * w.base_dilation),
                                w.base_dilation),
                      pool_.index(0)));
    const auto from_zero = [&](ExprId x) { return pool_.less_equal(pool_.index(0), x); };
    const auto to_end = [&](ExprId x) { return pool_.less(x, pool_.index(w.spread())); };
    p.all = pool_.logical_and(common, pool_.logical_and(from_zero(first), to_end(last)));
    p.some = pool_.logical_and(common, pool_.logical_and(from_zero(last), to_end(first)));
    return p;
  }

  ExprId input(const Places& p, std::size_t row, ExprId feature, bool is_clamped) {
    const auto& d = conv_.dims;
    std::vector<ExprId> index(conv_.window.size() + 2);
    const bool is_batch_group = conv_.batch_groups > 1;
    const ExprId image = rows_[row][0];
    index[std::size_t(d.input_batch)] =
        is_batch_group ? pool_.add(pool_.mul(group_, conv_.batch), image) : image;
    index[std::size_t(d.input_feature)] =
        is_batch_group ? feature : pool_.add(pool_.mul(group_, conv_.input), feature);
    for (std::size_t k = 0; k < conv_.window.size(); ++k) {
      const WindowDim& w = conv_.window[k];
      const ExprId position = is_clamped && int(k) == axis_.spatial
                                  ? pool_.clamp(p.index[row][k], 0, w.spread() - 1)
                                  : p.index[row][k];
      index[std::size_t(d.input_spatial[k])] = pool_.div(position, w.base_dilation);
    }
    const ExprId value = work_.input(index);
    if (!is_clamped || p.inside[row] == pool_.boolean(true)) return value;
    return pool_.apply("select", work_.sums,
                       {p.inside[row], value, pool_.constant_of(work_.sums, 0)});
  }

  // --- Statements ---

  /// Tiles of full width and, in a branch of its own, the narrower last one.
  void branch(ExprId tile) {
    const std::int64_t full = conv_.output / tile_columns_, rest = conv_.output % tile_columns_;
    if (rest == 0) return tile_of(pool_.mul(tile, tile_columns_), tile_columns_);
    body_.guard(pool_.less(tile, pool_.index(full)),
                [&] { tile_of(pool_.mul(tile, tile_columns_), tile_columns_); });
    body_.guard(pool_.less_equal(pool_.index(full), tile),
                [&] { tile_of(pool_.index(full * tile_columns_), rest); });
  }

  /// Columns of a tile with the sums that they belong to.
  struct TileColumns {
    std::vector<Columns> parts;
    std::vector<ExprId> at;         ///< output feature of the group, by part
    std::vector<Register> sums;     ///< by row, then part
    std::vector<Register> outside;  ///< what padding adds to all rows, by part
  };

  /// A zero for each part.
  void declare_zeros(const TileColumns& c, std::vector<Register>& registers) {
    for (const Columns& part : c.parts)
      body_.over_lanes(part.width, work_.sums, [&] {
        registers.push_back(body_.declare(work_.sums, pool_.constant_of(work_.sums, 0)));
      });
  }

  void tile_of(ExprId column, std::int64_t count) {
    TileColumns c;
    c.parts = split_columns(count, vector_width_);
    for (const Columns& part : c.parts)
      c.at.push_back(body_.lanes_from(pool_.add(column, part.offset), part.width));
    for (std::size_t i = 0; i < rows_.size(); ++i) declare_zeros(c, c.sums);
    const WindowVariables in_window = window_variables(body_, conv_.window);
    const Places p = places(in_window.elements);
    const bool has_outside = p.some != pool_.boolean(true);
    if (has_outside) declare_zeros(c, c.outside);
    body_.nest(in_window.loops, [&] { window_products(c, p, in_window.elements); });
    const ExprId one = pool_.constant_of(work_.sums, 1);
    for (std::size_t i = 0; has_outside && i < c.sums.size(); ++i) {
      const std::size_t j = i % c.parts.size();
      multiply_add(c, j, c.sums[i], one, body_.value(c.outside[j]));
    }
    for (std::size_t i = 0; i < rows_.size(); ++i) store_row(c, i);
  }

  /// sum += a * b for the columns of part j.
  void multiply_add(const TileColumns& c, std::size_t j, const Register& sum, ExprId a, ExprId b) {
    body_.over_lanes(c.parts[j].width, work_.sums, [&] { body_.multiply_add(sum, a, b); });
  }

  ExprId negation(ExprId condition) { return pool_.apply("not_", DType::i1, {condition}); }

  std::vector<ExprId> weights(const TileColumns& c, const std::vector<ExprId>& in_window,
                              ExprId feature) {
    std::vector<ExprId> begin = in_window;
    begin.push_back(feature);
    return by_columns(c, begin, work_.weight);
  }

  /// A vector for each part, at an index that an output feature is added to.
  std::vector<ExprId> by_columns(const TileColumns& c, const std::vector<ExprId>& begin,
                                 const ConvolutionWork::ElementFn& element) {
    std::vector<ExprId> vectors;
    for (const ExprId column : c.at) {
      std::vector<ExprId> index = begin;
      index.push_back(pool_.add(pool_.mul(group_, conv_.output), column));
      vectors.push_back(element(index));
    }
    return vectors;
  }

  /// What all rows of a tile gain at one place of the window: products of those inside, of all that are
  /// where a part of them is, and of padding.
  void window_products(const TileColumns& c, const Places& p,
                       const std::vector<ExprId>& in_window) {
    body_.guard_if_needed(p.all, [&] { products(c, p, in_window, false); });
    if (p.all != p.some)
      body_.guard_if_needed(pool_.logical_and(p.some, negation(p.all)),
                            [&] { products(c, p, in_window, true); });
    if (p.some != pool_.boolean(true))
      body_.guard_if_needed(negation(p.some), [&] { padding_products(c, in_window); });
  }

  /// The products of one place of the window, for all input features.
  template <class OfFeature>
  void for_features(const OfFeature& of_feature) {
    if (conv_.input > few_features) return body_.loop(conv_.input, of_feature);
    for (std::int64_t f = 0; f < conv_.input; ++f) of_feature(pool_.index(f));
  }

  void products(const TileColumns& c, const Places& p, const std::vector<ExprId>& in_window,
                bool is_clamped) {
    for_features([&](ExprId feature) {
      const auto vectors = weights(c, in_window, feature);
      for (std::size_t i = 0; i < rows_.size(); ++i) {
        const ExprId a = input(p, i, feature, is_clamped);
        for (std::size_t j = 0; j < vectors.size(); ++j)
          multiply_add(c, j, c.sums[i * vectors.size() + j], a, vectors[j]);
      }
    });
  }

  /// Padding is multiplied too: where the weight is not finite, the sum is no number.
  void padding_products(const TileColumns& c, const std::vector<ExprId>& in_window) {
    const auto add = [&](double factor, const std::vector<ExprId>& vectors) {
      for (std::size_t j = 0; j < vectors.size(); ++j)
        multiply_add(c, j, c.outside[j], pool_.constant_of(work_.sums, factor), vectors[j]);
    };
    if (work_.padding) return add(1, by_columns(c, in_window, work_.padding));
    for_features([&](ExprId feature) { add(0, weights(c, in_window, feature)); });
  }

  /// Stores a row of the tile; not where the tile before it does, or where there is none.
  void store_row(const TileColumns& c, std::size_t i) {
    ExprId is_own = pool_.less_equal(begin_, in_phase_[i]);
    if (axis_.windows % axis_.step != 0)
      is_own = pool_.logical_and(
          is_own, pool_.less(rows_[i][std::size_t(axis_.spatial) + 1], pool_.index(axis_.windows)));
    if (axis_.extent % axis_.tile == 0 && axis_.windows % axis_.step == 0)
      store_columns(c, i);
    else
      body_.guard(is_own, [&] { store_columns(c, i); });
  }

  void store_columns(const TileColumns& c, std::size_t i) {
    const auto& d = conv_.dims;
    for (std::size_t j = 0; j < c.parts.size(); ++j) {
      std::vector<ExprId> index(conv_.window.size() + 2);
      index[std::size_t(d.output_batch)] = rows_[i][0];
      index[std::size_t(d.output_feature)] = pool_.add(pool_.mul(group_, conv_.output), c.at[j]);
      for (std::size_t k = 0; k < conv_.window.size(); ++k)
        index[std::size_t(d.output_spatial[k])] = rows_[i][k + 1];
      const ExprId sum = body_.value(c.sums[i * c.parts.size() + j]);
      const ExprId at = scalar::linear_index(pool_, index, type_.dims);
      body_.over_lanes(c.parts[j].width, work_.sums,
                       [&] { body_.store(out_, at, pool_.convert(sum, type_.dtype)); });
    }
  }

  const ConvolutionWork& work_;
  KernelBody& body_;
  ExprPool& pool_;
  Convolution conv_;
  Type type_;
  std::int64_t vector_width_, vectors_ = 1, tile_columns_ = 1;
  RowAxis axis_;
  ExprId group_{}, begin_{};
  std::vector<std::vector<ExprId>> rows_;  ///< by row of the tile: (batch, window…)
  std::vector<ExprId> in_phase_;           ///< number of each along the axis, within its phase
  std::int32_t out_ = 0;
};

}  // namespace

std::int64_t tile_convolution(const ConvolutionWork& work, KernelBody& body) {
  return ConvolutionTiler(work, body).run();
}

}  // namespace partita::lowering
