// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Neighbours on their way from memory to an array of the group that are neither computed with nor in registers: devices
// have copies of 16 bytes for them that run beside what the item does next.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "kernel/ast/kernel.hpp"

namespace partita::kernel {

/// Where neighbours lie that are copied.
struct CopiedNeighbours {
  std::int32_t buffer;
  scalar::ExprId index;  ///< of the first one, a multiple of their number
};

/// Where `values` are the elements of memory, as its bits, that one access of 16 bytes reads, in their order; nothing
/// where they are anything else.
[[nodiscard]] std::optional<CopiedNeighbours> copied_neighbours(
    const scalar::ExprPool& pool, std::span<const scalar::ExprId> values);

/// The same of a statement that stores such values in an array of the group.
[[nodiscard]] std::optional<CopiedNeighbours> copied_neighbours(const Kernel& kernel,
                                                                const StoreWide& store);

/// Where an element lies that a copy can bring to local memory by itself: its buffer, its index or that of the first of
/// the neighbours that are read as one, and its place among these.
struct CopiedElement {
  std::int32_t buffer;
  scalar::ExprId index;
  int lane = 0;
};

/// Where `value` is an element of memory of 4 or 8 bytes; nothing where it is anything else.
[[nodiscard]] std::optional<CopiedElement> copied_element(const scalar::ExprPool& pool,
                                                          scalar::ExprId value);

/// Whether statements have copies among them or inside: neighbours that are copied, or elements that are stored ahead.
[[nodiscard]] bool has_copies(const Kernel& kernel, const Block& stmts);

}  // namespace partita::kernel
