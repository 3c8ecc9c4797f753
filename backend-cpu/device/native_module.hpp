// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// The machine code of an artifact in this process: the shared object that suits this processor best,
// loaded from memory.
#pragma once

#include <cstdint>
#include <vector>

#include "backend-cpu/device/kernel_program.hpp"
#include "partita/artifact/artifact.hpp"
#include "partita/base/unique_handle.hpp"

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

class NativeModule final : public KernelProgram {
 public:
  /// A device error where no binary suits this processor or the one that does cannot be loaded.
  explicit NativeModule(const Artifact& artifact);
  ~NativeModule() override;
  NativeModule(const NativeModule&) = delete;
  NativeModule& operator=(const NativeModule&) = delete;

  void run(int kernel, std::int64_t begin, std::int64_t end,
           const KernelArguments& arguments) const override {
    kernels_[std::size_t(kernel)](begin, end, arguments.buffers, arguments.offsets,
                                  arguments.scalars);
  }

 private:
  /// Open as long as the module is loaded: dlopen takes files of one name for one object, and the
  /// name is the descriptor's number.
  UniqueHandle<FileTraits> file_;
  void* handle_ = nullptr;
  std::vector<KernelFunction> kernels_;
};

}  // namespace partita::cpu
