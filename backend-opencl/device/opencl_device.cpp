// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "backend-opencl/device/opencl_device.hpp"

#include <algorithm>
#include <array>
#include <deque>
#include <mutex>

#include "backend-opencl/device/check.hpp"
#include "backend-opencl/device/prebuild.hpp"
#include "partita/base/env.hpp"
#include "partita/base/error.hpp"

namespace partita::opencl {
namespace {

template <class T>
T queue_value(cl_command_queue queue, cl_command_queue_info what) {
  T value{};
  check(clGetCommandQueueInfo(queue, what, sizeof value, &value, nullptr),
        "clGetCommandQueueInfo of the host's queue");
  return value;
}

/// What a closed device leaves, in the order in which it may be released from the end.
struct Retired {
  DeviceSlot slot;
  Context context;
  Queue queue;
};

/// Releases the device's objects some devices later.  PoCL's worker thread gives back the last event
/// of a queue after clFinish has returned, and goes through objects that are gone if they are released
/// at once.
void retire(Retired retired) {
  constexpr std::size_t kept = 8;
  static std::mutex mutex;
  static auto& last = *new std::deque<Retired>;  // outlives threads of drivers
  const std::scoped_lock lock(mutex);
  last.push_back(std::move(retired));
  if (last.size() > kept) last.pop_front();
}

std::string to_text(const std::array<std::int64_t, 3>& sizes) {
  return cat(sizes[0], "x", sizes[1], "x", sizes[2]);
}

}  // namespace

OpenclDevice::OpenclDevice(DeviceSlot slot, cl_command_queue_properties queue_properties)
    : slot_(std::move(slot)), profile_(query_profile(slot_.platform, slot_.device)) {
  const std::array<cl_context_properties, 3> properties{
      CL_CONTEXT_PLATFORM, reinterpret_cast<cl_context_properties>(slot_.platform), 0};
  cl_int code = CL_SUCCESS;
  context_.reset(clCreateContext(properties.data(), 1, &slot_.device, nullptr, nullptr, &code));
  check(code, cat("clCreateContext for ", profile_.name));
  queue_.reset(clCreateCommandQueue(context_.get(), slot_.device, queue_properties, &code));
  check(code, cat("clCreateCommandQueue for ", profile_.name));
  if ((queue_properties & CL_QUEUE_PROFILING_ENABLE) != 0) times_ = std::make_unique<LaunchTimes>();
  start();
}

OpenclDevice::OpenclDevice(cl_command_queue lent) : is_lent_(true) {
  const auto properties = queue_value<cl_command_queue_properties>(lent, CL_QUEUE_PROPERTIES);
  if ((properties & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE) != 0)
    throw_user_error("queue of the host: expected an in-order queue, found an out-of-order one");
  slot_.device = queue_value<cl_device_id>(lent, CL_QUEUE_DEVICE);
  PARTITA_CL(clGetDeviceInfo(slot_.device, CL_DEVICE_PLATFORM, sizeof slot_.platform,
                             &slot_.platform, nullptr));
  profile_ = query_profile(slot_.platform, slot_.device);
  const auto context = queue_value<cl_context>(lent, CL_QUEUE_CONTEXT);
  PARTITA_CL(clRetainContext(context));
  context_.reset(context);
  PARTITA_CL(clRetainCommandQueue(lent));
  queue_.reset(lent);
  start();
}

void OpenclDevice::start() {
  blas_ = std::make_unique<Blas>(build_target(), queue_.get(),
                                 [this](std::size_t bytes) { return scratch(bytes); });
  if (profile_.device_class != DeviceClass::simt) return;
  constexpr std::int64_t share_of_pool = 4;
  pool_ = std::make_shared<MemoryPool>(profile_.global_bytes / share_of_pool);
  if (environment(copies_variable) != "0")
    copies_ = std::make_unique<OpenclCopyStream>(context_.get(), slot_.device);
}

OpenclDevice::~OpenclDevice() {
  if (!queue_) return;
  clFinish(queue_.get());
  milestone_.reset();
  copies_.reset();
  blas_.reset();
  scratch_.reset();
  if (pool_) pool_->close();
  // Contexts of GPUs hold hundreds of megabytes of their memory.
  if (!is_lent_ && profile_.is_cpu)
    retire({.slot = std::move(slot_), .context = std::move(context_), .queue = std::move(queue_)});
}

BuildTarget OpenclDevice::build_target() const {
  return {.context = context_.get(), .device = slot_.device, .profile = &profile_};
}

DeviceBufferPtr OpenclDevice::allocate(std::size_t bytes) {
  bytes = std::max<std::size_t>(bytes, 1);
  const auto fail = [&](std::string_view why) {
    throw_device_error(cat("out of device memory on ", profile_.name, ": cannot allocate ", bytes,
                           " bytes (", why, "); ", counter_->now, " bytes in use, ",
                           profile_.max_allocation_bytes, " at most in one buffer, ",
                           profile_.global_bytes, " in all"));
  };
  if (bytes > std::size_t(profile_.max_allocation_bytes))
    fail("more than the device allows in one buffer");
  const std::size_t rounded = MemoryPool::rounded(bytes);
  const bool is_pooled = pool_ && rounded <= std::size_t(profile_.max_allocation_bytes);
  const std::size_t allocated = is_pooled ? rounded : bytes;
  Memory memory = is_pooled ? pool_->take(allocated) : Memory();
  if (!memory) {
    // What the pool holds is not wanted where there is little left; drivers may notice that no sooner than at a launch.
    constexpr double most = 0.9;
    const auto wanted = double(counter_->now) + double(allocated);
    if (pool_ && wanted + double(pool_->held_bytes()) > most * double(profile_.global_bytes))
      pool_->clear();
    cl_int code = CL_SUCCESS;
    const auto create = [&] {
      memory.reset(clCreateBuffer(context_.get(), CL_MEM_READ_WRITE, allocated, nullptr, &code));
      return code == CL_SUCCESS;
    };
    if (!create() && pool_) pool_->clear(), (void)create();
    if (code != CL_SUCCESS) fail(cat("clCreateBuffer: ", describe_code(code)));
  }
  return std::make_shared<OpenclBuffer>(std::move(memory), bytes, counter_,
                                        is_pooled ? pool_ : nullptr);
}

DeviceBufferPtr OpenclDevice::borrow(std::span<const std::byte> host) {
  constexpr std::uintptr_t alignment = alignof(cl_double2);  // of the largest element, c128
  const bool is_aligned = reinterpret_cast<std::uintptr_t>(host.data()) % alignment == 0;
  if (!profile_.is_cpu || host.empty() || !is_aligned ||
      host.size() > std::size_t(profile_.max_allocation_bytes))
    return {};
  cl_int code = CL_SUCCESS;
  Memory memory(clCreateBuffer(context_.get(), CL_MEM_READ_ONLY | CL_MEM_USE_HOST_PTR, host.size(),
                               const_cast<std::byte*>(host.data()), &code));
  if (code != CL_SUCCESS) return {};
  return std::make_shared<OpenclBuffer>(std::move(memory), host.size(), nullptr);
}

cl_mem OpenclDevice::scratch(std::size_t bytes) {
  if (!scratch_ || scratch_->bytes() < bytes) {
    scratch_.reset();  // commands that still use it keep it alive
    scratch_ = allocate(bytes);
  }
  return opencl_buffer(*scratch_).memory();
}

DeviceProgramPtr OpenclDevice::load(const Artifact& artifact) {
  const LibrarySettings& library = artifact.library;
  const bool is_meant = std::ranges::any_of(library.devices, [&](const std::string& beginning) {
    return profile_.name.starts_with(beginning);
  });
  blas_->set_parameters(is_meant ? library.parameters : std::vector<LibraryParameters>{});
  return std::make_shared<OpenclProgram>(build_target(), artifact);
}

int OpenclDevice::binaries_of(const Artifact& artifact) {
  return int(prebuilt_groups(artifact, profile_).size());
}

KernelBinary OpenclDevice::prebuild(const Artifact& artifact, int number) {
  const std::vector<KernelGroup> groups = prebuilt_groups(artifact, profile_);
  PARTITA_ASSERT(number >= 0 && std::size_t(number) < groups.size());
  return opencl::prebuild(build_target(), artifact, groups[std::size_t(number)]);
}

void OpenclDevice::write(DeviceBuffer& to, std::size_t byte_offset,
                         std::span<const std::byte> from) {
  check_range(to, byte_offset, from.size());
  if (from.empty()) return;
  PARTITA_CL(clEnqueueWriteBuffer(queue_.get(), opencl_buffer(to).memory(), CL_TRUE, byte_offset,
                                  from.size(), from.data(), 0, nullptr, nullptr));
}

void OpenclDevice::read(DeviceBuffer& from, std::size_t byte_offset, std::span<std::byte> to) {
  check_range(from, byte_offset, to.size());
  if (to.empty()) return;
  PARTITA_CL(clEnqueueReadBuffer(queue_.get(), opencl_buffer(from).memory(), CL_TRUE, byte_offset,
                                 to.size(), to.data(), 0, nullptr, nullptr));
}

DeviceEventPtr OpenclDevice::start_read(DeviceBuffer& from, std::size_t byte_offset,
                                        std::span<std::byte> to) {
  if (!copies_) return Device::start_read(from, byte_offset, to);
  check_range(from, byte_offset, to.size());
  if (to.empty()) return {};
  cl_event done = nullptr;
  PARTITA_CL(clEnqueueReadBuffer(queue_.get(), opencl_buffer(from).memory(), CL_FALSE, byte_offset,
                                 to.size(), to.data(), 0, nullptr, &done));
  return flushed(done);
}

DeviceEventPtr OpenclDevice::start_write(DeviceBuffer& to, std::size_t byte_offset,
                                         std::span<const std::byte> from) {
  if (!copies_) return Device::start_write(to, byte_offset, from);
  check_range(to, byte_offset, from.size());
  if (from.empty()) return {};
  cl_event done = nullptr;
  PARTITA_CL(clEnqueueWriteBuffer(queue_.get(), opencl_buffer(to).memory(), CL_FALSE, byte_offset,
                                  from.size(), from.data(), 0, nullptr, &done));
  return flushed(done);
}

HostMemoryPtr OpenclDevice::host_memory(std::size_t bytes) {
  if (!copies_) return Device::host_memory(bytes);
  return std::make_unique<PinnedMemory>(context_.get(), queue_.get(), bytes);
}

DeviceEventPtr OpenclDevice::mark() {
  if (!copies_) return {};
  cl_event reached = nullptr;
  PARTITA_CL(clEnqueueMarkerWithWaitList(queue_.get(), 0, nullptr, &reached));
  return flushed(reached);
}

void OpenclDevice::wait_for(const DeviceEventPtr& event) { enqueue_wait(queue_.get(), event); }

// Who waits for the event elsewhere must find it on its way.
DeviceEventPtr OpenclDevice::flushed(cl_event event) {
  DeviceEventPtr result = take_event(event);
  PARTITA_CL(clFlush(queue_.get()));
  return result;
}

// A launch takes a GPU's host some microseconds, an answer from the device some tens.
int OpenclDevice::iterations_ahead() const { return copies_ ? 8 : 0; }

void OpenclDevice::copy(DeviceBuffer& from, std::size_t from_byte, DeviceBuffer& to,
                        std::size_t to_byte, std::size_t bytes) {
  check_range(from, from_byte, bytes);
  check_range(to, to_byte, bytes);
  if (bytes == 0 || (&from == &to && from_byte == to_byte)) return;
  PARTITA_CL(clEnqueueCopyBuffer(queue_.get(), opencl_buffer(from).memory(),
                                 opencl_buffer(to).memory(), from_byte, to_byte, bytes, 0, nullptr,
                                 nullptr));
  note_command();
}

void OpenclDevice::set_arguments(LoadedKernel& kernel, const LaunchArgs& args) {
  const std::size_t given = 2 * args.buffers.size() + args.scalars.size();
  if (kernel.arguments != given)
    throw_internal_error(cat("kernel '", kernel.name, "' takes ", kernel.arguments,
                             " arguments, the plan gives ", given));
  cl_uint index = 0;
  // Only what differs from the last launch: drivers allocate for each argument.
  const auto set = [&](ArgumentValue value, std::size_t size, const void* bytes) {
    ArgumentValue& now = kernel.set[index];
    if (now != value) {
      const cl_int code = clSetKernelArg(kernel.handle.get(), index, size, bytes);
      if (code != CL_SUCCESS)
        check(code, cat("clSetKernelArg of kernel '", kernel.name, "', argument ", index));
      now = value;
    }
    ++index;
  };
  using Kind = ArgumentValue::Kind;
  for (const BoundBuffer& bound : args.buffers) {
    const OpenclBuffer& buffer = opencl_buffer(*bound.buffer);
    const cl_mem memory = buffer.memory();
    const cl_long offset = bound.element_offset;
    set({Kind::buffer, buffer.number()}, sizeof memory, &memory);
    set({Kind::wide, offset}, sizeof offset, &offset);
  }
  for (const LaunchArgs::Scalar& scalar : args.scalars) {
    PARTITA_ASSERT(scalar.dtype == DType::i32 || scalar.dtype == DType::i64);
    const auto narrow = cl_int(scalar.value);
    const cl_long wide = scalar.value;
    if (scalar.dtype == DType::i32)
      set({Kind::narrow, narrow}, sizeof narrow, &narrow);
    else
      set({Kind::wide, wide}, sizeof wide, &wide);
  }
}

// Sets kernel.last_parts.
void OpenclDevice::choose_parts(LoadedKernel& kernel, const LaunchArgs& args) const {
  Range3 global{};
  Range3 local{};
  for (std::size_t d = 0; d < global.size(); ++d) {
    global[d] = std::size_t(args.global[d]);
    local[d] = args.local[d] > 0 ? std::size_t(args.local[d]) : kernel.required_local[d];
  }
  const bool is_chosen = local == Range3{};
  if (is_chosen && global == kernel.last_global) return;
  kernel.last_parts = parts_of(global, local,
                               {.max_items = kernel.max_work_group,
                                .compute_units = std::size_t(profile_.compute_units),
                                .is_cpu = profile_.is_cpu});
  kernel.last_global = is_chosen ? global : Range3{};
}

// Drivers hold memory for each command until it is done: no more than two milestones' worth of them
// wait at a time, so that memory does not grow with the number of launches.
void OpenclDevice::note_command() {
  constexpr int commands_per_milestone = 512;
  if (++commands_ < commands_per_milestone) return;
  commands_ = 0;
  cl_event reached = nullptr;
  PARTITA_CL(clEnqueueMarkerWithWaitList(queue_.get(), 0, nullptr, &reached));
  Event next(reached);
  PARTITA_CL(clFlush(queue_.get()));
  if (milestone_) {
    const cl_event before = milestone_.get();
    PARTITA_CL(clWaitForEvents(1, &before));
  }
  milestone_ = std::move(next);
}

void OpenclDevice::launch(DeviceProgram& program, const LaunchArgs& args) {
  LoadedKernel& kernel = dynamic_cast<OpenclProgram&>(program).kernel(args.kernel);
  for (std::int64_t items : args.global) PARTITA_ASSERT(items >= 0);
  if (std::ranges::find(args.global, 0) != args.global.end()) return;
  set_arguments(kernel, args);
  choose_parts(kernel, args);
  for (const Part& part : kernel.last_parts) {
    cl_event event = nullptr;
    const cl_int code = clEnqueueNDRangeKernel(
        queue_.get(), kernel.handle.get(), cl_uint(part.global.size()), part.offset.data(),
        part.global.data(), part.local.data(), 0, nullptr, times_ ? &event : nullptr);
    if (code != CL_SUCCESS)
      check(code, cat("clEnqueueNDRangeKernel of kernel '", kernel.name, "' (global ",
                      to_text(args.global), ", local ", to_text(args.local), ")"));
    if (times_) times_->add(kernel.name, event);
    note_command();
  }
}

void OpenclDevice::gemm(const GemmArgs& args) {
  PARTITA_ASSERT(args.gemm != nullptr && args.batch >= 0);
  const auto memory = [](const BoundBuffer& b) { return opencl_buffer(*b.buffer).memory(); };
  blas_->gemm(*args.gemm,
              {.a = memory(args.a),
               .b = memory(args.b),
               .c = memory(args.c),
               .a_offset = std::size_t(args.a.element_offset),
               .b_offset = std::size_t(args.b.element_offset),
               .c_offset = std::size_t(args.c.element_offset)},
              std::size_t(args.batch));
  note_command();
}

std::vector<LaunchTime> OpenclDevice::launch_times() {
  return times_ ? times_->take() : std::vector<LaunchTime>{};
}

void OpenclDevice::flush() { PARTITA_CL(clFlush(queue_.get())); }

void OpenclDevice::finish() {
  PARTITA_CL(clFinish(queue_.get()));
  if (copies_) copies_->finish();
}

}  // namespace partita::opencl
