// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "passes/analysis/refined_axes.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <random>

#include "partita/base/error.hpp"

namespace partita::passes {
namespace {

using ::testing::ElementsAre;

/// A mesh of the devices of a grid, numbered with the last dimension varying fastest: the grid's dimensions in some
/// order, some of them side by side as one axis.  Parts of axes end where a dimension does.
NamedMesh random_mesh(const Dims& grid, const std::string& prefix, std::mt19937& random) {
  std::vector<std::size_t> order(grid.size());
  for (std::size_t k = 0; k < order.size(); ++k) order[k] = k;
  if (random() % 2 == 0) std::ranges::shuffle(order, random);
  NamedMesh named;
  for (std::size_t k = 0; k < order.size(); ++k) {
    const std::int64_t extent = grid[order[k]];
    if (k == 0 || random() % 2 == 0) {
      named.mesh.axes.push_back({.name = cat(prefix, named.mesh.axes.size()), .size = extent});
      continue;
    }
    ir::MeshAxis& axis = named.mesh.axes.back();
    if (random() % 2 == 0)
      named.parts.push_back({.name = axis.name, .pre = axis.size, .size = extent});
    axis.size *= extent;
  }
  const Dims strides = row_major_strides(grid);
  const std::int64_t devices = named.mesh.size();
  for (std::int64_t place = 0; place < devices; ++place) {
    std::int64_t rest = place, device = 0;
    for (auto k = order.rbegin(); k != order.rend(); ++k) {
      device += rest % grid[*k] * strides[*k];
      rest /= grid[*k];
    }
    named.mesh.device_ids.push_back(device);
  }
  return named;
}

/// Some of the axes and parts that are named, none of them over another.
ir::Sharding random_sharding(const NamedMesh& named, std::mt19937& random) {
  std::vector<ir::AxisRef> axes;
  for (const ir::MeshAxis& axis : named.mesh.axes) {
    const auto part = std::ranges::find(named.parts, axis.name, &ir::AxisRef::name);
    if (part != named.parts.end() && random() % 2 == 0)
      axes.push_back(*part);
    else
      axes.push_back({.name = axis.name});
  }
  std::ranges::shuffle(axes, random);
  ir::Sharding sharding{.mesh = "mesh"};
  sharding.dims.resize(2);
  for (ir::AxisRef& axis : axes)
    if (random() % 4 != 0) sharding.dims[random() % 2].axes.push_back(std::move(axis));
  return sharding;
}

std::vector<std::string> names_of(const ir::Mesh& mesh) {
  std::vector<std::string> names;
  for (const ir::MeshAxis& axis : mesh.axes) names.push_back(axis.name);
  return names;
}

ir::Sharding refined(const RefinedAxes& axes, const ir::Mesh& mesh, ir::Sharding sharding) {
  for (ir::DimSharding& dim : sharding.dims) {
    std::vector<ir::AxisRef> made;
    for (const ir::AxisRef& ref : dim.axes)
      for (const ir::AxisRef& axis : axes.axes(mesh, ref)) made.push_back(axis);
    dim.axes = made;
  }
  return sharding;
}

void expect_same_cuts(const RefinedAxes& axes, const NamedMesh& named, std::mt19937& random) {
  const ir::Sharding sharding = random_sharding(named, random);
  const ir::Cut wanted(sharding, named.mesh, names_of(named.mesh)),
      found(refined(axes, named.mesh, sharding), axes.mesh(), names_of(axes.mesh()));
  ASSERT_EQ(found.pieces(), wanted.pieces());
  for (std::int64_t device = 0; device < named.mesh.size(); ++device)
    ASSERT_EQ(found.piece_of(device), wanted.piece_of(device))
        << to_text(sharding) << " on " << to_text(named.mesh) << ", device " << device;
}

TEST(RefinedAxes, cut_as_axes_and_parts_of_all_meshes_do) {
  const std::vector<Dims> grids{{8}, {2, 4}, {2, 2, 2}, {3, 4}, {2, 3, 2}, {5, 3}, {2, 2, 3, 2}};
  for (std::uint32_t seed = 1; seed <= 400; ++seed) {
    std::mt19937 random(seed);
    const Dims& grid = grids[random() % grids.size()];
    std::vector<NamedMesh> meshes;
    for (std::size_t k = 0; k < 1 + seed % 3; ++k)
      meshes.push_back(random_mesh(grid, k == 2 ? "a" : std::string(1, char('a' + k)), random));
    const auto axes = RefinedAxes::of(meshes, {});
    ASSERT_TRUE(axes) << "seed " << seed;
    std::vector<std::string> names = names_of(axes->mesh());
    std::ranges::sort(names);
    EXPECT_EQ(std::ranges::adjacent_find(names), names.end()) << "seed " << seed;
    for (const NamedMesh& named : meshes)
      for (int k = 0; k < 4; ++k) expect_same_cuts(*axes, named, random);
    if (HasFailure()) FAIL() << "seed " << seed;
  }
}

ir::Mesh mesh_of(std::vector<ir::MeshAxis> axes) {
  return {.axes = std::move(axes), .device_ids = {}};
}

TEST(RefinedAxes, are_the_fewest_with_names_of_whole_axes) {
  const auto names = [](const std::vector<NamedMesh>& meshes) {
    return names_of(RefinedAxes::of(meshes, {}).value().mesh());
  };
  const NamedMesh eight{mesh_of({{"x", 8}}), {}}, pair{mesh_of({{"a", 2}, {"b", 4}}), {}};
  EXPECT_THAT(names({eight}), ElementsAre("x"));
  EXPECT_THAT(names({eight, pair}), ElementsAre("a", "b"));
  EXPECT_THAT(names({{eight.mesh, {{.name = "x", .pre = 2, .size = 2}}}}),
              ElementsAre("x.0", "x.1", "x.2"));
  EXPECT_THAT(names({{eight.mesh, {{.name = "x", .pre = 2, .size = 2}}}, pair}),
              ElementsAre("a", "x.1", "x.2"));
  EXPECT_THAT(names({{mesh_of({{"x", 4}, {"x.0", 2}}), {{.name = "x", .pre = 1, .size = 2}}}}),
              ElementsAre("x.0_", "x.1", "x.0"));
  EXPECT_THAT(names({pair, {mesh_of({{"b", 2}, {"c", 4}}), {}}}), ElementsAre("a", "b"));
}

TEST(RefinedAxes, there_are_none_where_boundaries_cross_or_a_placement_would_be_split) {
  const NamedMesh six{mesh_of({{"x", 2}, {"y", 3}}), {}}, other{mesh_of({{"u", 3}, {"v", 2}}), {}};
  EXPECT_FALSE(RefinedAxes::of({six, other}, {}));
  EXPECT_FALSE(RefinedAxes::of({six, {mesh_of({{"x", 2}}), {}}}, {}));
  EXPECT_FALSE(RefinedAxes::of({}, {}));
  const NamedMesh all{mesh_of({{"all", 6}}), {}};
  EXPECT_TRUE(RefinedAxes::of({six, all}, {"x"}));
  EXPECT_FALSE(RefinedAxes::of({six, all}, {"all"}));
}

}  // namespace
}  // namespace partita::passes
