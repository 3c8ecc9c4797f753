// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "kernel/ast/neighbours.hpp"

#include <algorithm>
#include <bit>
#include <set>
#include <unordered_map>

#include "kernel/ast/expressions.hpp"

namespace partita::kernel {
namespace {

using scalar::Expr;
using scalar::ExprId;
using scalar::ExprKind;
using scalar::ExprPool;

bool fits(DType d, std::size_t width) {
  return !is_complex(d) && width * byte_size(d) <= widest_access;
}

/// The expression with the number out of quotients, remainders and tests: neighbours that begin at a multiple of their
/// number are in one row where that is as long as a multiple of it, and on one side of a border that is at one.
class Separation {
 public:
  Separation(ExprPool& pool, ExprId number, int width)
      : pool_(pool), number_(number), width_(width) {}

  ExprId of(ExprId id) {
    if (const auto it = known_.find(id); it != known_.end()) return it->second;
    const Expr e = pool_[id];  // the pool grows
    std::unordered_map<ExprId, ExprId> operands;
    for (const ExprId x : e.operands) operands.emplace(x, of(x));
    ExprId result = replace(pool_, id, operands);
    const Expr made = pool_[result];
    if (made.kind == ExprKind::index_div || made.kind == ExprKind::index_mod)
      result = split(result, made);
    if (made.kind == ExprKind::index_less || made.kind == ExprKind::index_less_equal)
      result = decide(result, made);
    return known_[id] = result;
  }

 private:
  ExprId split(ExprId id, const Expr& e) {
    const ExprId from = e.operands[0];
    const auto divisor = std::int64_t(pool_[e.operands[1]].bits);
    const bool is_quotient = e.kind == ExprKind::index_div;
    if (divisor % width_ != 0 || index_stride(pool_, from, pool_[number_].slot) != 1) return id;
    std::unordered_map<ExprId, ExprId> known{{number_, pool_.index(0)}};
    const ExprId first = replace(pool_, from, known);
    if (known_divisor(pool_, first) % width_ != 0 || pool_.bounds(first).low < 0) return id;
    return is_quotient ? pool_.div(first, divisor) : pool_.add(pool_.mod(first, divisor), number_);
  }

  /// `first` + number < border, or border <= first + number, as the first one answers it.
  ExprId decide(ExprId id, const Expr& e) {
    const bool is_less = e.kind == ExprKind::index_less;
    const ExprId from = e.operands[is_less ? 0 : 1], border = e.operands[is_less ? 1 : 0];
    if (index_stride(pool_, from, pool_[number_].slot) != 1 ||
        index_stride(pool_, border, pool_[number_].slot) != 0)
      return id;
    std::unordered_map<ExprId, ExprId> known{{number_, pool_.index(0)}};
    const ExprId first = replace(pool_, from, known);
    if (known_divisor(pool_, first) % width_ != 0 || known_divisor(pool_, border) % width_ != 0)
      return id;
    return is_less ? pool_.less(first, border) : pool_.less_equal(border, first);
  }

