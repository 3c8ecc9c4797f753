// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "partita/scalar/expr.hpp"

#include <algorithm>
#include <numeric>

#include "partita/base/error.hpp"
#include "partita/base/host_array.hpp"
#include "partita/scalar/elementwise.hpp"
#include "scalar/bounds.hpp"

namespace partita::scalar {
namespace {

using Bounds = ExprPool::Bounds;

std::uint64_t bits_of(std::span<const std::byte> element) {
  PARTITA_ASSERT(element.size() <= 8);
  std::uint64_t bits = 0;
  std::memcpy(&bits, element.data(), element.size());
  return bits;
}

std::size_t hash_of(const Expr& e) {
  std::size_t h = std::size_t(e.kind);
  const auto mix = [&](std::size_t x) { h = (h ^ x) * 0x9e3779b97f4a7c15u + (h >> 29); };
  mix(std::size_t(e.dtype));
  mix(std::size_t(e.source));
  mix(std::size_t(std::uint32_t(e.slot)));
  mix(std::size_t(e.bits));
  mix(std::hash<std::string_view>()(e.name));
  for (const ExprId x : e.operands) mix(std::size_t(x));
  return h;
}

}  // namespace

// --- Interning ----------------------------------------------------------------------------------

ExprId ExprPool::intern(Expr e) {
  const std::size_t hash = hash_of(e);
  const auto [first, last] = by_hash_.equal_range(hash);
  for (auto it = first; it != last; ++it)
    if ((*this)[it->second] == e) return it->second;
  const auto id = ExprId(size());
  bounds_.push_back(is_index(e.kind) ? find_bounds(e) : Bounds{-unbounded, unbounded});
  exprs_.push_back(std::move(e));
  by_hash_.emplace(hash, id);
  return id;
}

ExprId ExprPool::intern_index(ExprKind kind, std::initializer_list<ExprId> operands) {
  Expr e{.kind = kind, .operands = operands};
  const Bounds b = find_bounds(e);
  if (b.low == b.high && b.high < unbounded && b.low > -unbounded) return index(b.low);
  return intern(std::move(e));
}

// --- Elements -----------------------------------------------------------------------------------

ExprId ExprPool::constant(DType d, std::uint64_t bits) {
  if (info(d).bits < 8 && d != DType::i1) bits = stored_bits(d, bits);
  return intern({.kind = ExprKind::constant, .dtype = d, .bits = bits});
}

ExprId ExprPool::constant_of(DType d, double value) {
  HostArray scalar(Type::scalar(DType::f64));
  *scalar.data<DType::f64>() = value;
  return constant_of(d, partita::convert(scalar, d).bytes);
}

ExprId ExprPool::constant_of(DType d, std::span<const std::byte> element) {
  if (d == DType::c128)
    return apply(
        "complex", DType::f64,
        {constant_of(DType::f64, element.first(8)), constant_of(DType::f64, element.subspan(8))});
  return constant(d, bits_of(element));
}

ExprId ExprPool::apply(std::string_view row, DType d, std::span<const ExprId> operands) {
  const ElementwiseRow& r = elementwise_row(row);
  return intern({.kind = ExprKind::apply,
                 .dtype = result_dtype(r.signature, d),
                 .source = d,
                 .name = r.name,
                 .operands = {operands.begin(), operands.end()}});
}

ExprId ExprPool::convert(ExprId x, DType to) {
  const Expr e = (*this)[x];
  if (e.dtype == to) return x;
  if (e.kind == ExprKind::constant && to != DType::c128) {
    HostArray scalar(Type::scalar(e.dtype));
    std::memcpy(scalar.bytes.data(), &e.bits, scalar.bytes.size());
    return constant(to, bits_of(partita::convert(scalar, to).bytes));
  }
  return intern({.kind = ExprKind::convert, .dtype = to, .source = e.dtype, .operands = {x}});
}

ExprId ExprPool::bitcast(ExprId x, DType to) {
  const Expr e = (*this)[x];
  if (e.dtype == to) return x;
  if (e.kind == ExprKind::constant) return constant(to, e.bits);
  return intern({.kind = ExprKind::bitcast, .dtype = to, .source = e.dtype, .operands = {x}});
}

ExprId ExprPool::choose(ExprId condition, ExprId a, ExprId b) {
  const Expr& c = (*this)[condition];
  if (c.kind == ExprKind::constant) return c.bits != 0 ? a : b;
  if (a == b) return a;
  return intern(
      {.kind = ExprKind::choose, .dtype = (*this)[a].dtype, .operands = {condition, a, b}});
}

ExprId ExprPool::load(std::int32_t buffer, DType d, ExprId linear_index) {
  return intern({.kind = ExprKind::load, .dtype = d, .slot = buffer, .operands = {linear_index}});
}

ExprId ExprPool::load_wide(std::int32_t buffer, DType d, ExprId first, WideLane at) {
  return intern({.kind = ExprKind::load_wide,
                 .dtype = d,
                 .slot = buffer,
                 .bits = std::uint64_t(at.lane) | std::uint64_t(at.width) << 8,
                 .operands = {first}});
}

ExprId ExprPool::load_local(std::int32_t array, DType d, ExprId index) {
  return intern({.kind = ExprKind::load_local, .dtype = d, .slot = array, .operands = {index}});
}

ExprId ExprPool::reg(std::int32_t slot, DType d) {
  return intern({.kind = ExprKind::reg, .dtype = d, .slot = slot});
}

ExprId ExprPool::from_index(ExprId i, DType d) {
  if (is_index_constant(i) && d != DType::c128) {
    HostArray scalar(Type::scalar(DType::i64));
    *scalar.data<DType::i64>() = std::int64_t((*this)[i].bits);
    return constant(d, bits_of(partita::convert(scalar, d).bytes));
  }
  return intern({.kind = ExprKind::from_index, .dtype = d, .operands = {i}});
}

// --- Sums ---------------------------------------------------------------------------------------

ExprPool::Linear ExprPool::linear(ExprId id) const {
  const Expr& e = (*this)[id];
  switch (e.kind) {
    case ExprKind::index_constant:
      return {.terms = {}, .constant = std::int64_t(e.bits)};
    case ExprKind::index_add:
      return combine(linear(e.operands[0]), linear(e.operands[1]), 1);
    case ExprKind::index_sub:
      return combine(linear(e.operands[0]), linear(e.operands[1]), -1);
    case ExprKind::index_mul:
      if (is_index_constant(e.operands[1]))
        return combine({}, linear(e.operands[0]), std::int64_t((*this)[e.operands[1]].bits));
      [[fallthrough]];
    default:
      return {.terms = {{id, 1}}};
  }
}

ExprPool::Linear ExprPool::combine(const Linear& a, const Linear& b, std::int64_t scale) const {
  Linear out{.terms = {}, .constant = a.constant + scale * b.constant};
  auto x = a.terms.begin();
  auto y = b.terms.begin();
  while (x != a.terms.end() || y != b.terms.end()) {
    if (y == b.terms.end() || (x != a.terms.end() && x->first < y->first)) {
      out.terms.push_back(*x++);
    } else if (x == a.terms.end() || y->first < x->first) {
      out.terms.emplace_back(y->first, scale * y->second);
      ++y;
    } else {
      out.terms.emplace_back(x->first, x->second + scale * y->second);
      ++x, ++y;
    }
  }
  std::erase_if(out.terms, [](const auto& term) { return term.second == 0; });
  return out;
}

/// x/c * (c*k) + x%c * k -> x*k, once for each such pair.
ExprPool::Digit ExprPool::digit(ExprId id) const {
  Digit d{.base = id};
  if ((*this)[d.base].kind == ExprKind::index_mod) {
    const Expr& e = (*this)[d.base];
    d.extent = std::int64_t((*this)[e.operands[1]].bits);
    d.base = e.operands[0];
  }
  if ((*this)[d.base].kind == ExprKind::index_div) {
    const Expr& e = (*this)[d.base];
    d.divisor = std::int64_t((*this)[e.operands[1]].bits);
    d.base = e.operands[0];
  }
  return d;
}

/// Puts neighbouring digits of one number together: x/(s·e)%e2·(f·e) + x/s%e·f = x/s%(e·e2)·f, and
/// without a modulus where the higher digit has none.
void ExprPool::merge_quotients(Linear& s) {
  for (bool changed = true; changed;) {
    changed = false;
    for (const auto& [id, factor] : s.terms) {
      const Digit low = digit(id);
      if (low.extent == 0) continue;
      const auto higher =
          std::find_if(s.terms.begin(), s.terms.end(), [&, k = factor](const auto& t) {
            const Digit high = digit(t.first);
            return high.base == low.base && high.divisor == low.divisor * low.extent &&
                   t.second == k * low.extent;
          });
      if (higher == s.terms.end()) continue;
      const std::int64_t k = factor, top = digit(higher->first).extent;
      const ExprId part = id, above = higher->first;
      ExprId whole = div(low.base, low.divisor);
      if (top != 0) whole = mod(whole, low.extent * top);
      std::erase_if(s.terms, [&](const auto& t) { return t.first == part || t.first == above; });
      s = combine(s, linear(whole), k);
      changed = true;
      break;
    }
  }
}

/// The canonical expression of a sum: products by ascending expression, the constant last.
ExprId ExprPool::build(Linear s) {
  merge_quotients(s);
  const Bounds all = bounds(s);
  if (all.low == all.high && all.high < unbounded && all.low > -unbounded) return index(all.low);
  // Positive terms first, so that the rest is subtracted.
  std::stable_partition(s.terms.begin(), s.terms.end(), [](const auto& t) { return t.second > 0; });
  ExprId total = no_expr;
  for (const auto& [term, factor] : s.terms) {
    const std::int64_t size = total != no_expr && factor < 0 ? -factor : factor;
    const ExprId product =
        size == 1 ? term : intern({.kind = ExprKind::index_mul, .operands = {term, index(size)}});
    if (total == no_expr)
      total = product;
    else
      total = intern({.kind = factor < 0 ? ExprKind::index_sub : ExprKind::index_add,
                      .operands = {total, product}});
  }
  if (s.constant > 0)
    return intern({.kind = ExprKind::index_add, .operands = {total, index(s.constant)}});
  if (s.constant < 0)
    return intern({.kind = ExprKind::index_sub, .operands = {total, index(-s.constant)}});
  return total;
}

// --- Indices ------------------------------------------------------------------------------------

ExprId ExprPool::index(std::int64_t value) {
  return intern({.kind = ExprKind::index_constant, .bits = std::uint64_t(value)});
}

ExprId ExprPool::variable(std::int32_t slot) {
  if (extent(slot) == 1) return index(0);
  return intern({.kind = ExprKind::index_variable, .slot = slot});
}

ExprId ExprPool::scalar(std::int32_t slot) {
  return intern({.kind = ExprKind::index_scalar, .slot = slot});
}

ExprId ExprPool::to_index(ExprId element) {
  const Expr& e = (*this)[element];
  if (e.kind == ExprKind::constant) return index(integer_value(e));
  if (e.kind == ExprKind::from_index) {
    const Bounds b = bounds(e.operands[0]), limits = dtype_bounds(e.dtype);
    if (b.low >= limits.low && b.high <= limits.high) return e.operands[0];
  }
  return intern_index(ExprKind::to_index, {element});
}

ExprId ExprPool::to_index_within(ExprId element, std::int64_t low, std::int64_t high) {
  const Expr e = (*this)[element];
  if (e.kind != ExprKind::constant && e.kind != ExprKind::from_index) {
    // Clamped as an element first: an i64 need not fit into the kernel's index type.
    const bool is_signed = intersects(info(e.dtype).kind, Kinds::signed_);
    const int value_bits = info(e.dtype).bits - (is_signed ? 1 : 0);
    const auto fits = [&](std::int64_t bound) {
      return value_bits >= 63 || bound < (std::int64_t(1) << value_bits);
    };
    const auto limit = [&](std::string_view row, std::int64_t bound) {
      element = apply(row, e.dtype, {element, from_index(index(bound), e.dtype)});
    };
    if (is_signed && fits(-low)) limit("maximum", low);
    if (fits(high)) limit("minimum", high);
  }
  return clamp(to_index(element), low, high);
}

ExprId ExprPool::add(ExprId a, ExprId b) { return build(combine(linear(a), linear(b), 1)); }
ExprId ExprPool::sub(ExprId a, ExprId b) { return build(combine(linear(a), linear(b), -1)); }

ExprId ExprPool::mul(ExprId a, ExprId b) {
  if (is_index_constant(a)) std::swap(a, b);
  if (is_index_constant(b)) return build(combine({}, linear(a), std::int64_t((*this)[b].bits)));
  return intern_index(ExprKind::index_mul, {std::min(a, b), std::max(a, b)});
}

ExprId ExprPool::div(ExprId a, std::int64_t b) {
  return divide_or_modulo(ExprKind::index_div, a, b);
}
ExprId ExprPool::mod(ExprId a, std::int64_t b) {
  return divide_or_modulo(ExprKind::index_mod, a, b);
}

/// With a = b*q + r by terms and 0 <= r: a/b = q + r/b and a%b = r%b; then common factors.
ExprId ExprPool::divide_or_modulo(ExprKind kind, ExprId a, std::int64_t b) {
  PARTITA_ASSERT(b > 0);
  const bool divides = kind == ExprKind::index_div;
  if (b == 1) return divides ? a : index(0);
  const Linear whole = linear(a);
  Linear quotient, rest;
  for (const auto& [term, factor] : whole.terms) {
    if (factor % b == 0)
      quotient.terms.emplace_back(term, factor / b);
    else
      rest.terms.emplace_back(term, factor);
  }
  rest.constant = (whole.constant % b + b) % b;
  quotient.constant = (whole.constant - rest.constant) / b;
  if (bounds(rest).low < 0) {  // cannot be split: floor and truncation may differ
    quotient = {};
    rest = whole;
  }
  const Bounds range = bounds(rest);
  if (range.low >= 0 && range.high < b) return divides ? build(quotient) : build(rest);

  // rest = g*t + r with 0 <= r < g and g dividing b: rest/b = t/(b/g), rest%b = g*(t%(b/g)) + r.
  for (const auto& [term, factor] : rest.terms) {
    const std::int64_t g = std::gcd(factor, b);
    if (g == 1) continue;
    Linear outer, inner;
    for (const auto& [x, c] : rest.terms)
      (c % g == 0 ? outer : inner).terms.emplace_back(x, c % g == 0 ? c / g : c);
    inner.constant = (rest.constant % g + g) % g;
    outer.constant = (rest.constant - inner.constant) / g;
    const Bounds small = bounds(inner);
    if (small.low < 0 || small.high >= g || bounds(outer).low < 0) continue;
    const ExprId part = divide_or_modulo(kind, build(outer), b / g);
    if (divides) return build(combine(quotient, linear(part), 1));
    return build(combine(inner, linear(part), g));
  }

  const ExprId x = build(rest);
  const Expr& e = (*this)[x];
  if (e.kind == ExprKind::index_div && divides) {
    const std::int64_t c = std::int64_t((*this)[e.operands[1]].bits);
    if (c <= unbounded / b) return build(combine(quotient, linear(div(e.operands[0], c * b)), 1));
  }
  if (e.kind == ExprKind::index_mod && !divides) {
    const std::int64_t c = std::int64_t((*this)[e.operands[1]].bits);
    if (c % b == 0) return mod(e.operands[0], b);
  }
  const ExprId part = intern_index(kind, {x, index(b)});
  return divides ? build(combine(quotient, linear(part), 1)) : part;
}

ExprId ExprPool::min(ExprId a, ExprId b) {
  const Bounds d = bounds(combine(linear(a), linear(b), -1));
  if (d.high <= 0) return a;
  if (d.low >= 0) return b;
  return intern_index(ExprKind::index_min, {a, b});
}

ExprId ExprPool::max(ExprId a, ExprId b) {
  const Bounds d = bounds(combine(linear(a), linear(b), -1));
  if (d.low >= 0) return a;
  if (d.high <= 0) return b;
  return intern_index(ExprKind::index_max, {a, b});
}

ExprId ExprPool::clamp(ExprId x, std::int64_t low, std::int64_t high) {
  return min(max(x, index(low)), index(high));
}

ExprId ExprPool::less(ExprId a, ExprId b) {
  const Bounds d = bounds(combine(linear(a), linear(b), -1));
  if (d.high < 0) return boolean(true);
  if (d.low >= 0) return boolean(false);
  return intern({.kind = ExprKind::index_less, .dtype = DType::i1, .operands = {a, b}});
}

ExprId ExprPool::less_equal(ExprId a, ExprId b) {
  const Bounds d = bounds(combine(linear(a), linear(b), -1));
  if (d.high <= 0) return boolean(true);
  if (d.low > 0) return boolean(false);
  return intern({.kind = ExprKind::index_less_equal, .dtype = DType::i1, .operands = {a, b}});
}

ExprId ExprPool::equal(ExprId a, ExprId b) {
  const Bounds d = bounds(combine(linear(a), linear(b), -1));
  if (d.low == 0 && d.high == 0) return boolean(true);
  if (d.low > 0 || d.high < 0) return boolean(false);
  return intern({.kind = ExprKind::index_equal, .dtype = DType::i1, .operands = {a, b}});
}

ExprId ExprPool::logical_and(ExprId a, ExprId b) {
  const Expr &x = (*this)[a], &y = (*this)[b];
  if (x.kind == ExprKind::constant) return x.bits != 0 ? b : a;
  if (y.kind == ExprKind::constant) return y.bits != 0 ? a : b;
  if (a == b) return a;
  return apply("and_", DType::i1, {a, b});
}

// --- Multi-indices ------------------------------------------------------------------------------

ExprId linear_index(ExprPool& pool, std::span<const ExprId> index, const Dims& dims) {
  PARTITA_ASSERT(index.size() == dims.size());
  const Dims strides = row_major_strides(dims);
  ExprId total = pool.index(0);
  for (std::size_t d = 0; d < dims.size(); ++d)
    if (dims[d] != 1) total = pool.add(total, pool.mul(index[d], strides[d]));
  return total;
}

std::vector<ExprId> delinearize(ExprPool& pool, ExprId linear, const Dims& dims) {
  const Dims strides = row_major_strides(dims);
  std::vector<ExprId> index(dims.size());
  bool outermost = true;
  for (std::size_t d = 0; d < dims.size(); ++d) {
    if (dims[d] <= 1) {
      index[d] = pool.index(0);
      continue;
    }
    const ExprId rest = strides[d] > 0 ? pool.div(linear, strides[d]) : linear;
    index[d] = outermost ? rest : pool.mod(rest, dims[d]);
    outermost = false;
  }
  return index;
}

}  // namespace partita::scalar
