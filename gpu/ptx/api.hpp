// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// OpenCL's functions as this driver has them, with OpenCL's arguments and meaning; the table of gpu/ptx/dispatch.cpp
// says which is which.
#pragma once

#include <CL/cl.h>

#include <cstddef>

namespace partita::ptx {

// gpu/ptx/platform.cpp
cl_int CL_API_CALL get_platform_ids(cl_uint entries, cl_platform_id* platforms, cl_uint* count);
cl_int CL_API_CALL get_platform_info(cl_platform_id, cl_platform_info what, std::size_t bytes,
                                     void* value, std::size_t* needed);
cl_int CL_API_CALL get_device_ids(cl_platform_id, cl_device_type type, cl_uint entries,
                                  cl_device_id* devices, cl_uint* count);
cl_int CL_API_CALL get_device_info(cl_device_id device, cl_device_info what, std::size_t bytes,
                                   void* value, std::size_t* needed);
cl_int CL_API_CALL create_sub_devices(cl_device_id, const cl_device_partition_property*, cl_uint,
                                      cl_device_id*, cl_uint*);
cl_int CL_API_CALL keep_device(cl_device_id);
cl_context CL_API_CALL create_context(const cl_context_properties*, cl_uint, const cl_device_id*,
                                      void(CL_CALLBACK*)(const char*, const void*, std::size_t,
                                                         void*),
                                      void*, cl_int* code);
cl_int CL_API_CALL retain_context(cl_context context);
cl_int CL_API_CALL release_context(cl_context context);
cl_int CL_API_CALL get_context_info(cl_context, cl_context_info what, std::size_t bytes,
                                    void* value, std::size_t* needed);

// gpu/ptx/queue.cpp
cl_command_queue CL_API_CALL create_queue(cl_context context, cl_device_id,
                                          cl_command_queue_properties properties, cl_int* code);
cl_int CL_API_CALL retain_queue(cl_command_queue queue);
cl_int CL_API_CALL release_queue(cl_command_queue queue);
cl_int CL_API_CALL get_queue_info(cl_command_queue queue, cl_command_queue_info what,
                                  std::size_t bytes, void* value, std::size_t* needed);
cl_mem CL_API_CALL create_buffer(cl_context, cl_mem_flags flags, std::size_t bytes, void* host,
                                 cl_int* code);
cl_int CL_API_CALL retain_memory(cl_mem memory);
cl_int CL_API_CALL release_memory(cl_mem memory);
cl_int CL_API_CALL get_memory_info(cl_mem memory, cl_mem_info what, std::size_t bytes, void* value,
                                   std::size_t* needed);
cl_int CL_API_CALL read_buffer(cl_command_queue queue, cl_mem from, cl_bool is_blocking,
                               std::size_t offset, std::size_t bytes, void* to, cl_uint count,
                               const cl_event* events, cl_event* event);
cl_int CL_API_CALL write_buffer(cl_command_queue queue, cl_mem to, cl_bool is_blocking,
                                std::size_t offset, std::size_t bytes, const void* from,
                                cl_uint count, const cl_event* events, cl_event* event);
cl_int CL_API_CALL copy_buffer(cl_command_queue queue, cl_mem from, cl_mem to,
                               std::size_t from_offset, std::size_t to_offset, std::size_t bytes,
                               cl_uint count, const cl_event* events, cl_event* event);
void* CL_API_CALL map_buffer(cl_command_queue queue, cl_mem memory, cl_bool is_blocking,
                             cl_map_flags, std::size_t offset, std::size_t, cl_uint count,
                             const cl_event* events, cl_event* event, cl_int* code);
cl_int CL_API_CALL unmap(cl_command_queue queue, cl_mem, void*, cl_uint count,
                         const cl_event* events, cl_event* event);
cl_int CL_API_CALL enqueue_marker(cl_command_queue queue, cl_uint count, const cl_event* events,
                                  cl_event* event);
cl_int CL_API_CALL flush(cl_command_queue);
cl_int CL_API_CALL finish(cl_command_queue queue);
cl_int CL_API_CALL wait_for_events(cl_uint count, const cl_event* events);
cl_int CL_API_CALL get_event_info(cl_event event, cl_event_info what, std::size_t bytes,
                                  void* value, std::size_t* needed);
cl_int CL_API_CALL get_event_times(cl_event event, cl_profiling_info what, std::size_t bytes,
                                   void* value, std::size_t* needed);
cl_int CL_API_CALL retain_event(cl_event event);
cl_int CL_API_CALL release_event(cl_event event);

// gpu/ptx/program.cpp
cl_program CL_API_CALL create_program(cl_context, cl_uint count, const char** texts,
                                      const std::size_t* lengths, cl_int* code);
cl_program CL_API_CALL create_program_of_binary(cl_context, cl_uint, const cl_device_id*,
                                                const std::size_t*, const unsigned char**, cl_int*,
                                                cl_int* code);
cl_int CL_API_CALL build_program(cl_program program, cl_uint, const cl_device_id*,
                                 const char* options, void(CL_CALLBACK*)(cl_program, void*), void*);
cl_int CL_API_CALL retain_program(cl_program program);
cl_int CL_API_CALL release_program(cl_program program);
cl_int CL_API_CALL get_program_info(cl_program, cl_program_info what, std::size_t bytes,
                                    void* value, std::size_t* needed);
cl_int CL_API_CALL get_build_info(cl_program program, cl_device_id, cl_program_build_info what,
                                  std::size_t bytes, void* value, std::size_t* needed);
cl_kernel CL_API_CALL create_kernel(cl_program program, const char* name, cl_int* code);
cl_int CL_API_CALL retain_kernel(cl_kernel kernel);
cl_int CL_API_CALL release_kernel(cl_kernel kernel);
cl_int CL_API_CALL get_kernel_info(cl_kernel kernel, cl_kernel_info what, std::size_t bytes,
                                   void* value, std::size_t* needed);
cl_int CL_API_CALL get_kernel_group_info(cl_kernel kernel, cl_device_id,
                                         cl_kernel_work_group_info what, std::size_t bytes,
                                         void* value, std::size_t* needed);
cl_int CL_API_CALL set_argument(cl_kernel kernel, cl_uint index, std::size_t bytes,
                                const void* value);
cl_int CL_API_CALL enqueue_kernel(cl_command_queue queue, cl_kernel kernel, cl_uint dimensions,
                                  const std::size_t* offset, const std::size_t* global,
                                  const std::size_t* local, cl_uint count, const cl_event* events,
                                  cl_event* event);

}  // namespace partita::ptx
