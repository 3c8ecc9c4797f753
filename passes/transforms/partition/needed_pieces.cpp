// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "passes/transforms/partition/needed_pieces.hpp"

#include <algorithm>
#include <set>

#include "partita/ir/op.hpp"
#include "passes/transforms/partition/node_windows.hpp"

namespace partita::passes {

using ir::AxisPosition;
using ir::Node;
using ir::Value;

const NeededPieces::Needed& NeededPieces::of(Value v, const AxisPosition& at) {
  const auto [entry, is_new] = needed_[v].try_emplace({at.dim, at.inner});
  Needed& needed = entry->second;
  const auto users = users_.find(v);
  if (!is_new || users == users_.end()) return needed;
  for (const Node* user : users->second)
    for (std::size_t k = 0; k < user->operands().size(); ++k) {
      const auto w = user->operand(k) == v ? node_windows(*user, k, at.dim) : std::nullopt;
      if (!w || is_of_the_whole(w->window)) continue;
      const std::int64_t count = window_count(*user, w->result_dim);
      const auto halo = find_halo({.window = w->window,
                                   .count = count,
                                   .n = cut_.size(),
                                   .elements = at.inner,
                                   .windows = extent_of_part(count, cut_.size())});
      needed.is_far |= !halo || !halo->is_near();
      if (halo)
        std::ranges::copy_if(halo->pieces, std::back_inserter(needed.pieces),
                             [](const HaloPiece& piece) { return piece.hop != 0; });
    }
  return needed;
}

HaloPiece NeededPieces::joined(Value v, const AxisPosition& at, HaloPiece piece) {
  const std::vector<HaloPiece>& all = of(v, at).pieces;
  std::set<std::int64_t> targets(piece.targets.begin(), piece.targets.end());
  for (bool changed = true; changed;) {
    changed = false;
    for (const HaloPiece& other : all) {
      if (other.hop != piece.hop || other.begin > piece.end || other.end < piece.begin) continue;
      changed |= other.begin < piece.begin || other.end > piece.end;
      piece.begin = std::min(piece.begin, other.begin);
      piece.end = std::max(piece.end, other.end);
      targets.insert(other.targets.begin(), other.targets.end());
    }
  }
  piece.targets.assign(targets.begin(), targets.end());
  return piece;
}

bool NeededPieces::are_most(Value v, const AxisPosition& at) {
  const Needed& needed = of(v, at);
  if (!needed.is_far) return false;
  std::set<HaloPiece> sent;
  for (const HaloPiece& piece : needed.pieces) sent.insert(joined(v, at, piece));
  std::int64_t sum = 0;
  for (const HaloPiece& piece : sent) sum += piece.end - piece.begin;
  return 2 * sum > (cut_.size() - 1) * at.inner;
}

}  // namespace partita::passes