  ExprPool& pool_;
  ExprId number_;
  int width_;
  std::unordered_map<ExprId, ExprId> known_;
};

/// The loads of an expression that move with `number`.
std::vector<ExprId> moving_loads(const ExprPool& pool, ExprId id, ExprId number) {
  std::vector<ExprId> found;
  for (const ExprId x : reachable(pool, id))
    if (pool[x].kind == ExprKind::load &&
        depends_on(pool, x, ExprKind::index_variable, pool[number].slot))
      found.push_back(x);
  return found;
}

/// What is evaluated for all neighbours where it is for one.
std::set<ExprId> evaluated_for_all(const ExprPool& pool, ExprId any, ExprId number) {
  return evaluated(pool, any, [&](ExprId condition) {
    return !depends_on(pool, condition, ExprKind::index_variable, pool[number].slot);
  });
}

/// The index of the first neighbour, where neighbours can be read as one.
std::optional<ExprId> first_of_wide(ExprPool& pool, ExprId load, ExprId number, int width,
                                    const std::set<ExprId>& certain, const IsAligned& is_aligned) {
  const Expr e = pool[load];
  if (!certain.contains(load) || !fits(e.dtype, std::size_t(width)) ||
      index_stride(pool, e.operands[0], pool[number].slot) != 1 || !is_aligned(e.slot, width))
    return std::nullopt;
  std::unordered_map<ExprId, ExprId> known{{number, pool.index(0)}};
  const ExprId first = replace(pool, e.operands[0], known);
  if (known_divisor(pool, first) % width != 0) return std::nullopt;
  return first;
}

void note(Kernel& kernel, std::int32_t buffer, std::size_t width) {
  std::int64_t& held = kernel.buffers[std::size_t(buffer)].alignment;
  held = std::max(held, std::int64_t(width));
}

void note_stores(Kernel& kernel, const Block& stmts) {
  for (const Stmt& s : stmts) {
    if (const StoreWide* store = as<StoreWide>(s); store != nullptr && !store->is_local)
      note(kernel, store->buffer, store->values.size());
    note_stores(kernel, body_of(s));
  }
}

}  // namespace

std::vector<ExprId> neighbours(ExprPool& pool, ExprId any, ExprId number, int width,
                               const IsAligned& is_aligned,
                               std::span<const GivenNeighbours> given) {
  if (width > 1) any = Separation(pool, number, width).of(any);
  std::vector<std::pair<ExprId, ExprId>> wide;
  const std::set<ExprId> certain = evaluated_for_all(pool, any, number);
  for (const ExprId load : width == 1 ? std::vector<ExprId>{} : moving_loads(pool, any, number))
    if (const auto first = first_of_wide(pool, load, number, width, certain, is_aligned))
      wide.emplace_back(load, *first);
  std::vector<ExprId> found;
  for (int k = 0; k < width; ++k) {
    std::unordered_map<ExprId, ExprId> known{{number, pool.index(k)}};
    for (const auto& [what, values] : given) known.emplace(what, values[std::size_t(k)]);
    for (const auto& [load, first] : wide) {
      const Expr e = pool[load];
      known.emplace(load, pool.load_wide(e.slot, e.dtype, first, {.lane = k, .width = width}));
    }
    found.push_back(replace(pool, any, known));
  }
  return found;
}

bool reads_as_one(ExprPool& pool, ExprId any, ExprId number, int width,
                  const IsAligned& is_aligned) {
  any = Separation(pool, number, width).of(any);
  const std::set<ExprId> certain = evaluated_for_all(pool, any, number);
  const std::vector<ExprId> loads = moving_loads(pool, any, number);
  return !loads.empty() && std::ranges::all_of(loads, [&](ExprId load) {
    return first_of_wide(pool, load, number, width, certain, is_aligned).has_value();
  });
}

bool moves_by_one(ExprPool& pool, ExprId any, ExprId number, int width) {
  const std::vector<ExprId> loads =
      moving_loads(pool, Separation(pool, number, width).of(any), number);
  return !loads.empty() && std::ranges::all_of(loads, [&](ExprId load) {
    return index_stride(pool, pool[load].operands[0], pool[number].slot) == 1;
  });
}

std::size_t store_width(ExprPool& pool, std::int32_t buffer, DType d,
                        std::span<const ExprId> indices, const IsAligned& is_aligned) {
  for (std::size_t width = std::bit_floor(indices.size()); width > 1; width /= 2) {
    if (!fits(d, width) || !is_aligned(buffer, std::int64_t(width)) ||
        known_divisor(pool, indices[0]) % std::int64_t(width) != 0)
      continue;
    bool is_one = true;
    for (std::size_t k = 1; k < width; ++k)
      is_one &= pool.sub(indices[k], indices[0]) == pool.index(std::int64_t(k));
    if (is_one) return width;
  }
  return 1;
}

void note_alignments(Kernel& kernel) {
  for (const ExprId id : reachable(kernel.pool, kernel.body))
    if (const Expr& e = kernel.pool[id]; e.kind == ExprKind::load_wide)
      note(kernel, e.slot, std::size_t(wide_lane(e).width));
  note_stores(kernel, kernel.body);
  if (kernel.plain == nullptr) return;
  for (std::size_t b = 0; b < kernel.buffers.size(); ++b) {
    std::int64_t& held = kernel.buffers[b].alignment;
    held = std::max(held, kernel.plain->buffers[b].alignment);
  }
}

}  // namespace partita::kernel
