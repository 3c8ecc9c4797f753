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

std::optional<CopiedElement> copied_element(const scalar::ExprPool& pool, ExprId value) {
  const Expr& e = pool[value];
  if (!scalar::is_load(e.kind) || (byte_size(e.dtype) != 4 && byte_size(e.dtype) != 8))
    return std::nullopt;
  const int lane = e.kind == ExprKind::load_wide ? scalar::wide_lane(e).lane : 0;
  return CopiedElement{.buffer = e.slot, .index = e.operands[0], .lane = lane};
}

bool has_copies(const Kernel& kernel, const Block& stmts) {
  return std::ranges::any_of(stmts, [&](const Stmt& s) {
    const StoreWide* wide = as<StoreWide>(s);
    const StoreLocal* local = as<StoreLocal>(s);
    return (wide != nullptr && copied_neighbours(kernel, *wide)) ||
           (local != nullptr && local->is_ahead) || has_copies(kernel, body_of(s));
  });
}

}  // namespace partita::kernel
