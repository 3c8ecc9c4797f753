// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// What runs kernel text in tests: a source of kernels that each take inputs and then outputs.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "partita/base/host_array.hpp"

namespace partita::testing {

class KernelMachine {
 public:
  virtual ~KernelMachine() = default;
  /// Throws std::runtime_error with the compiler's messages.
  virtual void build(const std::string& source) = 0;
  /// Runs n work-items of a kernel that takes the inputs and then the outputs.
  virtual void run(const std::string& name, std::span<const HostArray> inputs,
                   std::span<HostArray> outputs, std::size_t n) = 0;
};

}  // namespace partita::testing
