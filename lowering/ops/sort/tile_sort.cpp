// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "lowering/ops/sort/tile_sort.hpp"

#include <algorithm>
#include <bit>
#include <optional>
#include <utility>

#include "lowering/values/tile_sizes.hpp"
#include "partita/ir/sorting.hpp"

namespace partita::lowering {

using ir::insertion_run;
using scalar::ExprId;
using scalar::ExprPool;

namespace {

/// Elements that an item ranks, and merges at a time: a divisor of insertion_run.
constexpr std::int64_t of_item = 8;
constexpr std::int64_t most_items = 256, fewest_items = 32, local_bytes = std::int64_t(24) << 10;

std::int64_t floor_power(std::int64_t x) {
  return std::int64_t(std::bit_floor(std::uint64_t(std::max<std::int64_t>(x, 1))));
}
/// Bisections that find a place within a run.
std::int64_t trips_of(std::int64_t run) { return std::bit_width(std::uint64_t(run)); }

/// Sorts a tile of a slice, or several slices.
class TileSort {
 public:
  TileSort(KernelBody& body, const ir::Node& node, const SortShape& shape, const TileForm& form,
           const TiledSlices& slices)
      : body_(body), pool_(body.pool()), shape_(shape), form_(form), slices_(slices) {
    const Dims rows = shape.in(shape.n);
    for (const std::int64_t e : rows) rows_ *= e;
    tiles_ = ceil_divide(slices.length, form.tile());
    row_items_ = tiles_ > 1 ? form.items : ceil_divide(slices.length, of_item);
    if (tiles_ == 1)
      group_rows_ = std::min(floor_power(form.items / row_items_),
                             std::int64_t(std::bit_ceil(std::uint64_t(rows_))));
    std::int64_t inner = 1;
    for (std::size_t d = shape.dimension + 1; d < rows.size(); ++d) inner *= rows[d];
    has_columns_ = inner > 1 && group_rows_ > 1;
    const std::int64_t row_groups = ceil_divide(rows_, group_rows_);
    groups_ = row_groups * tiles_;
    const auto place =
        scalar::delinearize(pool_, body.set_groups(groups_, items()), {row_groups, tiles_});
    first_row_ = pool_.mul(place[0], group_rows_);
    tile_ = place[1];
    in_row_ = pool_.mod(body.item(), row_items_);
    row_slot_ = pool_.mul(pool_.div(body.item(), row_items_), stride());
    valid_ = pool_.min(pool_.index(std::min(slices.length, form.tile())),
                       pool_.sub(pool_.index(slices.length), pool_.mul(tile_, form.tile())));
    sort_.emplace(body, node, shape);
    keys_.emplace(*sort_, slots());
    for (auto* array : {&from_, &to_}) array->emplace(*sort_, slots());
    if (!form.is_order)
      for (auto* array : {&cuts_, &flags_}) array->emplace(*sort_, items());
  }

  [[nodiscard]] std::int64_t groups() const { return groups_; }

  void emit() {
    load();
    rank();
    for (std::int64_t run = insertion_run; run < std::min(slices_.length, form_.tile()); run *= 2)
      merge(run);
    store();
  }

 private:
  [[nodiscard]] std::int64_t stride() const { return row_items_ * of_item; }
  [[nodiscard]] std::int64_t items() const { return row_items_ * group_rows_; }
  [[nodiscard]] std::int64_t slots() const { return items() * of_item; }

  [[nodiscard]] std::vector<ExprId> row_index(ExprId row_in_group) {
    return scalar::delinearize(
        pool_, pool_.min(pool_.add(first_row_, row_in_group), pool_.index(rows_ - 1)),
        shape_.in(shape_.n));
  }

  /// Calls `emit` with the row and position of each slot that the item moves: neighbours in memory at once.
  template <class Emit>
  void each_moved(std::int64_t positions, const Emit& emit) {
    for (std::int64_t e = 0; e < of_item; ++e) {
      const ExprId f = pool_.add(body_.item(), e * items());
      const ExprId row = has_columns_ ? pool_.mod(f, group_rows_) : pool_.div(f, stride()),
                   position = has_columns_ ? pool_.div(f, group_rows_) : pool_.mod(f, stride());
      body_.guard_if_needed(pool_.less(position, pool_.index(positions)),
                            [&] { emit(row, position); });
    }
  }

