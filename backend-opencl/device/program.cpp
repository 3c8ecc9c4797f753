// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "backend-opencl/device/program.hpp"

#include <map>
#include <optional>
#include <string_view>

#include "backend-opencl/device/check.hpp"
#include "backend-opencl/device/discovery.hpp"
#include "backend-opencl/device/module_text.hpp"
#include "backend-opencl/device/program_binary.hpp"
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

}  // namespace

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

std::string build_options(cl_device_id device) {
  std::string options = "-cl-std=CL1.2";
  if (rounds_divide_sqrt(device)) options += " -cl-fp32-correctly-rounded-divide-sqrt";
  return options;
}

/// Defines how matrix units are used; by PARTITA_MATRIX_UNITS, else NVIDIA's where their compiler takes them.
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

std::vector<std::string> build_options(const BuildTarget& target, const std::string& source) {
  std::vector<std::string> all{build_options(target.device)};
  if (const std::string matrices = matrix_option(*target.profile, source); !matrices.empty())
    all.insert(all.begin(), all.front() + matrices);
  return all;
}

static Program build_with(const BuildTarget& target, const std::string& name,
                          const std::string& source, const std::string& options) {
  const ProgramCache cache(*target.profile);
  const ProgramIdentity id = identity_of(*target.profile, options, source);
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

BuiltProgram build_program(const BuildTarget& target, const std::string& name,
                           const std::string& source) {
  const std::vector<std::string> options = build_options(target, source);
  for (std::size_t k = 0;; ++k) {
    try {
      return {.handle = build_with(target, name, source, options[k]), .options = options[k]};
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::device || k + 1 == options.size()) throw;
      log(LogLevel::info,
          cat("kernels '", name, "': without matrix units, because of: ", error.what()));
    }
  }
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

namespace {

/// The program of an artifact's binary; nothing where it belongs to another device, driver or text.
std::optional<Program> take_binary(const BuildTarget& target, const KernelBinary& binary,
                                   const std::vector<std::string>& kernels,
                                   const ModuleText& module) {
  const std::string source = module.with(kernels);
  for (const std::string& options : build_options(target, source)) {
    const auto bytes = unpack_binary(identity_of(*target.profile, options, source), binary.bytes);
    if (!bytes) continue;
    if (auto program = build_from_binary(target, options, *bytes)) return program;
    log(LogLevel::info, cat("artifact: the driver refuses binary '", binary.name,
                            "'; its kernels are built from source"));
  }
  return std::nullopt;
}

}  // namespace

OpenclProgram::OpenclProgram(const BuildTarget& target, const Artifact& artifact) {
  std::map<std::string, cl_program> program_of;  // by kernel
  std::vector<ModuleText> texts;
  if (!artifact.binaries.empty())
    for (const KernelModule& module : artifact.modules) texts.emplace_back(module.source);
  for (const KernelBinary& binary : artifact.binaries) {
    const std::vector<std::string> names = kernels_in(binary.bytes);
    for (std::size_t m = 0; m < texts.size(); ++m) {
      if (names.empty() || !texts[m].holds(names)) continue;
      auto program = take_binary(target, binary, names, texts[m]);
      if (!program) continue;
      log(LogLevel::debug, cat("kernels '", artifact.modules[m].name, "': ", names.size(),
                               " taken from binary '", binary.name, "'"));
      for (const std::string& name : names) program_of[name] = program->get();
      programs_.push_back(std::move(*program));
    }
  }
  std::vector<cl_program> built(artifact.modules.size());
  for (const KernelEntry& entry : artifact.kernels) {
    if (entry.module < 0 || std::size_t(entry.module) >= built.size())
      throw_user_error(cat("artifact: kernel '", entry.name, "' names module ", entry.module,
                           ", expected one of ", built.size()));
    cl_program& program = program_of[entry.name];
    if (program == nullptr) {
      cl_program& whole = built[std::size_t(entry.module)];
      if (whole == nullptr) {
        const KernelModule& module = artifact.modules[std::size_t(entry.module)];
        programs_.push_back(build_program(target, module.name, module.source).handle);
        whole = programs_.back().get();
      }
      program = whole;
    }
    kernels_.push_back(load_kernel(target, program, entry.name));
  }
}

LoadedKernel& OpenclProgram::kernel(int index) {
  PARTITA_ASSERT(index >= 0 && std::size_t(index) < kernels_.size());
  return kernels_[std::size_t(index)];
}

}  // namespace partita::opencl
