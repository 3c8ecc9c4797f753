// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// An operand of products of groups on its way from memory to local memory: a tile of its rows or columns by some
// terms of the sum at a time, in chunks of neighbours that are read as one where they lie side by side.
#pragma once

#include <algorithm>
#include <functional>
#include <utility>
#include <vector>

#include "kernel/ast/copied_neighbours.hpp"
#include "kernel/ast/element_math.hpp"
#include "lowering/context/wide_elements.hpp"
#include "lowering/ops/support/group_product.hpp"
#include "lowering/values/tile_sizes.hpp"

namespace partita::lowering {

using namespace kernel;

class TileOperand {
 public:
  using ExprId = scalar::ExprId;
  /// The element of a row or column (the free dimension) and a term.
  using Element = std::function<ExprId(ExprId free, ExprId term)>;

  struct Form {
    std::int64_t extent = 1, terms = 1;  ///< of all
    std::int64_t tile = 1, depth = 1;    ///< of what is in local memory at a time
    std::int64_t items = 1;              ///< of the group
    std::int64_t turns = 1;              ///< depths one after the other
    int parts = 1;  ///< of the array: more where some are filled while one is read
    /// Whether local memory has neighbours where memory has them, else rows and columns side by side.
    bool keeps_order = false;
    /// Whether elements of memory are copied to their places in local memory one by one where they cannot be as
    /// neighbours.
    bool copies_elements = false;
    /// Whether terms past the end are zero, else the last one again.
    bool fills_depth = false;
    /// Elements between lines of local memory beyond those of the tile, of an operand whose neighbours are terms and
    /// of others.
    std::int64_t padding_along_sum = 0, padding = 0;
    /// Whether each line of local memory begins elsewhere among its pieces of 16 bytes, so that eight lines side by side have
    /// a piece each in different banks, without padding.
    bool rotates = false;
    DType held = DType::f32;  ///< what local memory holds
  };

  TileOperand() = default;
  /// `element`: as held; `layout`: the same element by what says best where it lies.
  TileOperand(KernelBody& body, const Form& form, ExprId first, Element element,
              const Element& layout)
      : body_(&body), form_(form), first_(first), element_(std::move(element)) {
    auto& pool = body.pool();
    const ExprId zero = pool.index(0);
    const auto is_along = [&](bool sum) {
      return lie_side_by_side(body, sum ? form.terms : form.extent, [&](ExprId moving) {
        return layout(sum ? zero : moving, sum ? moving : zero);
      });
    };
    is_along_sum_ = !is_along(false) && is_along(true);
    choose_width();
    const std::int64_t elements = form.tile * form.depth;
    chunks_ = ceil_divide(elements, width_ * form.items);
    is_even_ = elements % (width_ * form.items) == 0;
    lies_by_terms_ = form.keeps_order && is_along_sum_;
    pitch_ = (lies_by_terms_ ? form.depth : form.tile) +
             (is_along_sum_ ? form.padding_along_sum : form.padding);
    size_ = (lies_by_terms_ ? form.tile : form.depth) * pitch_;
    array_ = body.new_array(form.held, form.parts * size_);
  }

  [[nodiscard]] std::int32_t array() const { return array_; }
  /// Whether terms lie side by side in the array, else rows or columns.
  [[nodiscard]] bool lies_by_terms() const { return lies_by_terms_; }

  /// The same tile with terms in the place of rows or columns, to be loaded from alone.
  [[nodiscard]] TileOperand turned() const {
    TileOperand other = *this;
    other.lies_by_terms_ = !lies_by_terms_;
    return other;
  }

  /// What an item has read and is yet to put into local memory.
  using Fetched = std::vector<Register>;

  [[nodiscard]] Fetched fetch(ExprId first_term) const {
    Fetched fetched;
    for (std::int64_t k = 0; k < chunks_; ++k)
      for (const ExprId e : read(chunk(k), first_term, form_.fills_depth))
        fetched.push_back(body_->declare(form_.held, e));
    return fetched;
  }

