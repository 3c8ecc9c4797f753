// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// What the ops with sliding windows share: attribute specs and their verification.
#pragma once

#include "ops/support/support.hpp"
#include "partita/ir/window.hpp"

namespace partita::ir::ops {

/// An optional list with an entry for each dimension of operand 0; an inserted dimension takes 1.
[[nodiscard]] AttrSpec window_attr(std::string name, bool required = false);
/// An optional dense constant [rank, 2] of low and high padding.
[[nodiscard]] AttrSpec padding_attr(bool has_roles);
/// An optional list without roles.
[[nodiscard]] AttrSpec plain_list_attr(std::string name);

/// A list attribute, where present: `rank` entries, each 1 or more and small enough to compute with.
void expect_positive_list(const InferContext& c, const char* name, std::size_t rank);
/// `padding`, where present: shape [rank, 2], entries small enough to compute with.
void expect_padding(const InferContext& c, std::size_t rank);
/// That positions of windows can be computed with.
void expect_reach(const InferContext& c, const std::vector<WindowDim>& window);

}  // namespace partita::ir::ops
