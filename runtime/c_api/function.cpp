// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Devices, buffers, functions and events in C, over partita::Stream and what goes with it.
#include "partita/exec/function.hpp"

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "runtime/c_api/artifact.hpp"
#include "runtime/c_api/handles.hpp"

const partita::DeviceArrayPtr& partita::c_api::array_of(const partita_buffer* buffer,
                                                        const char* name) {
  const DeviceArrayPtr& array = require(buffer, name).array;
  if (!array)
    throw_user_error(
        cat(name, ": expected a buffer with an array, found one that has been donated"));
  return array;
}

namespace {

using partita::cat;
using partita::DeviceArrayPtr;
using partita::throw_user_error;
using partita::c_api::array_of;
using partita::c_api::guarded;
using partita::c_api::require;

partita::Type checked_type(partita_dtype dtype, std::size_t rank, const std::int64_t* dims) {
  const std::optional<partita::DType> known = partita::c_api::from_c(dtype);
  if (!known) throw_user_error(cat("dtype: expected one of partita_dtype, found ", int(dtype)));
  partita::Type type{.dtype = *known, .dims = {}};
  for (std::size_t d = 0; d < rank; ++d) {
    const std::int64_t extent = (&require(dims, "dims"))[d];
    if (extent < 0) throw_user_error(cat("dims: expected no negative extent, found ", extent));
    type.dims.push_back(extent);
  }
  return type;
}

void check_bytes(const partita::Type& type, std::size_t bytes) {
  if (bytes != type.bytes())
    throw_user_error(cat("buffer of ", partita::to_string(type), ": expected ", type.bytes(),
                         " bytes, found ", bytes));
}

}  // namespace

partita_status partita_device_open(const char* target, size_t count, partita_device** devices) {
  return guarded([&] {
    require(target, "target");
    require(devices, "devices");
    if (count == 0 || count > 1024)
      throw_user_error(cat("count: expected 1 to 1024 devices, found ", count));
    std::vector<std::unique_ptr<partita_device>> opened;
    for (std::unique_ptr<partita::Device>& device :
         partita::open_devices({.backend = target, .devices_per_rank = int(count)}))
      opened.push_back(std::make_unique<partita_device>(
          partita_device{std::make_shared<partita::Stream>(std::move(device))}));
    for (std::size_t k = 0; k < count; ++k) devices[k] = opened[k].release();
  });
}

void partita_device_free(partita_device* device) {
  const std::unique_ptr<partita_device> owner(device);
}

const char* partita_device_name(const partita_device* device) {
  return device == nullptr ? "" : device->stream->profile().name.c_str();
}

int64_t partita_device_allocated_bytes(const partita_device* device) {
  return device == nullptr ? 0 : device->stream->allocated_bytes();
}

partita_status partita_buffer_create(partita_device* device, partita_dtype dtype, size_t rank,
                                     const int64_t* dims, const void* data, size_t bytes,
                                     partita_buffer** buffer) {
  return guarded([&] {
    require(buffer, "buffer");
    const partita::Type type = checked_type(dtype, rank, dims);
    check_bytes(type, bytes);
    std::span<const std::byte> elements;
    if (bytes > 0) elements = {&require(static_cast<const std::byte*>(data), "data"), bytes};
    *buffer = new partita_buffer{require(device, "device").stream->upload(type, elements)};
  });
}

partita_status partita_buffer_type(const partita_buffer* buffer, partita_dtype* dtype, size_t* rank,
                                   const int64_t** dims, size_t* bytes) {
  return guarded([&] {
    const partita::Type& type = array_of(buffer, "buffer")->type();
    if (dtype != nullptr) *dtype = partita::c_api::to_c(type.dtype);
    if (rank != nullptr) *rank = type.dims.size();
    if (dims != nullptr) *dims = type.dims.empty() ? nullptr : type.dims.data();
    if (bytes != nullptr) *bytes = type.bytes();
  });
}

partita_status partita_buffer_read(const partita_buffer* buffer, void* data, size_t bytes,
                                   partita_event** done) {
  return guarded([&] {
    const partita::DeviceArray& array = *array_of(buffer, "buffer");
    check_bytes(array.type(), bytes);
    std::span<std::byte> to;
    if (bytes > 0) to = {&require(static_cast<std::byte*>(data), "data"), bytes};
    const partita::EventPtr event = array.download(to);
    if (done == nullptr) return event->wait();
    *done = new partita_event{event};
  });
}

