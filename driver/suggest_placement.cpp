// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "driver/suggest_placement.hpp"

#include <set>

#include "partita/base/error.hpp"
#include "partita/ir/sharding.hpp"

namespace partita::driver {

namespace {

/// Programs below are not worth planning again.
constexpr std::int64_t least_arena = std::int64_t{4} << 30;
/// A placement is suggested where it leaves at most one in so many bytes.
constexpr std::int64_t least_gain = 4;
constexpr std::size_t most_sizes = 8;

std::int64_t port_bytes(const ir::Function& f) {
  std::int64_t bytes = 0;
  for (const std::vector<Type>& types : {f.argument_types(), f.result_types})
    for (const Type& type : types)
      if (!type.is_token) bytes += std::int64_t(type.bytes());
  return bytes;
}

/// Extents of the first dimensions of arguments, which those of clients would be.
std::set<std::int64_t> leading_sizes(const ir::Function& f) {
  std::set<std::int64_t> sizes;
  for (const Type& type : f.argument_types())
    if (!type.is_token && type.rank() > 0 && type.dims[0] > 1 && sizes.size() < most_sizes)
      sizes.insert(type.dims[0]);
  return sizes;
}

}  // namespace

std::string suggest_placement(const ir::Module& module, const CompileOptions& options,
                              const CompileReport& report, const PlanWith& plan) {
  const ir::Function& f = module.entry(options.function);
  if (options.text_only || !options.placements.empty() || !options.mesh.empty() ||
      !ir::meshes(module).empty() || report.arena_bytes < least_arena ||
      report.arena_bytes < least_gain * port_bytes(f))
    return {};
  CompileOptions planned = options;
  planned.text_only = true;
  planned.memory_budget = 0;
  planned.dumps = {};
  std::int64_t best = report.planned_one_shard / least_gain, best_size = 0;
  for (const std::int64_t size : leading_sizes(f)) try {
      planned.placements = {{"clients", size}};
      const CompileReport other = plan(planned);
      const auto recovered = other.counts.find("maps_recovered");
      if (recovered == other.counts.end() || recovered->second == 0) continue;
      if (other.planned_one_shard >= best) continue;
      best = other.planned_one_shard;
      best_size = size;
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::user) throw;  // else: no axis of the program
    }
  if (best_size == 0) return {};
  return cat("the axis of ", best_size, " is computed all at once; --placement clients=", best_size,
             " takes it apart: ", best, " bytes planned instead of ", report.planned_one_shard);
}

}  // namespace partita::driver
