// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Matrix products by the BLAS library.
#pragma once

#include <cstddef>
#include <cstdint>

#include "backend-cpu/device/worker_pool.hpp"
#include "partita/artifact/plan.hpp"

namespace partita::cpu {

struct MatrixPointers {
  const std::byte* a;
  const std::byte* b;
  std::byte* c;
};

/// The Gemm step on matrices that start at these addresses, on the pool's threads where that is
/// worth it.
void multiply(const Gemm& gemm, std::int64_t batch, const MatrixPointers& at, WorkerPool& pool);

}  // namespace partita::cpu
