// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "lowering/ops/reduce/row_kernel.hpp"

#include <algorithm>
#include <bit>

#include "lowering/values/tile_sizes.hpp"

namespace partita::lowering {

using namespace kernel;

using scalar::ExprId;

namespace {

constexpr std::int64_t most_items = 256;
/// Neighbouring columns that a group reads at least, where results have them.
constexpr std::int64_t columns_at_once = 32;
/// Chunks of terms that an item should have before others share the result.
constexpr std::int64_t enough_chunks = 4;
/// Terms that an item holds in registers at most.
constexpr std::int64_t most_held = 32;

std::int64_t floor_power(std::int64_t x) {
  return std::int64_t(std::bit_floor(std::uint64_t(std::max<std::int64_t>(x, 1))));
}

/// What changes nothing under a simple combiner.
ExprId identity_of(scalar::ExprPool& pool, const Reduction& reduction) {
  if (const auto identity = reduction.identity(pool)) return *identity;
  const DType d = reduction.accumulators[0];
  return pool.constant_of(
      d, ir::combiner_identity(reduction.simple.value(), Type::scalar(d))->bytes());
}

}  // namespace

RowForm choose_row_form(const RowSpace& space, std::int64_t width, std::size_t steps,
                        const TargetInfo& target) {
  const std::int64_t most = std::min(most_items, target.most_group);
  const std::int64_t wanted = target.busy_items();
  RowForm form{.width = width, .length = space.terms};
  const std::int64_t chunks = space.terms / width;
  // As many items as have enough to do; more where there are few results.
  const std::int64_t shared = std::clamp(chunks / enough_chunks, std::int64_t(1), most),
                     needed = std::min(
                         chunks, ceil_divide(wanted, std::max<std::int64_t>(space.results, 1)));
  if (space.has_columns) {
    form.results =
        std::min(columns_at_once, std::int64_t(std::bit_ceil(std::uint64_t(space.results))));
    form.items = std::min(floor_power(std::min(chunks, std::max(needed, std::int64_t(1)))),
                          most / form.results);
  } else {
    form.items = std::min(floor_power(std::max(shared, needed)), most);
    form.results = std::clamp(floor_power(space.results), std::int64_t(1),
                              std::max<std::int64_t>(most / form.items, 1));
  }
  if (space.terms <= few_terms && !space.is_of_parts)
    form.items = 1;  // in their order (docs/decisions/0009-short-sums.md)
  if (space.is_in_order)
    form.items = ceil_divide(space.terms, ceil_divide(space.terms, form.items));
  const std::int64_t groups = ceil_divide(space.results, form.results);
  const std::int64_t turns = ceil_divide(chunks, form.items);
  form.holds_terms = steps > 1 && turns * width <= most_held;
  if (steps == 1 && !space.is_of_parts && !space.is_in_order && space.terms > few_terms &&
      turns > enough_chunks) {
    const std::int64_t parts =
        std::min(ceil_divide(wanted, groups * form.items * form.results), turns / enough_chunks);
    if (parts > 1) {
      form.length = ceil_divide(turns, parts) * form.items * width;
      form.parts = ceil_divide(space.terms, form.length);
    }
  }
  return form;
}

RowKernel::RowKernel(KernelBody& body, const RowSpace& space, const RowForm& form)
    : body_(body), pool_(body.pool()), space_(space), form_(form) {
  const std::int64_t tiles = ceil_divide(space.results, form.results);
  groups_ = tiles * form.parts;
  const ExprId group = body_.set_groups(groups_, form.items * form.results);
  const auto place = scalar::delinearize(pool_, group, {form.parts, tiles});
  part_ = place[0];
  const ExprId item = body_.item();
  const ExprId in_group =
      space.has_columns ? pool_.mod(item, form.results) : pool_.div(item, form.items);
  item_ = space.has_columns ? pool_.div(item, form.results) : pool_.mod(item, form.items);
  first_item_ = space.has_columns ? in_group : pool_.mul(in_group, form.items);
  const ExprId number = pool_.add(pool_.mul(place[1], form.results), in_group);
  is_result_ = pool_.less(number, pool_.index(space.results));
  // Those past the end do what the last one does, and store nothing.
  result_ = pool_.min(number, pool_.index(space.results - 1));
}

ExprId RowKernel::terms() const {
  return pool_.min(pool_.index(form_.length),
                   pool_.sub(pool_.index(space_.terms), pool_.mul(part_, form_.length)));
}

/// Calls `emit` with the number of the first term of each of the item's chunks.
template <class Emit>
void RowKernel::own_chunks(const Emit& emit) {
  const std::int64_t turns = ceil_divide(form_.length / form_.width, form_.items);
  const ExprId chunks = pool_.div(terms(), form_.width);
  ExprId end = pool_.index(turns);
  if (form_.length * form_.parts != space_.terms || form_.length % (form_.width * form_.items) != 0)
    end = pool_.div(pool_.max(pool_.sub(pool_.add(chunks, form_.items - 1), item_), pool_.index(0)),
                    form_.items);
  const auto emit_turn = [&](ExprId turn) {
    const ExprId chunk = pool_.add(pool_.mul(turn, form_.items), item_);
    emit(pool_.add(pool_.mul(part_, form_.length), pool_.mul(chunk, form_.width)));
  };
  // What is read in one step is there in the next one where no loop is between.
  if (form_.holds_terms && end == pool_.index(turns))
    for (std::int64_t turn = 0; turn < turns; ++turn) emit_turn(pool_.index(turn));
  else
    body_.loop_to(end, turns, emit_turn);
}

void RowKernel::each_term(const std::function<void(ExprId)>& emit) {
  body_.guard_if_needed(is_result_, [&] { own_chunks(emit); });
}

void RowKernel::once(const std::function<void()>& emit) {
  body_.guard_if_needed(pool_.logical_and(is_result_, pool_.equal(item_, pool_.index(0))), emit);
}

void RowKernel::combine_own(const Reduction& reduction, const Terms& terms) {
  if (space_.is_in_order) {
    const std::int64_t length = ceil_divide(space_.terms, form_.items);
    const ExprId first = pool_.mul(item_, length);
    reduction.declare(body_, terms(first));
    ExprId end = pool_.index(length - 1);
    if (length * form_.items != space_.terms)
      end = pool_.min(end, pool_.sub(pool_.index(space_.terms - 1), first));
    if (length > 1)
      body_.loop_to(end, length - 1, [&](ExprId turn) {
        reduction.combine(body_, terms(pool_.add(pool_.add(first, turn), 1)));
      });
    return;
  }
  reduction.declare(body_, {identity_of(pool_, reduction)});
  combine_chunks(reduction, terms);
}

void RowKernel::combine_chunks(const Reduction& reduction, const Terms& terms) {
  own_chunks([&](ExprId at) {
    if (form_.width == 1) return reduction.combine(body_, terms(at));
    const auto elements = neighbours(body_, int(form_.width),
                                     [&](ExprId lane) { return terms(pool_.add(at, lane)).at(0); });
    for (const ExprId e : elements) reduction.combine(body_, {e});
  });
}

ExprId RowKernel::place_of(std::int64_t items_on) const {
  return pool_.add(body_.item(), items_on * (space_.has_columns ? form_.results : 1));
}

void RowKernel::combine_items(const Reduction& reduction) {
  std::vector<std::int32_t> arrays;
  for (const DType d : reduction.accumulators)
    arrays.push_back(body_.new_array(d, form_.items * form_.results));
  const auto share = [&] {
    for (std::size_t i = 0; i < arrays.size(); ++i)
      body_.store_local(arrays[i], body_.item(), body_.value(reduction.registers[i]));
  };
  const auto read = [&](ExprId place) {
    std::vector<ExprId> elements;
    for (const std::int32_t a : arrays) elements.push_back(body_.load_local(a, place));
    return elements;
  };
  share();
  body_.barrier();
  const auto step = [&](ExprId has_other, std::int64_t distance) {
    body_.guard_if_needed(has_other, [&] {
      reduction.combine(body_, read(place_of(distance)));
      share();
    });
    body_.barrier();
  };
  if (space_.is_in_order) {
    for (std::int64_t distance = 1; distance < form_.items; distance *= 2)
      step(pool_.logical_and(pool_.equal(pool_.mod(item_, 2 * distance), pool_.index(0)),
                             pool_.less(pool_.add(item_, distance), pool_.index(form_.items))),
           distance);
  } else {
    for (std::int64_t left = form_.items; left > 1; left = (left + 1) / 2)
      step(pool_.less(item_, pool_.index(left / 2)), (left + 1) / 2);
  }
  const auto all = read(first_item_);
  for (std::size_t i = 0; i < arrays.size(); ++i) body_.assign(reduction.registers[i], all[i]);
}

void RowKernel::reduce(const Reduction& reduction, const Terms& terms,
                       const std::vector<ExprId>& initial) {
  if (form_.items == 1 && !initial.empty()) {
    reduction.declare(body_, initial);
    return combine_chunks(reduction, terms);
  }
  combine_own(reduction, terms);
  if (form_.items > 1) combine_items(reduction);
  if (!initial.empty()) reduction.combine(body_, initial, true);
}

}  // namespace partita::lowering