partita_status partita_buffer_copy(const partita_buffer* buffer, partita_device* device,
                                   partita_buffer** copy) {
  return guarded([&] {
    require(copy, "copy");
    const partita::DeviceArray& array = *array_of(buffer, "buffer");
    *copy = new partita_buffer{array.copy_to(require(device, "device").stream)};
  });
}

partita_status partita_buffer_ready(const partita_buffer* buffer, partita_event** ready) {
  return guarded([&] {
    require(ready, "ready");
    *ready = new partita_event{array_of(buffer, "buffer")->ready()};
  });
}

void partita_buffer_free(partita_buffer* buffer) {
  const std::unique_ptr<partita_buffer> owner(buffer);
}

partita_status partita_function_load(const partita_artifact* artifact,
                                     partita_device* const* devices, size_t count,
                                     partita_function** function) {
  return guarded([&] {
    require(function, "function");
    std::vector<std::shared_ptr<partita::Stream>> streams;
    for (std::size_t k = 0; k < count; ++k) {
      streams.push_back(require((&require(devices, "devices"))[k], "devices").stream);
      const std::string& target = require(artifact, "artifact").artifact.target;
      if (streams.back()->profile().backend != target)
        throw_user_error(cat("expected devices of target ", target, ", found one of ",
                             streams.back()->profile().backend));
    }
    auto made = std::make_unique<partita_function>();
    made->function = std::make_unique<partita::Function>(
        std::make_shared<partita::Artifact>(require(artifact, "artifact").artifact),
        std::move(streams));
    *function = made.release();
  });
}

partita_status partita_execute(partita_function* function, partita_buffer* const* inputs,
                               size_t input_count, const uint8_t* donated, partita_buffer** outputs,
                               size_t output_count) {
  return guarded([&] {
    const partita::Function& called = *require(function, "function").function;
    if (output_count != called.output_types().size())
      throw_user_error(cat("expected room for ", called.output_types().size(), " results, found ",
                           output_count));
    std::vector<partita::Function::Arrays> arguments(called.streams().size());
    for (std::size_t d = 0; d < arguments.size(); ++d)
      for (std::size_t i = 0; i < input_count; ++i)
        arguments[d].push_back(
            array_of((&require(inputs, "inputs"))[d * input_count + i], "inputs"));
    if (output_count > 0) require(outputs, "outputs");
    std::vector<int> given_up;
    for (std::size_t i = 0; donated != nullptr && i < input_count; ++i) {
      if (donated[i] == 0) continue;
      given_up.push_back(int(i));
      for (std::size_t d = 0; d < arguments.size(); ++d)
        inputs[d * input_count + i]->array = nullptr;
    }
    std::vector<std::unique_ptr<partita_buffer>> made;
    for (const partita::Function::Arrays& results : called.execute(std::move(arguments), given_up))
      for (const DeviceArrayPtr& result : results)
        made.push_back(std::make_unique<partita_buffer>(partita_buffer{result}));
    for (std::size_t k = 0; k < made.size(); ++k) outputs[k] = made[k].release();
  });
}

void partita_function_free(partita_function* function) {
  const std::unique_ptr<partita_function> owner(function);
}

partita_status partita_event_wait(const partita_event* event) {
  return guarded([&] { require(event, "event").event->wait(); });
}

int32_t partita_event_is_done(const partita_event* event) {
  return event != nullptr && event->event->is_done() ? 1 : 0;
}

partita_status partita_event_on_done(partita_event* event, partita_event_callback callback,
                                     void* user) {
  return guarded([&] {
    require(callback, "callback");
    require(event, "event").event->on_done([callback, user](const std::exception_ptr& error) {
      if (!error) return callback(PARTITA_OK, "", user);
      const partita_status status = guarded([&] { std::rethrow_exception(error); });
      callback(status, partita::c_api::last_error(), user);
    });
  });
}

void partita_event_free(partita_event* event) { const std::unique_ptr<partita_event> owner(event); }
