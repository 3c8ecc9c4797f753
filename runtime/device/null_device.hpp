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

struct NullDeviceOptions {
  std::int64_t memory_bytes = 0;    ///< the most it allocates; 0: no limit
  std::int64_t largest_buffer = 0;  ///< the most of one buffer; 0: no limit
  /// It has a stream of copies, which does nothing until something waits for it: what reads or overwrites
  /// memory without waiting is seen.
  bool has_late_copies = false;
  int iterations_ahead = 0;
};

/// `kernels` maps the names of Artifact::kernels to what they do.
[[nodiscard]] std::unique_ptr<Device> make_null_device(NullKernels kernels,
                                                       const NullDeviceOptions& options = {});

}  // namespace partita
