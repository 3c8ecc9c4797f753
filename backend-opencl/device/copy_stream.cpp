// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "backend-opencl/device/copy_stream.hpp"

#include <algorithm>

#include "backend-opencl/device/check.hpp"
#include "backend-opencl/device/opencl_buffer.hpp"
#include "partita/base/error.hpp"

namespace partita::opencl {
namespace {

/// Long enough that starting a copy is nothing to it, short enough that the host fills one while the
/// device empties another.
constexpr std::size_t slot_bytes = std::size_t(4) << 20;

}  // namespace

void OpenclEvent::wait() {
  const cl_event event = event_.get();
  PARTITA_CL(clWaitForEvents(1, &event));
}

DeviceEventPtr take_event(cl_event event) { return std::make_shared<OpenclEvent>(event); }

void enqueue_wait(cl_command_queue queue, const DeviceEventPtr& event) {
  if (!event) return;
  const cl_event handle = dynamic_cast<const OpenclEvent&>(*event).handle();
  PARTITA_CL(clEnqueueBarrierWithWaitList(queue, 1, &handle, nullptr));
}

// --- Memory of the host -------------------------------------------------------------------------

PinnedMemory::PinnedMemory(cl_context context, cl_command_queue queue, std::size_t bytes)
    : queue_(queue) {
  bytes = std::max<std::size_t>(bytes, 1);
  cl_int code = CL_SUCCESS;
  memory_.reset(
      clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_ALLOC_HOST_PTR, bytes, nullptr, &code));
  check(code, cat("clCreateBuffer of ", bytes, " bytes of the host's memory"));
  void* const mapped =
      clEnqueueMapBuffer(queue_, memory_.get(), CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 0, bytes, 0,
                         nullptr, nullptr, &code);
  check(code, cat("clEnqueueMapBuffer of ", bytes, " bytes"));
  bytes_ = {static_cast<std::byte*>(mapped), bytes};
}

PinnedMemory::~PinnedMemory() {
  if (bytes_.empty()) return;
  clEnqueueUnmapMemObject(queue_, memory_.get(), bytes_.data(), 0, nullptr, nullptr);
  clFinish(queue_);
}

// --- The stream ---------------------------------------------------------------------------------

OpenclCopyStream::OpenclCopyStream(cl_context context, cl_device_id device) : context_(context) {
  cl_int code = CL_SUCCESS;
  queue_.reset(clCreateCommandQueue(context, device, 0, &code));
  check(code, "clCreateCommandQueue for copies");
}

OpenclCopyStream::~OpenclCopyStream() { clFinish(queue_.get()); }

void OpenclCopyStream::wait_for(const DeviceEventPtr& event) { enqueue_wait(queue_.get(), event); }

OpenclCopyStream::Slot& OpenclCopyStream::take_slot() {
  Slot& slot = slots_[next_];
  next_ = (next_ + 1) % slots_.size();
  if (slot.busy) slot.busy->wait();
  slot.busy.reset();
  if (!slot.memory)
    slot.memory = std::make_unique<PinnedMemory>(context_, queue_.get(), slot_bytes);
  return slot;
}

DeviceEventPtr OpenclCopyStream::write(DeviceBuffer& to, std::size_t byte_offset,
                                       std::span<const std::byte> from) {
  check_range(to, byte_offset, from.size());
  opencl_buffer(to).leave_pool();
  DeviceEventPtr last;
  while (!from.empty()) {
    const std::size_t bytes = std::min(from.size(), slot_bytes);
    Slot& slot = take_slot();
    std::ranges::copy(from.first(bytes), slot.memory->bytes().begin());
    cl_event done = nullptr;
    PARTITA_CL(clEnqueueWriteBuffer(queue_.get(), opencl_buffer(to).memory(), CL_FALSE, byte_offset,
                                    bytes, slot.memory->bytes().data(), 0, nullptr, &done));
    last = slot.busy = take_event(done);
    PARTITA_CL(clFlush(queue_.get()));
    byte_offset += bytes;
    from = from.subspan(bytes);
  }
  return last;
}

void OpenclCopyStream::read(DeviceBuffer& from, std::size_t byte_offset, std::span<std::byte> to) {
  check_range(from, byte_offset, to.size());
  struct Part {
    Slot* slot = nullptr;
    std::span<std::byte> to;
  };
  Part before;
  const auto empty_slot = [](const Part& part) {
    if (part.slot == nullptr) return;
    part.slot->busy->wait();
    std::ranges::copy(part.slot->memory->bytes().first(part.to.size()), part.to.begin());
  };
  while (!to.empty()) {
    const Part part{.slot = &take_slot(), .to = to.first(std::min(to.size(), slot_bytes))};
    part.slot->busy =
        start_read(from, byte_offset, part.slot->memory->bytes().first(part.to.size()));
    empty_slot(before);
    before = part;
    byte_offset += part.to.size();
    to = to.subspan(part.to.size());
  }
  empty_slot(before);
}

DeviceEventPtr OpenclCopyStream::start_read(DeviceBuffer& from, std::size_t byte_offset,
                                            std::span<std::byte> to) {
  check_range(from, byte_offset, to.size());
  if (to.empty()) return {};
  opencl_buffer(from).leave_pool();
  cl_event done = nullptr;
  PARTITA_CL(clEnqueueReadBuffer(queue_.get(), opencl_buffer(from).memory(), CL_FALSE, byte_offset,
                                 to.size(), to.data(), 0, nullptr, &done));
  DeviceEventPtr event = take_event(done);
  PARTITA_CL(clFlush(queue_.get()));
  return event;
}

void OpenclCopyStream::finish() { PARTITA_CL(clFinish(queue_.get())); }

}  // namespace partita::opencl
