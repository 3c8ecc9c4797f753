// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#pragma once

#include <memory>
#include <string>

#include "kernel/ast/kernel.hpp"
#include "kernel/text/scanner.hpp"

namespace partita::kernel::text {

/// "@add_4x8.0", which declares a kernel or launches it: its stem and its number.
struct KernelName {
  std::string stem;
  std::int64_t number = 0;
};
[[nodiscard]] KernelName parse_kernel_name(Scanner& in);

[[nodiscard]] DType parse_dtype_name(Scanner& in);

/// A kernel from its comment on; a user error where it does not hold together.
[[nodiscard]] std::unique_ptr<Kernel> parse_kernel(Scanner& in, std::string stem);

}  // namespace partita::kernel::text
