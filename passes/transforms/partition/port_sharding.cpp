// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "passes/transforms/partition/port_sharding.hpp"

#include <algorithm>

#include "partita/base/error.hpp"

namespace partita::passes {

PortSharding::PortSharding(Type whole) : whole_(std::move(whole)) {
  for (const std::int64_t extent : whole_.dims) dims_.push_back({{.axis = {}, .size = extent}});
}

bool PortSharding::add(const MeshCut& cut, const ir::AxisPosition& at) {
  std::vector<Segment> segments = dims_.at(std::size_t(at.dim));
  const bool has_axes = segments.size() > 1;
  std::int64_t outer = at.outer;
  for (std::size_t k = 0; k < segments.size(); ++k) {
    if (!segments[k].axis.empty()) continue;
    const std::int64_t size = segments[k].size;
    if (outer != 1 && outer % size == 0) {
      outer /= size;
      continue;
    }
    if (outer == 0 || size % outer != 0) return false;
    std::int64_t later = 1;
    for (std::size_t j = k + 1; j < segments.size(); ++j)
      if (segments[j].axis.empty()) later *= segments[j].size;
    const std::int64_t rest = size / outer;
    if (later == 0 || at.inner % later != 0) return false;
    const std::int64_t inner = at.inner / later;
    const bool is_exact = cut.size() * inner == rest;
    if (!is_exact && (has_axes || outer != 1 || cut.size() * inner < rest)) return false;
    std::vector<Segment> made;
    if (outer != 1) made.push_back({.axis = {}, .size = outer});
    made.push_back({.axis = cut.name(), .size = cut.size()});
    made.push_back({.axis = {}, .size = inner});
    segments.erase(segments.begin() + std::ptrdiff_t(k));
    segments.insert(segments.begin() + std::ptrdiff_t(k), made.begin(), made.end());
    dims_[std::size_t(at.dim)] = std::move(segments);
    return true;
  }
  return false;
}

bool PortSharding::can_add(const MeshCut& cut, const ir::AxisPosition& at) const {
  return PortSharding(*this).add(cut, at);
}

bool PortSharding::is_cut() const {
  return std::ranges::any_of(dims_, [](const auto& segments) { return segments.size() > 1; });
}

void PortSharding::write(ir::Dict& attrs, const std::string& mesh) const {
  attrs.erase("sdy.sharding");
  attrs.erase("mhlo.sharding");
  if (!is_cut()) return;
  ir::Sharding sharding{.mesh = mesh};
  for (const auto& segments : dims_) {
    ir::DimSharding& dim = sharding.dims.emplace_back();
    bool is_inside = false;
    for (const Segment& segment : segments) {
      PARTITA_ASSERT(segment.axis.empty() || !is_inside);
      if (segment.axis.empty())
        is_inside |= segment.size != 1;
      else
        dim.axes.push_back({.name = segment.axis});
    }
  }
  attrs.set("sdy.sharding", ir::to_attribute(sharding));
  attrs.set("mr.global_type", whole_);
}

}  // namespace partita::passes
