// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "kernel/analysis/apart.hpp"

#include <algorithm>
#include <numeric>

#include "kernel/ast/expressions.hpp"

namespace partita::kernel {
namespace {

using scalar::Expr;
using scalar::ExprId;
using scalar::ExprKind;
using scalar::ExprPool;
using Bounds = ExprPool::Bounds;

/// Wide enough for sums of products of coefficients and bounds.
__extension__ using Wide = __int128;

Wide quotient_down(Wide a, Wide b) { return a / b - (a % b < 0 ? 1 : 0); }

void narrow(IndexFacts& facts, ExprId id, Bounds to) {
  const auto [it, is_new] = facts.emplace(id, to);
  if (is_new) return;
  it->second = {std::max(it->second.low, to.low), std::min(it->second.high, to.high)};
}

}  // namespace

void add_facts(const ExprPool& pool, ExprId condition, IndexFacts& facts) {
  const Expr& e = pool[condition];
  if (e.kind == ExprKind::apply && e.name == "and_") {
    for (const ExprId x : e.operands) add_facts(pool, x, facts);
    return;
  }
  if (e.kind != ExprKind::index_less && e.kind != ExprKind::index_less_equal) return;
  const std::int64_t gap = e.kind == ExprKind::index_less ? 1 : 0;
  const ExprId a = e.operands[0], b = e.operands[1];
  const Bounds of_a = pool.bounds(a), of_b = pool.bounds(b);
  narrow(facts, a, {of_a.low, std::min(of_a.high, of_b.high - gap)});
  narrow(facts, b, {std::max(of_b.low, of_a.low + gap), of_b.high});
}

/// constant + sum of coefficient * expression, none of which is a sum or a product with a number.
struct ItemIndices::Sum {
  std::map<ExprId, std::int64_t> terms;
  std::int64_t constant = 0;
  bool is_exact = true;  ///< no coefficient has overflown

