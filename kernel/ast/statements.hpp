// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Short forms of a kernel's statements, and arithmetic on elements of one dtype.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "kernel/ast/kernel.hpp"
#include "partita/scalar/elementwise.hpp"

namespace partita::passes {

[[nodiscard]] inline Stmt store(std::int32_t buffer, DType d, kernel::ExprId index,
                                kernel::ExprId value) {
  return {.kind = Stmt::Kind::store, .slot = buffer, .dtype = d, .value = value, .other = index};
}

[[nodiscard]] inline Stmt when(kernel::ExprId condition, std::vector<Stmt> body) {
  return {.kind = Stmt::Kind::when, .value = condition, .body = std::move(body)};
}

[[nodiscard]] inline Stmt loop(std::int32_t variable, kernel::ExprId extent,
                               std::vector<Stmt> body) {
  return {.kind = Stmt::Kind::loop, .slot = variable, .value = extent, .body = std::move(body)};
}

[[nodiscard]] inline std::unique_ptr<Kernel> new_kernel(std::string stem, std::int64_t items) {
  auto k = std::make_unique<Kernel>();
  k->stem = std::move(stem);
  k->pool.set_extent(0, items);
  return k;
}

/// A register of a kernel.
struct Register {
  std::int32_t slot;
  DType dtype;

  Register(Kernel& kernel, DType d) : slot(kernel.next_register++), dtype(d) {}
  [[nodiscard]] kernel::ExprId value(kernel::ExprPool& pool) const { return pool.reg(slot, dtype); }
  [[nodiscard]] Stmt declare(kernel::ExprId value) const {
    return {.kind = Stmt::Kind::declare, .slot = slot, .dtype = dtype, .value = value};
  }
  [[nodiscard]] Stmt assign(kernel::ExprId value) const {
    return {.kind = Stmt::Kind::assign, .slot = slot, .dtype = dtype, .value = value};
  }
  /// += a * b, fused.
  [[nodiscard]] Stmt multiply_add(kernel::ExprId a, kernel::ExprId b) const {
    return {.kind = Stmt::Kind::multiply_add, .slot = slot, .dtype = dtype, .value = a, .other = b};
  }
  /// += the lanes of a vector.
  [[nodiscard]] Stmt add_lanes(kernel::ExprId vector) const {
    return {.kind = Stmt::Kind::add_lanes, .slot = slot, .dtype = dtype, .value = vector};
  }
};

/// The statement for all values of variable `lane` below `width` at once; itself where that is 1.
[[nodiscard]] inline Stmt over_lanes(Stmt s, std::int32_t lane, int width) {
  if (width == 1) return s;
  s.width = width;
  s.lane = lane;
  return s;
}

/// The variables of lanes in a kernel whose statements take vectors of several widths: one for each.
class LaneVariables {
 public:
  explicit LaneVariables(Kernel& kernel) : kernel_(kernel) {}

  [[nodiscard]] std::int32_t of(int width) {
    const auto [it, is_new] = variables_.emplace(width, -1);
    if (is_new) it->second = kernel_.new_variable(width);
    return it->second;
  }
  /// over_lanes() with the variable of that width.
  [[nodiscard]] Stmt as_vector(Stmt s, int width) {
    return width == 1 ? s : over_lanes(std::move(s), of(width), width);
  }

 private:
  Kernel& kernel_;
  std::map<int, std::int32_t> variables_;
};

/// Arithmetic on floats or complex numbers of one dtype.
struct ElementMath {
  kernel::ExprPool& pool;
  DType d;
  DType part = part_dtype(d);

  using E = kernel::ExprId;
  [[nodiscard]] E add(E x, E y) const { return pool.apply("add", d, {x, y}); }
  [[nodiscard]] E sub(E x, E y) const { return pool.apply("subtract", d, {x, y}); }
  [[nodiscard]] E mul(E x, E y) const { return pool.apply("multiply", d, {x, y}); }
  [[nodiscard]] E div(E x, E y) const { return pool.apply("divide", d, {x, y}); }
  [[nodiscard]] E real(E x) const { return is_complex(d) ? pool.apply("real", d, {x}) : x; }
  [[nodiscard]] E imag(E x) const {
    return is_complex(d) ? pool.apply("imag", d, {x}) : pool.constant_of(d, 0);
  }
  /// A complex number of two parts; the first where d is not complex.
  [[nodiscard]] E compose(E re, E im) const {
    return is_complex(d) ? pool.apply("complex", part, {re, im}) : re;
  }
  [[nodiscard]] E number(double x) const {
    return compose(pool.constant_of(part, x), pool.constant_of(part, 0));
  }
  [[nodiscard]] E conj(E x) const {
    return is_complex(d) ? compose(real(x), pool.apply("negate", part, {imag(x)})) : x;
  }
  /// x / y for y of the part's dtype.
  [[nodiscard]] E div_part(E x, E y) const {
    return compose(pool.apply("divide", part, {real(x), y}),
                   is_complex(d) ? pool.apply("divide", part, {imag(x), y}) : x);
  }
  /// |x|², of the part's dtype.
  [[nodiscard]] E norm(E x) const {
    const E square = pool.apply("multiply", part, {real(x), real(x)});
    if (!is_complex(d)) return square;
    return pool.apply("add", part, {square, pool.apply("multiply", part, {imag(x), imag(x)})});
  }
};

}  // namespace partita::passes
