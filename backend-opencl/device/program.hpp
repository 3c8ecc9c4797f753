// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// OpenCL C text to kernels: build options, build errors, the cache of binaries.
#pragma once

#include <CL/cl.h>

#include <array>
#include <cstddef>
#include <string>
#include <vector>

#include "backend-opencl/device/handles.hpp"
#include "backend-opencl/device/work_groups.hpp"
#include "partita/device/device.hpp"

namespace partita::opencl {

/// exchange, none or ptx: how kernels use matrix units; a macro of theirs.
inline constexpr const char* matrix_variable = "PARTITA_MATRIX_UNITS";

/// What kernels are built for.
struct BuildTarget {
  cl_context context = nullptr;
  cl_device_id device = nullptr;
  const DeviceProfile* profile = nullptr;
};

/// Options of every build: OpenCL C 1.2, correctly rounded division and square root where the
/// device has them, nothing that relaxes floating-point rules.
[[nodiscard]] std::string build_options(cl_device_id device);

/// Options to build a text with, in the order in which they are tried: kernels that use matrix units know how to do
/// without (backend-opencl/codegen/opencl_dialect.cpp).
[[nodiscard]] std::vector<std::string> build_options(const BuildTarget& target,
                                                     const std::string& source);

struct BuiltProgram {
  Program handle;
  std::string options;  ///< that took
};

/// Builds one translation unit, or takes its binary from the cache.  A build failure is a device
/// error with the module's name and the first lines of the build log.
[[nodiscard]] BuiltProgram build_program(const BuildTarget& target, const std::string& name,
                                         const std::string& source);
/// The driver's; empty where it gives none.
[[nodiscard]] std::vector<std::byte> binary_of(cl_program program);

/// What a kernel's argument was last set to.  Buffers are told apart by number, because a new one
/// may have the handle of one that is gone.
struct ArgumentValue {
  enum class Kind : std::uint8_t { none, buffer, narrow, wide };
  Kind kind = Kind::none;
  std::int64_t value = 0;
  bool operator==(const ArgumentValue&) const = default;
};

struct LoadedKernel {
  Kernel handle;
  std::string name;
  cl_uint arguments = 0;
  std::size_t max_work_group = 0;
  std::array<std::size_t, 3> required_local{};  ///< reqd_work_group_size, or zeros
  std::vector<ArgumentValue> set;               ///< the arguments as they are
  Range3 last_global{};                         ///< of the last launch that left `local` open
  std::vector<Part> last_parts;                 ///< and how it was cut
};

[[nodiscard]] LoadedKernel load_kernel(const BuildTarget& target, cl_program program,
                                       const std::string& name);

/// From the artifact's binaries as far as they are of this device and driver, else from text.
class OpenclProgram final : public DeviceProgram {
 public:
  OpenclProgram(const BuildTarget& target, const Artifact& artifact);
  /// An index outside the artifact's kernels is an internal error.
  [[nodiscard]] LoadedKernel& kernel(int index);

 private:
  std::vector<Program> programs_;  // that `kernels_` are of
  std::vector<LoadedKernel> kernels_;
};

}  // namespace partita::opencl
