// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Keys in the local memory of a group, and merging sorted runs of them: what kernels of groups have of pair_merge.hpp.
#pragma once

#include <functional>
#include <vector>

#include "lowering/ops/sort/sort_kernel.hpp"

namespace partita::lowering {

/// Elements of the operands that the comparator reads, by slots of a group.
class KeyTile {
 public:
  KeyTile(SortKernel& sort, std::int64_t slots);

  /// Whether the comparator reads an operand.
  [[nodiscard]] bool has(std::size_t operand) const { return arrays_[operand] >= 0; }
  void store(std::size_t operand, scalar::ExprId slot, scalar::ExprId value) const;
  [[nodiscard]] scalar::ExprId load(std::size_t operand, scalar::ExprId slot) const;
  /// Registers = what is in a slot, of operands that are here.
  void read(const std::vector<Register>& registers, scalar::ExprId slot) const;

 private:
  SortKernel& s_;
  std::vector<std::int32_t> arrays_;  ///< by operand; -1: none
};

/// Numbers of slots, by places of a group: in two bytes each.
class SlotArray {
 public:
  static constexpr DType dtype = DType::ui16;

  SlotArray(SortKernel& sort, std::int64_t places);
  [[nodiscard]] scalar::ExprId load(scalar::ExprId place) const;
  void store(scalar::ExprId place, scalar::ExprId slot) const;

 private:
  SortKernel* s_;
  std::int32_t array_;
};

/// Two neighbouring runs of places, sorted each, of which the group holds a part.
struct TilePair {
  scalar::ExprId left, right;              ///< first places
  scalar::ExprId left_count, right_count;  ///< of the part
  /// The same with what follows in the run, which is there to be compared with.
  scalar::ExprId left_limit, right_limit;
};

class TileMerge {
 public:
  /// An expression of a place: the slot that it stands for.
  using SlotOf = std::function<scalar::ExprId(scalar::ExprId place)>;

  TileMerge(SortKernel& sort, const KeyTile& keys, const TilePair& pair, SlotOf slot_of)
      : s_(sort), keys_(keys), pair_(pair), slot_of_(std::move(slot_of)) {}

  /// How many of the first `place` elements of the merged part are from the left, by bisections.
  [[nodiscard]] Register cut(scalar::ExprId place, std::int64_t trips) const;
  /// Calls `emit` with the place in the merged part, from `first` on, and the slot of each of at most `most` elements; of
  /// the left `taken` are gone before, and as many as it holds are gone afterwards.
  void part(const Register& taken, scalar::ExprId first, std::int64_t most,
            const std::function<void(scalar::ExprId place, scalar::ExprId slot)>& emit) const;
  /// Elements of both.
  [[nodiscard]] scalar::ExprId count() const {
    return s_.pool.add(pair_.left_count, pair_.right_count);
  }

 private:
  SortKernel& s_;
  const KeyTile& keys_;
  TilePair pair_;
  SlotOf slot_of_;
};

}  // namespace partita::lowering
