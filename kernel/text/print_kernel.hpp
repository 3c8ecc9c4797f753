// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// A kernel as text: its head, and statements with the expressions that they are the first to use.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "kernel/ast/kernel.hpp"

namespace partita::kernel::text {

/// `name`: as launches of it say it.
[[nodiscard]] std::string print_kernel(const Kernel& kernel, const std::string& name);

/// An element: a number that means these very bits, or the bits.
[[nodiscard]] std::string constant_text(DType d, std::uint64_t bits);
/// The bits that such a text means; nothing where it is none.
[[nodiscard]] std::optional<std::uint64_t> constant_bits(DType d, std::string_view text);

}  // namespace partita::kernel::text