  void load() {
    each_moved(stride(), [&](ExprId row, ExprId position) {
      const ExprId at = pool_.min(pool_.add(pool_.mul(tile_, form_.tile()), position),
                                  pool_.index(slices_.length - 1));
      for (std::size_t i = 0; i < shape_.dtypes.size(); ++i)
        if (keys_->has(i))
          keys_->store(i, pool_.add(pool_.mul(row, stride()), position),
                       slices_.element(body_, i, row_index(row), at));
    });
    body_.barrier();
  }

  // --- Runs ---

  /// Places `from_` have the slots of each run of sixteen in order.
  void rank() {
    SortKernel& s = *sort_;
    const ExprId zero = pool_.constant(DType::i32, 0), one = pool_.constant(DType::i32, 1);
    const ExprId run = pool_.mul(pool_.div(in_row_, insertion_run / of_item), insertion_run);
    const ExprId own = pool_.mul(pool_.mod(in_row_, insertion_run / of_item), of_item);
    std::vector<std::vector<Register>> x;
    std::vector<Register> ranks;
    for (std::int64_t e = 0; e < of_item; ++e) {
      x.push_back(copies(pool_.add(row_slot_, pool_.add(run, pool_.add(own, e)))));
      ranks.push_back(body_.declare(DType::i32, zero));
    }
    body_.loop(insertion_run, [&](ExprId j) {
      body_.guard(pool_.less(pool_.add(run, j), valid_), [&] {
        const std::vector<Register> other = copies(pool_.add(row_slot_, pool_.add(run, j)));
        for (std::int64_t e = 0; e < of_item; ++e) {
          const ExprId place = pool_.add(own, e), is_earlier = pool_.less(j, place);
          // The later element is asked whether it goes before the earlier one.
          for (std::size_t i = 0; i < other.size(); ++i) {
            if (!keys_->has(i)) continue;
            const ExprId a = body_.value(x[std::size_t(e)][i]), b = body_.value(other[i]);
            body_.assign(s.before[i], pool_.choose(is_earlier, a, b));
            body_.assign(s.after[i], pool_.choose(is_earlier, b, a));
          }
          const ExprId later_first = body_.value(body_.declare(DType::i1, s.holds));
          const ExprId other_first = pool_.choose(
              is_earlier, pool_.choose(later_first, zero, one),
              pool_.choose(pool_.less(place, j), pool_.choose(later_first, one, zero), zero));
          const Register& r = ranks[std::size_t(e)];
          body_.assign(r, pool_.apply("add", DType::i32, {body_.value(r), other_first}));
        }
      });
    });
    for (std::int64_t e = 0; e < of_item; ++e) {
      const ExprId place = pool_.add(run, pool_.add(own, e));
      const ExprId slot = pool_.add(row_slot_, place);
      const ExprId rank = pool_.to_index(body_.value(ranks[std::size_t(e)]));
      body_.guard(pool_.less(place, valid_), [&] {
        if (form_.is_order)
          from_->store(pool_.add(row_slot_, pool_.add(run, rank)), slot);
        else
          to_->store(slot, rank);
      });
    }
    body_.barrier();
    if (!form_.is_order) check_runs(run, own);
  }

  /// New registers of what is in a slot, for what the comparator reads.
  std::vector<Register> copies(ExprId slot) {
    std::vector<Register> all;
    for (std::size_t i = 0; i < shape_.dtypes.size(); ++i) {
      all.push_back(body_.new_register(shape_.dtypes[i]));
      if (keys_->has(i)) body_.declare(all.back(), keys_->load(i, slot));
    }
    return all;
  }

