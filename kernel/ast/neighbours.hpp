// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Neighbouring elements that an item reads and writes as one, where they are known to lie so: items of a
// GPU that each move 16 bytes use its memory best.  Neighbours are numbered by an index variable, which is
// gone from what is made here.
#pragma once

#include <functional>
#include <span>
#include <utility>
#include <vector>

#include "kernel/ast/kernel.hpp"

namespace partita::kernel {

/// Whether a buffer's place is a multiple of so many elements.
using IsAligned = std::function<bool(std::int32_t buffer, std::int64_t width)>;

/// What one expression is for each neighbour.
using GivenNeighbours = std::pair<scalar::ExprId, std::vector<scalar::ExprId>>;

/// `any` for each of `width` numbers, with what is given in its place.  What moves by one element with the number
/// is read as one where it begins at a multiple of so many.
[[nodiscard]] std::vector<scalar::ExprId> neighbours(scalar::ExprPool& pool, scalar::ExprId any,
                                                     scalar::ExprId number, int width,
                                                     const IsAligned& is_aligned,
                                                     std::span<const GivenNeighbours> given = {});

/// Whether something that moves with the number is read, and all of that as one.
[[nodiscard]] bool reads_as_one(scalar::ExprPool& pool, scalar::ExprId any, scalar::ExprId number,
                                int width, const IsAligned& is_aligned);

/// Whether loads move by one element with the number, which is below `width`: those that move at all, of
/// which there is one.
[[nodiscard]] bool moves_by_one(scalar::ExprPool& pool, scalar::ExprId any, scalar::ExprId number,
                                int width);

/// How many neighbours from the first of `indices` on can be stored as one: a power of two.
[[nodiscard]] std::size_t store_width(scalar::ExprPool& pool, std::int32_t buffer, DType d,
                                      std::span<const scalar::ExprId> indices,
                                      const IsAligned& is_aligned);

/// Notes of each buffer how many elements the kernel reads or writes as one (BufferParam::alignment).
void note_alignments(Kernel& kernel);

}  // namespace partita::kernel
