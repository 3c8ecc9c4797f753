// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// How a draft's text spells what has several forms: said once for printing and parsing.
#pragma once

#include <array>
#include <string_view>
#include <utility>

#include "kernel/ast/kernel.hpp"
#include "partita/artifact/plan.hpp"

namespace partita::kernel::text {

/// Between two expressions in a kernel.
inline constexpr std::array<std::pair<scalar::ExprKind, std::string_view>, 8> infix_indices{{
    {scalar::ExprKind::index_add, "+"},
    {scalar::ExprKind::index_sub, "-"},
    {scalar::ExprKind::index_mul, "*"},
    {scalar::ExprKind::index_div, "/"},
    {scalar::ExprKind::index_mod, "mod"},
    {scalar::ExprKind::index_less, "<"},
    {scalar::ExprKind::index_less_equal, "<="},
    {scalar::ExprKind::index_equal, "=="},
}};

/// Between two expressions of the plan, in parentheses.
inline constexpr std::array<std::pair<HostExpr::Kind, std::string_view>, 5> infix_host{{
    {HostExpr::Kind::add, "+"},
    {HostExpr::Kind::sub, "-"},
    {HostExpr::Kind::mul, "*"},
    {HostExpr::Kind::div, "/"},
    {HostExpr::Kind::mod, "mod"},
}};

inline constexpr std::array<std::string_view, 6> buffer_kinds{"input", "output", "constant",
                                                              "arena", "block",  "spare"};

/// What a kernel says of itself in one word.
inline constexpr std::array<std::pair<bool Kernel::*, std::string_view>, 3> kernel_flags{{
    {&Kernel::wide_index, "wide_index"},
    {&Kernel::stores_last, "stores_last"},
    {&Kernel::has_independent_items, "independent_items"},
}};

}  // namespace partita::kernel::text