  /// Ranks are in `to_`.  Those of elements that each lose or win against each other are a permutation, and then the only
  /// one in which none stands behind one that it goes before, if their squares add up to what those of one do.
  void check_runs(ExprId run, ExprId own) {
    const ExprId first = pool_.add(row_slot_, run), zero = pool_.constant(DType::i32, 0);
    body_.guard(pool_.less(own, pool_.index(1)), [&] {
      const Register sum = body_.declare(DType::i32, zero),
                     expected = body_.declare(DType::i32, zero);
      const auto add_square = [&](const Register& to, ExprId x) {
        const ExprId e = pool_.from_index(x, DType::i32);
        body_.assign(to,
                     pool_.apply("add", DType::i32,
                                 {body_.value(to), pool_.apply("multiply", DType::i32, {e, e})}));
      };
      body_.loop(insertion_run, [&](ExprId j) {
        body_.guard(pool_.less(pool_.add(run, j), valid_), [&] {
          add_square(sum, to_->load(pool_.add(first, j)));
          add_square(expected, j);
        });
      });
      const ExprId is_none =
          pool_.apply("compare_ne", DType::i32, {body_.value(sum), body_.value(expected)});
      body_.guard(is_none, [&] { insert_all(run, first); });
    });
    body_.barrier();
    for (std::int64_t e = 0; e < of_item; ++e) {
      const ExprId place = pool_.add(run, pool_.add(own, e)), slot = pool_.add(row_slot_, place);
      body_.guard(pool_.less(place, valid_),
                  [&] { from_->store(pool_.add(first, to_->load(slot)), slot); });
    }
    body_.barrier();
  }

  /// One item sorts a run by insertion from the back, and leaves ranks.
  void insert_all(ExprId run, ExprId first) {
    SortKernel& s = *sort_;
    body_.loop(insertion_run, [&](ExprId i) {
      body_.guard(pool_.less(pool_.add(run, i), valid_), [&] {
        keys_->read(s.before, pool_.add(first, i));
        const Register target = body_.declare(DType::i32, pool_.from_index(i, DType::i32)),
                       moves = body_.declare(DType::i1, pool_.boolean(true));
        const std::int32_t back = body_.new_variable(insertion_run);
        body_.loop({back, i}, [&] {
          const ExprId here = pool_.sub(i, pool_.variable(back)),
                       previous = pool_.sub(here, pool_.index(1));
          body_.guard(body_.value(moves), [&] {
            keys_->read(s.after, from_->load(pool_.add(first, previous)));
            body_.assign(moves, s.holds);
            body_.guard(body_.value(moves), [&] {
              from_->store(pool_.add(first, here), from_->load(pool_.add(first, previous)));
              body_.assign(target, pool_.from_index(previous, DType::i32));
            });
          });
        });
        from_->store(pool_.add(first, pool_.to_index(body_.value(target))), pool_.add(first, i));
      });
    });
    body_.loop(insertion_run, [&](ExprId j) {
      body_.guard(pool_.less(pool_.add(run, j), valid_),
                  [&] { to_->store(from_->load(pool_.add(first, j)), j); });
    });
  }

  // --- Pairs ---

  /// Merges pairs of runs: slots in order go from `from_` to `to_`, which change places.
  void merge(std::int64_t run) {
    const ExprId at = pool_.mul(in_row_, of_item);
    const ExprId begin = pool_.mul(pool_.div(at, 2 * run), 2 * run);
    const auto length = [&](ExprId from) {
      return pool_.max(pool_.index(0), pool_.min(pool_.index(run), pool_.sub(valid_, from)));
    };
    const ExprId left = pool_.add(row_slot_, begin), middle = pool_.add(begin, run);
    const TilePair pair{.left = left,
                        .right = pool_.add(left, run),
                        .left_count = length(begin),
                        .right_count = length(middle),
                        .left_limit = length(begin),
                        .right_limit = length(middle)};
    const TileMerge merge(*sort_, *keys_, pair, [&](ExprId place) { return from_->load(place); });
    const ExprId place = pool_.sub(at, begin);
    const Register taken = merge.cut(place, trips_of(run));
    const auto emit = [&](ExprId k, ExprId slot) { to_->store(pool_.add(left, k), slot); };
    if (!form_.is_order) {
      cuts_->store(body_.item(), pool_.to_index(body_.value(taken)));
      flags_->store(body_.item(), pool_.index(0));
      body_.barrier();
    }
    merge.part(taken, place, of_item, emit);
    if (!form_.is_order) check_pairs(merge, {taken, place}, run, emit);
    body_.barrier();
    std::swap(from_, to_);
  }

