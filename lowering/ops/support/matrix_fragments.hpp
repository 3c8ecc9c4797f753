// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// What kernels on matrix units have in common: pieces of operands in the registers of sub-groups of 32 items
// (MultiplyMatrices), and the launch of a kernel that has one without units beside it.
#pragma once

#include <vector>

#include "lowering/ops/support/tile_operand.hpp"

namespace partita::lowering {

/// Of what matrix units multiply at once (matrix_terms): rows, columns, and terms of small floats.
inline constexpr std::int64_t unit_rows = 16, unit_columns = 8, unit_terms = 16;
/// Elements between lines of local memory, so that rows of matrices lie in banks of their own.
inline constexpr std::int64_t between_lines = 8;

using Fragment = std::vector<scalar::ExprId>;

/// Four matrices of an operand in a place of its array: 16 of its rows or columns from `first` on by 16 terms from
/// `term` on.  `second_free`: the second matrix has the next rows, else the next terms.
[[nodiscard]] Fragment load_fragments(KernelBody& body, const TileOperand& operand,
                                      scalar::ExprId lane, scalar::ExprId first, std::int64_t term,
                                      bool second_free, scalar::ExprId half);

/// The same of 8 terms of tf32, which are 32 bits each.
[[nodiscard]] Fragment load_wide_fragments(KernelBody& body, const TileOperand& operand,
                                           scalar::ExprId lane, scalar::ExprId first,
                                           std::int64_t term, bool second_free,
                                           scalar::ExprId half);
/// The bits of an f32 with those of the nearest tf32 in front, away from zero where two are as near; what follows
/// matrix units do not look at.
[[nodiscard]] scalar::ExprId rounded_to_tf32(scalar::ExprPool& pool, scalar::ExprId bits);

/// Launches groups of a kernel on matrix units, or with copies beside what it computes, for which `plain` stands in where
/// there are none.
void launch_matrices(Context& context, KernelBody& body, KernelBody& plain, std::int64_t groups);

}  // namespace partita::lowering
