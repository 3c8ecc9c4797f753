// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "backend-cpu/device/blas.hpp"

#include <dlfcn.h>
#include <dnnl.h>

#include <algorithm>
#include <atomic>
#include <bit>

#include "partita/base/error.hpp"

// Of the OpenMP runtime that oneDNN brings; its header belongs to a compiler.
extern "C" void omp_set_num_threads(int threads);
extern "C" int omp_get_max_threads(void);

namespace partita::cpu {
namespace {

/// Multiply-adds that are worth a thread.
constexpr double multiply_adds_per_thread = 1 << 20;
/// Rows or columns that a thread gets at least, and a multiple of which it gets.
constexpr std::int64_t lines_per_thread = 16;

/// Keeps oneDNN on this thread; what the host program set comes back.
class OneThread {
 public:
  OneThread() : before_(::omp_get_max_threads()) { ::omp_set_num_threads(1); }
  ~OneThread() { ::omp_set_num_threads(before_); }
  OneThread(const OneThread&) = delete;
  OneThread& operator=(const OneThread&) = delete;

 private:
  int before_;
};

/// Part of a product: rows and columns of the result.
struct Block {
  std::int64_t row = 0, column = 0, rows = 0, columns = 0;
};

template <class T>
struct Operands {
  const T* a;
  const T* b;
  T* c;
};

template <class T>
Operands<T> operands_of(const Gemm& g, const MatrixPointers& at, std::int64_t batch,
                        const Block& block) {
  const T* a = reinterpret_cast<const T*>(at.a) + batch * g.stride_a;
  const T* b = reinterpret_cast<const T*>(at.b) + batch * g.stride_b;
  T* c = reinterpret_cast<T*>(at.c) + batch * g.stride_c;
  return {a + (g.transpose_a ? block.row : block.row * g.lda),
          b + (g.transpose_b ? block.column * g.ldb : block.column),
          c + block.row * g.ldc + block.column};
}

/// OpenBLAS, if it is installed; the products of f64 that oneDNN lacks.
using Dgemm = void (*)(int order, int transpose_a, int transpose_b, int m, int n, int k,
                       double alpha, const double* a, int lda, const double* b, int ldb,
                       double beta, double* c, int ldc);
Dgemm find_dgemm() {
  static const Dgemm dgemm = [] {
    void* library = ::dlopen("libopenblas.so.0", RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) return Dgemm{};
    // Threads are the pool's.
    if (void* set = ::dlsym(library, "openblas_set_num_threads"))
      std::bit_cast<void (*)(int)>(set)(1);
    return std::bit_cast<Dgemm>(::dlsym(library, "cblas_dgemm"));
  }();
  return dgemm;
}

void multiply_block(const Gemm& g, const Operands<float>& x, const Block& block) {
  const OneThread one;
  const dnnl_status_t status =
      dnnl_sgemm(g.transpose_a ? 'T' : 'N', g.transpose_b ? 'T' : 'N', block.rows, block.columns,
                 g.k, float(g.alpha), x.a, g.lda, x.b, g.ldb, float(g.beta), x.c, g.ldc);
  if (status != dnnl_success)
    throw_device_error(cat("dnnl_sgemm failed with status ", int(status)));
}

/// Without OpenBLAS: rows of c as sums of rows of b.
void multiply_plainly(const Gemm& g, const Operands<double>& x, const Block& block) {
  for (std::int64_t i = 0; i < block.rows; ++i) {
    double* c = x.c + i * g.ldc;
    for (std::int64_t j = 0; j < block.columns; ++j) c[j] = g.beta == 0 ? 0 : g.beta * c[j];
    for (std::int64_t k = 0; k < g.k; ++k) {
      const double a = g.alpha * (g.transpose_a ? x.a[k * g.lda + i] : x.a[i * g.lda + k]);
      const double* b = g.transpose_b ? x.b + k : x.b + k * g.ldb;
      const std::int64_t step = g.transpose_b ? g.ldb : 1;
      for (std::int64_t j = 0; j < block.columns; ++j) c[j] += a * b[j * step];
    }
  }
}

void multiply_block(const Gemm& g, const Operands<double>& x, const Block& block) {
  const Dgemm dgemm = find_dgemm();
  if (dgemm == nullptr) return multiply_plainly(g, x, block);
  constexpr int row_major = 101, no = 111, yes = 112;
  dgemm(row_major, g.transpose_a ? yes : no, g.transpose_b ? yes : no, int(block.rows),
        int(block.columns), int(g.k), g.alpha, x.a, int(g.lda), x.b, int(g.ldb), g.beta, x.c,
        int(g.ldc));
}

/// The part of [0, extent) that thread `part` of `parts` computes.
std::pair<std::int64_t, std::int64_t> share(std::int64_t extent, std::int64_t part,
                                            std::int64_t parts) {
  const std::int64_t lines = (extent + lines_per_thread - 1) / lines_per_thread;
  const std::int64_t begin = lines * part / parts * lines_per_thread,
                     end = lines * (part + 1) / parts * lines_per_thread;
  return {std::min(begin, extent), std::min(end, extent)};
}

/// c = beta c: products without an inner dimension.
template <class T>
void scale(const Gemm& g, const Operands<T>& x, const Block& block) {
  for (std::int64_t i = 0; i < block.rows; ++i)
    for (std::int64_t j = 0; j < block.columns; ++j) {
      T& c = x.c[i * g.ldc + j];
      c = g.beta == 0 ? T(0) : T(g.beta) * c;
    }
}

template <class T>
void multiply_part(const Gemm& g, std::int64_t batch, const MatrixPointers& at, std::int64_t part,
                   std::int64_t parts) {
  Block block{.rows = g.m, .columns = g.n};
  std::int64_t first = 0, last = batch;
  if (batch >= parts) {
    first = batch * part / parts;
    last = batch * (part + 1) / parts;
  } else if (g.m >= g.n) {
    const auto [begin, end] = share(g.m, part, parts);
    block.row = begin;
    block.rows = end - begin;
  } else {
    const auto [begin, end] = share(g.n, part, parts);
    block.column = begin;
    block.columns = end - begin;
  }
  if (block.rows == 0 || block.columns == 0) return;
  for (std::int64_t b = first; b < last; ++b) {
    const Operands<T> x = operands_of<T>(g, at, b, block);
    g.k == 0 ? scale(g, x, block) : multiply_block(g, x, block);
  }
}

template <class T>
void multiply_as(const Gemm& g, std::int64_t batch, const MatrixPointers& at, WorkerPool& pool) {
  const double work = double(batch) * double(g.m) * double(g.n) * double(g.k);
  const auto wanted = std::int64_t(work / multiply_adds_per_thread);
  const std::int64_t parts = std::min<std::int64_t>(pool.parts(), wanted);
  if (parts < 2) return multiply_part<T>(g, batch, at, 0, 1);
  std::atomic<bool> failed = false;
  pool.run(parts, [&](int, std::int64_t part) {
    try {
      multiply_part<T>(g, batch, at, part, parts);
    } catch (const Error&) {
      failed = true;
    }
  });
  if (failed) throw_device_error("the BLAS library failed");
}

}  // namespace

void multiply(const Gemm& gemm, std::int64_t batch, const MatrixPointers& at, WorkerPool& pool) {
  if (gemm.dtype == DType::f32) return multiply_as<float>(gemm, batch, at, pool);
  if (gemm.dtype == DType::f64) return multiply_as<double>(gemm, batch, at, pool);
  throw_internal_error(cat("no library product of ", to_string(gemm.dtype)));
}

}  // namespace partita::cpu