  /// Where an item's merge has ended, and where it began.
  struct Merged {
    const Register& taken;
    ExprId place;
  };
  template <class Emit>
  void check_pairs(const TileMerge& merge, const Merged& merged, std::int64_t run,
                   const Emit& emit) {
    const ExprId next = pool_.min(pool_.add(body_.item(), 1), pool_.index(items() - 1));
    const ExprId first = pool_.sub(body_.item(), pool_.div(merged.place, of_item));
    const ExprId end = pool_.from_index(cuts_->load(next), DType::i32);
    const ExprId differs = pool_.apply("compare_ne", DType::i32, {body_.value(merged.taken), end});
    body_.guard(pool_.less(pool_.add(merged.place, of_item), merge.count()),
                [&] { body_.guard(differs, [&] { flags_->store(first, pool_.index(1)); }); });
    body_.barrier();
    const ExprId is_wrong = pool_.less(pool_.index(0), flags_->load(body_.item()));
    body_.guard(pool_.less(merged.place, pool_.index(1)), [&] {
      body_.guard(is_wrong, [&] {
        const Register none = body_.declare(DType::i32, pool_.constant(DType::i32, 0));
        merge.part(none, pool_.index(0), 2 * run, emit);
      });
    });
  }

  void store() {
    each_moved(std::min(slices_.kept, std::min(slices_.length, form_.tile())),
               [&](ExprId row, ExprId position) {
                 const ExprId number = pool_.add(first_row_, row);
                 body_.guard_if_needed(pool_.logical_and(pool_.less(number, pool_.index(rows_)),
                                                         pool_.less(position, valid_)),
                                       [&] { store(row, position); });
               });
  }
  void store(ExprId row, ExprId position) {
    const ExprId begin = pool_.mul(row, stride());
    const Register held = body_.declare(
        DType::i32, pool_.from_index(from_->load(pool_.add(begin, position)), DType::i32));
    const ExprId slot = pool_.to_index(body_.value(held));
    std::vector<ExprId> index = row_index(row);
    // Where the element was: a slot's place in its tile is its place in its row.
    const ExprId source = pool_.max(
        pool_.index(0), pool_.min(pool_.add(pool_.mul(tile_, form_.tile()), pool_.sub(slot, begin)),
                                  pool_.index(slices_.length - 1)));
    Dims dims = shape_.dims;
    dims[shape_.dimension] = slices_.stored;
    const ExprId target = pool_.add(pool_.mul(tile_, slices_.kept), position);
    for (std::size_t i = 0; i < shape_.dtypes.size(); ++i) {
      const ExprId value =
          keys_->has(i) ? keys_->load(i, slot) : slices_.element(body_, i, index, source);
      std::vector<ExprId> at = index;
      at[shape_.dimension] = target;
      body_.store_to(slices_.to[i], shape_.dtypes[i], scalar::linear_index(pool_, at, dims), value);
    }
  }

  KernelBody& body_;
  ExprPool& pool_;
  const SortShape& shape_;
  const TileForm& form_;
  const TiledSlices& slices_;
  std::int64_t rows_ = 1, tiles_ = 1, row_items_ = 1, group_rows_ = 1, groups_ = 1;
  bool has_columns_ = false;  ///< slices of a group lie side by side
  std::optional<SortKernel> sort_;
  std::optional<KeyTile> keys_;
  std::optional<SlotArray> from_, to_, cuts_, flags_;  ///< by place; the last two by item
  ExprId first_row_{}, tile_{}, in_row_{}, row_slot_{};
  ExprId valid_{};  ///< elements of the tile in each row
};

/// Merges a tile of what a pair of runs gives.
class TileOfPair {
 public:
  TileOfPair(KernelBody& body, const ir::Node& node, const SortShape& shape, const TileForm& form,
             const Pass& pass)
      : body_(body),
        pool_(body.pool()),
        shape_(shape),
        form_(form),
        pass_(pass),
        chunks_(shape.in(form.tile())),
        groups_(Type{.dims = chunks_}.count()),
        group_(body.set_groups(groups_, form.items)),
        sort_(body, node, shape),
        keys_(sort_, form.tile() + 2),
        order_(sort_, form.tile()) {
    sort_.index = scalar::delinearize(pool_, group_, chunks_);
    number_ = sort_.index[shape.dimension];
    for (std::size_t i = 0; i < shape.dtypes.size(); ++i) {
      from_.push_back(body.buffer(pass.from[i], shape.dtypes[i], false));
      to_.push_back(body.buffer(pass.to[i], shape.dtypes[i], true));
    }
  }

  [[nodiscard]] std::int64_t groups() const { return groups_; }

