// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "runtime/linalg/lapack.hpp"

#include <dlfcn.h>

#include <array>
#include <bit>

namespace partita::lapack {
namespace {

// OpenBLAS has all of LAPACK; the reference library is what else a system may have.
constexpr std::array libraries{"libopenblas.so.0", "liblapack.so.3"};

void* open_library() {
  for (const char* name : libraries) {
    void* const library = ::dlopen(name, RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) continue;
    // Shards and stacks of matrices are what several threads are for.
    if (void* set = ::dlsym(library, "openblas_set_num_threads"))
      std::bit_cast<void (*)(int)>(set)(1);
    return library;
  }
  return nullptr;
}

void* the_library() {
  static void* const library = open_library();
  return library;
}

}  // namespace

bool is_installed() { return the_library() != nullptr; }

void* find(const std::string& symbol) {
  void* const library = the_library();
  if (library == nullptr)
    throw_device_error(
        "linear algebra: expected LAPACK as libopenblas.so.0 or liblapack.so.3, found neither; "
        "install libopenblas0-pthread");
  void* const routine = ::dlsym(library, symbol.c_str());
  if (routine == nullptr)
    throw_device_error(
        cat("linear algebra: expected a LAPACK with ", symbol, ", found one without"));
  return routine;
}

}  // namespace partita::lapack
