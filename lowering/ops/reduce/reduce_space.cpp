// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "lowering/ops/reduce/reduce_space.hpp"

#include <algorithm>

namespace partita::lowering {

using scalar::ExprId;
using scalar::ExprPool;

namespace {

/// Results that lie side by side in the operand and are worth reading so.
constexpr std::int64_t neighbouring_results = 8;

}  // namespace

ReduceSpace::ReduceSpace(const ir::Node& node) : rank_(node.operand(0).type().dims.size()) {
  const Dims& in = node.operand(0).type().dims;
  const ir::I64s& dimensions = node.attrs.i64s("dimensions");
  bool continues = false;
  for (std::size_t d = 0; d < in.size(); ++d) {
    const bool is_reduced = std::ranges::find(dimensions, std::int64_t(d)) != dimensions.end();
    (is_reduced ? reduced : results) *= in[d];
    if (!is_reduced) {
      kept_.push_back({d, in[d]});
    } else if (in[d] != 1) {
      if (!continues) loops_.emplace_back();
      loops_.back().push_back({d, in[d]});
    }
    if (in[d] == 1) continue;
    continues = is_reduced;
    has_neighbouring_terms_ = is_reduced;
    has_columns_ = !is_reduced && in[d] >= neighbouring_results;
  }
  if (loops_.empty()) loops_.emplace_back();
}

void ReduceSpace::flatten() {
  for (std::size_t k = 1; k < loops_.size(); ++k)
    loops_[0].insert(loops_[0].end(), loops_[k].begin(), loops_[k].end());
  loops_.resize(1);
}

std::int64_t ReduceSpace::extent(std::size_t loop) const {
  std::int64_t n = 1;
  for (const auto& [d, e] : loops_[loop]) n *= e;
  return n;
}

std::vector<ExprId> ReduceSpace::index(ExprPool& pool, ExprId result,
                                       std::span<const ExprId> at) const {
  std::vector<ExprId> full(rank_, pool.index(0));
  const auto put = [&](const std::vector<Dimension>& dimensions, ExprId linear) {
    Dims extents;
    for (const auto& [d, e] : dimensions) extents.push_back(e);
    const std::vector<ExprId> parts = scalar::delinearize(pool, linear, extents);
    for (std::size_t k = 0; k < parts.size(); ++k) full[dimensions[k].first] = parts[k];
  };
  put(kept_, result);
  for (std::size_t k = 0; k < loops_.size(); ++k) put(loops_[k], at[k]);
  return full;
}

std::vector<ExprId> elements_of(KernelBody& body, const ir::Node& node,
                                std::span<const ExprId> index) {
  std::vector<ExprId> elements;
  for (std::size_t i = 0; i < node.result_types().size(); ++i)
    elements.push_back(body.element(node.operand(i), index));
  return elements;
}

}  // namespace partita::lowering
