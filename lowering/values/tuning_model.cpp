// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "lowering/values/tuning_model.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "ir/core/contraction.hpp"
#include "partita/base/error.hpp"

namespace partita::lowering {
namespace {

/// Shapes that speak for one that was not measured.
constexpr std::size_t most_neighbours = 4;
/// Distances are of binary logarithms of extents; another form counts as this much.
constexpr double other_form = 1.0;
/// Keeps the weight of a shape that was measured itself finite, and all but alone.
constexpr double least_distance = 1e-3;
/// A tile that was not measured at a shape counts as this many times as slow as the best there.
constexpr double unknown_tile = 2;
/// The library has to win by this factor: it leaves what follows a sum to further kernels.
constexpr double clearly = 1.1;
/// Calls over which the library's first call has to be won back.
constexpr double many_calls = 1000;

double work(const ContractionKey& k) {
  return double(k.batch) * double(k.m) * double(k.n) * double(k.k);
}

double distance(const ContractionKey& a, const ContractionKey& b) {
  double sum = a.form == b.form ? 0 : other_form;
  for (const auto& [x, y] : {std::pair(a.m, b.m), {a.n, b.n}, {a.k, b.k}, {a.batch, b.batch}}) {
    const double d = std::log2(double(x) / double(y));
    sum += d * d;
  }
  return std::sqrt(sum);
}

struct Neighbour {
  double distance = 0;
  const TimedContraction* what = nullptr;
  double weight = 0;
};

std::vector<Neighbour> neighbours(const Tuning& tuning, const ContractionKey& key) {
  std::vector<Neighbour> all;
  for (const TimedContraction& c : tuning.contractions)
    if (c.key.dtype == key.dtype) all.push_back({.distance = distance(c.key, key), .what = &c});
  std::ranges::stable_sort(all, {}, &Neighbour::distance);
  if (all.size() > most_neighbours) all.resize(most_neighbours);
  double sum = 0;
  for (Neighbour& n : all) {
    const double d = std::max(n.distance, least_distance);
    n.weight = 1 / (d * d);
    sum += n.weight;
  }
  for (Neighbour& n : all) n.weight /= sum;
  return all;
}

std::int64_t best_ns(const TimedContraction& c) {
  return std::ranges::min_element(c.generated, {},
                                  [](const TimedTile& t) { return t.time.median_ns; })
      ->time.median_ns;
}

/// The tile that is expected to be fastest, and by which factor it is slower than the best of each.
std::pair<TileSize, double> best_tile(const std::vector<Neighbour>& near) {
  std::map<TileSize, double> slowness;  // mean logarithm
  for (const Neighbour& n : near)
    for (const TimedTile& t : n.what->generated) slowness[t.tile] = 0;
  for (auto& [tile, mean] : slowness)
    for (const Neighbour& n : near) {
      const auto found = std::ranges::find(n.what->generated, tile, &TimedTile::tile);
      const bool is_known = found != n.what->generated.end();
      const double slower =
          is_known ? double(found->time.median_ns) / double(best_ns(*n.what)) : unknown_tile;
      mean += n.weight * std::log(slower);
    }
  const auto best =
      std::ranges::min_element(slowness, {}, [](const auto& entry) { return entry.second; });
  return *best;
}

std::string gflops(const ContractionKey& key, double ns) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.3g", 2 * work(key) / ns);
  return text.data();
}

std::string name_of(const ContractionKey& k) {
  return cat(to_string(k.dtype), " ", to_string(k.form), " ", k.m, "x", k.n, "x", k.k,
             k.batch == 1 ? "" : cat("x", k.batch));
}

std::string tile_text(const TileSize& t) {
  return cat(t.rows, " rows of ", t.vectors, " vectors of ", t.vector_bytes, " bytes");
}

std::optional<ContractionEstimate> estimate_of(const ir::Node& dot, const ValuePolicy& policy) {
  if (!policy.tuning) return std::nullopt;
  return policy.tuning->estimate(contraction_key(dot));
}

/// "estimates 97.1 GFLOP/s generated, 20.3 library; nearest measured f32 nn 512x512x512"
std::string estimates(const ir::Node& dot, const ContractionEstimate& e) {
  const ContractionKey key = contraction_key(dot);
  return cat("estimates ", gflops(key, e.generated_ns), " GFLOP/s generated, ",
             e.library_ns > 0 ? cat(gflops(key, e.library_ns), " library") : "library not measured",
             "; nearest measured ", name_of(e.nearest->key));
}

std::string rule(const ir::Node& dot, const ValuePolicy& policy, bool is_generated) {
  if (policy.library == LibraryUse::always) return "as --gemm library says";
  if (policy.library == LibraryUse::never) return "as --gemm generated says";
  const std::int64_t threshold = policy.target.library_threshold;
  const auto found = std::int64_t(work(contraction_key(dot)));
  const bool is_exception = is_generated && found >= threshold;
  return cat("rule: the library from ", threshold, " multiply-adds on",
             is_exception
                 ? ", unless more is done with each element or the layout is none of its own"
                 : "",
             ", found ", found);
}

}  // namespace

