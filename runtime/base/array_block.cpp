// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "partita/base/array_block.hpp"

#include <algorithm>
#include <cstring>

#include "partita/base/error.hpp"

namespace partita {

Dims grid_coordinates(std::span<const std::int64_t> extents, std::int64_t shard) {
  Dims index(extents.size());
  for (std::size_t k = extents.size(); k-- > 0;) {
    index[k] = shard % extents[k];
    shard /= extents[k];
  }
  return index;
}

std::int64_t index_along(std::span<const std::int64_t> extents,
                         std::span<const std::int64_t> coordinates, std::span<const int> axes) {
  std::int64_t index = 0;
  for (const int axis : axes)
    index = index * extents[std::size_t(axis)] + coordinates[std::size_t(axis)];
  return index;
}

ArrayBlock::ArrayBlock(Dims whole_extents, std::span<const std::int64_t> pieces,
                       std::span<const std::int64_t> index)
    : whole(std::move(whole_extents)) {
  PARTITA_ASSERT(pieces.size() == whole.size() && index.size() == whole.size());
  for (std::size_t d = 0; d < whole.size(); ++d) {
    const std::int64_t extent = block_extent(whole[d], pieces[d]);
    extents.push_back(extent);
    begin.push_back(std::min(index[d] * extent, whole[d]));
    inside.push_back(std::min(extent, whole[d] - begin[d]));
  }
}

bool ArrayBlock::is_contiguous() const {
  if (inside != extents) return false;
  std::size_t d = 0;
  while (d < whole.size() && extents[d] == 1) ++d;
  return d >= whole.size() || std::equal(whole.begin() + std::ptrdiff_t(d) + 1, whole.end(),
                                         extents.begin() + std::ptrdiff_t(d) + 1);
}

std::int64_t ArrayBlock::first_element() const {
  const Dims strides = row_major_strides(whole);
  std::int64_t at = 0;
  for (std::size_t d = 0; d < whole.size(); ++d) at += begin[d] * strides[d];
  return at;
}

namespace {

/// Calls f(element of the whole, element of the block, elements) for each run that lies together in both.
template <class F>
void for_each_run(const ArrayBlock& block, F&& f) {
  if (std::ranges::find(block.inside, 0) != block.inside.end()) return;
  const Dims outer_strides = row_major_strides(block.whole),
             inner_strides = row_major_strides(block.extents);
  std::size_t rank = block.whole.size();
  std::int64_t run = 1;
  while (rank > 0) {
    run *= block.inside[--rank];
    if (block.inside[rank] != block.whole[rank] || block.inside[rank] != block.extents[rank]) break;
  }
  Dims index(rank, 0);
  const std::int64_t first = block.first_element();
  while (true) {
    std::int64_t whole = first, own = 0;
    for (std::size_t d = 0; d < rank; ++d) {
      whole += index[d] * outer_strides[d];
      own += index[d] * inner_strides[d];
    }
    f(whole, own, run);
    std::size_t d = rank;
    while (d > 0 && ++index[d - 1] == block.inside[d - 1]) index[--d] = 0;
    if (d == 0) return;
  }
}

}  // namespace

void ArrayBlock::take(std::size_t width, std::span<const std::byte> from_whole,
                      std::span<std::byte> to_block) const {
  for_each_run(*this, [&](std::int64_t from, std::int64_t to, std::int64_t count) {
    std::memcpy(to_block.data() + std::size_t(to) * width,
                from_whole.data() + std::size_t(from) * width, std::size_t(count) * width);
  });
}

void ArrayBlock::put(std::size_t width, std::span<const std::byte> from_block,
                     std::span<std::byte> to_whole) const {
  for_each_run(*this, [&](std::int64_t to, std::int64_t from, std::int64_t count) {
    std::memcpy(to_whole.data() + std::size_t(to) * width,
                from_block.data() + std::size_t(from) * width, std::size_t(count) * width);
  });
}

ArrayBlock mesh_block(const Dims& whole, const std::vector<std::vector<int>>& axes,
                      const Dims& axis_sizes, std::int64_t shard) {
  const Dims coordinates = grid_coordinates(axis_sizes, shard);
  Dims pieces(whole.size(), 1), index(whole.size(), 0);
  for (std::size_t d = 0; d < axes.size(); ++d) {
    for (const int axis : axes[d]) pieces[d] *= axis_sizes[std::size_t(axis)];
    index[d] = index_along(axis_sizes, coordinates, axes[d]);
  }
  return {whole, pieces, index};
}

}  // namespace partita
