// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "backend-cpu/device/one_dnn.hpp"

#include <dlfcn.h>

#include <bit>
#include <string>

namespace partita::cpu {
namespace {

/// Whether it is there.
template <class Function>
bool find_symbol(void* library, const char* name, Function& function) {
  function = std::bit_cast<Function>(::dlsym(library, name));
  return function != nullptr;
}

OneDnn open_library() {
  OneDnn dnn;
  const std::string file = "libdnnl.so." + std::to_string(DNNL_VERSION_MAJOR);
  void* library = ::dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return dnn;
  find_symbol(library, "dnnl_sgemm", dnn.sgemm);
  find_symbol(library, "dnnl_gemm_bf16bf16f32", dnn.gemm_bf16bf16f32);
  // Its own threads beside the pool's would share the cores with them.
  if (!find_symbol(library, "omp_set_num_threads", dnn.set_threads) ||
      !find_symbol(library, "omp_get_max_threads", dnn.threads))
    return {};
  dnn.has_primitives = true;
#define PARTITA_ONE_DNN(name) \
  dnn.has_primitives = find_symbol(library, "dnnl_" #name, dnn.name) && dnn.has_primitives;
#include "backend-cpu/device/one_dnn_functions.def"
#undef PARTITA_ONE_DNN
  return dnn;
}

}  // namespace

const OneDnn& one_dnn() {
  static const OneDnn found = open_library();
  return found;
}

}  // namespace partita::cpu
