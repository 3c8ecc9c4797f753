// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "partita/artifact/host_expr.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "partita/base/error.hpp"

namespace partita {

namespace {

using Kind = HostExpr::Kind;

[[noreturn]] void fail(const char* what) { throw_internal_error(cat("plan arithmetic: ", what)); }

std::int64_t apply(Kind kind, std::int64_t a, std::int64_t b) {
  std::int64_t result = 0;
  switch (kind) {
    case Kind::add:
      if (__builtin_add_overflow(a, b, &result)) fail("a sum beyond 64 bits");
      return result;
    case Kind::sub:
      if (__builtin_sub_overflow(a, b, &result)) fail("a difference beyond 64 bits");
      return result;
    case Kind::mul:
      if (__builtin_mul_overflow(a, b, &result)) fail("a product beyond 64 bits");
      return result;
    case Kind::div:
    case Kind::mod:
      if (b == 0) fail("a division by 0");
      if (b == -1) {  // the one quotient that may not fit
        if (kind == Kind::div && __builtin_sub_overflow(std::int64_t(0), a, &result))
          fail("a quotient beyond 64 bits");
        return result;
      }
      return kind == Kind::div ? a / b : a % b;
    case Kind::min:
      return a < b ? a : b;
    case Kind::max:
      return a > b ? a : b;
    case Kind::constant:
    case Kind::variable:
      break;
  }
  fail("a leaf with operands");
}

// Whether `e` is the neutral element on the right of `kind`.
bool is_neutral(Kind kind, const HostExpr& e) {
  if (!e.is_constant()) return false;
  if (kind == Kind::add || kind == Kind::sub) return e.value() == 0;
  return (kind == Kind::mul || kind == Kind::div) && e.value() == 1;
}

bool is_zero(const HostExpr& e) { return e.is_constant() && e.value() == 0; }

}  // namespace

std::int64_t known_divisor(const HostExpr& e) {
  const auto of = [&](std::size_t k) { return known_divisor(e.operands()[k]); };
  switch (e.kind()) {
    case Kind::constant:
      return std::gcd(e.value(), std::int64_t(0));
    case Kind::mul: {
      std::int64_t product = 0;
      const std::int64_t a = of(0), b = of(1);
      return __builtin_mul_overflow(a, b, &product) ? std::max(a, b) : product;
    }
    case Kind::add:
    case Kind::sub:
    case Kind::min:
    case Kind::max:
    case Kind::mod:
      return std::gcd(of(0), of(1));
    case Kind::variable:
    case Kind::div:
      break;
  }
  return 1;
}

HostExpr HostExpr::variable(int index) {
  HostExpr e(index);
  e.kind_ = Kind::variable;
  return e;
}

HostExpr HostExpr::binary(Kind kind, HostExpr a, HostExpr b) {
  if (a.is_constant() && b.is_constant()) return apply(kind, a.value(), b.value());
  if (is_neutral(kind, b)) return a;
  if ((kind == Kind::add || kind == Kind::mul) && is_neutral(kind, a)) return b;
  if (kind == Kind::mul && (is_zero(a) || is_zero(b))) return 0;
  HostExpr e;
  e.kind_ = kind;
  e.operands_.push_back(std::move(a));
  e.operands_.push_back(std::move(b));
  return e;
}

std::int64_t HostExpr::evaluate(std::span<const std::int64_t> variables) const {
  switch (kind_) {
    case Kind::constant:
      return value_;
    case Kind::variable:
      if (value_ < 0 || std::size_t(value_) >= variables.size()) fail("an unknown variable");
      return variables[std::size_t(value_)];
    default:
      return apply(kind_, operands_[0].evaluate(variables), operands_[1].evaluate(variables));
  }
}

HostExpr operator+(HostExpr a, HostExpr b) {
  return HostExpr::binary(Kind::add, std::move(a), std::move(b));
}
HostExpr operator-(HostExpr a, HostExpr b) {
  return HostExpr::binary(Kind::sub, std::move(a), std::move(b));
}
HostExpr operator*(HostExpr a, HostExpr b) {
  return HostExpr::binary(Kind::mul, std::move(a), std::move(b));
}
HostExpr min(HostExpr a, HostExpr b) {
  return HostExpr::binary(Kind::min, std::move(a), std::move(b));
}
HostExpr max(HostExpr a, HostExpr b) {
  return HostExpr::binary(Kind::max, std::move(a), std::move(b));
}

}  // namespace partita