bool ContractionEstimate::takes_library() const {
  return library_ns > 0 && clearly * library_ns < generated_ns &&
         many_calls * (generated_ns - library_ns) > library_first_ns;
}

std::optional<ContractionEstimate> TuningModel::estimate(const ContractionKey& key) const {
  const std::vector<Neighbour> near = neighbours(tuning_, key);
  if (near.empty() || work(key) == 0) return std::nullopt;
  ContractionEstimate result;
  const auto [tile, slower] = best_tile(near);
  result.tile = tile;
  result.nearest = near.front().what;
  // Means of the logarithms of nanoseconds per multiply-add.
  double generated = slower, library = 0, library_weight = 0;
  for (const Neighbour& n : near) {
    const double w = work(n.what->key);
    generated += n.weight * std::log(double(best_ns(*n.what)) / w);
    if (!n.what->library) continue;
    library += n.weight * std::log(double(n.what->library->median_ns) / w);
    library_weight += n.weight;
  }
  result.generated_ns = std::exp(generated) * work(key);
  if (library_weight > 0) result.library_ns = std::exp(library / library_weight) * work(key);
  result.library_first_ns = double(tuning_.library_first_ms) * 1e6;
  return result;
}

ContractionKey contraction_key(const ir::Node& dot) {
  const ir::ContractionShape s = contraction_shape(dot);
  // Transposed where the sum does not come last on the left, or not first on the right.
  const auto before = [](const ir::I64s& a, const ir::I64s& b) {
    return !a.empty() && !b.empty() && a.front() < b.front();
  };
  return {.dtype = dot.result_types()[0].dtype,
          .form = contraction_form(before(s.lhs_contracting, s.lhs_free),
                                   before(s.rhs_free, s.rhs_contracting)),
          .m = s.m,
          .n = s.n,
          .k = s.k,
          .batch = s.batch};
}

TileSize tiles_of(const ir::Node& dot, const ValuePolicy& policy) {
  const auto e = estimate_of(dot, policy);
  return e ? e->tile : policy.target.tile();
}

std::string explain_tiles(const ir::Node& dot, const ValuePolicy& policy) {
  const auto e = estimate_of(dot, policy);
  return cat("generated, at most ", tile_text(tiles_of(dot, policy)), "; ",
             e ? estimates(dot, *e) : rule(dot, policy, true));
}

std::string explain_library(const ir::Node& dot, const ValuePolicy& policy) {
  const auto e = estimate_of(dot, policy);
  return cat("library; ", e && policy.library == LibraryUse::where_faster
                              ? estimates(dot, *e)
                              : rule(dot, policy, false));
}

}  // namespace partita::lowering
