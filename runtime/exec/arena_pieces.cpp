// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "runtime/exec/arena_pieces.hpp"

#include <algorithm>
#include <numeric>

namespace partita {
namespace {

constexpr std::int64_t alignment = 128;

/// Where a value lies in the arena that was planned.
struct Extent {
  int buffer = 0;
  std::int64_t begin = 0, end = 0;  ///< bytes
  [[nodiscard]] std::int64_t bytes() const { return end - begin; }
  [[nodiscard]] bool crosses(std::int64_t cut) const { return begin < cut && cut < end; }
};

std::vector<Extent> extents_of(const Plan& plan) {
  std::vector<Extent> extents;
  for (std::size_t b = 0; b < plan.buffers.size(); ++b) {
    const Buffer& buffer = plan.buffers[b];
    if (buffer.kind != BufferKind::arena) continue;
    const std::int64_t bytes = buffer.count.value() * std::int64_t(byte_size(buffer.dtype));
    extents.push_back({int(b), buffer.arena_offset, buffer.arena_offset + bytes});
  }
  std::ranges::stable_sort(extents, {}, &Extent::begin);
  return extents;
}

/// Bytes of the largest value that crosses a cut.
std::int64_t largest_across(const std::vector<Extent>& extents, std::int64_t cut) {
  std::int64_t largest = 0;
  for (const Extent& e : extents) {
    if (e.begin >= cut) break;
    if (e.crosses(cut)) largest = std::max(largest, e.bytes());
  }
  return largest;
}

/// In the farther half of what a piece from `begin` on may hold, the cut that the smallest values cross; of
/// several the last.
std::int64_t choose_cut(const std::vector<Extent>& extents, std::int64_t begin, std::int64_t most) {
  std::int64_t best = begin + most, smallest = largest_across(extents, best);
  const auto consider = [&](std::int64_t end_of_value) {
    const std::int64_t cut = (end_of_value + alignment - 1) / alignment * alignment;
    if (smallest == 0 || cut <= begin + most / 2 || cut >= begin + most) return;
    const std::int64_t across = largest_across(extents, cut);
    if (across < smallest || (across == smallest && cut > best)) {
      best = cut;
      smallest = across;
    }
  };
  for (const Extent& e : extents) {
    consider(e.begin);
    consider(e.end);
  }
  return best;
}

/// Puts a value at an offset of a piece, which grows to hold it; -1: a new one.
void place(const Extent& value, int& piece, std::int64_t offset, ArenaPieces& pieces) {
  if (piece < 0) {
    piece = int(pieces.bytes.size());
    pieces.bytes.push_back(0);
  }
  pieces.places[std::size_t(value.buffer)] = {piece, offset};
  std::int64_t& bytes = pieces.bytes[std::size_t(piece)];
  bytes = std::max(bytes, offset + value.bytes());
}

}  // namespace

std::int64_t ArenaPieces::total_bytes() const {
  return std::accumulate(bytes.begin(), bytes.end(), std::int64_t(0));
}

ArenaPieces cut_arena(const Plan& plan, std::int64_t most) {
  ArenaPieces result{.bytes = {}, .places = std::vector<ArenaPieces::Place>(plan.buffers.size())};
  const std::vector<Extent> extents = extents_of(plan);
  if (extents.empty()) return result;
  if (most == 0 || plan.arena_bytes <= most) {
    result.bytes = {plan.arena_bytes};
    for (const Extent& e : extents) result.places[std::size_t(e.buffer)] = {0, e.begin};
    return result;
  }
  const std::int64_t end = std::ranges::max(extents, {}, &Extent::end).end;
  const std::int64_t step = most / alignment * alignment;
  if (step == 0) {  // no room between two cuts: each value has a piece of its own
    for (const Extent& e : extents) {
      int piece = -1;
      place(e, piece, 0, result);
    }
    return result;
  }
  std::int64_t begin = 0;
  auto next = extents.begin();
  while (next != extents.end()) {
    const std::int64_t cut = end - begin <= most ? end + 1 : choose_cut(extents, begin, step);
    int within = -1, across = -1;
    for (; next != extents.end() && next->begin < cut; ++next) {
      const bool crosses = next->crosses(cut);
      place(*next, crosses ? across : within, crosses ? 0 : next->begin - begin, result);
    }
    begin = cut;
  }
  return result;
}

}  // namespace partita
