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
  return {.kind = Stmt::Kind::store, .slot = buffer, .dtype = d, .value = value, .other = index};
}

[[nodiscard]] inline Stmt when(scalar::ExprId condition, std::vector<Stmt> body) {
  return {.kind = Stmt::Kind::when, .value = condition, .body = std::move(body)};
}

[[nodiscard]] inline Stmt loop(std::int32_t variable, scalar::ExprId extent,
                               std::vector<Stmt> body) {
  return {.kind = Stmt::Kind::loop, .slot = variable, .value = extent, .body = std::move(body)};
}

/// A register of a kernel.
struct Register {
  std::int32_t slot;
  DType dtype;

  Register(Kernel& kernel, DType d) : slot(kernel.next_register++), dtype(d) {}
  [[nodiscard]] scalar::ExprId value(scalar::ExprPool& pool) const { return pool.reg(slot, dtype); }
  [[nodiscard]] Stmt declare(scalar::ExprId value) const {
    return {.kind = Stmt::Kind::declare, .slot = slot, .dtype = dtype, .value = value};
  }
  [[nodiscard]] Stmt assign(scalar::ExprId value) const {
    return {.kind = Stmt::Kind::assign, .slot = slot, .dtype = dtype, .value = value};
  }
  /// += a * b, fused.
  [[nodiscard]] Stmt multiply_add(scalar::ExprId a, scalar::ExprId b) const {
    return {.kind = Stmt::Kind::multiply_add, .slot = slot, .dtype = dtype, .value = a, .other = b};
  }
  /// += the lanes of a vector.
  [[nodiscard]] Stmt add_lanes(scalar::ExprId vector) const {
    return {.kind = Stmt::Kind::add_lanes, .slot = slot, .dtype = dtype, .value = vector};
  }
};

}  // namespace partita::kernel
