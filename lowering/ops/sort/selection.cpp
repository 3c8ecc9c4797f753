// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "lowering/ops/sort/selection.hpp"

#include <algorithm>
#include <functional>
#include <utility>

#include "lowering/ops/sort/insertion.hpp"
#include "lowering/ops/sort/pair_merge.hpp"
#include "lowering/values/tile_sizes.hpp"
#include "partita/ir/sorting.hpp"

namespace partita::lowering {
namespace {

using ir::insertion_run;
using ir::Node;
using scalar::ExprId;
using scalar::ExprPool;

/// So many are kept in order one by one.
constexpr std::int64_t most_inserted = 32;
/// A slice has at least so many times the elements that are selected.
constexpr std::int64_t least_times = 4;
/// Slices are in parts of at least so many elements, and of so many times those that are selected; where there are
/// as many slices as this without.
constexpr std::int64_t least_part = std::int64_t(1) << 15, part_times = 256, enough_slices = 64;
/// Candidates that may join before it is seen whether there is room for as many more.
constexpr std::int64_t least_block = 128;
/// Candidates that are looked at together, whether one of them joins; of parts that have so many times as many.
constexpr std::int64_t looked_at = 64, least_looks = 4;

/// What a kernel goes through: of each slice `parts`, each with at most `length` elements.
struct Candidates {
  std::int64_t parts, length;
  /// Whether there is an element at a place of a part.
  std::function<ExprId(ExprPool&, ExprId part, ExprId place)> is_there;
  /// s.before = that of the slice with that index.
  std::function<void(SortKernel& s, const std::vector<ExprId>& index, ExprId part, ExprId place)>
      read;
};

/// What kernels keep: arrays with `room` elements for each part of each slice.
struct Kept {
  SortShape shape;
  std::vector<Location> at;
};

class Selection {
 public:
  Selection(Context& context, const Node& node, const SortShape& shape, std::int64_t count)
      : context_(context),
        node_(node),
        shape_(shape),
        name_(step_name(node)),
        count_(count),
        block_(ceil_divide(std::max(count, least_block), looked_at) * looked_at) {}

  void lower(const std::vector<Location>& to) {
    const Candidates all = operands();
    if (all.parts == 1) return select(all, to);
    const Kept kept = new_kept(all.parts);
    run("first_of_parts_of_", all,
        [&](KernelBody& body, const auto& place) { keep(body, all, kept, place(body)); });
    select(first_of(kept, all), to);
  }

 private:
  /// A part of a slice.
  struct Place {
    std::vector<ExprId> index;  ///< of the slice
    ExprId part{};
  };

  /// From the last candidates to the results.
  void select(const Candidates& all, const std::vector<Location>& to) {
    run("first_of_", all, [&](KernelBody& body, const auto& place) {
      if (is_inserted()) return keep(body, all, {shape_, to}, place(body));
      const Kept kept = new_kept(1);
      const Place at = place(body);
      keep(body, all, kept, at);
      copy(body, kept, at, to);
    });
  }

  template <class F>
  void run(const std::string& stem, const Candidates& all, F&& write) {
    Dims grid = shape_.dims;
    grid[shape_.dimension] = all.parts;
    const std::int64_t items = Type{.dims = grid}.count();
    KernelBody body(context_, stem + name_, items);
    body.note_count(2 * node_.operand(0).type().count());
    write(body, [&](KernelBody& b) {
      Place place{.index = scalar::delinearize(b.pool(), b.item(), grid)};
      place.part = place.index[shape_.dimension];
      return place;
    });
    context_.launch(body, items);
  }

  [[nodiscard]] bool is_inserted() const { return count_ <= most_inserted; }
  /// Elements that a part keeps at most while a kernel is at work.
  [[nodiscard]] std::int64_t room() const { return is_inserted() ? count_ : count_ + 2 * block_; }

