// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Owners of OpenCL objects.  Each holds one reference and gives it back once.
#pragma once

#include <CL/cl.h>

#include "partita/base/unique_handle.hpp"

namespace partita::opencl {

template <class Object, cl_int (*release_object)(Object)>
struct ObjectTraits {
  using Handle = Object;
  static constexpr Handle none = nullptr;
  static void release(Handle handle) noexcept { release_object(handle); }
};

using Context = UniqueHandle<ObjectTraits<cl_context, clReleaseContext>>;
using Queue = UniqueHandle<ObjectTraits<cl_command_queue, clReleaseCommandQueue>>;
using Program = UniqueHandle<ObjectTraits<cl_program, clReleaseProgram>>;
using Kernel = UniqueHandle<ObjectTraits<cl_kernel, clReleaseKernel>>;
using Memory = UniqueHandle<ObjectTraits<cl_mem, clReleaseMemObject>>;
using Event = UniqueHandle<ObjectTraits<cl_event, clReleaseEvent>>;
/// A sub-device; root devices are not owned (releasing one does nothing).
using DeviceHandle = UniqueHandle<ObjectTraits<cl_device_id, clReleaseDevice>>;

}  // namespace partita::opencl
