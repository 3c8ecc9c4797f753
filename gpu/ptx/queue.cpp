// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Queues (streams, all in order), buffers, events, transfers.
#include <vector>

#include "gpu/ptx/api.hpp"
#include "gpu/ptx/support.hpp"

namespace partita::ptx {

cl_command_queue CL_API_CALL create_queue(cl_context context, cl_device_id,
                                          cl_command_queue_properties properties, cl_int* code) {
  const Cuda& c = cuda();
  constexpr unsigned non_blocking = 1;
  auto* queue = new _cl_command_queue;  // NOLINT
  queue->context = context;
  queue->properties = properties;
  if ((properties & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE) != 0 ||
      c.stream_create(&queue->stream, non_blocking) != 0 || c.event_create(&queue->begin, 0) != 0 ||
      c.event_record(queue->begin, queue->stream) != 0) {
    delete queue;  // NOLINT
    set_code(code, CL_INVALID_QUEUE_PROPERTIES);
    return nullptr;
  }
  retain(context);
  set_code(code, CL_SUCCESS);
  return queue;
}

cl_int CL_API_CALL retain_queue(cl_command_queue queue) { return retain(queue); }

cl_int CL_API_CALL release_queue(cl_command_queue queue) {
  if (!is_released(queue)) return CL_SUCCESS;
  const Cuda& c = cuda();
  c.stream_wait(queue->stream);
  c.stream_destroy(queue->stream);  // its `begin` stays: events may outlive the queue
  release_context(queue->context);
  delete queue;  // NOLINT
  return CL_SUCCESS;
}

cl_int CL_API_CALL get_queue_info(cl_command_queue queue, cl_command_queue_info what,
                                  std::size_t bytes, void* value, std::size_t* needed) {
  const Answer to{bytes, value, needed};
  switch (what) {
    case CL_QUEUE_CONTEXT:
      return give(to, queue->context);
    case CL_QUEUE_DEVICE:
      return give(to, the_device());
    case CL_QUEUE_PROPERTIES:
      return give(to, queue->properties);
    default:
      return CL_INVALID_VALUE;
  }
}

namespace {

/// On the host, and seen by the device (CL_MEM_ALLOC_HOST_PTR); else on the device.
Result allocate(const Cuda& c, cl_mem memory, bool is_on_host) {
  constexpr unsigned for_all_contexts = 1, mapped = 2;
  if (!is_on_host) return c.allocate(&memory->address, memory->bytes);
  const Result result = c.host_allocate(&memory->host, memory->bytes, for_all_contexts | mapped);
  return result != 0 ? result : c.host_address(&memory->address, memory->host, 0);
}

}  // namespace

cl_mem CL_API_CALL create_buffer(cl_context, cl_mem_flags flags, std::size_t bytes, void* host,
                                 cl_int* code) {
  const Cuda& c = cuda();
  auto* memory = new _cl_mem;  // NOLINT
  memory->bytes = bytes;
  cl_int status = CL_SUCCESS;
  if ((flags & CL_MEM_USE_HOST_PTR) != 0)
    status = CL_INVALID_VALUE;  // memory of the program is copied from, never used in place
  else if (allocate(c, memory, (flags & CL_MEM_ALLOC_HOST_PTR) != 0) != 0)
    status = CL_MEM_OBJECT_ALLOCATION_FAILURE;
  else if ((flags & CL_MEM_COPY_HOST_PTR) != 0 &&
           (c.write(memory->address, host, bytes, nullptr) != 0 || c.stream_wait(nullptr) != 0))
    status = CL_OUT_OF_RESOURCES;
  set_code(code, status);
  if (status == CL_SUCCESS) return memory;
  delete memory;  // NOLINT
  return nullptr;
}

cl_int CL_API_CALL retain_memory(cl_mem memory) { return retain(memory); }

cl_int CL_API_CALL release_memory(cl_mem memory) {
  if (!is_released(memory)) return CL_SUCCESS;
  const Cuda& c = cuda();
  c.context_wait();  // commands that were given the buffer may still use it
  if (memory->host != nullptr)
    c.host_free(memory->host);
  else
    c.free(memory->address);
  delete memory;  // NOLINT
  return CL_SUCCESS;
}

cl_int CL_API_CALL get_memory_info(cl_mem memory, cl_mem_info what, std::size_t bytes, void* value,
                                   std::size_t* needed) {
  if (what != CL_MEM_SIZE) return CL_INVALID_VALUE;
  return give({bytes, value, needed}, memory->bytes);
}

cl_int CL_API_CALL read_buffer(cl_command_queue queue, cl_mem from, cl_bool is_blocking,
                               std::size_t offset, std::size_t bytes, void* to, cl_uint count,
                               const cl_event* events, cl_event* event) {
  const cl_int code = enqueue(queue, {count, events, event}, [&](const Cuda& c) {
    return c.read(to, from->address + offset, bytes, queue->stream);
  });
  return code == CL_SUCCESS && is_blocking == CL_TRUE ? finish(queue) : code;
}

cl_int CL_API_CALL write_buffer(cl_command_queue queue, cl_mem to, cl_bool is_blocking,
                                std::size_t offset, std::size_t bytes, const void* from,
                                cl_uint count, const cl_event* events, cl_event* event) {
  const cl_int code = enqueue(queue, {count, events, event}, [&](const Cuda& c) {
    return c.write(to->address + offset, from, bytes, queue->stream);
  });
  return code == CL_SUCCESS && is_blocking == CL_TRUE ? finish(queue) : code;
}

cl_int CL_API_CALL copy_buffer(cl_command_queue queue, cl_mem from, cl_mem to,
                               std::size_t from_offset, std::size_t to_offset, std::size_t bytes,
                               cl_uint count, const cl_event* events, cl_event* event) {
  return enqueue(queue, {count, events, event}, [&](const Cuda& c) {
    return c.copy(to->address + to_offset, from->address + from_offset, bytes, queue->stream);
  });
}

void* CL_API_CALL map_buffer(cl_command_queue queue, cl_mem memory, cl_bool is_blocking,
                             cl_map_flags, std::size_t offset, std::size_t, cl_uint count,
                             const cl_event* events, cl_event* event, cl_int* code) {
  set_code(code, CL_MAP_FAILURE);
  if (memory->host == nullptr) return nullptr;  // only what lies on the host already
  cl_int status = enqueue_marker(queue, count, events, event);
  if (status == CL_SUCCESS && is_blocking == CL_TRUE) status = finish(queue);
  set_code(code, status);
  return status == CL_SUCCESS ? static_cast<char*>(memory->host) + offset : nullptr;
}

cl_int CL_API_CALL unmap(cl_command_queue queue, cl_mem, void*, cl_uint count,
                         const cl_event* events, cl_event* event) {
  return enqueue_marker(queue, count, events, event);
}

cl_int CL_API_CALL enqueue_marker(cl_command_queue queue, cl_uint count, const cl_event* events,
                                  cl_event* event) {
  return enqueue(queue, {count, events, event}, [](const Cuda&) { return 0; });
}

cl_int CL_API_CALL flush(cl_command_queue) { return CL_SUCCESS; }

cl_int CL_API_CALL finish(cl_command_queue queue) {
  return cuda().stream_wait(queue->stream) == 0 ? CL_SUCCESS : CL_OUT_OF_RESOURCES;
}

cl_int CL_API_CALL wait_for_events(cl_uint count, const cl_event* events) {
  const Cuda& c = cuda();
  for (cl_uint i = 0; i < count; ++i)
    if (c.event_wait(events[i]->end) != 0) return CL_OUT_OF_RESOURCES;
  return CL_SUCCESS;
}

cl_int CL_API_CALL get_event_info(cl_event event, cl_event_info what, std::size_t bytes,
                                  void* value, std::size_t* needed) {
  if (what != CL_EVENT_COMMAND_EXECUTION_STATUS) return CL_INVALID_VALUE;
  const cl_int status = cuda().event_query(event->end) == 0 ? CL_COMPLETE : CL_RUNNING;
  return give({bytes, value, needed}, status);
}

cl_int CL_API_CALL get_event_times(cl_event event, cl_profiling_info what, std::size_t bytes,
                                   void* value, std::size_t* needed) {
  constexpr double nanoseconds = 1e6;  // of a millisecond
  const bool is_end = what == CL_PROFILING_COMMAND_END;
  float milliseconds = 0;
  if (cuda().event_elapsed(&milliseconds, event->since, is_end ? event->end : event->begin) != 0)
    return CL_PROFILING_INFO_NOT_AVAILABLE;
  return give({bytes, value, needed}, cl_ulong(double(milliseconds) * nanoseconds));
}

cl_int CL_API_CALL retain_event(cl_event event) { return retain(event); }

cl_int CL_API_CALL release_event(cl_event event) {
  if (!is_released(event)) return CL_SUCCESS;
  const Cuda& c = cuda();
  c.event_destroy(event->begin);
  c.event_destroy(event->end);
  delete event;  // NOLINT
  return CL_SUCCESS;
}

}  // namespace partita::ptx