  /// Slices whole, or in parts.
  [[nodiscard]] Candidates operands() const {
    const std::int64_t slices = node_.operand(0).type().count() / shape_.n;
    const std::int64_t least = std::max(least_part, part_times * count_);
    const std::int64_t length = slices < enough_slices ? std::min(least, shape_.n) : shape_.n;
    return {.parts = ceil_divide(shape_.n, length),
            .length = length,
            .is_there =
                [this, length](ExprPool& pool, ExprId part, ExprId place) {
                  if (shape_.n % length == 0) return pool.boolean(true);
                  return pool.less(pool.add(pool.mul(part, length), place), pool.index(shape_.n));
                },
            .read =
                [this, length](SortKernel& s, const std::vector<ExprId>& index, ExprId part,
                               ExprId place) {
                  std::vector<ExprId> at = index;
                  at[shape_.dimension] = s.pool.add(s.pool.mul(part, length), place);
                  s.read_operands(node_, at);
                }};
  }

  /// The first of each part, the parts one behind the other.
  [[nodiscard]] Candidates first_of(const Kept& kept, const Candidates& all) const {
    return {.parts = 1,
            .length = all.parts * count_,
            .is_there =
                [this, is_there = all.is_there](ExprPool& pool, ExprId, ExprId place) {
                  return is_there(pool, pool.div(place, count_), pool.mod(place, count_));
                },
            .read =
                [this, kept](SortKernel& s, std::vector<ExprId> index, ExprId, ExprId place) {
                  index[shape_.dimension] = s.pool.div(place, count_);
                  index.push_back(s.pool.mod(place, count_));
                  for (std::size_t o = 0; o < kept.at.size(); ++o) {
                    const DType d = shape_.dtypes[o];
                    const std::int32_t from = s.body.buffer(kept.at[o], d, false);
                    s.body.assign(
                        s.before[o],
                        s.pool.load(from, d, scalar::linear_index(s.pool, index, kept.shape.dims)));
                  }
                }};
  }

  [[nodiscard]] Kept new_kept(std::int64_t parts) const {
    Kept kept{.shape = shape_, .at = {}};
    kept.shape.dims[shape_.dimension] = parts;
    kept.shape.dims.push_back(room());
    kept.shape.dimension = shape_.dims.size();
    kept.shape.n = room();
    kept.at = temporaries(kept.shape);
    return kept;
  }
  [[nodiscard]] std::vector<Location> temporaries(const SortShape& shape) const {
    std::vector<Location> at;
    for (const DType d : shape.dtypes)
      at.push_back(context_.new_temporary({.dtype = d, .dims = shape.dims}, name_));
    return at;
  }
  [[nodiscard]] std::vector<std::int32_t> buffers(KernelBody& body,
                                                  const std::vector<Location>& at) const {
    std::vector<std::int32_t> slots;
    for (std::size_t i = 0; i < at.size(); ++i)
      slots.push_back(body.buffer(at[i], shape_.dtypes[i], true));
    return slots;
  }
  /// Index of the first that a part keeps.
  [[nodiscard]] std::vector<ExprId> index_of(const Kept& kept, const Place& place,
                                             ExprPool& pool) const {
    std::vector<ExprId> index = place.index;
    if (index.size() < kept.shape.dims.size()) index.push_back(pool.index(0));
    return index;
  }

  void keep(KernelBody& body, const Candidates& all, const Kept& kept, const Place& place) const {
    SortKernel s(body, node_, kept.shape);
    s.index = index_of(kept, place, body.pool());
    if (is_inserted()) return insert(s, all, buffers(body, kept.at), place);
    pile_up(s, all, kept, place);
  }

