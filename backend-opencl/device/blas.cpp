// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "backend-opencl/device/blas.hpp"

#include <clblast.h>

#include <algorithm>
#include <array>
#include <map>
#include <mutex>
#include <shared_mutex>
#include <string>
#include <unordered_map>
#include <utility>

#include "backend-opencl/device/check.hpp"
#include "backend-opencl/device/process_lock.hpp"
#include "partita/base/error.hpp"

namespace partita::opencl {
namespace {

#define PARTITA_CODE(code) \
  std::pair { int(clblast::StatusCode::code), std::string_view(#code) }
constexpr std::array blas_code_names{
    PARTITA_CODE(kSuccess),
    PARTITA_CODE(kOpenCLCompilerNotAvailable),
    PARTITA_CODE(kTempBufferAllocFailure),
    PARTITA_CODE(kOpenCLOutOfResources),
    PARTITA_CODE(kOpenCLOutOfHostMemory),
    PARTITA_CODE(kOpenCLBuildProgramFailure),
    PARTITA_CODE(kInvalidValue),
    PARTITA_CODE(kInvalidCommandQueue),
    PARTITA_CODE(kInvalidMemObject),
    PARTITA_CODE(kInvalidBinary),
    PARTITA_CODE(kInvalidBuildOptions),
    PARTITA_CODE(kInvalidProgram),
    PARTITA_CODE(kInvalidProgramExecutable),
    PARTITA_CODE(kInvalidKernelName),
    PARTITA_CODE(kInvalidKernelDefinition),
    PARTITA_CODE(kInvalidKernel),
    PARTITA_CODE(kInvalidArgIndex),
    PARTITA_CODE(kInvalidArgValue),
    PARTITA_CODE(kInvalidArgSize),
    PARTITA_CODE(kInvalidKernelArgs),
    PARTITA_CODE(kInvalidLocalNumDimensions),
    PARTITA_CODE(kInvalidLocalThreadsTotal),
    PARTITA_CODE(kInvalidLocalThreadsDim),
    PARTITA_CODE(kInvalidGlobalOffset),
    PARTITA_CODE(kInvalidEventWaitList),
    PARTITA_CODE(kInvalidEvent),
    PARTITA_CODE(kInvalidOperation),
    PARTITA_CODE(kInvalidBufferSize),
    PARTITA_CODE(kInvalidGlobalWorkSize),
    PARTITA_CODE(kNotImplemented),
    PARTITA_CODE(kInvalidMatrixA),
    PARTITA_CODE(kInvalidMatrixB),
    PARTITA_CODE(kInvalidMatrixC),
    PARTITA_CODE(kInvalidDimension),
    PARTITA_CODE(kInvalidLeadDimA),
    PARTITA_CODE(kInvalidLeadDimB),
    PARTITA_CODE(kInvalidLeadDimC),
    PARTITA_CODE(kInsufficientMemoryA),
    PARTITA_CODE(kInsufficientMemoryB),
    PARTITA_CODE(kInsufficientMemoryC),
    PARTITA_CODE(kInsufficientMemoryTemp),
    PARTITA_CODE(kInvalidBatchCount),
    PARTITA_CODE(kInvalidOverrideKernel),
    PARTITA_CODE(kMissingOverrideParameter),
    PARTITA_CODE(kInvalidLocalMemUsage),
    PARTITA_CODE(kNoHalfPrecision),
    PARTITA_CODE(kNoDoublePrecision),
    PARTITA_CODE(kDatabaseError),
    PARTITA_CODE(kUnknownError),
    PARTITA_CODE(kUnexpectedError),
};
#undef PARTITA_CODE

// First calls take it alone, calls of built routines share it.
std::shared_mutex& blas_mutex() {
  static std::shared_mutex mutex;
  return mutex;
}

using ParameterMap = std::unordered_map<std::string, std::size_t>;

clblast::Precision precision_of(DType dtype) {
  return dtype == DType::f32 ? clblast::Precision::kSingle : clblast::Precision::kDouble;
}

void check_parameters(clblast::StatusCode status, std::string_view call,
                      const LibraryParameters& p) {
  if (status != clblast::StatusCode::kSuccess)
    throw_device_error(cat("CLBlast: ", call, " of ", p.kernel, "<", to_string(p.dtype),
                           "> failed with ", blas_code_name(int(status)), " (", int(status), ")"));
}

void tell(cl_device_id device, const LibraryParameters& p) {
  ParameterMap values;
  for (const auto& [name, value] : p.values) values[name] = std::size_t(value);
  check_parameters(clblast::OverrideParameters(device, p.kernel, precision_of(p.dtype), values),
                   "OverrideParameters", p);
}

// What CLBlast was told about a device, and what it had before.
struct DeviceOverride {
  std::vector<LibraryParameters> in_force, own;

  const LibraryParameters& own_of(const LibraryParameters& p) const {
    const auto found = find(p);
    PARTITA_ASSERT(found != own.end());
    return *found;
  }
  void keep_own(cl_device_id device, const LibraryParameters& p) {
    if (find(p) != own.end()) return;
    ParameterMap values;
    check_parameters(clblast::RetrieveParameters(device, p.kernel, precision_of(p.dtype), values),
                     "RetrieveParameters", p);
    LibraryParameters kept{.kernel = p.kernel, .dtype = p.dtype, .values = {}};
    for (const auto& [name, value] : values)
      kept.values.push_back({.name = name, .value = std::int64_t(value)});
    own.push_back(std::move(kept));
  }

 private:
  [[nodiscard]] std::vector<LibraryParameters>::const_iterator find(
      const LibraryParameters& p) const {
    return std::ranges::find_if(own, [&](const LibraryParameters& x) {
      return x.kernel == p.kernel && x.dtype == p.dtype;
    });
  }
};

// Guarded by blas_mutex().  Sub-devices have handles of their own, and CLBlast parameters of theirs;
// a handle that is freed and given again is, to CLBlast too, the same device.
std::map<cl_device_id, DeviceOverride>& overrides() {
  static std::map<cl_device_id, DeviceOverride> all;
  return all;
}

const DeviceOverride& override_of(cl_device_id device) {
  static const DeviceOverride none;
  const auto found = overrides().find(device);
  return found == overrides().end() ? none : found->second;
}

void check_blas(clblast::StatusCode status, std::string_view call, const Gemm& g,
                std::size_t batch) {
  if (status == clblast::StatusCode::kSuccess) return;
  const int code = int(status);
  throw_device_error(cat("CLBlast: ", call, "<", to_string(g.dtype), ">(m=", g.m, " n=", g.n,
                         " k=", g.k, " batch=", batch, ") failed with ", blas_code_name(code), " (",
                         code, ")"));
}

clblast::Transpose transpose(bool yes) {
  return yes ? clblast::Transpose::kYes : clblast::Transpose::kNo;
}

// c[b, i, j] = beta == 0 ? 0 : beta * c[b, i, j]; what remains of a product with k = 0.
constexpr std::string_view scale_source = R"(
__kernel void partita_scale(__global T* c, long offset, long stride, long ld, T beta) {
  const long at = offset + (long)get_global_id(2) * stride + (long)get_global_id(1) * ld +
                  (long)get_global_id(0);
  c[at] = beta == 0 ? 0 : beta * c[at];
}
)";

}  // namespace

std::string_view blas_code_name(int code) {
  const auto found =
      std::ranges::find(blas_code_names, code, &std::pair<int, std::string_view>::first);
  return found == blas_code_names.end() ? "unknown CLBlast code" : found->second;
}

Blas::Blas(const BuildTarget& target, cl_command_queue queue, Scratch scratch)
    : target_(target), queue_(queue), scratch_(std::move(scratch)) {}

void Blas::gemm(const Gemm& gemm, const GemmBuffers& buffers, std::size_t batch) {
  if (gemm.reads_bf16) throw_device_error("CLBlast: expected products of f32 or f64, found bf16");
  PARTITA_ASSERT(gemm.dtype == DType::f32 || gemm.dtype == DType::f64);
  PARTITA_ASSERT(gemm.m >= 0 && gemm.n >= 0 && gemm.k >= 0);
  if (gemm.m == 0 || gemm.n == 0 || batch == 0) return;
  if (gemm.k == 0) {
    scale(gemm, buffers, batch);
    return;
  }
  const Shape shape{gemm.dtype, batch > 1, gemm.transpose_a, gemm.transpose_b, gemm.m,
                    gemm.n,     gemm.k};
  const auto run = [&] {
    if (gemm.dtype == DType::f32)
      multiply<float>(gemm, buffers, batch);
    else
      multiply<double>(gemm, buffers, batch);
  };
  if (warm_.contains(shape)) {
    const std::shared_lock lock(blas_mutex());
    if (override_of(target_.device).in_force == parameters_) return run();
  }
  {
    const std::unique_lock lock(blas_mutex());
    apply_parameters();
    const ProcessLock alone_on_machine("clblast");
    run();
    PARTITA_CL(clFinish(queue_));  // PoCL compiles when it runs a kernel
    warm_.insert(shape);
  }
}

void Blas::set_parameters(std::vector<LibraryParameters> parameters) {
  if (parameters == parameters_) return;
  parameters_ = std::move(parameters);
  warm_.clear();
}

// Under the lock of first calls.
void Blas::apply_parameters() {
  DeviceOverride& state = overrides()[target_.device];
  if (state.in_force == parameters_) return;
  for (const LibraryParameters& now : state.in_force) tell(target_.device, state.own_of(now));
  state.in_force.clear();
  for (const LibraryParameters& wanted : parameters_) {
    state.keep_own(target_.device, wanted);
    tell(target_.device, wanted);
  }
  state.in_force = parameters_;
}

template <class T>
void Blas::multiply(const Gemm& g, const GemmBuffers& at, std::size_t batch) {
  using clblast::Layout;
  const auto [m, n, k] = std::array{std::size_t(g.m), std::size_t(g.n), std::size_t(g.k)};
  const auto [lda, ldb, ldc] =
      std::array{std::size_t(g.lda), std::size_t(g.ldb), std::size_t(g.ldc)};
  const auto ta = transpose(g.transpose_a);
  const auto tb = transpose(g.transpose_b);
  if (batch > 1) {
    check_blas(clblast::GemmStridedBatched<T>(
                   Layout::kRowMajor, ta, tb, m, n, k, T(g.alpha), at.a, at.a_offset, lda,
                   std::size_t(g.stride_a), at.b, at.b_offset, ldb, std::size_t(g.stride_b),
                   T(g.beta), at.c, at.c_offset, ldc, std::size_t(g.stride_c), batch, &queue_),
               "GemmStridedBatched", g, batch);
    return;
  }
  std::size_t scratch_bytes = 0;
  check_blas(
      clblast::GemmTempBufferSize<T>(Layout::kRowMajor, ta, tb, m, n, k, at.a_offset, lda,
                                     at.b_offset, ldb, at.c_offset, ldc, &queue_, scratch_bytes),
      "GemmTempBufferSize", g, batch);
  const cl_mem temporary = scratch_bytes > 0 ? scratch_(scratch_bytes) : nullptr;
  check_blas(clblast::Gemm<T>(Layout::kRowMajor, ta, tb, m, n, k, T(g.alpha), at.a, at.a_offset,
                              lda, at.b, at.b_offset, ldb, T(g.beta), at.c, at.c_offset, ldc,
                              &queue_, nullptr, temporary),
             "Gemm", g, batch);
}

void Blas::scale(const Gemm& g, const GemmBuffers& at, std::size_t batch) {
  if (!scale_kernel_.handle || scale_dtype_ != g.dtype) {
    const std::string_view type = g.dtype == DType::f32 ? "float" : "double";
    scale_program_ = build_program(target_, "scale", cat("#define T ", type, scale_source)).handle;
    scale_kernel_ = load_kernel(target_, scale_program_.get(), "partita_scale");
    scale_dtype_ = g.dtype;
  }
  const cl_kernel kernel = scale_kernel_.handle.get();
  const cl_long offset = cl_long(at.c_offset);
  const cl_long stride = g.stride_c;
  const cl_long ld = g.ldc;
  const auto beta32 = float(g.beta);
  const bool single = g.dtype == DType::f32;
  PARTITA_CL(clSetKernelArg(kernel, 0, sizeof at.c, &at.c));
  PARTITA_CL(clSetKernelArg(kernel, 1, sizeof offset, &offset));
  PARTITA_CL(clSetKernelArg(kernel, 2, sizeof stride, &stride));
  PARTITA_CL(clSetKernelArg(kernel, 3, sizeof ld, &ld));
  PARTITA_CL(clSetKernelArg(kernel, 4, single ? sizeof beta32 : sizeof g.beta,
                            single ? static_cast<const void*>(&beta32) : &g.beta));
  const std::array<std::size_t, 3> global{std::size_t(g.n), std::size_t(g.m), batch};
  PARTITA_CL(clEnqueueNDRangeKernel(queue_, kernel, cl_uint(global.size()), nullptr, global.data(),
                                    nullptr, 0, nullptr, nullptr));
}

}  // namespace partita::opencl