  void emit() {
    find_part();
    load();
    const TilePair pair{.left = pool_.index(0),
                        .right = right_slot_,
                        .left_count = left_,
                        .right_count = right_,
                        .left_limit = with_next(left_from_, left_, left_run_),
                        .right_limit = with_next(right_from_, right_, right_run_)};
    const TileMerge merge(sort_, keys_, pair, [](ExprId place) { return place; });
    const ExprId place = pool_.mul(body_.item(), of_item);
    const Register taken = merge.cut(place, trips_of(form_.tile()));
    std::int32_t cuts = -1;
    if (!form_.is_order) {
      cuts = body_.new_array(DType::i32, form_.items);
      body_.store_local(cuts, body_.item(), body_.value(taken));
    }
    merge.part(taken, place, of_item, [&](ExprId k, ExprId slot) { order_.store(k, slot); });
    body_.barrier();
    if (!form_.is_order) check(merge, taken, cuts);
    store(merge.count());
  }

 private:
  /// A value that all items have read, in a register.
  ExprId held(ExprId index) {
    return pool_.to_index(
        body_.value(body_.declare(DType::i32, pool_.from_index(index, DType::i32))));
  }
  [[nodiscard]] ExprId with_next(ExprId from, ExprId count, ExprId run) {
    return pool_.min(pool_.add(count, 1), pool_.sub(run, from));
  }
  /// Element `at` of the slice's row in an array that has one for each tile.
  [[nodiscard]] ExprId of_chunk(ExprId at) const {
    std::vector<ExprId> index = sort_.index;
    index[shape_.dimension] = at;
    return scalar::linear_index(pool_, index, chunks_);
  }

  /// Which elements of the two runs the tile is made of.  A comparator that is no order may have cut so that there
  /// are none such: the tile then has as many of the left as there is room for, and check() sees that.
  void find_part() {
    const ExprId run = body_.parameter(HostExpr(pass_.run));
    pair_ = Sorter::pair_of(body_, pass_, number_);
    begin_ = pool_.mul(pair_, pool_.mul(run, 2));
    const ExprId rest = pool_.sub(pool_.index(shape_.n), begin_);
    left_run_ = held(pool_.min(run, rest));
    right_run_ = held(pool_.max(pool_.index(0), pool_.min(run, pool_.sub(rest, run))));
    first_ = pool_.sub(pool_.mul(number_, form_.tile()), begin_);
    const ExprId count =
        pool_.min(pool_.index(form_.tile()), pool_.sub(pool_.add(left_run_, right_run_), first_));
    const std::int32_t cuts = body_.buffer(pass_.cuts, DType::i32, false);
    left_from_ = pool_.to_index(
        body_.value(body_.declare(DType::i32, pool_.load(cuts, DType::i32, group_))));
    right_from_ = pool_.sub(first_, left_from_);
    // The next tile's cut, or the end of the left run.
    const Register end = body_.declare(DType::i32, pool_.from_index(left_run_, DType::i32));
    const ExprId next = pool_.add(first_, form_.tile());
    body_.guard(pool_.less(next, pool_.add(left_run_, right_run_)), [&] {
      body_.assign(end, pool_.load(cuts, DType::i32, of_chunk(pool_.add(number_, 1))));
    });
    const ExprId wanted = pool_.sub(pool_.to_index(body_.value(end)), left_from_);
    is_cut_well_ = pool_.equal(wanted, pool_.max(pool_.index(0), pool_.min(wanted, count)));
    left_ = held(pool_.max(pool_.index(0), pool_.min(wanted, count)));
    right_ = held(pool_.sub(count, left_));
    right_slot_ = pool_.add(left_, 1);
  }

  /// The slot's element of the slice, before the pass.
  [[nodiscard]] ExprId position_of(ExprId slot) {
    const auto i32 = [&](ExprId index) { return pool_.from_index(index, DType::i32); };
    const ExprId of_left = pool_.add(pool_.add(begin_, left_from_), slot);
    const ExprId of_right = pool_.add(pool_.add(begin_, left_run_),
                                      pool_.add(right_from_, pool_.sub(slot, right_slot_)));
    const ExprId position =
        pool_.to_index(pool_.choose(pool_.less(slot, right_slot_), i32(of_left), i32(of_right)));
    return pool_.max(pool_.index(0), pool_.min(position, pool_.index(shape_.n - 1)));
  }

