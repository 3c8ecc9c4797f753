// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "kernel/ast/copied_neighbours.hpp"

#include <algorithm>

namespace partita::kernel {

using scalar::Expr;
using scalar::ExprId;
using scalar::ExprKind;

std::optional<CopiedNeighbours> copied_neighbours(const scalar::ExprPool& pool,
                                                  std::span<const ExprId> values) {
  std::optional<CopiedNeighbours> from;
  for (std::size_t k = 0; k < values.size(); ++k) {
    const Expr& value = pool[values[k]];
    const Expr& e = value.kind == ExprKind::bitcast ? pool[value.operands[0]] : value;
    if (e.kind != ExprKind::load_wide) return std::nullopt;
    const auto [lane, width] = scalar::wide_lane(e);
    if (lane != int(k) || std::size_t(width) != values.size() ||
        values.size() * byte_size(e.dtype) != widest_access)
      return std::nullopt;
    if (!from) from = {.buffer = e.slot, .index = e.operands[0]};
    if (from->buffer != e.slot || from->index != e.operands[0]) return std::nullopt;
  }
  return from;
}

std::optional<CopiedNeighbours> copied_neighbours(const Kernel& kernel, const StoreWide& store) {
  return store.is_local ? copied_neighbours(kernel.pool, store.values) : std::nullopt;
}

bool has_copied_neighbours(const Kernel& kernel, const Block& stmts) {
  return std::ranges::any_of(stmts, [&](const Stmt& s) {
    const StoreWide* store = as<StoreWide>(s);
    return (store != nullptr && copied_neighbours(kernel, *store)) ||
           has_copied_neighbours(kernel, body_of(s));
  });
}

}  // namespace partita::kernel
