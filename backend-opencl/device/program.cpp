// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "backend-opencl/device/program.hpp"

#include <optional>
#include <string_view>

#include "backend-opencl/device/check.hpp"
#include "backend-opencl/device/discovery.hpp"
#include "backend-opencl/device/program_cache.hpp"
#include "partita/base/env.hpp"
#include "partita/base/error.hpp"
#include "partita/base/log.hpp"

namespace partita::opencl {
namespace {

std::string build_log(cl_program program, cl_device_id device) {
  std::size_t size = 0;
  if (clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, 0, nullptr, &size) != CL_SUCCESS)
    return {};
  std::string text(size, '\0');
  if (clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, size, text.data(), nullptr) !=
      CL_SUCCESS)
    return {};
  return text.c_str();  // up to the terminating zero
}

std::string first_lines(std::string_view text, int lines) {
  std::size_t end = 0;
  for (int i = 0; i < lines && end < text.size(); ++i) {
    const std::size_t newline = text.find('\n', end);
    end = newline == std::string_view::npos ? text.size() : newline + 1;
  }
  std::string kept(text.substr(0, end));
  while (!kept.empty() && kept.back() == '\n') kept.pop_back();
  return end < text.size() ? kept + "\n…" : kept;
}

std::optional<Program> build_from_binary(const BuildTarget& target, const std::string& options,
                                         const std::vector<std::byte>& binary) {
  const std::size_t size = binary.size();
  const auto* bytes = reinterpret_cast<const unsigned char*>(binary.data());
  cl_int status = CL_SUCCESS;
  cl_int code = CL_SUCCESS;
  Program program(
      clCreateProgramWithBinary(target.context, 1, &target.device, &size, &bytes, &status, &code));
  if (code != CL_SUCCESS || status != CL_SUCCESS) return std::nullopt;
  code = clBuildProgram(program.get(), 1, &target.device, options.c_str(), nullptr, nullptr);
  if (code != CL_SUCCESS) return std::nullopt;
  return program;
}

Program build_from_source(const BuildTarget& target, const std::string& name,
                          const std::string& options, const std::string& source) {
  const char* text = source.data();
  const std::size_t size = source.size();
  cl_int code = CL_SUCCESS;
  Program program(clCreateProgramWithSource(target.context, 1, &text, &size, &code));
  check(code, "clCreateProgramWithSource");
  code = clBuildProgram(program.get(), 1, &target.device, options.c_str(), nullptr, nullptr);
  if (code == CL_SUCCESS) return program;
  constexpr int shown_lines = 20;
  throw_device_error(cat("OpenCL: build of kernels '", name, "' failed with ", describe_code(code),
                         " on ", target.profile->name, ":\n",
                         first_lines(build_log(program.get(), target.device), shown_lines)));
}

// Empty where the driver gives none.
std::vector<std::byte> binary_of(cl_program program) {
  std::size_t size = 0;
  if (clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof size, &size, nullptr) != CL_SUCCESS)
    return {};
  std::vector<std::byte> binary(size);
  auto* bytes = reinterpret_cast<unsigned char*>(binary.data());
  if (clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof bytes, &bytes, nullptr) != CL_SUCCESS)
    return {};
  return binary;
}

}  // namespace

std::string build_options(cl_device_id device) {
  std::string options = "-cl-std=CL1.2";
  if (rounds_divide_sqrt(device)) options += " -cl-fp32-correctly-rounded-divide-sqrt";
  return options;
}

/// Kernels that use matrix units know how to do without (backend-opencl/codegen/opencl_dialect.cpp): by
/// PARTITA_MATRIX_UNITS, else NVIDIA's where their compiler takes them.
static std::string matrix_option(const DeviceProfile& profile, const std::string& source) {
  if (source.find(matrix_variable) == std::string::npos) return {};
  const auto option = [](int kind) { return cat(" -D", matrix_variable, "=", kind); };
  if (const auto wanted = environment(matrix_variable)) {
    if (*wanted == "ptx") return option(1);
    if (*wanted == "exchange") return option(2);
    if (*wanted == "none") return {};
    throw_user_error(
        cat(matrix_variable, ": expected exchange, none or ptx, found '", *wanted, "'"));
  }
  return profile.vendor.find("NVIDIA") == std::string::npos ? std::string() : option(1);
}

static Program build_with(const BuildTarget& target, const std::string& name,
                          const std::string& source, const std::string& options);

Program build_program(const BuildTarget& target, const std::string& name,
                      const std::string& source) {
  const std::string options = build_options(target.device),
                    matrices = matrix_option(*target.profile, source);
  if (matrices.empty()) return build_with(target, name, source, options);
  try {
    return build_with(target, name, source, options + matrices);
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::device) throw;
    log(LogLevel::info,
        cat("kernels '", name, "': without matrix units, because of: ", error.what()));
  }
  return build_with(target, name, source, options);
}

static Program build_with(const BuildTarget& target, const std::string& name,
                          const std::string& source, const std::string& options) {
  const DeviceProfile& profile = *target.profile;
  const ProgramCache cache(profile);
  const ProgramIdentity id{
      .device = cat(profile.name, "; ", profile.driver, "; ", profile.platform),
      .options = options,
      .source = source};
  if (const auto binary = cache.find(id)) {
    if (auto program = build_from_binary(target, id.options, *binary)) {
      log(LogLevel::debug, cat("kernels '", name, "': taken from the program cache"));
      return std::move(*program);
    }
  }
  Program program = build_from_source(target, name, id.options, source);
  log(LogLevel::debug, cat("kernels '", name, "': built from source"));
  if (cache.enabled())
    if (const auto binary = binary_of(program.get()); !binary.empty()) cache.store(id, binary);
  return program;
}

LoadedKernel load_kernel(const BuildTarget& target, cl_program program, const std::string& name) {
  LoadedKernel kernel;
  kernel.name = name;
  cl_int code = CL_SUCCESS;
  kernel.handle.reset(clCreateKernel(program, name.c_str(), &code));
  check(code, cat("clCreateKernel(\"", name, "\")"));
  PARTITA_CL(clGetKernelInfo(kernel.handle.get(), CL_KERNEL_NUM_ARGS, sizeof kernel.arguments,
                             &kernel.arguments, nullptr));
  kernel.set.resize(kernel.arguments);
  PARTITA_CL(clGetKernelWorkGroupInfo(kernel.handle.get(), target.device, CL_KERNEL_WORK_GROUP_SIZE,
                                      sizeof kernel.max_work_group, &kernel.max_work_group,
                                      nullptr));
  PARTITA_CL(clGetKernelWorkGroupInfo(
      kernel.handle.get(), target.device, CL_KERNEL_COMPILE_WORK_GROUP_SIZE,
      sizeof kernel.required_local, kernel.required_local.data(), nullptr));
  return kernel;
}

OpenclProgram::OpenclProgram(const BuildTarget& target, const Artifact& artifact) {
  for (const KernelModule& module : artifact.modules)
    programs_.push_back(build_program(target, module.name, module.source));
  for (const KernelEntry& entry : artifact.kernels) {
    if (entry.module < 0 || std::size_t(entry.module) >= programs_.size())
      throw_user_error(cat("artifact: kernel '", entry.name, "' names module ", entry.module,
                           ", expected one of ", programs_.size()));
    kernels_.push_back(load_kernel(target, programs_[std::size_t(entry.module)].get(), entry.name));
  }
}

LoadedKernel& OpenclProgram::kernel(int index) {
  PARTITA_ASSERT(index >= 0 && std::size_t(index) < kernels_.size());
  return kernels_[std::size_t(index)];
}

}  // namespace partita::opencl
