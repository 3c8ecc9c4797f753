// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// The slots of one kernel's lane code: those of a scope are used again after it, and each constant
// has one that is there from the start.
#pragma once

#include <cstdint>
#include <map>
#include <tuple>
#include <utility>
#include <vector>

#include "backend-cpu/format/lane_code.hpp"

namespace partita::cpu::codegen {

using namespace kernel;

class LaneSlots {
 public:
  /// Puts slots and constants into `kernel`.
  explicit LaneSlots(LaneKernel& kernel) : to_(kernel) {}

  void open_scope() { scopes_.emplace_back(); }
  void close_scope() {
    for (const int slot : scopes_.back()) free_[sort_of(slot)].push_back(slot);
    scopes_.pop_back();
  }

  /// A slot that is free until the scope ends.
  int take(std::size_t bytes, bool is_shared) {
    std::vector<int>& free = free_[{bytes, is_shared}];
    int slot = int(to_.slots.size());
    if (free.empty()) {
      to_.slots.push_back({int(bytes), is_shared});
    } else {
      slot = free.back();
      free.pop_back();
    }
    scopes_.back().push_back(slot);
    return slot;
  }

  /// A constant of all lanes or shared.
  int constant(std::uint64_t bits, std::size_t bytes, bool is_shared) {
    const auto [it, is_new] =
        constants_.emplace(std::tuple(bits, bytes, is_shared), int(to_.slots.size()));
    if (is_new) {
      to_.slots.push_back({int(bytes), is_shared});
      to_.constants.push_back({it->second, std::int64_t(bits)});
      bits_[it->second] = bits;
    }
    return it->second;
  }
  /// What a slot holds from the start; null where it is no constant's.
  [[nodiscard]] const std::uint64_t* bits_of(int slot) const {
    const auto it = bits_.find(slot);
    return it == bits_.end() ? nullptr : &it->second;
  }

  [[nodiscard]] std::size_t bytes_of(int slot) const {
    return std::size_t(to_.slots[std::size_t(slot)].bytes);
  }

 private:
  using Sort = std::pair<std::size_t, bool>;  ///< bytes, whether it is shared
  [[nodiscard]] Sort sort_of(int slot) const {
    return {bytes_of(slot), to_.slots[std::size_t(slot)].is_shared};
  }

  LaneKernel& to_;
  std::map<std::tuple<std::uint64_t, std::size_t, bool>, int> constants_;
  std::map<int, std::uint64_t> bits_;
  std::map<Sort, std::vector<int>> free_;
  std::vector<std::vector<int>> scopes_{1};
};

}  // namespace partita::cpu::codegen
