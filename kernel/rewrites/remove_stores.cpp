// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "kernel/rewrites/remove_stores.hpp"

#include <memory>
#include <unordered_map>
#include <utility>

#include "kernel/ast/expressions.hpp"
#include "partita/base/error.hpp"

namespace partita::kernel {
namespace {

using scalar::Expr;
using scalar::ExprId;
using scalar::ExprKind;

/// The buffer that a statement writes, or null.
std::int32_t* written_buffer(Stmt& s) {
  if (Store* const store = as<Store>(s)) return &store->buffer;
  if (StoreWide* const wide = as<StoreWide>(s)) return wide->is_local ? nullptr : &wide->buffer;
  if (AtomicCombine* const combine = as<AtomicCombine>(s)) return &combine->buffer;
  return nullptr;
}

class StoreRemover {
 public:
  StoreRemover(Kernel& kernel, const std::vector<bool>& is_removed)
      : kernel_(kernel), is_removed_(is_removed) {
    std::int32_t kept = 0;
    for (const bool removed : is_removed_) places_.push_back(removed ? -1 : kept++);
  }

  void run() {
    kernel_.body = of(kernel_.body);
    std::vector<BufferParam> kept;
    for (std::size_t b = 0; b < kernel_.buffers.size(); ++b)
      if (!is_removed_[b]) kept.push_back(kernel_.buffers[b]);
    kernel_.buffers = std::move(kept);
    drop_unreached(kernel_);
  }

 private:
  Block of(const Block& stmts) {
    Block result;
    for (Stmt s : stmts) {
      if (std::int32_t* const buffer = written_buffer(s)) {
        if (is_removed_[std::size_t(*buffer)]) continue;
        *buffer = places_[std::size_t(*buffer)];
      }
      if (Block* const body = body_of(s)) {
        *body = of(*body);
        if (body->empty()) continue;
      }
      map_roots(s, [&](ExprId e) { return of(e); });
      result.push_back(std::move(s));
    }
    return result;
  }

  ExprId of(ExprId root) {
    scalar::ExprPool& pool = kernel_.pool;
    for (const ExprId id : reachable(pool, root)) {
      const Expr e = pool[id];
      if (!scalar::is_load(e.kind) || known_.contains(id)) continue;
      const std::int32_t place = places_[std::size_t(e.slot)];
      PARTITA_ASSERT(place >= 0);
      const ExprId at = replace(pool, e.operands[0], known_);
      known_[id] = e.kind == ExprKind::load
                       ? pool.load(place, e.dtype, at)
                       : pool.load_wide(place, e.dtype, at, scalar::wide_lane(e));
    }
    return replace(pool, root, known_);
  }

  Kernel& kernel_;
  const std::vector<bool>& is_removed_;
  std::vector<std::int32_t> places_;  ///< of each buffer, among those that stay
  std::unordered_map<ExprId, ExprId> known_;
};

}  // namespace

Kernel without_stores(const Kernel& kernel, const std::vector<bool>& is_removed) {
  Kernel fewer = kernel;
  drop_unreached(fewer);  // or what is made anew is found there, out of order
  StoreRemover(fewer, is_removed).run();
  if (kernel.plain != nullptr)
    fewer.plain = std::make_shared<Kernel>(without_stores(*kernel.plain, is_removed));
  return fewer;
}

}  // namespace partita::kernel
