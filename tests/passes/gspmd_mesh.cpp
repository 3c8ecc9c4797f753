// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "passes/analysis/gspmd_mesh.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <random>

#include "partita/base/error.hpp"

namespace partita::passes {
namespace {

using ::testing::ElementsAre;

std::string braced(const ir::I64s& list) {
  std::string text;
  for (const std::int64_t x : list) text += cat(text.empty() ? "" : ",", x);
  return text;
}

/// A text whose tiles are axes of a grid of devices in some order, some of them side by side, the last of them
/// replicas; as a grid or as a list.
std::string random_text(const ir::I64s& sizes, std::int64_t rank, std::mt19937& random) {
  ir::I64s order(sizes.size());
  for (std::size_t k = 0; k < order.size(); ++k) order[k] = std::int64_t(k);
  std::ranges::shuffle(order, random);
  ir::I64s tiles(std::size_t(rank) + 1, 1);
  ir::I64s cuts;
  for (std::size_t k = 0; k < order.size(); ++k)
    cuts.push_back(std::int64_t(random() % tiles.size()));
  std::ranges::sort(cuts);
  for (std::size_t k = 0; k < order.size(); ++k)
    tiles[std::size_t(cuts[k])] *= sizes[std::size_t(order[k])];
  return cat("{devices=[", braced(tiles), "]<=[", braced(sizes), "]T(", braced(order),
             ") last_tile_dim_replicate}");
}

void expect_same_cuts(const GspmdMesh& names, const GspmdText& said, std::int64_t devices) {
  std::vector<std::string> axes;
  for (const ir::MeshAxis& axis : names.mesh().axes) axes.push_back(axis.name);
  const ir::Cut wanted(said.text, said.rank, devices),
      found(names.sharding(said), names.mesh(), axes);
  ASSERT_EQ(found.pieces(), wanted.pieces()) << said.text;
  for (std::int64_t device = 0; device < devices; ++device)
    ASSERT_EQ(found.piece_of(device), wanted.piece_of(device)) << said.text << " device " << device;
}

ir::I64s sizes_of(const GspmdMesh& names) {
  ir::I64s sizes;
  for (const ir::MeshAxis& axis : names.mesh().axes) sizes.push_back(axis.size);
  return sizes;
}

TEST(GspmdMesh, axes_cut_as_the_texts_do) {
  const std::vector<ir::I64s> grids{{8}, {2, 4}, {4, 2}, {2, 2, 2}, {3, 4}, {2, 3, 2}, {6}, {5, 3}};
  for (std::uint32_t seed = 1; seed <= 300; ++seed) {
    std::mt19937 random(seed);
    const ir::I64s& grid = grids[random() % grids.size()];
    std::int64_t devices = 1;
    for (const std::int64_t n : grid) devices *= n;
    std::vector<GspmdText> texts;
    for (std::uint32_t k = 0; k <= random() % 4; ++k) {
      const auto rank = std::int64_t(1 + random() % 3);
      texts.push_back({random_text(grid, rank, random), rank});
    }
    const auto names = GspmdMesh::of(texts, devices);
    ASSERT_TRUE(names) << "seed " << seed;
    for (const GspmdText& said : texts) expect_same_cuts(*names, said, devices);
  }
}

TEST(GspmdMesh, axes_that_no_text_tells_apart_are_one) {
  EXPECT_THAT(sizes_of(*GspmdMesh::of({{"{devices=[8,1]<=[8]}", 2}}, 8)), ElementsAre(8));
  EXPECT_THAT(sizes_of(*GspmdMesh::of({{"{devices=[2,4]<=[8]}", 2}, {"{replicated}", 1}}, 8)),
              ElementsAre(2, 4));
  EXPECT_THAT(
      sizes_of(*GspmdMesh::of({{"{devices=[2,4]<=[8]}", 2}, {"{devices=[4,2]<=[8]}", 2}}, 8)),
      ElementsAre(2, 2, 2));
}

TEST(GspmdMesh, reads_lists_of_devices) {
  const GspmdText said{"{devices=[2,3]0,2,4,1,3,5}", 2};
  const auto names = GspmdMesh::of({said}, 6);
  ASSERT_TRUE(names);
  EXPECT_THAT(sizes_of(*names), ElementsAre(3, 2));
  expect_same_cuts(*names, said, 6);
}

TEST(GspmdMesh, there_is_none_for_other_orders) {
  EXPECT_FALSE(GspmdMesh::of({{"{devices=[4]0,2,3,1}", 1}}, 4));
  EXPECT_FALSE(GspmdMesh::of({{"{devices=[4]1,0,3,2}", 1}}, 4));
  EXPECT_FALSE(GspmdMesh::of({{"{devices=[2,3]<=[6]}", 2}, {"{devices=[3,2]<=[6]}", 2}}, 6));
}

}  // namespace
}  // namespace partita::passes
