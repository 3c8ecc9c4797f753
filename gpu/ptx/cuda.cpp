// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "gpu/ptx/cuda.hpp"

#include <dlfcn.h>

#include <bit>

namespace partita::ptx {

const Cuda* find_cuda() {
  static const Cuda* found = []() -> const Cuda* {
    static Cuda cuda;
    void* library = ::dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) return nullptr;
    bool is_complete = true;
    const auto find = [&](const char* name) {
      void* address = ::dlsym(library, name);
      is_complete = is_complete && address != nullptr;
      return address;
    };
#define PARTITA_FIND(member, name, arguments) \
  cuda.member = std::bit_cast<decltype(cuda.member)>(find(name));
    PARTITA_CUDA(PARTITA_FIND)
#undef PARTITA_FIND
    return is_complete && cuda.init(0) == 0 ? &cuda : nullptr;
  }();
  return found;
}

}  // namespace partita::ptx
