// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// What all parts of the driver do: answers to clGet…Info, owners, the device of this process, commands in their queue.
#pragma once

#include <cstring>
#include <string>

#include "gpu/ptx/objects.hpp"

namespace partita::ptx {

/// Where clGet…Info wants its answer.
struct Answer {
  std::size_t bytes;
  void* value;
  std::size_t* bytes_needed;
};

inline cl_int give(const Answer& to, const void* from, std::size_t bytes) {
  if (to.bytes_needed != nullptr) *to.bytes_needed = bytes;
  if (to.value == nullptr) return CL_SUCCESS;
  if (to.bytes < bytes) return CL_INVALID_VALUE;
  std::memcpy(to.value, from, bytes);
  return CL_SUCCESS;
}

template <class T>
cl_int give(const Answer& to, const T& value) {
  return give(to, &value, sizeof value);
}

inline cl_int give_text(const Answer& to, const std::string& text) {
  return give(to, text.c_str(), text.size() + 1);
}

template <class T>
cl_int retain(T* object) {
  ++object->owners;
  return CL_SUCCESS;
}

/// Whether the last owner is gone.
template <class T>
bool is_released(T* object) {
  return --object->owners == 0;
}

/// The only platform, and its first device (null: none).
[[nodiscard]] cl_platform_id the_platform();
[[nodiscard]] cl_device_id the_device();

/// The driver's functions, with the device's context current on this thread.  Only where there is a device.
const Cuda& cuda();

inline void set_code(cl_int* to, cl_int code) {
  if (to != nullptr) *to = code;
}

/// A command: waits for the events of the list, does `what`, and gives an event of it where one is asked for.
struct Waits {
  cl_uint count;
  const cl_event* events;
  cl_event* event;
};
template <class Fn>
cl_int enqueue(cl_command_queue queue, const Waits& waits, const Fn& what) {
  const Cuda& c = cuda();
  for (cl_uint i = 0; i < waits.count; ++i)
    if (c.stream_after(queue->stream, waits.events[i]->end, 0) != 0) return CL_OUT_OF_RESOURCES;
  cl_event event = nullptr;
  if (waits.event != nullptr) {
    event = new _cl_event;  // NOLINT: OpenCL's objects are counted by hand
    event->since = queue->begin;
    if (c.event_create(&event->begin, 0) != 0 || c.event_create(&event->end, 0) != 0 ||
        c.event_record(event->begin, queue->stream) != 0)
      return CL_OUT_OF_RESOURCES;
  }
  if (what(c) != 0) return CL_OUT_OF_RESOURCES;
  if (event == nullptr) return CL_SUCCESS;
  *waits.event = event;
  return c.event_record(event->end, queue->stream) == 0 ? CL_SUCCESS : CL_OUT_OF_RESOURCES;
}

}  // namespace partita::ptx
