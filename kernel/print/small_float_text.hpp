// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Kernel text that reads, writes and rounds a small float by integer arithmetic on f32, made from its
// format: what a language does that knows nothing of the type.  A Dialect may have something faster.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "kernel/print/scalar_text.hpp"

namespace partita::kernel {

struct SmallFloatFunction {
  std::string text;
  std::vector<std::string> needs = {};  ///< functions that it calls
};

/// T_value (the f32 that stored bits stand for), T_bits (the stored bits nearest to an f32) or round_T
/// (both), for a small float T; an internal error for other names.
[[nodiscard]] SmallFloatFunction small_float_function(const Dialect& dialect,
                                                      std::string_view name);

/// The first two for any format of at most 16 bits, as functions NAME_value and NAME_bits.
[[nodiscard]] std::string small_float_value(const Dialect& dialect, std::string_view name,
                                            const FloatFormat& format);
[[nodiscard]] std::string small_float_bits(const Dialect& dialect, std::string_view name,
                                           const FloatFormat& format);

}  // namespace partita::kernel
