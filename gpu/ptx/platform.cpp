// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include <cstdio>

#include "gpu/ptx/api.hpp"
#include "gpu/ptx/support.hpp"

namespace partita::ptx {
namespace {

constexpr const char* platform_name = "PTX through libcuda, not OpenCL";
constexpr std::size_t local_bytes = 48 * 1024, most_group = 1024;

int attribute(cl_device_id device, int what) {
  int value = 0;
  cuda().device_attribute(&value, what, device->device);
  return value;
}

std::string device_name(cl_device_id device) {
  char name[256] = "";
  cuda().device_name(name, sizeof name, device->device);
  return name;
}

cl_ulong memory_bytes(cl_device_id device) {
  std::size_t bytes = 0;
  cuda().device_memory(&bytes, device->device);
  return bytes;
}

std::string driver_version() {
  int version = 0;
  cuda().driver_version(&version);
  char text[32];
  std::snprintf(text, sizeof text, "CUDA %d.%d", version / 1000, version % 1000 / 10);
  return text;
}

cl_device_id open_device() {
  const Cuda* found = find_cuda();
  int count = 0;
  if (found == nullptr || found->device_count(&count) != 0 || count == 0) return nullptr;
  static _cl_device_id device;
  if (found->device_get(&device.device, 0) != 0 ||
      found->context_retain(&device.context, device.device) != 0)
    return nullptr;
  return &device;
}

}  // namespace

cl_platform_id the_platform() {
  static _cl_platform_id platform;
  return &platform;
}

cl_device_id the_device() {
  static cl_device_id device = open_device();
  return device;
}

const Cuda& cuda() {
  const Cuda& found = *find_cuda();
  found.context_set(the_device()->context);
  return found;
}

cl_int CL_API_CALL get_platform_ids(cl_uint entries, cl_platform_id* platforms, cl_uint* count) {
  const bool is_there = the_device() != nullptr;
  if (count != nullptr) *count = is_there ? 1 : 0;
  if (!is_there) return CL_PLATFORM_NOT_FOUND_KHR;
  if (entries > 0 && platforms != nullptr) platforms[0] = the_platform();
  return CL_SUCCESS;
}

cl_int CL_API_CALL get_platform_info(cl_platform_id, cl_platform_info what, std::size_t bytes,
                                     void* value, std::size_t* needed) {
  const Answer to{bytes, value, needed};
  switch (what) {
    case CL_PLATFORM_NAME:
      return give_text(to, platform_name);
    case CL_PLATFORM_VENDOR:
      return give_text(to, "partita, a measuring aid");
    case CL_PLATFORM_VERSION:
      return give_text(to, "OpenCL 1.2 " + driver_version());
    case CL_PLATFORM_PROFILE:
      return give_text(to, "FULL_PROFILE");
    case CL_PLATFORM_EXTENSIONS:
      return give_text(to, "cl_khr_icd");
    case CL_PLATFORM_ICD_SUFFIX_KHR:
      return give_text(to, "PTX");
    default:
      return CL_INVALID_VALUE;
  }
}

cl_int CL_API_CALL get_device_ids(cl_platform_id, cl_device_type type, cl_uint entries,
                                  cl_device_id* devices, cl_uint* count) {
  if ((type & (CL_DEVICE_TYPE_GPU | CL_DEVICE_TYPE_DEFAULT)) == 0) return CL_DEVICE_NOT_FOUND;
  if (count != nullptr) *count = 1;
  if (entries > 0 && devices != nullptr) devices[0] = the_device();
  return CL_SUCCESS;
}

cl_int CL_API_CALL get_device_info(cl_device_id device, cl_device_info what, std::size_t bytes,
                                   void* value, std::size_t* needed) {
  const Answer to{bytes, value, needed};
  constexpr cl_device_fp_config floats = CL_FP_DENORM | CL_FP_INF_NAN | CL_FP_ROUND_TO_NEAREST |
                                         CL_FP_ROUND_TO_ZERO | CL_FP_ROUND_TO_INF | CL_FP_FMA;
  constexpr cl_uint dimensions = 3, alignment_bits = 4096;
  switch (what) {
    case CL_DEVICE_TYPE:
      return give(to, cl_device_type{CL_DEVICE_TYPE_GPU});
    case CL_DEVICE_NAME:
      return give_text(to, device_name(device));
    // Kernels use matrix units on devices of this vendor.
    case CL_DEVICE_VENDOR:
      return give_text(to, "NVIDIA (PTX through libcuda)");
    case CL_DEVICE_VENDOR_ID:
      return give(to, cl_uint{0x10de});
    case CL_DRIVER_VERSION:
      return give_text(to, driver_version());
    case CL_DEVICE_VERSION:
      return give_text(to, "OpenCL 1.2 PTX");
    case CL_DEVICE_OPENCL_C_VERSION:
      return give_text(to, "OpenCL C 1.2 ");
    case CL_DEVICE_PROFILE:
      return give_text(to, "FULL_PROFILE");
    case CL_DEVICE_EXTENSIONS:
      return give_text(to, "cl_khr_fp64 cl_khr_byte_addressable_store");
    case CL_DEVICE_PLATFORM:
      return give(to, the_platform());
    case CL_DEVICE_PARENT_DEVICE:
      return give(to, cl_device_id{nullptr});
    case CL_DEVICE_MAX_COMPUTE_UNITS:
      return give(to, cl_uint(attribute(device, attribute_multiprocessors)));
    case CL_DEVICE_MAX_CLOCK_FREQUENCY:
      return give(to, cl_uint(attribute(device, attribute_clock_khz) / 1000));
    case CL_DEVICE_MAX_WORK_ITEM_DIMENSIONS:
      return give(to, dimensions);
    case CL_DEVICE_MAX_WORK_GROUP_SIZE:
      return give(to, most_group);
    case CL_DEVICE_MAX_WORK_ITEM_SIZES:
      return give(to, std::array<std::size_t, 3>{1024, 1024, 64});
    case CL_DEVICE_GLOBAL_MEM_SIZE:
      return give(to, memory_bytes(device));
    case CL_DEVICE_MAX_MEM_ALLOC_SIZE:
      return give(to, memory_bytes(device) / 4);  // as NVIDIA's OpenCL
    case CL_DEVICE_LOCAL_MEM_SIZE:
      return give(to, cl_ulong{local_bytes});
    case CL_DEVICE_MAX_PARAMETER_SIZE:
      return give(to, std::size_t{4096});
    case CL_DEVICE_MEM_BASE_ADDR_ALIGN:
      return give(to, alignment_bits);
    case CL_DEVICE_SINGLE_FP_CONFIG:
      return give(to, floats | CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT);
    case CL_DEVICE_DOUBLE_FP_CONFIG:
      return give(to, floats);
    case CL_DEVICE_HALF_FP_CONFIG:
      return give(to, cl_device_fp_config{0});
    case CL_DEVICE_QUEUE_PROPERTIES:
      return give(to, cl_command_queue_properties{CL_QUEUE_PROFILING_ENABLE});
    case CL_DEVICE_PROFILING_TIMER_RESOLUTION:
      return give(to, std::size_t{1000});
    case CL_DEVICE_ADDRESS_BITS:
      return give(to, cl_uint{64});
    case CL_DEVICE_PARTITION_MAX_SUB_DEVICES:
      return give(to, cl_uint{1});
    case CL_DEVICE_AVAILABLE:
    case CL_DEVICE_COMPILER_AVAILABLE:
    case CL_DEVICE_ENDIAN_LITTLE:
      return give(to, cl_bool{CL_TRUE});
    case CL_DEVICE_IMAGE_SUPPORT:
    case CL_DEVICE_HOST_UNIFIED_MEMORY:
      return give(to, cl_bool{CL_FALSE});
    default:
      return CL_INVALID_VALUE;
  }
}

cl_int CL_API_CALL create_sub_devices(cl_device_id, const cl_device_partition_property*, cl_uint,
                                      cl_device_id*, cl_uint*) {
  return CL_DEVICE_PARTITION_FAILED;
}

cl_int CL_API_CALL keep_device(cl_device_id) { return CL_SUCCESS; }  // there is one, always

cl_context CL_API_CALL create_context(const cl_context_properties*, cl_uint, const cl_device_id*,
                                      void(CL_CALLBACK*)(const char*, const void*, std::size_t,
                                                         void*),
                                      void*, cl_int* code) {
  set_code(code, CL_SUCCESS);
  return new _cl_context;  // NOLINT
}

cl_int CL_API_CALL retain_context(cl_context context) { return retain(context); }

cl_int CL_API_CALL release_context(cl_context context) {
  if (is_released(context)) delete context;  // NOLINT
  return CL_SUCCESS;
}

cl_int CL_API_CALL get_context_info(cl_context, cl_context_info what, std::size_t bytes,
                                    void* value, std::size_t* needed) {
  const Answer to{bytes, value, needed};
  if (what == CL_CONTEXT_DEVICES) return give(to, the_device());
  if (what == CL_CONTEXT_NUM_DEVICES) return give(to, cl_uint{1});
  return CL_INVALID_VALUE;
}

}  // namespace partita::ptx
