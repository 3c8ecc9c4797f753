// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// A device in host memory whose kernels are C++ functions registered by name.  The executor is
// tested on it without any driver, and a new backend starts as a copy of it.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>

#include "partita/device/device.hpp"

namespace partita {

/// What a kernel of the null device is called with.
struct NullKernelArgs {
  struct Pointer {
    std::byte* base = nullptr;  ///< of the device buffer
    std::int64_t element_offset = 0;
    template <class T>
    [[nodiscard]] T* as() const {
      return reinterpret_cast<T*>(base) + element_offset;
    }
  };
  std::vector<Pointer> buffers;
  std::vector<std::int64_t> scalars;
  std::array<std::int64_t, 3> global{};
};
using NullKernels = std::map<std::string, std::function<void(const NullKernelArgs&)>>;

/// `kernels` maps the names of Artifact::kernels to what they do; `memory_bytes` is the most it
/// allocates (0: no limit).
[[nodiscard]] std::unique_ptr<Device> make_null_device(NullKernels kernels,
                                                       std::int64_t memory_bytes = 0);

}  // namespace partita