  /// Candidates [first, first + extent) of a part.
  struct Look {
    const Candidates& all;
    const Place& place;
    const std::vector<std::int32_t>& to;
    ExprId first;
    std::int64_t extent;
    ExprId has_last;  ///< whether there is a last one that is kept, and no more are
  };
  /// Calls take(place) for those that go before the last one that is kept.
  template <class F>
  void look_through(SortKernel& s, const Look& look, F&& take) const {
    KernelBody& body = s.body;
    ExprPool& pool = s.pool;
    const Candidates& all = look.all;
    const auto take_one = [&](ExprId at) {
      const ExprId is_there = pool.logical_and(pool.less(at, pool.index(all.length)),
                                               all.is_there(pool, look.place.part, at));
      body.guard_if_needed(is_there, [&] {
        all.read(s, look.place.index, look.place.part, at);
        const Register joins = body.declare(DType::i1, pool.boolean(true));
        body.guard_if_needed(look.has_last, [&] {
          s.read(s.after, look.to, pool.index(count_ - 1));
          body.assign(joins, s.holds);
        });
        body.guard(body.value(joins), [&] { take(at); });
      });
    };
    const bool has_looks = look.extent >= least_looks * looked_at;
    const std::int64_t together = has_looks ? looked_at : 1;
    body.loop(ceil_divide(look.extent, together), [&](ExprId block) {
      const ExprId first = pool.add(look.first, pool.mul(block, together));
      if (!has_looks) return take_one(first);
      const Register one_joins = body.declare(DType::i1, pool.boolean(true));
      const ExprId last = pool.add(first, looked_at - 1);
      const ExprId are_there = pool.logical_and(pool.less(last, pool.index(all.length)),
                                                all.is_there(pool, look.place.part, last));
      body.guard_if_needed(pool.logical_and(look.has_last, are_there), [&] {
        s.read(s.after, look.to, pool.index(count_ - 1));
        body.assign(one_joins, pool.boolean(false));
        body.loop(looked_at, [&](ExprId i) {
          all.read(s, look.place.index, look.place.part, pool.add(first, i));
          body.assign(one_joins, pool.apply("or_", DType::i1, {body.value(one_joins), s.holds}));
        });
      });
      body.guard(body.value(one_joins),
                 [&] { body.loop(looked_at, [&](ExprId i) { take_one(pool.add(first, i)); }); });
    });
  }

  /// Candidates are inserted where they belong, and what was last goes when there are enough.
  void insert(SortKernel& s, const Candidates& all, const std::vector<std::int32_t>& to,
              const Place& place) const {
    KernelBody& body = s.body;
    ExprPool& pool = s.pool;
    const auto insert_at = [&](ExprId held, std::int64_t most) {
      insert_sorted(s, to, {.place = held, .moves = held, .most = most});
    };
    body.loop(count_, [&](ExprId at) {
      body.guard_if_needed(all.is_there(pool, place.part, at), [&] {
        all.read(s, place.index, place.part, at);
        insert_at(at, count_);
      });
    });
    look_through(s, {all, place, to, pool.index(count_), all.length - count_, pool.boolean(true)},
                 [&](ExprId) { insert_at(pool.index(count_ - 1), count_); });
  }

  /// Candidates join those that are there; sorted when there may be no room for another block of them.
  void pile_up(SortKernel& s, const Candidates& all, const Kept& kept, const Place& place) const {
    KernelBody& body = s.body;
    ExprPool& pool = s.pool;
    const std::vector<std::int32_t> to = buffers(body, kept.at),
                                    beside = buffers(body, temporaries(kept.shape));
    const std::int64_t blocks = ceil_divide(all.length, block_);
    const Register held = body.declare(DType::i32, pool.constant(DType::i32, 0)),
                   has_last = body.declare(DType::i1, pool.boolean(false));
    const auto index_of_held = [&] { return pool.to_index(body.value(held)); };
    body.loop(blocks, [&](ExprId block) {
      look_through(
          s, {all, place, to, pool.mul(block, block_), block_, body.value(has_last)}, [&](ExprId) {
            s.write(s.before, to, index_of_held());
            body.assign(held, pool.apply("add", DType::i32,
                                         {body.value(held), pool.constant(DType::i32, 1)}));
          });
      const ExprId is_full = pool.less(pool.index(count_ + block_), index_of_held()),
                   is_end = pool.equal(block, pool.index(blocks - 1));
      const Register sorts = body.declare(DType::i1, is_full);
      body.guard_if_needed(is_end, [&] { body.assign(sorts, pool.boolean(true)); });
      body.guard(body.value(sorts), [&] {
        sort(s, to, beside, index_of_held());
        body.assign(held,
                    pool.from_index(pool.min(index_of_held(), pool.index(count_)), DType::i32));
        body.assign(has_last, pool.boolean(true));
      });
    });
  }

