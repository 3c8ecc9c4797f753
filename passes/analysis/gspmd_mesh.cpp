// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "passes/analysis/gspmd_mesh.hpp"

#include <algorithm>

#include "partita/base/error.hpp"

namespace partita::passes {

using ir::I64s;

namespace {

/// Axes that cut each dimension, the major first, by index.
using AxesByDim = std::vector<std::vector<std::size_t>>;

ir::Mesh mesh_of(const I64s& sizes) {
  ir::Mesh mesh;
  for (const std::int64_t size : sizes)
    mesh.axes.push_back(
        {.name = sizes.size() == 1 ? std::string("devices") : cat("d", mesh.axes.size()),
         .size = size});
  return mesh;
}

/// Of one dimension: what one step along each axis adds to the number of the piece.
I64s weights_along(const ir::Cut& cut, const ir::Mesh& mesh, std::size_t dim) {
  I64s weights;
  std::int64_t stride = mesh.size();
  for (const ir::MeshAxis& axis : mesh.axes) {
    stride /= axis.size;
    weights.push_back(cut.piece_of(stride)[dim]);
  }
  return weights;
}

/// The axes along which the piece changes, if its number is made of their indices as of digits.
std::optional<std::vector<std::size_t>> digits(const ir::Cut& cut, const ir::Mesh& mesh,
                                               std::size_t dim) {
  const I64s weights = weights_along(cut, mesh, dim);
  std::vector<std::size_t> axes;
  for (std::size_t k = 0; k < weights.size(); ++k)
    if (weights[k] != 0) axes.push_back(k);
  std::ranges::sort(axes, std::greater{}, [&](std::size_t k) { return weights[k]; });
  std::int64_t weight = 1;
  for (auto k = axes.rbegin(); k != axes.rend(); ++k) {
    if (weights[*k] != weight) return std::nullopt;
    weight *= mesh.axes[*k].size;
  }
  if (weight != cut.pieces()[dim]) return std::nullopt;
  for (std::int64_t device = 0; device < mesh.size(); ++device) {
    const I64s at = mesh.coordinates(device);
    std::int64_t piece = 0;
    for (const std::size_t k : axes) piece += at[k] * weights[k];
    if (cut.piece_of(device)[dim] != piece) return std::nullopt;
  }
  return axes;
}

std::optional<AxesByDim> axes_of(const GspmdText& said, const ir::Mesh& mesh) {
  const ir::Cut cut(said.text, said.rank, mesh.size());
  AxesByDim axes;
  for (std::size_t d = 0; d < std::size_t(said.rank); ++d) {
    auto of_dim = digits(cut, mesh, d);
    if (!of_dim) return std::nullopt;
    axes.push_back(std::move(*of_dim));
  }
  return axes;
}

I64s prime_factors(std::int64_t n) {
  I64s primes;
  for (std::int64_t p = 2; n > 1; ++p)
    for (; n % p == 0; n /= p) primes.push_back(p);
  return primes;
}

/// Whether axis k + 1 follows k wherever either cuts.
bool is_one_axis(const std::vector<AxesByDim>& all, std::size_t k) {
  const auto follows = [&](const std::vector<std::size_t>& axes) {
    const auto major = std::ranges::find(axes, k), minor = std::ranges::find(axes, k + 1);
    if (major == axes.end()) return minor == axes.end();
    return major + 1 == minor && minor != axes.end();
  };
  return std::ranges::all_of(
      all, [&](const AxesByDim& axes) { return std::ranges::all_of(axes, follows); });
}

/// Of axes with one size each, those that no text tells apart as one.
I64s joined(const I64s& sizes, const std::vector<AxesByDim>& all) {
  I64s joined_sizes;
  for (std::size_t k = 0; k < sizes.size(); ++k)
    if (k > 0 && is_one_axis(all, k - 1))
      joined_sizes.back() *= sizes[k];
    else
      joined_sizes.push_back(sizes[k]);
  return joined_sizes;
}

}  // namespace

std::optional<GspmdMesh> GspmdMesh::of(const std::vector<GspmdText>& texts, std::int64_t devices) {
  I64s sizes = prime_factors(devices);
  // Sorted at first: all orders are tried.
  do {
    const ir::Mesh mesh = mesh_of(sizes);
    std::vector<AxesByDim> all;
    for (const GspmdText& said : texts) {
      auto axes = axes_of(said, mesh);
      if (!axes) break;
      all.push_back(std::move(*axes));
    }
    if (all.size() == texts.size()) return GspmdMesh(mesh_of(joined(sizes, all)));
  } while (std::ranges::next_permutation(sizes).found);
  return std::nullopt;
}

ir::Sharding GspmdMesh::sharding(const GspmdText& said) const {
  const auto axes = axes_of(said, mesh_);
  PARTITA_ASSERT(axes.has_value());
  ir::Sharding sharding{.mesh = "mesh"};
  for (const auto& of_dim : *axes) {
    ir::DimSharding& dim = sharding.dims.emplace_back();
    for (const std::size_t k : of_dim) dim.axes.push_back({.name = mesh_.axes[k].name});
  }
  return sharding;
}

}  // namespace partita::passes
