// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// The machine code of an artifact in this process: the shared object that suits this processor best,
// loaded from memory.
#pragma once

#include <cstdint>
#include <vector>

#include "partita/artifact/artifact.hpp"
#include "partita/base/unique_handle.hpp"
#include "partita/device/device.hpp"

namespace partita::cpu {

/// A kernel: runs work-items [begin, end).  Buffer k starts at element offsets[k] of buffers[k].
using KernelFunction = void (*)(std::int64_t begin, std::int64_t end, void* const* buffers,
                                const std::int64_t* offsets, const std::int64_t* scalars);

/// Closes a file descriptor.
struct FileTraits {
  using Handle = int;
  static constexpr Handle none = -1;
  static void release(Handle handle) noexcept;
};

class NativeModule final : public DeviceProgram {
 public:
  /// A device error where no binary suits this processor or the one that does cannot be loaded.
  explicit NativeModule(const Artifact& artifact);
  ~NativeModule() override;
  NativeModule(const NativeModule&) = delete;
  NativeModule& operator=(const NativeModule&) = delete;

  struct Kernel {
    KernelFunction function = nullptr;
    double seconds_per_item = 0;  ///< as last measured; 0: not yet
  };
  [[nodiscard]] Kernel& kernel(int index) { return kernels_[std::size_t(index)]; }

 private:
  /// Open as long as the module is loaded: dlopen takes files of one name for one object, and the
  /// name is the descriptor's number.
  UniqueHandle<FileTraits> file_;
  void* handle_ = nullptr;
  std::vector<Kernel> kernels_;
};

}  // namespace partita::cpu
