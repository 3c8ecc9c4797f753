// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// oneDNN, opened when the first product or convolution needs it, so that what has none runs where it is not installed.
#pragma once

#include <dnnl.h>

#include <cstdint>

namespace partita::cpu {

struct OneDnn {
  /// Whether there are the functions of primitives, all of them.
  bool has_primitives = false;
  decltype(&dnnl_sgemm) sgemm = nullptr;  ///< null: not installed
  /// oneDNN exports it beside dnnl_sgemm, but no header declares it; a build of it may lack it.
  dnnl_status_t (*gemm_bf16bf16f32)(char transpose_a, char transpose_b, dnnl_dim_t m, dnnl_dim_t n,
                                    dnnl_dim_t k, float alpha, const std::uint16_t* a,
                                    dnnl_dim_t lda, const std::uint16_t* b, dnnl_dim_t ldb,
                                    float beta, float* c, dnnl_dim_t ldc) = nullptr;
  /// Of the OpenMP runtime that it brings.
  void (*set_threads)(int) = nullptr;
  int (*threads)() = nullptr;
#define PARTITA_ONE_DNN(name) decltype(&dnnl_##name) name = nullptr;
#include "backend-cpu/device/one_dnn_functions.def"
#undef PARTITA_ONE_DNN
};

/// The functions; all null where it is not installed.
[[nodiscard]] const OneDnn& one_dnn();

/// Keeps oneDNN on this thread; what the host program set comes back.
class OneThread {
 public:
  OneThread() : before_(one_dnn().threads()) { one_dnn().set_threads(1); }
  ~OneThread() { one_dnn().set_threads(before_); }
  OneThread(const OneThread&) = delete;
  OneThread& operator=(const OneThread&) = delete;

 private:
  int before_;
};

}  // namespace partita::cpu
