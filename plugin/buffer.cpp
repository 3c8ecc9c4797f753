// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "plugin/buffer.hpp"

#include <algorithm>
#include <cstring>
#include <numeric>

#include "partita/base/error.hpp"
#include "plugin/element_types.hpp"
#include "plugin/error.hpp"
#include "plugin/event.hpp"
#include "plugin/functions.hpp"

namespace partita::pjrt {

namespace {

std::vector<std::int64_t> row_major(std::size_t rank) {
  std::vector<std::int64_t> order(rank);
  for (std::size_t k = 0; k < rank; ++k) order[k] = std::int64_t(rank - 1 - k);
  return order;
}

std::vector<std::int64_t> dense_strides(const Type& type) {
  std::vector<std::int64_t> strides(type.dims.size());
  std::int64_t stride = std::int64_t(byte_size(type.dtype));
  for (std::size_t d = type.dims.size(); d-- > 0; stride *= type.dims[d]) strides[d] = stride;
  return strides;
}

/// Between elements with any strides, in bytes from the first, and elements in row-major order.
template <class Copy>
void walk_strided(const Type& type, std::span<const std::int64_t> strides, const Copy& copy) {
  const std::int64_t count = type.count();
  if (count == 0) return;
  const std::size_t rank = type.dims.size();
  std::vector<std::int64_t> index(rank);
  std::int64_t offset = 0;
  for (std::int64_t k = 0; k < count; ++k) {
    copy(k, offset);
    for (std::size_t d = rank; d-- > 0;) {
      offset += strides[d];
      if (++index[d] < type.dims[d]) break;
      offset -= strides[d] * type.dims[d];
      index[d] = 0;
    }
  }
}

void expect_row_major(const abi::Layout* layout, const Type& type, std::string_view what) {
  if (layout == nullptr) return;
  bool fits = false;
  if (layout->kind == abi::tiled_layout) {
    const std::span<const std::int64_t> order(layout->tiled.minor_to_major,
                                              layout->tiled.minor_to_major_size);
    fits = layout->tiled.num_tiles == 0 && std::ranges::equal(order, row_major(type.dims.size()));
  } else {
    const std::span<const std::int64_t> strides(layout->strided.byte_strides,
                                                layout->strided.num_byte_strides);
    fits = std::ranges::equal(strides, dense_strides(type));
  }
  if (!fits)
    throw Failure(abi::unimplemented, cat(what, ": expected a row-major layout, found another"));
}

void destroy(abi::OfBuffer& call) { delete call.buffer; }
void release(abi::OfBuffer& call) { call.buffer->release(); }
void hold(abi::OfBuffer& call) { call.buffer->hold(); }
void let_go(abi::OfBuffer& call) { call.buffer->let_go(); }

void is_deleted(abi::BufferFlag& call) { call.value = call.buffer->is_deleted(); }
void is_on_cpu(abi::BufferFlag& call) { call.value = false; }

void element_type(abi::BufferElementType& call) { call.type = number_of(call.buffer->type.dtype); }

void dimensions(abi::BufferDimensions& call) {
  call.dims = call.buffer->type.dims.data();
  call.num_dims = call.buffer->type.dims.size();
}

void dynamic_dimensions(abi::BufferDynamicDimensions& call) {
  call.dims = nullptr;
  call.num_dims = 0;
}

void layout(abi::BufferLayout& call) {
  call.layout = {};
  call.layout.kind = abi::tiled_layout;
  call.layout.tiled.minor_to_major = call.buffer->minor_to_major.data();
  call.layout.tiled.minor_to_major_size = call.buffer->minor_to_major.size();
}

void size(abi::BufferSize& call) { call.bytes = call.buffer->type.bytes(); }

void device(abi::BufferDevice& call) { call.device = call.buffer->memory->device; }
void memory(abi::BufferMemory& call) { call.memory = call.buffer->memory; }

void ready_event(abi::BufferReadyEvent& call) {
  call.event = new EventHandle{call.buffer->array()->ready()};
}

/// Where a new buffer goes, and its type.
template <class Call>
Memory* asked_memory(const Call& call) {
  if (call.memory != nullptr) return call.memory;
  return (call.device != nullptr ? call.device : call.client->own_devices.front())->memory();
}
template <class Call>
Type asked_type(const Call& call) {
  return {.dtype = dtype_of(call.element_type), .dims = Dims(call.dims, call.dims + call.num_dims)};
}

void from_host(abi::BufferFromHost& call) {
  Memory* const in = asked_memory(call);
  const Type type = asked_type(call);
  expect_row_major(call.device_layout, type, "an array of the host");
  const auto* const data = static_cast<const std::byte*>(call.data);
  const std::span<const std::int64_t> strides(call.byte_strides, call.num_byte_strides);
  const bool is_dense =
      strides.empty() || type.count() == 0 || std::ranges::equal(strides, dense_strides(type));
  DeviceArrayPtr array;
  if (is_dense && !is_narrow_integer(type.dtype)) {
    array = in->stream()->upload(type, {data, type.bytes()});
  } else {
    HostArray dense(type);
    const std::size_t width = byte_size(type.dtype);
    if (is_dense)
      std::copy_n(data, dense.bytes.size(), dense.bytes.begin());
    else
      walk_strided(type, strides, [&](std::int64_t k, std::int64_t offset) {
        std::memcpy(dense.bytes.data() + std::size_t(k) * width, data + offset, width);
      });
    // The host's narrow integers have any bits above their own.
    array = in->stream()->upload(type, reinterpreted(std::move(dense), type.dtype).bytes);
  }
  call.buffer = new BufferHandle(in, std::move(array));
  call.done_with_host_buffer = new EventHandle{done_event()};
}

void to_host(abi::BufferToHost& call) {
  const Type& type = call.buffer->type;
  if (call.to == nullptr) {
    call.to_size = type.bytes();
    call.event = nullptr;
    return;
  }
  expect_row_major(call.layout, type, "a copy on the host");
  if (call.to_size < type.bytes())
    throw Failure(abi::invalid_argument,
                  cat("expected room for ", type.bytes(), " bytes, found ", call.to_size));
  const std::span<std::byte> to(static_cast<std::byte*>(call.to), type.bytes());
  call.event = new EventHandle{call.buffer->array()->download(to)};
}

void copy_raw(abi::BufferCopyRawToHost& call) {
  const std::size_t bytes = call.buffer->type.bytes();
  if (call.offset < 0 || call.bytes < 0 || std::size_t(call.offset) > bytes ||
      std::size_t(call.bytes) > bytes - std::size_t(call.offset))
    throw Failure(abi::invalid_argument, cat("expected a part of ", bytes, " bytes, found ",
                                             call.bytes, " from ", call.offset));
  const auto whole = std::make_shared<std::vector<std::byte>>(bytes);
  const auto copied = std::make_shared<Event>();
  call.buffer->array()->download(*whole)->on_done(
      [whole, copied, to = call.to, offset = std::size_t(call.offset),
       count = std::size_t(call.bytes)](const std::exception_ptr& error) {
        if (!error && count > 0) std::memcpy(to, whole->data() + offset, count);
        copied->finish(error);
      });
  call.event = new EventHandle{copied};
}

void copy_to(const BufferHandle& from, Memory* memory, BufferHandle*& copy) {
  copy = new BufferHandle(memory, from.array()->copy_to(memory->stream()));
}
void copy_to_device(abi::BufferCopyToDevice& call) {
  copy_to(*call.buffer, call.device->memory(), call.copy);
}
void copy_to_memory(abi::BufferCopyToMemory& call) {
  copy_to(*call.buffer, call.memory, call.copy);
}

void pointer(abi::BufferPointer& call) {
  const std::byte* const data = call.buffer->array()->host_data();
  if (data == nullptr)
    throw Failure(abi::unimplemented,
                  "expected an array in the host's memory, found one elsewhere");
  call.pointer = const_cast<std::byte*>(data);
}

// Copied, so that nobody has to keep it.
void view(abi::ViewOfDeviceBuffer& call) {
  Memory* const in = asked_memory(call);
  const Type type = asked_type(call);
  expect_row_major(call.layout, type, "a view");
  call.buffer = new BufferHandle(
      in, in->stream()->upload(type, {static_cast<const std::byte*>(call.data), type.bytes()}));
  if (call.on_delete != nullptr) call.on_delete(call.data, call.on_delete_user);
}

void uninitialized(abi::UninitializedBuffer& call) {
  Memory* const in = asked_memory(call);
  const Type type = asked_type(call);
  expect_row_major(call.layout, type, "a new array");
  const std::vector<std::byte> zeros(type.bytes());
  call.buffer = new BufferHandle(in, in->stream()->upload(type, zeros));
}

}  // namespace

BufferHandle::BufferHandle(Memory* in, DeviceArrayPtr array)
    : memory(in),
      type(array->type()),
      minor_to_major(row_major(type.dims.size())),
      array_(std::move(array)) {}

DeviceArrayPtr BufferHandle::array() const {
  const std::lock_guard lock(mutex_);
  if (!array_) throw Failure(abi::failed_precondition, "the array has been deleted or donated");
  return array_;
}

bool BufferHandle::is_deleted() const {
  const std::lock_guard lock(mutex_);
  return array_ == nullptr;
}

void BufferHandle::release() {
  DeviceArrayPtr released;  // goes outside of the lock
  const std::lock_guard lock(mutex_);
  released.swap(array_);
}

void BufferHandle::hold() {
  DeviceArrayPtr held = array();
  const std::lock_guard lock(mutex_);
  if (holds_++ == 0) held_ = std::move(held);
}

void BufferHandle::let_go() {
  DeviceArrayPtr released;
  const std::lock_guard lock(mutex_);
  if (holds_ > 0 && --holds_ == 0) released.swap(held_);
}

void add_buffer_functions(abi::Table& table) {
  table.Buffer_Destroy = call<destroy>;
  table.Buffer_Delete = call<release>;
  table.Buffer_IsDeleted = call<is_deleted>;
  table.Buffer_IsOnCpu = call<is_on_cpu>;
  table.Buffer_ElementType = call<element_type>;
  table.Buffer_Dimensions = call<dimensions>;
  table.Buffer_UnpaddedDimensions = call<dimensions>;
  table.Buffer_DynamicDimensionIndices = call<dynamic_dimensions>;
  table.Buffer_GetMemoryLayout = call<layout>;
  table.Buffer_OnDeviceSizeInBytes = call<size>;
  table.Buffer_Device = call<device>;
  table.Buffer_Memory = call<memory>;
  table.Buffer_ReadyEvent = call<ready_event>;
  table.Buffer_ToHostBuffer = call<to_host>;
  table.Buffer_CopyRawToHost = call<copy_raw>;
  table.Buffer_CopyToDevice = call<copy_to_device>;
  table.Buffer_CopyToMemory = call<copy_to_memory>;
  table.Buffer_IncreaseExternalReferenceCount = call<hold>;
  table.Buffer_DecreaseExternalReferenceCount = call<let_go>;
  table.Buffer_UnsafePointer = call<pointer>;
  table.Buffer_OpaqueDeviceMemoryDataPointer = call<pointer>;
  table.Client_CreateViewOfDeviceBuffer = call<view>;
  table.Client_BufferFromHostBuffer = call<from_host>;
  table.Client_CreateUninitializedBuffer = call<uninitialized>;
}

}  // namespace partita::pjrt