  /// The same of a depth that has all of its terms, on its way into a half that nobody reads before the next barrier:
  /// what local memory holds as memory does is copied there at once (copied_neighbours), and nothing is left to put.
  [[nodiscard]] Fetched start(ExprId first_term, ExprId half) const {
    std::vector<std::vector<ExprId>> chunks;
    bool is_copy = form_.keeps_order || (form_.copies_elements && !is_along_sum_),
         is_element_copy = form_.copies_elements;
    for (std::int64_t k = 0; k < chunks_; ++k) {
      chunks.push_back(read(chunk(k), first_term, false));
      is_copy &= copied_neighbours(body_->pool(), chunks.back()).has_value();
      for (const ExprId e : chunks.back())
        is_element_copy &=
            copied_element(body_->pool(), e).has_value() && body_->pool()[e].dtype == form_.held;
    }
    Fetched fetched;
    for (std::int64_t k = 0; k < chunks_; ++k) {
      const std::vector<ExprId>& values = chunks[std::size_t(k)];
      const Chunk at = chunk(k);
      if (is_copy)
        body_->guard_if_needed(is_chunk(k), [&] {
          body_->store_local_wide(array_, place(half, at.depth, at.free), values);
        });
      else if (is_element_copy)
        body_->guard_if_needed(is_chunk(k), [&] {
          for (std::size_t lane = 0; lane < values.size(); ++lane)
            body_->copy_local(array_, place_of_lane(half, at, std::int64_t(lane)), values[lane]);
        });
      else
        for (const ExprId e : values) fetched.push_back(body_->declare(form_.held, e));
    }
    return fetched;
  }

  void put(const Fetched& fetched, ExprId half) const {
    if (fetched.empty()) return;
    for (std::int64_t k = 0; k < chunks_; ++k) {
      const Chunk at = chunk(k);
      body_->guard_if_needed(is_chunk(k), [&] { put_chunk(fetched, k, at, half); });
    }
  }

  /// A tile on its whole way, between barriers: copied where that can be and no depth lacks terms.
  void bring(ExprId first_term, ExprId half) const {
    put(form_.terms % form_.depth == 0 ? start(first_term, half) : fetch(first_term), half);
  }

  /// Where the array has an element.
  [[nodiscard]] ExprId place(ExprId half, ExprId depth, ExprId free) const {
    auto& pool = body_->pool();
    const ExprId line = lies_by_terms_ ? free : depth, in_line = lies_by_terms_ ? depth : free;
    return pool.add(pool.add(pool.mul(half, size_), pool.mul(line, pitch_)),
                    form_.rotates ? rotated(line, in_line) : in_line);
  }
  [[nodiscard]] ExprId load(ExprId half, ExprId depth, ExprId free) const {
    return body_->load_local(array_, place(half, depth, free));
  }

 private:
  struct Chunk {
    ExprId free, depth;  ///< of its first element, in the tile
  };

  void choose_width() {
    auto& pool = body_->pool();
    const std::int64_t along = is_along_sum_ ? form_.terms : form_.extent,
                       cut = is_along_sum_ ? form_.depth : form_.tile,
                       elements = form_.tile * form_.depth;
    const ExprId turn = pool.mul(
        pool.variable(body_->new_variable(std::max<std::int64_t>(form_.turns, 2))), form_.depth);
    for (const std::int64_t width : {8, 4, 2}) {
      if (along % width != 0 || cut % width != 0 || elements % (width * form_.items) != 0) continue;
      width_ = width;
      const Chunk first = chunk(0);
      if (reads_as_one(*body_, int(width),
                       [&](ExprId lane) { return element(first, turn, lane, form_.fills_depth); }))
        return;
      width_ = 1;
    }
  }

