// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Short forms of a kernel's statements, for those that put them together one by one; whole kernels are
// written with a KernelBuilder.
#pragma once

#include <utility>
#include <vector>

#include "kernel/ast/kernel.hpp"

namespace partita::kernel {

[[nodiscard]] inline Stmt store(std::int32_t buffer, DType d, scalar::ExprId index,
                                scalar::ExprId value) {
  return {Store{.buffer = buffer, .dtype = d, .value = value, .index = index}};
}

[[nodiscard]] inline Stmt when(scalar::ExprId condition, Block body) {
  return {When{.condition = condition, .body = std::move(body)}};
}

/// From 0 to `extent`.
[[nodiscard]] inline Stmt loop(std::int32_t variable, scalar::ExprId extent, Block body) {
  return {Loop{.variable = variable, .end = extent, .body = std::move(body)}};
}

/// A register of a kernel.
struct Register {
  std::int32_t slot;
  DType dtype;

  Register(Kernel& kernel, DType d) : slot(kernel.next_register++), dtype(d) {}
  [[nodiscard]] scalar::ExprId value(scalar::ExprPool& pool) const { return pool.reg(slot, dtype); }
  [[nodiscard]] Stmt declare(scalar::ExprId value) const { return {Declare{slot, dtype, value}}; }
  [[nodiscard]] Stmt assign(scalar::ExprId value) const { return {Assign{slot, dtype, value}}; }
  /// += a * b, fused.
  [[nodiscard]] Stmt multiply_add(scalar::ExprId a, scalar::ExprId b) const {
    return {MultiplyAdd{slot, dtype, a, b}};
  }
  /// += the lanes of a vector.
  [[nodiscard]] Stmt add_lanes(scalar::ExprId vector) const {
    return {AddLanes{slot, dtype, vector}};
  }
};

}  // namespace partita::kernel
