// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// As much of OpenCL as tests of kernel text need: build a source on the first device, run kernels.
#pragma once

#include <CL/cl.h>

#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "partita/base/host_array.hpp"
#include "tests/support/kernel_machine.hpp"

namespace partita::testing {

inline void require_cl(cl_int status, const char* call) {
  if (status != CL_SUCCESS)
    throw std::runtime_error(std::string(call) + " returned " + std::to_string(status));
}

class OpenCL final : public KernelMachine {
 public:
  /// Why there is no device to test on; empty when there is one.
  [[nodiscard]] static std::string why_unavailable() {
    cl_uint platforms = 0;
    if (clGetPlatformIDs(0, nullptr, &platforms) != CL_SUCCESS || platforms == 0)
      return "no OpenCL platform";
    return {};
  }

  OpenCL() {
    cl_platform_id platform = nullptr;
    require_cl(clGetPlatformIDs(1, &platform, nullptr), "clGetPlatformIDs");
    require_cl(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device_, nullptr),
               "clGetDeviceIDs");
    cl_int status = CL_SUCCESS;
    context_ = clCreateContext(nullptr, 1, &device_, nullptr, nullptr, &status);
    require_cl(status, "clCreateContext");
    queue_ = clCreateCommandQueue(context_, device_, 0, &status);
    require_cl(status, "clCreateCommandQueue");
  }
  OpenCL(const OpenCL&) = delete;
  OpenCL& operator=(const OpenCL&) = delete;
  ~OpenCL() override {
    if (program_) clReleaseProgram(program_);
    clReleaseCommandQueue(queue_);
    clReleaseContext(context_);
  }

  [[nodiscard]] bool has_f64() const {
    cl_device_fp_config config = 0;
    return clGetDeviceInfo(device_, CL_DEVICE_DOUBLE_FP_CONFIG, sizeof config, &config, nullptr) ==
               CL_SUCCESS &&
           config != 0;
  }

  void build(const std::string& source) override {
    const char* text = source.c_str();
    cl_int status = CL_SUCCESS;
    if (program_) clReleaseProgram(program_);
    program_ = clCreateProgramWithSource(context_, 1, &text, nullptr, &status);
    require_cl(status, "clCreateProgramWithSource");
    status =
        clBuildProgram(program_, 1, &device_,
                       "-cl-std=CL1.2 -cl-fp32-correctly-rounded-divide-sqrt", nullptr, nullptr);
    if (status == CL_SUCCESS) return;
    std::size_t size = 0;
    clGetProgramBuildInfo(program_, device_, CL_PROGRAM_BUILD_LOG, 0, nullptr, &size);
    std::string log(size, '\0');
    clGetProgramBuildInfo(program_, device_, CL_PROGRAM_BUILD_LOG, size, log.data(), nullptr);
    throw std::runtime_error("clBuildProgram:\n" + log);
  }

  /// Runs n work items of a kernel that takes the inputs and then the outputs.
  void run(const std::string& name, std::span<const HostArray> inputs, std::span<HostArray> outputs,
           std::size_t n) override {
    cl_int status = CL_SUCCESS;
    cl_kernel kernel = clCreateKernel(program_, name.c_str(), &status);
    require_cl(status, "clCreateKernel");
    std::vector<cl_mem> memory;
    const auto pass = [&](const HostArray& array) {
      auto* bytes = const_cast<std::byte*>(array.bytes.data());
      memory.push_back(clCreateBuffer(context_, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR,
                                      array.bytes.size(), bytes, &status));
      require_cl(status, "clCreateBuffer");
      require_cl(clSetKernelArg(kernel, cl_uint(memory.size() - 1), sizeof(cl_mem), &memory.back()),
                 "clSetKernelArg");
    };
    for (const HostArray& input : inputs) pass(input);
    for (const HostArray& output : outputs) pass(output);
    require_cl(clEnqueueNDRangeKernel(queue_, kernel, 1, nullptr, &n, nullptr, 0, nullptr, nullptr),
               "clEnqueueNDRangeKernel");
    for (std::size_t k = 0; k < outputs.size(); ++k)
      require_cl(clEnqueueReadBuffer(queue_, memory[inputs.size() + k], CL_TRUE, 0,
                                     outputs[k].bytes.size(), outputs[k].bytes.data(), 0, nullptr,
                                     nullptr),
                 "clEnqueueReadBuffer");
    for (const cl_mem m : memory) clReleaseMemObject(m);
    clReleaseKernel(kernel);
  }

 private:
  cl_device_id device_ = nullptr;
  cl_context context_ = nullptr;
  cl_command_queue queue_ = nullptr;
  cl_program program_ = nullptr;
};

}  // namespace partita::testing
