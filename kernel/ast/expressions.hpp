// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// What is read off a kernel's expressions, and making them again in another kernel's pool.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <span>
#include <unordered_map>
#include <vector>

#include "kernel/ast/kernel.hpp"

namespace partita::kernel {

/// Every expression below some statements, once each, operands before those that use them.
[[nodiscard]] std::vector<scalar::ExprId> reachable(const scalar::ExprPool& pool,
                                                    const Block& stmts);
/// The same below one expression, itself included.
[[nodiscard]] std::vector<scalar::ExprId> reachable(const scalar::ExprPool& pool,
                                                    scalar::ExprId root);

/// Leaves in the kernel's pool what its statements reach, in the order in which it is there: as its text is read.
void drop_unreached(Kernel& kernel);

/// What evaluating an expression evaluates in any case, and what is in branches of conditions for which
/// `goes_on` holds.
[[nodiscard]] std::set<scalar::ExprId> evaluated(
    const scalar::ExprPool& pool, scalar::ExprId root,
    const std::function<bool(scalar::ExprId condition)>& goes_on);

/// Whether statements compute with vectors.
[[nodiscard]] bool has_vectors(const Block& stmts);

/// Whether an expression holds one of that kind (and slot, where that is not negative).
[[nodiscard]] bool depends_on(const scalar::ExprPool& pool, scalar::ExprId id,
                              scalar::ExprKind kind, std::int32_t slot = -1);

/// How far an index moves with a variable: nothing where that is not a number.
[[nodiscard]] std::optional<std::int64_t> index_stride(const scalar::ExprPool& pool,
                                                       scalar::ExprId id, std::int32_t variable);

/// A number by which an index is divisible whatever its variables are; 0 of 0.
[[nodiscard]] std::int64_t known_divisor(const scalar::ExprPool& pool, scalar::ExprId id);

/// The same expression with others in place of those that `known` has; it keeps what it has replaced.
[[nodiscard]] scalar::ExprId replace(scalar::ExprPool& pool, scalar::ExprId id,
                                     std::unordered_map<scalar::ExprId, scalar::ExprId>& known);

/// The number of items where the whole body is guarded by it, else no_expr.
[[nodiscard]] scalar::ExprId item_guard(const Kernel& kernel);
/// What an item does that has work: the body, or what is in that guard.
[[nodiscard]] const Block& guarded_body(const Kernel& kernel);

/// Most items that a kernel expects; nothing where it does not say.
[[nodiscard]] std::optional<std::int64_t> item_extent(const scalar::ExprPool& pool);

/// `e` of some pool, made in `pool` of operands that are there.  Not for what names something of its
/// own kernel: loads, registers, index variables and scalars.
[[nodiscard]] scalar::ExprId rebuild(scalar::ExprPool& pool, const scalar::Expr& e,
                                     std::span<const scalar::ExprId> operands);

}  // namespace partita::kernel
