// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "backend-cpu/device/blas.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstdint>
#include <vector>

#include "backend-cpu/device/one_dnn.hpp"
#include "partita/base/cpu_levels.hpp"
#include "partita/base/error.hpp"

namespace partita::cpu {
namespace {

/// Rows or columns that a thread gets at least, and a multiple of which it gets.
constexpr std::int64_t lines_per_thread = 16;

/// Part of a product: rows and columns of the result.
struct Block {
  std::int64_t row = 0, column = 0, rows = 0, columns = 0;
};

/// Matrices of `In`, multiplied and added as T.
template <class In, class T>
struct Operands {
  const In* a;
  const In* b;
  T* c;
};
/// The bits of bf16.
using Half = std::uint16_t;

template <class In, class T>
Operands<In, T> operands_of(const Gemm& g, const MatrixPointers& at, std::int64_t batch,
                            const Block& block) {
  const In* a = reinterpret_cast<const In*>(at.a) + batch * g.stride_a;
  const In* b = reinterpret_cast<const In*>(at.b) + batch * g.stride_b;
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

/// Without a library: rows of c as sums of rows of b.
template <class T>
void multiply_plainly(const Gemm& g, const Operands<T, T>& x, const Block& block) {
  for (std::int64_t i = 0; i < block.rows; ++i) {
    T* c = x.c + i * g.ldc;
    for (std::int64_t j = 0; j < block.columns; ++j) c[j] = g.beta == 0 ? T(0) : T(g.beta) * c[j];
    for (std::int64_t k = 0; k < g.k; ++k) {
      const T a = T(g.alpha) * (g.transpose_a ? x.a[k * g.lda + i] : x.a[i * g.lda + k]);
      const T* b = g.transpose_b ? x.b + k : x.b + k * g.ldb;
      const std::int64_t step = g.transpose_b ? g.ldb : 1;
      for (std::int64_t j = 0; j < block.columns; ++j) c[j] += a * b[j * step];
    }
  }
}

void multiply_block(const Gemm& g, const Operands<float, float>& x, const Block& block) {
  if (one_dnn().sgemm == nullptr) return multiply_plainly(g, x, block);
  const OneThread one;
  const dnnl_status_t status = one_dnn().sgemm(g.transpose_a ? 'T' : 'N', g.transpose_b ? 'T' : 'N',
                                               block.rows, block.columns, g.k, float(g.alpha), x.a,
                                               g.lda, x.b, g.ldb, float(g.beta), x.c, g.ldc);
  if (status != dnnl_success)
    throw_device_error(cat("dnnl_sgemm failed with status ", int(status)));
}

/// Whether the processor has instructions for products of bf16, and the library uses them: what it does
/// otherwise is slower than widening operands beforehand.
bool has_bf16_products() {
#if defined(__x86_64__)
  static const bool has = one_dnn().gemm_bf16bf16f32 != nullptr && has_cpu_level("x86-64-v4") &&
                          __builtin_cpu_supports("avx512bf16");
  return has;
#else
  return false;
#endif
}

/// Rows of bf16 as f32, side by side.
void widen(const Half* from, std::int64_t row_stride, float* to, std::int64_t rows,
           std::int64_t columns) {
  for (std::int64_t i = 0; i < rows; ++i)
    for (std::int64_t j = 0; j < columns; ++j)
      to[i * columns + j] = std::bit_cast<float>(std::uint32_t(from[i * row_stride + j]) << 16);
}

/// Some terms of all sums at a time, whose f32 operands stay in the cache.
void multiply_widened(const Gemm& g, const Operands<Half, float>& x, const Block& block) {
  constexpr std::int64_t elements = std::int64_t{1} << 17, fewest_terms = 64;
  const std::int64_t step =
      std::clamp(elements / (block.rows + block.columns), std::min(fewest_terms, g.k), g.k);
  std::vector<float> a(std::size_t(block.rows * step)), b(std::size_t(block.columns * step));
  Gemm part = g;
  for (std::int64_t first = 0; first < g.k; first += step) {
    part.k = std::min(step, g.k - first);
    part.lda = g.transpose_a ? block.rows : part.k;
    part.ldb = g.transpose_b ? part.k : block.columns;
    if (g.transpose_a)
      widen(x.a + first * g.lda, g.lda, a.data(), part.k, block.rows);
    else
      widen(x.a + first, g.lda, a.data(), block.rows, part.k);
    if (g.transpose_b)
      widen(x.b + first, g.ldb, b.data(), block.columns, part.k);
    else
      widen(x.b + first * g.ldb, g.ldb, b.data(), part.k, block.columns);
    multiply_block(part, Operands<float, float>{a.data(), b.data(), x.c}, block);
    part.beta = 1;
  }
}

void multiply_block(const Gemm& g, const Operands<Half, float>& x, const Block& block) {
  if (has_bf16_products()) {
    const OneThread one;
    const dnnl_status_t status = one_dnn().gemm_bf16bf16f32(
        g.transpose_a ? 'T' : 'N', g.transpose_b ? 'T' : 'N', block.rows, block.columns, g.k,
        float(g.alpha), x.a, g.lda, x.b, g.ldb, float(g.beta), x.c, g.ldc);
    if (status == dnnl_success) return;
    // DNNL_MAX_CPU_ISA may have taken the instructions from the library.
    if (status != dnnl_unimplemented)
      throw_device_error(cat("dnnl_gemm_bf16bf16f32 failed with status ", int(status)));
  }
  multiply_widened(g, x, block);
}

void multiply_block(const Gemm& g, const Operands<double, double>& x, const Block& block) {
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
template <class In, class T>
void scale(const Gemm& g, const Operands<In, T>& x, const Block& block) {
  for (std::int64_t i = 0; i < block.rows; ++i)
    for (std::int64_t j = 0; j < block.columns; ++j) {
      T& c = x.c[i * g.ldc + j];
      c = g.beta == 0 ? T(0) : T(g.beta) * c;
    }
}

template <class In, class T>
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
    const Operands<In, T> x = operands_of<In, T>(g, at, b, block);
    g.k == 0 ? scale(g, x, block) : multiply_block(g, x, block);
  }
}

template <class In, class T>
void multiply_as(const Gemm& g, std::int64_t batch, const MatrixPointers& at, WorkerPool& pool) {
  const double work = double(batch) * double(g.m) * double(g.n) * double(g.k);
  const auto wanted = std::int64_t(work / multiply_adds_per_thread);
  const std::int64_t parts = std::min<std::int64_t>(pool.parts(), wanted);
  if (parts < 2) return multiply_part<In, T>(g, batch, at, 0, 1);
  std::atomic<bool> failed = false;
  pool.run(parts, [&](int, std::int64_t part) {
    try {
      multiply_part<In, T>(g, batch, at, part, parts);
    } catch (const Error&) {
      failed = true;
    }
  });
  if (failed) throw_device_error("the BLAS library failed");
}

}  // namespace

void multiply(const Gemm& gemm, std::int64_t batch, const MatrixPointers& at, WorkerPool& pool) {
  if (gemm.reads_bf16) return multiply_as<Half, float>(gemm, batch, at, pool);
  if (gemm.dtype == DType::f32) return multiply_as<float, float>(gemm, batch, at, pool);
  if (gemm.dtype == DType::f64) return multiply_as<double, double>(gemm, batch, at, pool);
  throw_internal_error(cat("no library product of ", to_string(gemm.dtype)));
}

}  // namespace partita::cpu
