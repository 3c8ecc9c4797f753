// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// The table by which the loader of OpenCL finds the driver's functions, and the two that it finds by name.  What
// partita does not call is left out of the table.
#include <string_view>

#include "gpu/ptx/api.hpp"
#include "gpu/ptx/objects.hpp"

namespace partita::ptx {

cl_icd_dispatch dispatch_table = [] {
  cl_icd_dispatch t{};
  t.clGetPlatformIDs = get_platform_ids;
  t.clGetPlatformInfo = get_platform_info;
  t.clGetDeviceIDs = get_device_ids;
  t.clGetDeviceInfo = get_device_info;
  t.clCreateSubDevices = create_sub_devices;
  t.clRetainDevice = keep_device;
  t.clReleaseDevice = keep_device;
  t.clCreateContext = create_context;
  t.clRetainContext = retain_context;
  t.clReleaseContext = release_context;
  t.clGetContextInfo = get_context_info;
  t.clCreateCommandQueue = create_queue;
  t.clRetainCommandQueue = retain_queue;
  t.clReleaseCommandQueue = release_queue;
  t.clGetCommandQueueInfo = get_queue_info;
  t.clCreateBuffer = create_buffer;
  t.clRetainMemObject = retain_memory;
  t.clReleaseMemObject = release_memory;
  t.clGetMemObjectInfo = get_memory_info;
  t.clEnqueueReadBuffer = read_buffer;
  t.clEnqueueWriteBuffer = write_buffer;
  t.clEnqueueCopyBuffer = copy_buffer;
  t.clEnqueueMapBuffer = map_buffer;
  t.clEnqueueUnmapMemObject = unmap;
  t.clEnqueueMarkerWithWaitList = enqueue_marker;
  t.clEnqueueBarrierWithWaitList = enqueue_marker;
  t.clFlush = flush;
  t.clFinish = finish;
  t.clWaitForEvents = wait_for_events;
  t.clGetEventInfo = get_event_info;
  t.clGetEventProfilingInfo = get_event_times;
  t.clRetainEvent = retain_event;
  t.clReleaseEvent = release_event;
  t.clCreateProgramWithSource = create_program;
  t.clCreateProgramWithBinary = create_program_of_binary;
  t.clBuildProgram = build_program;
  t.clRetainProgram = retain_program;
  t.clReleaseProgram = release_program;
  t.clGetProgramInfo = get_program_info;
  t.clGetProgramBuildInfo = get_build_info;
  t.clCreateKernel = create_kernel;
  t.clRetainKernel = retain_kernel;
  t.clReleaseKernel = release_kernel;
  t.clGetKernelInfo = get_kernel_info;
  t.clGetKernelWorkGroupInfo = get_kernel_group_info;
  t.clSetKernelArg = set_argument;
  t.clEnqueueNDRangeKernel = enqueue_kernel;
  return t;
}();

}  // namespace partita::ptx

#define PARTITA_EXPORTED extern "C" __attribute__((visibility("default")))

PARTITA_EXPORTED CL_API_ENTRY cl_int CL_API_CALL clIcdGetPlatformIDsKHR(cl_uint entries,
                                                                        cl_platform_id* platforms,
                                                                        cl_uint* count) {
  return partita::ptx::get_platform_ids(entries, platforms, count);
}

PARTITA_EXPORTED CL_API_ENTRY void* CL_API_CALL clGetExtensionFunctionAddress(const char* name) {
  const bool is_known = std::string_view(name) == "clIcdGetPlatformIDsKHR";
  return is_known ? reinterpret_cast<void*>(clIcdGetPlatformIDsKHR) : nullptr;
}

PARTITA_EXPORTED CL_API_ENTRY cl_int CL_API_CALL clGetPlatformInfo(cl_platform_id platform,
                                                                   cl_platform_info what,
                                                                   std::size_t bytes, void* value,
                                                                   std::size_t* needed) {
  return partita::ptx::get_platform_info(platform, what, bytes, value, needed);
}