  /// Elements of both parts, each with the one that follows.
  void load() {
    const std::int64_t slots = form_.tile() + 2;
    for (std::int64_t e = 0; e * form_.items < slots; ++e) {
      const ExprId slot = pool_.add(body_.item(), e * form_.items);
      body_.guard_if_needed(pool_.less(slot, pool_.index(slots)), [&] {
        for (std::size_t i = 0; i < shape_.dtypes.size(); ++i)
          if (keys_.has(i))
            keys_.store(i, slot,
                        pool_.load(from_[i], shape_.dtypes[i], sort_.linear(position_of(slot))));
      });
    }
    body_.barrier();
  }

  /// Whether the items have ended where the next ones have begun.
  void check(const TileMerge& merge, const Register& taken, std::int32_t cuts) {
    const ExprId next = pool_.min(pool_.add(body_.item(), 1), pool_.index(form_.items - 1));
    const ExprId place = pool_.mul(body_.item(), of_item);
    const Register end = body_.declare(DType::i32, pool_.from_index(left_, DType::i32));
    body_.guard(pool_.less(pool_.add(place, of_item), merge.count()),
                [&] { body_.assign(end, body_.load_local(cuts, next)); });
    const ExprId differs =
        pool_.apply("compare_ne", DType::i32, {body_.value(taken), body_.value(end)});
    const ExprId is_wrong = pool_.choose(is_cut_well_, differs, pool_.boolean(true));
    body_.guard(pool_.less(place, merge.count()), [&] {
      body_.guard(is_wrong, [&] {
        body_.store_to(pass_.flags, DType::i32, of_chunk(pair_), pool_.constant(DType::i32, 1));
      });
    });
  }

  void store(ExprId count) {
    for (std::int64_t e = 0; e < of_item; ++e) {
      const ExprId place = pool_.add(body_.item(), e * form_.items);
      body_.guard(pool_.less(place, count), [&] {
        const Register slot =
            body_.declare(DType::i32, pool_.from_index(order_.load(place), DType::i32));
        const ExprId at = pool_.to_index(body_.value(slot));
        const ExprId target = sort_.linear(pool_.add(pool_.add(begin_, first_), place));
        for (std::size_t i = 0; i < shape_.dtypes.size(); ++i) {
          const ExprId value =
              keys_.has(i) ? keys_.load(i, at)
                           : pool_.load(from_[i], shape_.dtypes[i], sort_.linear(position_of(at)));
          body_.store(to_[i], target, value);
        }
      });
    }
  }

  KernelBody& body_;
  ExprPool& pool_;
  const SortShape& shape_;
  const TileForm& form_;
  const Pass& pass_;
  Dims chunks_;
  std::int64_t groups_;
  ExprId group_;
  SortKernel sort_;
  KeyTile keys_;
  SlotArray order_;
  std::vector<std::int32_t> from_, to_;
  ExprId number_{}, pair_{}, begin_{},
      first_{};                      ///< first_: the tile's first place within the pair
  ExprId left_run_{}, right_run_{};  ///< lengths
  ExprId left_from_{}, right_from_{}, left_{}, right_{};  ///< the parts: where they begin, lengths
  ExprId right_slot_{}, is_cut_well_{};
};

}  // namespace

std::int64_t TileForm::tile() const { return items * of_item; }

TileForm choose_tile_form(std::int64_t key_bytes, bool is_order, const TargetInfo& target) {
  const std::int64_t slot_bytes =
      key_bytes + 2 * std::int64_t(byte_size(SlotArray::dtype));  // places before and after a pass
  return {.items = std::clamp(floor_power(local_bytes / (slot_bytes * of_item)), fewest_items,
                              std::min(most_items, floor_power(target.most_group))),
          .is_order = is_order};
}

std::int64_t sort_tiles(KernelBody& body, const ir::Node& node, const SortShape& shape,
                        const TileForm& form, const TiledSlices& slices) {
  TileSort sort(body, node, shape, form, slices);
  sort.emit();
  return sort.groups();
}

std::int64_t merge_tiles(KernelBody& body, const ir::Node& node, const SortShape& shape,
                         const TileForm& form, const Pass& pass) {
  TileOfPair tile(body, node, shape, form, pass);
  tile.emit();
  return tile.groups();
}

}  // namespace partita::lowering