  [[nodiscard]] std::int64_t coefficient(ExprId id) const {
    const auto it = terms.find(id);
    return it == terms.end() ? 0 : it->second;
  }
};

/// A multiple of a number in [low, high].
struct ItemIndices::Term {
  std::int64_t coefficient = 0;
  Wide low = 0, high = 0;
  ExprId digit = scalar::no_expr;  ///< the number is how far this digit of two items differs
};

void ItemIndices::add(ExprId id, std::int64_t scale, Sum& to) const {
  const Expr& e = pool_[id];
  const auto scaled = [&](std::int64_t factor) {
    std::int64_t product = 0;
    to.is_exact = to.is_exact && !__builtin_mul_overflow(scale, factor, &product);
    return product;
  };
  if (e.kind == ExprKind::index_add || e.kind == ExprKind::index_sub) {
    add(e.operands[0], scale, to);
    return add(e.operands[1], scaled(e.kind == ExprKind::index_add ? 1 : -1), to);
  }
  if (e.kind == ExprKind::index_constant) {
    const std::int64_t value = scaled(std::int64_t(e.bits));
    to.is_exact = to.is_exact && !__builtin_add_overflow(to.constant, value, &to.constant);
    return;
  }
  if (e.kind == ExprKind::index_mul)
    for (const std::size_t k : {0, 1})
      if (const ExprId factor = e.operands[k]; pool_.is_index_constant(factor))
        return add(e.operands[1 - k], scaled(std::int64_t(pool_[factor].bits)), to);
  std::int64_t& coefficient = to.terms[id];
  to.is_exact = to.is_exact && !__builtin_add_overflow(coefficient, scale, &coefficient);
}

/// Takes a sum of which something is known for one number, where all of it occurs.
void ItemIndices::use_fact(ExprId fact, Sum& sum) const {
  Sum known;
  add(fact, 1, known);
  if (known.terms.size() < 2 || !known.is_exact) return;
  const auto& [first, unit] = *known.terms.begin();
  const std::int64_t times = unit == 0 ? 0 : sum.coefficient(first) / unit;
  if (times == 0) return;
  const bool is_multiple = std::ranges::all_of(known.terms, [&](const auto& term) {
    return Wide(sum.coefficient(term.first)) == Wide(times) * term.second;
  });
  std::int64_t constant = 0, rest = 0;
  if (!is_multiple || __builtin_mul_overflow(known.constant, times, &constant) ||
      __builtin_sub_overflow(sum.constant, constant, &rest))
    return;
  sum.constant = rest;
  for (const auto& term : known.terms) sum.terms.erase(term.first);
  sum.terms[fact] += times;
}

ItemIndices::Sum ItemIndices::sum_of(const Place& place) const {
  Sum sum;
  add(place.index, 1, sum);
  for (const auto& fact : *place.facts) use_fact(fact.first, sum);
  return sum;
}

Bounds ItemIndices::bounds(ExprId id, const Place& at) const {
  const auto it = at.facts->find(id);
  return it == at.facts->end() ? pool_.bounds(id) : it->second;
}

bool ItemIndices::find_digit(ExprId id, Digit& digit) const {
  const Expr& e = pool_[id];
  if (e.kind == ExprKind::index_variable && items_.contains(e.slot)) {
    digit = {.variable = e.slot};
    return true;
  }
  const bool divides = e.kind == ExprKind::index_div;
  if (!divides && e.kind != ExprKind::index_mod) return false;
  if (!pool_.is_index_constant(e.operands[1]) || !find_digit(e.operands[0], digit)) return false;
  const auto by = std::int64_t(pool_[e.operands[1]].bits);
  if (by <= 0 || (digit.extent > 0 && digit.extent % by != 0)) return false;
  if (!divides) {
    digit.extent = by;
    return true;
  }
  if (digit.extent > 0) digit.extent /= by;
  return !__builtin_mul_overflow(digit.divisor, by, &digit.divisor);
}

/// Whether all items see the same number at all times.
bool ItemIndices::is_shared(ExprId id) const {
  return std::ranges::all_of(reachable(pool_, id), [&](ExprId x) {
    const ExprKind kind = pool_[x].kind;
    return kind != ExprKind::index_variable && kind != ExprKind::load && kind != ExprKind::reg;
  });
}

/// What x at a is of one item less y at b of another, but for the constant: digits by how far they
/// differ, which is 0 for all of them only if the items are one; the rest by all that it may be.
std::vector<ItemIndices::Term> ItemIndices::difference(const Place& a, const Sum& x, const Place& b,
                                                       const Sum& y) const {
  std::vector<Term> terms;
  const auto free = [&](ExprId id, std::int64_t coefficient, const Place& at) {
    const Bounds range = bounds(id, at);
    if (coefficient != 0) terms.push_back({coefficient, range.low, range.high});
  };
  std::set<ExprId> ids;
  for (const Sum* s : {&x, &y})
    for (const auto& term : s->terms) ids.insert(term.first);
  for (const ExprId id : ids) {
    const std::int64_t in_x = x.coefficient(id), in_y = y.coefficient(id);
    if (Digit digit; in_x == in_y && find_digit(id, digit)) {
      const Bounds p = bounds(id, a), q = bounds(id, b);
      if (in_x != 0) terms.push_back({in_x, Wide(p.low) - q.high, Wide(p.high) - q.low, id});
    } else if (is_shared(id)) {
      free(id, in_x - in_y, a);
    } else {
      free(id, in_x, a);
      free(id, -in_y, b);
    }
  }
  return terms;
}

std::int64_t ItemIndices::extent(std::int32_t variable, const Place& at) const {
  std::int64_t items = pool_.extent(variable);
  for (const auto& [id, range] : *at.facts)
    if (const Expr& e = pool_[id]; e.kind == ExprKind::index_variable && e.slot == variable)
      items = std::min(items, range.high + 1);
  return items;
}

/// Digits that conditions leave a single value, the same at both places.
std::set<ExprId> ItemIndices::pinned(const Place& a, const Place& b) const {
  std::set<ExprId> digits;
  for (const auto& [id, range] : *a.facts) {
    const auto it = b.facts->find(id);
    Digit digit;
    if (it != b.facts->end() && range.low == range.high && it->second.low == range.low &&
        it->second.high == range.high && find_digit(id, digit))
      digits.insert(id);
  }
  return digits;
}

/// Whether a variable below `items` has one value where these digits do.
bool ItemIndices::determine(std::int32_t variable, std::int64_t items,
                            const std::set<ExprId>& digits) const {
  std::map<std::int64_t, std::int64_t> extents;  // by divisor; 0: all that is left
  for (const ExprId id : digits) {
    Digit d;
    if (!find_digit(id, d) || d.variable != variable) continue;
    const auto [it, is_new] = extents.emplace(d.divisor, d.extent);
    if (!is_new) it->second = d.extent == 0 || it->second == 0 ? 0 : std::max(it->second, d.extent);
  }
  for (std::int64_t covered = 1; covered < items;) {
    const auto it = extents.find(covered);
    if (it == extents.end() || it->second == 1) return false;
    if (it->second == 0 || it->second > items / covered) return true;
    covered *= it->second;
  }
  return true;
}

// Suppose that the difference of the indices is 0.  Terms whose sum can be only one multiple of what
// divides all larger ones have that sum; what is left has the rest.  That splits the terms into groups,
// and a digit that is alone in its group is known.
bool ItemIndices::are_apart(const Place& a, const Place& b) const {
  const Sum x = sum_of(a), y = sum_of(b);
  if (!x.is_exact || !y.is_exact) return false;
  std::vector<Term> terms = difference(a, x, b, y);
  const auto size = [](const Term& t) { return std::abs(t.coefficient); };
  std::ranges::stable_sort(terms, {}, size);
  std::vector<std::int64_t> divisors(terms.size() + 1);  // of all terms from here on
  for (std::size_t k = terms.size(); k-- > 0;)
    divisors[k] = std::gcd(divisors[k + 1], size(terms[k]));

  std::set<ExprId> equal = pinned(a, b);
  Wide constant = Wide(x.constant) - y.constant, low = constant, high = constant;
  if (terms.empty() && constant != 0) return true;
  std::size_t begin = 0;
  std::int64_t unit = 0;  // what all terms of the group are multiples of
  for (std::size_t k = 0; k < terms.size(); ++k) {
    const Term& t = terms[k];
    const Wide first = t.coefficient * t.low, last = t.coefficient * t.high;
    unit = std::gcd(unit, size(t));
    low += std::min(first, last);
    high += std::max(first, last);
    const Wide next = divisors[k + 1];  // 0 after the last term
    const Wide sum = next == 0 ? 0 : quotient_down(high, next) * next;
    if (sum < low || sum > high) return true;
    if (next != 0 && sum - next >= low) continue;
    if ((sum - constant) % unit != 0) return true;
    if (begin == k && t.digit != scalar::no_expr && sum == constant) equal.insert(t.digit);
    begin = k + 1;
    constant = low = high = sum;
    unit = 0;
  }
  return std::ranges::all_of(items_, [&](std::int32_t variable) {
    return determine(variable, std::max(extent(variable, a), extent(variable, b)), equal);
  });
}

}  // namespace partita::kernel