  /// The first `held` at `to`, by way of `beside`.
  void sort(SortKernel& s, const std::vector<std::int32_t>& to,
            const std::vector<std::int32_t>& beside, ExprId held) const {
    KernelBody& body = s.body;
    ExprPool& pool = s.pool;
    const std::int64_t runs = ceil_divide(room(), insertion_run);
    body.loop(runs, [&](ExprId r) {
      body.loop(insertion_run, [&](ExprId i) {
        const ExprId at = pool.add(pool.mul(r, insertion_run), i);
        body.guard(pool.less(at, held), [&] {
          s.read(s.before, to, at);
          insert_sorted(s, to, {.place = at, .moves = i, .most = insertion_run});
        });
      });
    });
    std::int64_t passes = 0;
    while (insertion_run << (2 * passes) < room()) ++passes;
    const Register run = body.declare(DType::i32, pool.constant(DType::i32, insertion_run)),
                   pairs =
                       body.declare(DType::i32, pool.constant(DType::i32, ceil_divide(runs, 2)));
    const auto merge_runs = [&](const std::vector<std::int32_t>& from,
                                const std::vector<std::int32_t>& into) {
      const ExprId length = pool.to_index(body.value(run));
      body.loop_to(pool.to_index(body.value(pairs)), runs, [&](ExprId pair) {
        body.guard(pool.less(pool.mul(pair, pool.mul(length, 2)), held), [&] {
          const PairMerge merge(s, {from, length, pair, held});
          merge.all(into, pool.add(merge.left, merge.right));
        });
      });
      const auto set = [&](const Register& r, std::string_view row, ExprId x) {
        body.assign(r, pool.apply(row, DType::i32, {x, pool.constant(DType::i32, 1)}));
      };
      set(run, "shift_left", body.value(run));
      set(pairs, "add", body.value(pairs));
      set(pairs, "shift_right_logical", body.value(pairs));
    };
    body.loop(passes, [&](ExprId) {
      const Register is_unsorted =
          body.declare(DType::i1, pool.less(pool.to_index(body.value(run)), held));
      body.guard(body.value(is_unsorted), [&] {
        merge_runs(to, beside);
        merge_runs(beside, to);
      });
    });
  }

  void copy(KernelBody& body, const Kept& kept, const Place& place,
            const std::vector<Location>& to) const {
    ExprPool& pool = body.pool();
    const std::vector<std::int32_t> from = buffers(body, kept.at), results = buffers(body, to);
    body.loop(count_, [&](ExprId i) {
      std::vector<ExprId> source = place.index, target = place.index;
      source.push_back(i);
      target[shape_.dimension] = i;
      for (std::size_t o = 0; o < from.size(); ++o)
        body.store(results[o], scalar::linear_index(pool, target, shape_.dims),
                   pool.load(from[o], shape_.dtypes[o],
                             scalar::linear_index(pool, source, kept.shape.dims)));
    });
  }

  Context& context_;
  const Node& node_;
  const SortShape& shape_;
  std::string name_;
  std::int64_t count_, block_;
};

}  // namespace

bool suits_selection(const Node& sort, const SortShape& shape, std::int64_t count) {
  return shape.n > insertion_run && 0 < count && count * least_times <= shape.n &&
         ir::is_weak_order(sort.region(0));
}

void lower_selection(Context& context, const Node& sort, const SortShape& shape, std::int64_t count,
                     const std::vector<Location>& to) {
  Selection(context, sort, shape, count).lower(to);
}

}  // namespace partita::lowering
