// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "kernel/rewrites/single_elements.hpp"

#include <algorithm>
#include <unordered_map>

#include "kernel/ast/expressions.hpp"
#include "kernel/ast/statements.hpp"

namespace partita::kernel {
namespace {

using scalar::Expr;
using scalar::ExprId;
using scalar::ExprKind;
using scalar::ExprPool;

class Narrower {
 public:
  explicit Narrower(ExprPool& pool) : pool_(pool) {}

  Block of(const Block& stmts) {
    Block result;
    for (Stmt s : stmts) {
      map_roots(s, [&](ExprId e) { return of(e); });
      if (Block* body = body_of(s)) *body = of(*body);
      const StoreWide* const wide = as<StoreWide>(s);
      if (wide == nullptr) {
        result.push_back(std::move(s));
        continue;
      }
      for (std::size_t k = 0; k < wide->values.size(); ++k)
        result.push_back(store(wide->buffer, wide->dtype, pool_.add(wide->index, std::int64_t(k)),
                               wide->values[k]));
    }
    return result;
  }

 private:
  ExprId of(ExprId root) {
    for (const ExprId id : reachable(pool_, root)) {
      const Expr e = pool_[id];
      if (e.kind != ExprKind::load_wide || known_.contains(id)) continue;
      const ExprId at = pool_.add(replace(pool_, e.operands[0], known_), wide_lane(e).lane);
      known_[id] = pool_.load(e.slot, e.dtype, at);
    }
    return replace(pool_, root, known_);
  }

  ExprPool& pool_;
  std::unordered_map<ExprId, ExprId> known_;
};

bool has_wide_store(const Block& stmts) {
  return std::ranges::any_of(stmts, [](const Stmt& s) {
    return as<StoreWide>(s) != nullptr || has_wide_store(body_of(s));
  });
}

}  // namespace

std::optional<Kernel> with_single_elements(const Kernel& kernel) {
  const auto is_wide = [&](ExprId id) { return kernel.pool[id].kind == ExprKind::load_wide; };
  if (!has_wide_store(kernel.body) &&
      std::ranges::none_of(reachable(kernel.pool, kernel.body), is_wide))
    return std::nullopt;
  Kernel single = kernel;
  single.body = Narrower(single.pool).of(kernel.body);
  for (BufferParam& b : single.buffers) b.alignment = 1;
  return single;
}

}  // namespace partita::kernel
