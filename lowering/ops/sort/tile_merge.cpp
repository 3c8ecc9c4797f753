// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "lowering/ops/sort/tile_merge.hpp"

namespace partita::lowering {

using scalar::ExprId;
using scalar::ExprPool;

namespace {

// Arrays are padded, so that items whose elements are a power of two apart do not meet in banks.

ExprId padded_key(ExprPool& pool, ExprId slot) { return pool.add(slot, pool.div(slot, 32)); }
/// By a word for each 32.
ExprId padded_slot(ExprPool& pool, ExprId place) {
  return pool.add(place, pool.mul(pool.div(place, 64), 2));
}

}  // namespace

KeyTile::KeyTile(SortKernel& sort, std::int64_t slots) : s_(sort) {
  for (std::size_t i = 0; i < s_.before.size(); ++i) {
    arrays_.push_back(s_.reads(i) ? s_.body.new_array(s_.before[i].dtype, slots + slots / 32) : -1);
  }
}

void KeyTile::store(std::size_t operand, ExprId slot, ExprId value) const {
  s_.body.store_local(arrays_[operand], padded_key(s_.pool, slot), value);
}

ExprId KeyTile::load(std::size_t operand, ExprId slot) const {
  return s_.body.load_local(arrays_[operand], padded_key(s_.pool, slot));
}

void KeyTile::read(const std::vector<Register>& registers, ExprId slot) const {
  for (std::size_t i = 0; i < registers.size(); ++i)
    if (has(i)) s_.body.assign(registers[i], load(i, slot));
}

SlotArray::SlotArray(SortKernel& sort, std::int64_t places)
    : s_(&sort), array_(sort.body.new_array(dtype, places + places / 64 * 2)) {}

ExprId SlotArray::load(ExprId place) const {
  return s_->pool.to_index(s_->body.load_local(array_, padded_slot(s_->pool, place)));
}

void SlotArray::store(ExprId place, ExprId slot) const {
  s_->body.store_local(array_, padded_slot(s_->pool, place), s_->pool.from_index(slot, dtype));
}

Register TileMerge::cut(ExprId place, std::int64_t trips) const {
  KernelBody& body = s_.body;
  ExprPool& pool = s_.pool;
  const auto of_i32 = [&](std::string_view row, ExprId x, ExprId y) {
    return pool.apply(row, DType::i32, {x, y});
  };
  const auto i32 = [&](ExprId index) { return pool.from_index(index, DType::i32); };
  const ExprId one = pool.constant(DType::i32, 1);
  const ExprId least = pool.max(pool.index(0), pool.sub(place, pair_.right_count));
  const Register low = body.declare(DType::i32, i32(least)),
                 high = body.declare(DType::i32, i32(pool.min(place, pair_.left_count)));
  body.loop(trips, [&](ExprId) {
    body.guard(of_i32("compare_lt", body.value(low), body.value(high)), [&] {
      const ExprId sum = of_i32("add", body.value(low), body.value(high));
      const Register middle = body.declare(DType::i32, of_i32("shift_right_logical", sum, one));
      const ExprId m = pool.to_index(body.value(middle));
      // The right element that would be just behind the first m + 1 of the left.
      const ExprId other = pool.sub(pool.sub(place, m), pool.index(1));
      keys_.read(s_.before, slot_of_(pool.add(pair_.right, other)));
      keys_.read(s_.after, slot_of_(pool.add(pair_.left, m)));
      const ExprId more = of_i32("add", body.value(middle), one);
      const ExprId right_first = body.value(body.declare(DType::i1, s_.holds));
      body.assign(low, pool.choose(right_first, body.value(low), more));
      body.assign(high, pool.choose(right_first, body.value(middle), body.value(high)));
    });
  });
  return low;
}

void TileMerge::part(const Register& taken, ExprId first, std::int64_t most,
                     const std::function<void(ExprId, ExprId)>& emit) const {
  KernelBody& body = s_.body;
  ExprPool& pool = s_.pool;
  body.loop(most, [&](ExprId t) {
    const ExprId place = pool.add(first, t);
    const ExprId i = pool.to_index(body.value(taken)), j = pool.sub(place, i);
    body.guard(pool.less(place, count()), [&] {
      const Register takes_right = body.declare(DType::i1, pool.less_equal(pair_.left_limit, i));
      body.guard(pool.logical_and(pool.less(i, pair_.left_limit), pool.less(j, pair_.right_limit)),
                 [&] {
                   keys_.read(s_.before, slot_of_(pool.add(pair_.right, j)));
                   keys_.read(s_.after, slot_of_(pool.add(pair_.left, i)));
                   body.assign(takes_right, s_.holds);
                 });
      const ExprId r = body.value(takes_right);
      const auto i32 = [&](ExprId index) { return pool.from_index(index, DType::i32); };
      const Register source = body.declare(
          DType::i32, pool.choose(r, i32(pool.add(pair_.right, j)), i32(pool.add(pair_.left, i))));
      emit(place, slot_of_(pool.to_index(body.value(source))));
      const ExprId one =
          pool.apply("add", DType::i32, {body.value(taken), pool.constant(DType::i32, 1)});
      body.assign(taken, pool.choose(r, body.value(taken), one));
    });
  });
}

}  // namespace partita::lowering
