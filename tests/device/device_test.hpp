// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Helpers of the device tests: a device or a skip with its reason, artifacts made of kernel text,
// arrays up and down.
#pragma once

#include <CL/cl.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "partita/base/error.hpp"
#include "partita/device/device.hpp"

namespace partita::testing {

/// A test with one device; skipped where none is installed.
class DeviceTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (std::ranges::none_of(list_devices(), [](const auto& p) { return p.backend == "opencl"; }))
      GTEST_SKIP() << "no OpenCL platform is installed";
    ::setenv("PARTITA_CACHE_DIR", "", 1);
    devices_ = open_devices({});
    ASSERT_EQ(devices_.size(), 1u);
  }

  Device& device() { return *devices_.front(); }

  template <class T>
  DeviceBufferPtr upload(const std::vector<T>& values) {
    DeviceBufferPtr buffer = device().allocate(values.size() * sizeof(T));
    device().write(*buffer, 0, std::as_bytes(std::span(values)));
    return buffer;
  }

  template <class T>
  std::vector<T> download(DeviceBuffer& buffer) {
    std::vector<T> values(buffer.bytes() / sizeof(T));
    device().read(buffer, 0, std::as_writable_bytes(std::span(values)));
    return values;
  }

  std::vector<std::unique_ptr<Device>> devices_;
};

/// The same with the device taken for a GPU.
class GpuClassTest : public DeviceTest {
 protected:
  void SetUp() override {
    ::setenv("PARTITA_OPENCL_CLASS", "gpu", 1);
    DeviceTest::SetUp();
    ::unsetenv("PARTITA_OPENCL_CLASS");
  }
};

/// One module whose kernels are the named entry points.
inline Artifact kernels(const std::string& source, const std::vector<std::string>& names) {
  Artifact artifact;
  artifact.target = "opencl";
  artifact.modules.push_back({.name = "test", .source = source});
  for (const std::string& name : names) artifact.kernels.push_back({.name = name, .module = 0});
  return artifact;
}

/// The text of the error of `kind` that `action` throws; a test failure where it throws none.
template <class Action>
std::string error_text(ErrorKind kind, Action&& action) {
  try {
    action();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), kind) << error.what();
    return error.what();
  }
  ADD_FAILURE() << "no error was thrown";
  return {};
}

/// Context and queue of a host program; released in the opposite order.
struct HostQueue {
  explicit HostQueue(cl_command_queue_properties properties = 0) {
    cl_platform_id platform = nullptr;
    cl_device_id device = nullptr;
    cl_int code = CL_SUCCESS;
    EXPECT_EQ(clGetPlatformIDs(1, &platform, nullptr), CL_SUCCESS);
    EXPECT_EQ(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, nullptr), CL_SUCCESS);
    context = clCreateContext(nullptr, 1, &device, nullptr, nullptr, &code);
    EXPECT_EQ(code, CL_SUCCESS);
    queue = clCreateCommandQueue(context, device, properties, &code);
    EXPECT_EQ(code, CL_SUCCESS);
  }
  HostQueue(const HostQueue&) = delete;
  HostQueue& operator=(const HostQueue&) = delete;
  ~HostQueue() {
    clReleaseCommandQueue(queue);
    clReleaseContext(context);
  }
  cl_context context = nullptr;
  cl_command_queue queue = nullptr;
};

}  // namespace partita::testing