  [[nodiscard]] Chunk chunk(std::int64_t k) const {
    auto& pool = body_->pool();
    const ExprId number = pool.add(body_->item(), k * form_.items);
    const std::int64_t row = (is_along_sum_ ? form_.depth : form_.tile) / width_;
    const ExprId outer = pool.div(number, row), inner = pool.mul(pool.mod(number, row), width_);
    return is_along_sum_ ? Chunk{outer, inner} : Chunk{inner, outer};
  }
  /// Whether the item has a k-th chunk: the last ones may be fewer than items.
  [[nodiscard]] ExprId is_chunk(std::int64_t k) const {
    auto& pool = body_->pool();
    if (is_even_) return pool.boolean(true);
    return pool.less(pool.add(body_->item(), k * form_.items),
                     pool.index(form_.tile * form_.depth / width_));
  }

  [[nodiscard]] std::vector<ExprId> read(const Chunk& at, ExprId first_term, bool fills) const {
    return neighbours(*body_, int(width_),
                      [&](ExprId lane) { return element(at, first_term, lane, fills); });
  }

  /// The elements of a chunk, by their number in it.  Past the ends of rows, columns and sum the last ones
  /// are read again: what they give is neither stored nor multiplied.  `fills`: past the end of the sum they are zero.
  [[nodiscard]] ExprId element(const Chunk& at, ExprId first_term, ExprId lane, bool fills) const {
    auto& pool = body_->pool();
    const std::int64_t free_width = is_along_sum_ ? 1 : width_,
                       term_width = is_along_sum_ ? width_ : 1;
    ExprId free = pool.min(pool.add(first_, at.free), pool.index(form_.extent - free_width)),
           term = pool.min(pool.add(first_term, at.depth), pool.index(form_.terms - term_width));
    const ExprId is_term = pool.less(pool.add(first_term, at.depth), pool.index(form_.terms));
    (is_along_sum_ ? term : free) = pool.add(is_along_sum_ ? term : free, lane);
    const ExprId value = element_(free, term);
    if (!fills || is_term == pool.boolean(true)) return value;
    return pool.apply("select", form_.held,
                      {is_term, value, ElementMath{pool, form_.held}.number(0)});
  }

  /// Lines that lie in the same banks, of which memory has 128 bytes side by side, are rotated by one piece more each.
  [[nodiscard]] ExprId rotated(ExprId line, ExprId in_line) const {
    auto& pool = body_->pool();
    const auto piece = std::int64_t(widest_access / byte_size(form_.held)), pieces = pitch_ / piece;
    constexpr std::int64_t banked = 8;  // pieces in all banks
    const std::int64_t lines = std::max<std::int64_t>(banked / pieces, 1);
    const ExprId by = pool.mod(pool.div(line, lines), std::min(pieces, banked));
    return pool.add(pool.mul(pool.mod(pool.add(pool.div(in_line, piece), by), pieces), piece),
                    pool.mod(in_line, piece));
  }
  [[nodiscard]] ExprId place_of_lane(ExprId half, const Chunk& at, std::int64_t lane) const {
    auto& pool = body_->pool();
    return place(half, is_along_sum_ ? pool.add(at.depth, lane) : at.depth,
                 is_along_sum_ ? at.free : pool.add(at.free, lane));
  }

  void put_chunk(const Fetched& fetched, std::int64_t k, const Chunk& at, ExprId half) const {
    std::vector<ExprId> values;
    for (std::int64_t lane = 0; lane < width_; ++lane)
      values.push_back(body_->value(fetched[std::size_t(k * width_ + lane)]));
    if (form_.keeps_order && width_ > 1)
      return body_->store_local_wide(array_, place(half, at.depth, at.free), values);
    for (std::int64_t lane = 0; lane < width_; ++lane)
      body_->store_local(array_, place_of_lane(half, at, lane), values[std::size_t(lane)]);
  }

  KernelBody* body_ = nullptr;
  Form form_;
  ExprId first_{};
  Element element_;
  bool is_along_sum_ = false, lies_by_terms_ = false, is_even_ = true;
  std::int64_t width_ = 1;   ///< of a chunk
  std::int64_t chunks_ = 0;  ///< of an item
  /// From one line of neighbours in the array to the next, and of a half.
  std::int64_t pitch_ = 0, size_ = 0;
  std::int32_t array_ = -1;
};

}  // namespace partita::lowering
