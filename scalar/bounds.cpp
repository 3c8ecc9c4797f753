// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "scalar/bounds.hpp"

#include <algorithm>

#include "partita/base/error.hpp"

namespace partita::scalar {
namespace {

using Bounds = ExprPool::Bounds;
constexpr std::int64_t unbounded = ExprPool::unbounded;

__extension__ using Wide = __int128;

std::int64_t saturate(Wide x) {
  return x > unbounded ? unbounded : x < -unbounded ? -unbounded : std::int64_t(x);
}

Bounds scaled(Bounds b, std::int64_t factor) {
  const std::int64_t x = saturate(Wide(b.low) * factor), y = saturate(Wide(b.high) * factor);
  return {std::min(x, y), std::max(x, y)};
}

Bounds sum(Bounds a, Bounds b) {
  // An unbounded side stays unbounded, whatever finite value is added.
  const auto end = [](std::int64_t x, std::int64_t y) {
    if (x <= -unbounded || y <= -unbounded) return -unbounded;
    if (x >= unbounded || y >= unbounded) return unbounded;
    return saturate(Wide(x) + y);
  };
  return {end(a.low, b.low), end(a.high, b.high)};
}

Bounds unite(Bounds a, Bounds b) { return {std::min(a.low, b.low), std::max(a.high, b.high)}; }

}  // namespace

bool is_index(ExprKind kind) {
  return kind >= ExprKind::index_constant && kind < ExprKind::index_less;
}

Bounds dtype_bounds(DType d) {
  const DTypeInfo& i = info(d);
  if (i.kind == Kinds::boolean) return {0, 1};
  if (i.kind == Kinds::unsigned_)
    return {0, i.bits > 62 ? unbounded : (std::int64_t(1) << i.bits) - 1};
  if (i.bits > 62) return {-unbounded, unbounded};
  return {-(std::int64_t(1) << (i.bits - 1)), (std::int64_t(1) << (i.bits - 1)) - 1};
}

std::int64_t integer_value(const Expr& e) {
  return visit(e.dtype, [&](auto d) -> std::int64_t {
    using T = StorageType<d>;
    if constexpr (std::is_integral_v<T>)
      return std::int64_t(T(e.bits));
    else
      throw_internal_error("expected an integer constant expression");
  });
}

void ExprPool::set_extent(std::int32_t slot, std::int64_t extent) { extents_[slot] = extent; }

std::int64_t ExprPool::extent(std::int32_t slot) const {
  const auto it = extents_.find(slot);
  return it == extents_.end() ? unbounded : it->second;
}

void ExprPool::set_scalar_bounds(std::int32_t slot, std::int64_t low, std::int64_t high) {
  scalar_bounds_[slot] = {std::max(low, -unbounded), std::min(high, unbounded)};
}

void ExprPool::declare_as(const ExprPool& other) {
  for (const auto& [slot, extent] : other.extents_)
    if (slot > 0) extents_[slot] = extent;
  for (const auto& [slot, bounds] : other.scalar_bounds_) scalar_bounds_[slot] = bounds;
}

Bounds ExprPool::scalar_bounds(std::int32_t slot) const {
  const auto it = scalar_bounds_.find(slot);
  return it == scalar_bounds_.end() ? Bounds{-unbounded, unbounded} : it->second;
}

Bounds ExprPool::bounds(ExprId id) const {
  const Expr& e = (*this)[id];
  // Declarations may have come after the leaf was made.
  if (e.kind == ExprKind::index_variable || e.kind == ExprKind::index_scalar) return find_bounds(e);
  return is_index(e.kind) ? bounds_[std::size_t(id)] : element_bounds(id);
}

Bounds ExprPool::element_bounds(ExprId id) const {
  const Expr& e = (*this)[id];
  const Bounds limits = dtype_bounds(e.dtype);
  const auto operand = [&](std::size_t k) { return element_bounds(e.operands[k]); };
  switch (e.kind) {
    case ExprKind::constant:
      if (intersects(info(e.dtype).kind, Kinds::bits)) return {integer_value(e), integer_value(e)};
      return limits;
    case ExprKind::from_index: {
      const Bounds b = bounds(e.operands[0]);
      return b.low >= limits.low && b.high <= limits.high ? b : limits;
    }
    case ExprKind::choose:
      return unite(operand(1), operand(2));
    case ExprKind::apply:
      if (!is_integer(e.dtype)) return limits;
      if (e.name == "maximum")
        return {std::max(operand(0).low, operand(1).low),
                std::max(operand(0).high, operand(1).high)};
      if (e.name == "minimum")
        return {std::min(operand(0).low, operand(1).low),
                std::min(operand(0).high, operand(1).high)};
      return limits;
    default:
      return limits;
  }
}

Bounds ExprPool::find_bounds(const Expr& e) const {
  const auto operand = [&](std::size_t k) { return bounds(e.operands[k]); };
  const auto value = [&](std::size_t k) { return std::int64_t((*this)[e.operands[k]].bits); };
  switch (e.kind) {
    case ExprKind::index_constant:
      return {std::int64_t(e.bits), std::int64_t(e.bits)};
    case ExprKind::index_variable: {
      const std::int64_t count = extent(e.slot);
      return {0, count == unbounded ? unbounded : std::max<std::int64_t>(count - 1, 0)};
    }
    case ExprKind::index_scalar:
      return scalar_bounds(e.slot);
    case ExprKind::to_index:
      return element_bounds(e.operands[0]);
    case ExprKind::index_add:
      return sum(operand(0), operand(1));
    case ExprKind::index_sub:
      return sum(operand(0), scaled(operand(1), -1));
    case ExprKind::index_mul: {
      const Bounds a = operand(0), b = operand(1);
      return unite(scaled(a, b.low), scaled(a, b.high));
    }
    case ExprKind::index_div: {
      const Bounds a = operand(0);
      const std::int64_t high = a.high >= unbounded ? unbounded : a.high / value(1);
      return {std::max<std::int64_t>(a.low, 0) / value(1), std::max<std::int64_t>(high, 0)};
    }
    case ExprKind::index_mod:
      return {0, std::clamp<std::int64_t>(operand(0).high, 0, value(1) - 1)};
    case ExprKind::index_min:
      return {std::min(operand(0).low, operand(1).low), std::min(operand(0).high, operand(1).high)};
    case ExprKind::index_max:
      return {std::max(operand(0).low, operand(1).low), std::max(operand(0).high, operand(1).high)};
    default:
      throw_internal_error("bounds of an expression that is not an index");
  }
}

Bounds ExprPool::bounds(const Linear& s) const {
  Bounds all{s.constant, s.constant};
  for (const auto& [term, factor] : s.terms) all = sum(all, scaled(bounds(term), factor));
  return all;
}

}  // namespace partita::scalar
