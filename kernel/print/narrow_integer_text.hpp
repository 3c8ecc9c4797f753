// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Kernel text of what depends on the number of bits of a narrow integer, which a language computes in a wider
// type: made from that number, for any C-like language.  What does not depend on it is the wider type's.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "kernel/print/scalar_text.hpp"

namespace partita::kernel {

/// For a narrow integer T: wrap_T (the low bits, extended), limit_T (the nearest number), popcount_T, clz_T,
/// mul_hi_T (of values of T); nothing for other names.
[[nodiscard]] std::optional<std::string> narrow_integer_function(const Dialect& dialect,
                                                                 std::string_view name);

}  // namespace partita::kernel
