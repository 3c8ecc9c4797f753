// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "backend-opencl/device/check.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "partita/base/error.hpp"

namespace partita::opencl {
namespace {

constexpr cl_int platform_not_found = -1001;  // CL_PLATFORM_NOT_FOUND_KHR of cl_ext.h

#define PARTITA_CODE(code) \
  std::pair<cl_int, std::string_view> { code, #code }
constexpr std::array code_names{
    PARTITA_CODE(CL_SUCCESS),
    PARTITA_CODE(CL_DEVICE_NOT_FOUND),
    PARTITA_CODE(CL_DEVICE_NOT_AVAILABLE),
    PARTITA_CODE(CL_COMPILER_NOT_AVAILABLE),
    PARTITA_CODE(CL_MEM_OBJECT_ALLOCATION_FAILURE),
    PARTITA_CODE(CL_OUT_OF_RESOURCES),
    PARTITA_CODE(CL_OUT_OF_HOST_MEMORY),
    PARTITA_CODE(CL_PROFILING_INFO_NOT_AVAILABLE),
    PARTITA_CODE(CL_MEM_COPY_OVERLAP),
    PARTITA_CODE(CL_IMAGE_FORMAT_MISMATCH),
    PARTITA_CODE(CL_IMAGE_FORMAT_NOT_SUPPORTED),
    PARTITA_CODE(CL_BUILD_PROGRAM_FAILURE),
    PARTITA_CODE(CL_MAP_FAILURE),
    PARTITA_CODE(CL_MISALIGNED_SUB_BUFFER_OFFSET),
    PARTITA_CODE(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST),
    PARTITA_CODE(CL_COMPILE_PROGRAM_FAILURE),
    PARTITA_CODE(CL_LINKER_NOT_AVAILABLE),
    PARTITA_CODE(CL_LINK_PROGRAM_FAILURE),
    PARTITA_CODE(CL_DEVICE_PARTITION_FAILED),
    PARTITA_CODE(CL_KERNEL_ARG_INFO_NOT_AVAILABLE),
    PARTITA_CODE(CL_INVALID_VALUE),
    PARTITA_CODE(CL_INVALID_DEVICE_TYPE),
    PARTITA_CODE(CL_INVALID_PLATFORM),
    PARTITA_CODE(CL_INVALID_DEVICE),
    PARTITA_CODE(CL_INVALID_CONTEXT),
    PARTITA_CODE(CL_INVALID_QUEUE_PROPERTIES),
    PARTITA_CODE(CL_INVALID_COMMAND_QUEUE),
    PARTITA_CODE(CL_INVALID_HOST_PTR),
    PARTITA_CODE(CL_INVALID_MEM_OBJECT),
    PARTITA_CODE(CL_INVALID_BINARY),
    PARTITA_CODE(CL_INVALID_BUILD_OPTIONS),
    PARTITA_CODE(CL_INVALID_PROGRAM),
    PARTITA_CODE(CL_INVALID_PROGRAM_EXECUTABLE),
    PARTITA_CODE(CL_INVALID_KERNEL_NAME),
    PARTITA_CODE(CL_INVALID_KERNEL_DEFINITION),
    PARTITA_CODE(CL_INVALID_KERNEL),
    PARTITA_CODE(CL_INVALID_ARG_INDEX),
    PARTITA_CODE(CL_INVALID_ARG_VALUE),
    PARTITA_CODE(CL_INVALID_ARG_SIZE),
    PARTITA_CODE(CL_INVALID_KERNEL_ARGS),
    PARTITA_CODE(CL_INVALID_WORK_DIMENSION),
    PARTITA_CODE(CL_INVALID_WORK_GROUP_SIZE),
    PARTITA_CODE(CL_INVALID_WORK_ITEM_SIZE),
    PARTITA_CODE(CL_INVALID_GLOBAL_OFFSET),
    PARTITA_CODE(CL_INVALID_EVENT_WAIT_LIST),
    PARTITA_CODE(CL_INVALID_EVENT),
    PARTITA_CODE(CL_INVALID_OPERATION),
    PARTITA_CODE(CL_INVALID_BUFFER_SIZE),
    PARTITA_CODE(CL_INVALID_GLOBAL_WORK_SIZE),
    PARTITA_CODE(CL_INVALID_PROPERTY),
    PARTITA_CODE(CL_INVALID_COMPILER_OPTIONS),
    PARTITA_CODE(CL_INVALID_LINKER_OPTIONS),
    PARTITA_CODE(CL_INVALID_DEVICE_PARTITION_COUNT),
    std::pair<cl_int, std::string_view>{platform_not_found, "CL_PLATFORM_NOT_FOUND_KHR"},
};
#undef PARTITA_CODE

}  // namespace

std::string_view error_name(cl_int code) {
  const auto found =
      std::ranges::find(code_names, code, &std::pair<cl_int, std::string_view>::first);
  return found == code_names.end() ? "unknown OpenCL code" : found->second;
}

std::string describe_code(cl_int code) { return cat(error_name(code), " (", code, ")"); }

std::string short_location(const std::source_location& where) {
  std::string_view file = where.file_name();
  file.remove_prefix(file.rfind('/') + 1);  // npos + 1 is 0
  return cat(file, ":", where.line());
}

void check(cl_int code, std::string_view call, std::source_location where) {
  if (code == CL_SUCCESS) return;
  throw_device_error(
      cat("OpenCL: ", call, " failed with ", describe_code(code), " at ", short_location(where)));
}

}  // namespace partita::opencl
