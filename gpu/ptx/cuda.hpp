// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// The part of NVIDIA's driver interface that gpu/ptx needs, found in libcuda.so.1 at run time: no header and no
// library of CUDA is needed to build it.  Types are those of the driver's stable interface.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace partita::ptx {

using Result = int;  ///< 0: success
using Device = int;
using Address = std::uint64_t;  ///< of memory on the device
using Context = struct ContextOf*;
using Stream = struct StreamOf*;
using Event = struct EventOf*;
using Module = struct ModuleOf*;
using Function = struct FunctionOf*;

constexpr int attribute_multiprocessors = 16, attribute_clock_khz = 13, attribute_major = 75,
              attribute_minor = 76;
constexpr int function_most_threads = 0;
constexpr int jit_error_log = 5, jit_error_log_bytes = 6;

/// X(name of the member, name in the library, arguments).
#define PARTITA_CUDA(X)                                                                            \
  X(init, "cuInit", (unsigned flags))                                                              \
  X(driver_version, "cuDriverGetVersion", (int* version))                                          \
  X(device_count, "cuDeviceGetCount", (int* count))                                                \
  X(device_get, "cuDeviceGet", (Device * device, int ordinal))                                     \
  X(device_name, "cuDeviceGetName", (char* name, int bytes, Device device))                        \
  X(device_attribute, "cuDeviceGetAttribute", (int* value, int attribute, Device device))          \
  X(device_memory, "cuDeviceTotalMem_v2", (std::size_t * bytes, Device device))                    \
  X(context_retain, "cuDevicePrimaryCtxRetain", (Context * context, Device device))                \
  X(context_set, "cuCtxSetCurrent", (Context context))                                             \
  X(context_wait, "cuCtxSynchronize", ())                                                          \
  X(allocate, "cuMemAlloc_v2", (Address * address, std::size_t bytes))                             \
  X(free, "cuMemFree_v2", (Address address))                                                       \
  X(host_allocate, "cuMemHostAlloc", (void** host, std::size_t bytes, unsigned flags))             \
  X(host_free, "cuMemFreeHost", (void* host))                                                      \
  X(host_address, "cuMemHostGetDevicePointer_v2", (Address * address, void* host, unsigned flags)) \
  X(write, "cuMemcpyHtoDAsync_v2",                                                                 \
    (Address to, const void* from, std::size_t bytes, Stream stream))                              \
  X(read, "cuMemcpyDtoHAsync_v2", (void* to, Address from, std::size_t bytes, Stream stream))      \
  X(copy, "cuMemcpyDtoDAsync_v2", (Address to, Address from, std::size_t bytes, Stream stream))    \
  X(stream_create, "cuStreamCreate", (Stream * stream, unsigned flags))                            \
  X(stream_destroy, "cuStreamDestroy_v2", (Stream stream))                                         \
  X(stream_wait, "cuStreamSynchronize", (Stream stream))                                           \
  X(stream_after, "cuStreamWaitEvent", (Stream stream, Event event, unsigned flags))               \
  X(event_create, "cuEventCreate", (Event * event, unsigned flags))                                \
  X(event_record, "cuEventRecord", (Event event, Stream stream))                                   \
  X(event_query, "cuEventQuery", (Event event))                                                    \
  X(event_wait, "cuEventSynchronize", (Event event))                                               \
  X(event_elapsed, "cuEventElapsedTime", (float* milliseconds, Event begin, Event end))            \
  X(event_destroy, "cuEventDestroy_v2", (Event event))                                             \
  X(module_load, "cuModuleLoadDataEx",                                                             \
    (Module * module, const void* text, unsigned count, int* options, void** values))              \
  X(module_unload, "cuModuleUnload", (Module module))                                              \
  X(module_function, "cuModuleGetFunction",                                                        \
    (Function * function, Module module, const char* name))                                        \
  X(module_global, "cuModuleGetGlobal_v2",                                                         \
    (Address * address, std::size_t * bytes, Module module, const char* name))                     \
  X(function_attribute, "cuFuncGetAttribute", (int* value, int attribute, Function function))      \
  X(launch, "cuLaunchKernel",                                                                      \
    (Function function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,       \
     unsigned block_y, unsigned block_z, unsigned shared_bytes, Stream stream, void** parameters,  \
     void** extra))

struct Cuda {
#define PARTITA_MEMBER(member, name, arguments) Result(*member) arguments = nullptr;
  PARTITA_CUDA(PARTITA_MEMBER)
#undef PARTITA_MEMBER
};

/// The driver's functions, initialised; null where the machine has none, or one that does not start.
[[nodiscard]] const Cuda* find_cuda();

}  // namespace partita::ptx
