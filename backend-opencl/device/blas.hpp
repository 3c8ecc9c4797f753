// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Matrix products by CLBlast, in f32 and f64.  CLBlast before 1.6.1 is not safe for concurrent
// first calls of a routine, and such calls compile kernels for seconds on PoCL: the first product of
// each shape is made, to its end, alone on this machine; later ones run side by side.
//
// CLBlast keeps the parameters of its kernels per device for the whole process.  Whoever is about to
// call it sees to it that they are its own: they are changed alone, and read in a call's first part.
#pragma once

#include <CL/cl.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <set>
#include <string_view>
#include <tuple>
#include <vector>

#include "backend-opencl/device/handles.hpp"
#include "backend-opencl/device/program.hpp"
#include "partita/artifact/artifact.hpp"
#include "partita/device/device.hpp"

namespace partita::opencl {

/// "kInvalidLeadDimA", or "unknown CLBlast code".
[[nodiscard]] std::string_view blas_code_name(int code);

/// The buffers of one product; offsets in elements.
struct GemmBuffers {
  cl_mem a = nullptr, b = nullptr, c = nullptr;
  std::size_t a_offset = 0, b_offset = 0, c_offset = 0;
};

/// The matrix library of one queue.
class Blas {
 public:
  /// Makes scratch memory of at least so many bytes; the result lives until the next call.
  using Scratch = std::function<cl_mem(std::size_t bytes)>;

  Blas(const BuildTarget& target, cl_command_queue queue, Scratch scratch);

  /// Enqueues the product.  Nothing where m, n or `batch` is 0; c = beta·c where k is 0, and with
  /// beta 0 the old c is never read into the result.  Other dtypes are an internal error.
  void gemm(const Gemm& gemm, const GemmBuffers& buffers, std::size_t batch);

  /// Parameters of CLBlast's kernels for this object's products from now on; no others' change.
  void set_parameters(std::vector<LibraryParameters> parameters);

 private:
  void apply_parameters();
  template <class T>
  void multiply(const Gemm& gemm, const GemmBuffers& buffers, std::size_t batch);
  void scale(const Gemm& gemm, const GemmBuffers& buffers, std::size_t batch);

  BuildTarget target_;
  cl_command_queue queue_;
  Scratch scratch_;
  std::vector<LibraryParameters> parameters_;
  /// dtype, whether batched, transposes, m, n, k: what CLBlast chooses kernels by.
  using Shape = std::tuple<DType, bool, bool, bool, std::int64_t, std::int64_t, std::int64_t>;
  std::set<Shape> warm_;  ///< whose kernels are built
  Program scale_program_;
  LoadedKernel scale_kernel_;
  DType scale_dtype_ = DType::f32;
};

}  // namespace partita::opencl
