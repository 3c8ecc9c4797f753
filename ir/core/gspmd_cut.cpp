// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Cuts as the text of GSPMD says them: "{devices=[2,4]<=[8]}".
#include <algorithm>
#include <numeric>

#include "ir/core/sharding_scanner.hpp"
#include "partita/base/error.hpp"

namespace partita::ir {

namespace {

/// All indices below `dims`, the last varying fastest; calls f(index).
template <class F>
void each_index(const Dims& dims, F&& f) {
  const std::int64_t count = device_count(dims);
  Dims index(dims.size(), 0);
  for (std::int64_t i = 0; i < count; ++i) {
    f(index);
    for (std::size_t d = dims.size(); d-- > 0 && ++index[d] == dims[d];) index[d] = 0;
  }
}

/// "{devices=[2,1,4]<=[8] last_tile_dim_replicate}": extents of the tiles and the devices in order.
struct Tiles {
  Dims dims;
  I64s devices;
  std::vector<std::string> last;  ///< what the last extents are for: manual, replicated
};

/// What `[2,4]T(1,0)` lists: 0 to 7 in a grid of these extents, transposed.
I64s iota_devices(const Dims& dims, const I64s& permutation) {
  const Dims strides = row_major_strides(dims);
  Dims extents, steps;
  for (const std::int64_t p : permutation) {
    extents.push_back(dims[std::size_t(p)]);
    steps.push_back(strides[std::size_t(p)]);
  }
  I64s devices;
  each_index(extents, [&](const Dims& index) {
    devices.push_back(
        std::inner_product(index.begin(), index.end(), steps.begin(), std::int64_t{0}));
  });
  return devices;
}

std::optional<Tiles> read_tiles(std::string_view text) {
  ShardingScanner in(text);
  in.expect("{");
  if (!in.eat("devices=")) return std::nullopt;
  Tiles tiles{.dims = in.numbers("[", "]"), .devices = {}, .last = {}};
  const std::int64_t count = device_count(tiles.dims);
  if (in.eat("<=")) {
    const Dims dims = in.numbers("[", "]");
    I64s permutation(dims.size());
    std::iota(permutation.begin(), permutation.end(), 0);
    if (in.eat("T")) permutation = in.numbers("(", ")");
    I64s sorted = permutation;
    std::ranges::sort(sorted);
    for (std::size_t k = 0; k < sorted.size(); ++k)
      if (sorted[k] != std::int64_t(k) || sorted.size() != dims.size())
        in.fail("a permutation of the dimensions");
    if (device_count(dims) == count) tiles.devices = iota_devices(dims, permutation);
  } else {
    do tiles.devices.push_back(in.number());
    while (in.eat(","));
  }
  if (in.eat("last_tile_dims=")) {
    in.expect("{");
    do tiles.last.push_back(in.word());
    while (in.eat(","));
    in.expect("}");
  }
  if (std::ssize(tiles.devices) != count) in.fail(cat(count, " devices"));
  return tiles;
}

}  // namespace

std::int64_t gspmd_devices(std::string_view text) {
  const auto tiles = read_tiles(text);
  return tiles ? std::ssize(tiles->devices) : 0;
}

Cut::Cut(std::string_view gspmd, std::int64_t rank, std::int64_t devices)
    : pieces_(std::size_t(rank), 1),
      by_device_(std::size_t(devices), Dims(std::size_t(rank), 0)),
      manual_(by_device_.size(), 0) {
  const auto tiles = read_tiles(gspmd);
  if (!tiles) return;
  // Further extents count replicas and devices along axes that are manual already.
  if (std::ssize(tiles->dims) < rank)
    throw_user_error(cat("sharding: expected tiles of ", rank, " dimensions, found '", gspmd, "'"));
  std::size_t at = 0;
  std::copy_n(tiles->dims.begin(), rank, pieces_.begin());
  each_index(tiles->dims, [&](const Dims& index) {
    const std::int64_t device = tiles->devices[at++];
    if (device < 0 || device >= devices)
      throw_user_error(cat("sharding: expected devices below ", devices, ", found ", device,
                           " in '", gspmd, "'"));
    by_device_[std::size_t(device)].assign(index.begin(), index.begin() + rank);
    const std::size_t first = index.size() - std::min(tiles->last.size(), index.size());
    std::int64_t& manual = manual_[std::size_t(device)];
    for (std::size_t d = first; d < index.size(); ++d)
      if (tiles->last[d - first] == "manual") manual = manual * tiles->dims[d] + index[d];
  });
}

}  // namespace partita::ir
