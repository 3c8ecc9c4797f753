// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// What the executor needs of an accelerator.  One Device is one in-order stream of work: calls
// enqueue and return; `read` and `finish` wait.  Devices with memory of their own have a second stream
// (CopyStream) for copies that run beside launches, ordered with the first by events.  Errors are thrown
// (ErrorKind::device) at enqueue or at the wait.  Not safe for concurrent calls; each shard's submit
// thread owns its device.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "partita/artifact/artifact.hpp"
#include "partita/base/threads.hpp"

namespace partita {

struct DeviceProfile {
  std::string backend;  ///< its name, which is that of the target
  std::string name, vendor, driver, platform;
  int compute_units = 0;
  std::int64_t global_bytes = 0, max_allocation_bytes = 0, local_bytes = 0;
  std::int64_t max_work_group = 0;
  bool has_fp64 = false, has_fp16 = false, has_subgroups = false;
  bool is_cpu = false;
  DeviceClass device_class = DeviceClass::multicore;  ///< whose variant of an artifact it takes
};

/// Memory on a device; freed with the last owner.
class DeviceBuffer {
 public:
  virtual ~DeviceBuffer() = default;
  [[nodiscard]] virtual std::size_t bytes() const = 0;
  /// The host's memory (Device::borrow), which nothing writes to.
  [[nodiscard]] virtual bool is_borrowed() const { return false; }
};
using DeviceBufferPtr = std::shared_ptr<DeviceBuffer>;

/// Compiled kernels of one artifact on one device.
class DeviceProgram {
 public:
  virtual ~DeviceProgram() = default;
};
using DeviceProgramPtr = std::shared_ptr<DeviceProgram>;

/// Memory of a device that holds constants, for as long as somebody uses it.
class HeldConstants {
 public:
  /// Null where no memory holds it.
  [[nodiscard]] DeviceBufferPtr find(const Constant& constant) const;
  /// Written by then, in the order of the device's work.
  void add(const Constant& constant, const DeviceBufferPtr& memory);

 private:
  std::map<std::weak_ptr<const HostArray>, std::weak_ptr<DeviceBuffer>, std::owner_less<>> held_;
};

struct BoundBuffer {
  DeviceBuffer* buffer = nullptr;
  std::int64_t element_offset = 0;
};

struct LaunchArgs {
  int kernel = 0;  ///< index into Artifact::kernels
  std::span<const BoundBuffer> buffers;
  struct Scalar {
    DType dtype;
    std::int64_t value;
  };
  std::span<const Scalar> scalars;
  std::array<std::int64_t, 3> global, local;
};

struct GemmArgs {
  const Gemm* gemm = nullptr;  ///< shapes, strides and factors
  BoundBuffer a, b, c;
  std::int64_t batch = 1;
};

struct ConvolveArgs {
  const Convolve* convolve = nullptr;  ///< stays as long as the program
  BoundBuffer source, weights, result;
  bool weights_stay = false;  ///< they are the same in all calls
  std::span<const LaunchArgs> then;
};

/// What launches of a kernel took.
struct LaunchTime {
  std::string kernel;
  std::int64_t launches = 0;
  double seconds = 0;  ///< of all of them, on the device
};

/// A point in a stream.  A null pointer is a point that is behind.
class DeviceEvent {
 public:
  virtual ~DeviceEvent() = default;
  /// Returns when what was enqueued before is done.
  virtual void wait() = 0;
};
using DeviceEventPtr = std::shared_ptr<DeviceEvent>;

/// Memory of the host from and to which a device copies without the host's help.
class HostMemory {
 public:
  virtual ~HostMemory() = default;
  [[nodiscard]] virtual std::span<std::byte> bytes() = 0;
};
using HostMemoryPtr = std::unique_ptr<HostMemory>;

/// A second in-order stream of a device, for copies beside its work.  Nothing orders it with the work but
/// events: Device::mark and CopyStream::wait_for before a copy of what work has made or still reads,
/// Device::wait_for before work on what a copy brings.
class CopyStream {
 public:
  virtual ~CopyStream() = default;
  /// Copies that are enqueued from now on begin after the event.
  virtual void wait_for(const DeviceEventPtr& event) = 0;
  /// `from` may be reused at once.  The event: the bytes are there.
  [[nodiscard]] virtual DeviceEventPtr write(DeviceBuffer& to, std::size_t byte_offset,
                                             std::span<const std::byte> from) = 0;
  /// Waits until the bytes are there.
  virtual void read(DeviceBuffer& from, std::size_t byte_offset, std::span<std::byte> to) = 0;
  /// Returns at once; `to` is part of a HostMemory of the device, which stays until the event.
  [[nodiscard]] virtual DeviceEventPtr start_read(DeviceBuffer& from, std::size_t byte_offset,
                                                  std::span<std::byte> to) = 0;
};

class Device {
 public:
  virtual ~Device() = default;
  [[nodiscard]] virtual const DeviceProfile& profile() const = 0;
  /// At least one byte is allocated; out of memory is a device error that names the size.
  [[nodiscard]] virtual DeviceBufferPtr allocate(std::size_t bytes) = 0;
  /// Memory of the host that the device reads where it lies; null where it cannot, or not there.
  /// Nothing writes to it.  The caller keeps the bytes as they are until the buffer is gone and the
  /// device has finished what used it.  Not counted as allocated.
  [[nodiscard]] virtual DeviceBufferPtr borrow(std::span<const std::byte> /*host*/) { return {}; }
  /// The buffer's bytes, where the host may read and write them in place: what was enqueued until now is done, and
  /// what is enqueued from now on finds what was written. Empty where the device has memory of its own.
  [[nodiscard]] virtual std::span<std::byte> host_bytes(DeviceBuffer& /*buffer*/) { return {}; }
  /// Compiles (or takes from the cache) all kernels; a build failure holds the build log's first lines.
  [[nodiscard]] virtual DeviceProgramPtr load(const Artifact& artifact) = 0;
  /// Into how many binaries prebuild() makes the artifact's kernels; 0 where they are machine code already.
  [[nodiscard]] virtual int binaries_of(const Artifact& /*artifact*/) { return 0; }
  /// Machine code of some of the artifact's kernels, which load() of the artifact with all these binaries takes in place of
  /// the kernels' text, on devices like this one.  `number`: from 0; each is best asked of a process of its own, the first
  /// ones take longest.
  [[nodiscard]] virtual KernelBinary prebuild(const Artifact& artifact, int number);
  /// The bytes may be reused at once.
  virtual void write(DeviceBuffer& to, std::size_t byte_offset,
                     std::span<const std::byte> from) = 0;
  /// Waits until the bytes are there.
  virtual void read(DeviceBuffer& from, std::size_t byte_offset, std::span<std::byte> to) = 0;
  /// As read and write, but they return at once where they can: the host's bytes are part of a HostMemory of
  /// this device and stay until the event.
  [[nodiscard]] virtual DeviceEventPtr start_read(DeviceBuffer& from, std::size_t byte_offset,
                                                  std::span<std::byte> to);
  [[nodiscard]] virtual DeviceEventPtr start_write(DeviceBuffer& to, std::size_t byte_offset,
                                                   std::span<const std::byte> from);
  [[nodiscard]] virtual HostMemoryPtr host_memory(std::size_t bytes);
  /// Null where copies beside the work are no faster, as where the device has the host's memory.
  [[nodiscard]] virtual CopyStream* copies() { return nullptr; }
  /// The point after all work that was enqueued until now.
  [[nodiscard]] virtual DeviceEventPtr mark() { return {}; }
  /// Work that is enqueued from now on begins after the event, which is of this device.
  virtual void wait_for(const DeviceEventPtr& event);
  /// Iterations of a loop that are worth enqueueing before it is known whether there are so many.
  [[nodiscard]] virtual int iterations_ahead() const { return 0; }
  /// Ranges of one buffer must not overlap, except that a copy onto itself does nothing.
  virtual void copy(DeviceBuffer& from, std::size_t from_byte, DeviceBuffer& to,
                    std::size_t to_byte, std::size_t bytes) = 0;
  /// Where `local` is 0 in all dimensions the device may run the items as several ranges: such a
  /// kernel uses get_global_id() alone, neither group numbers nor sizes nor barriers.
  virtual void launch(DeviceProgram& program, const LaunchArgs& args) = 0;
  virtual void gemm(const GemmArgs& args) = 0;
  /// Only where the target is compiled for with a library that convolves (TargetInfo::library_convolves).
  virtual void convolve(DeviceProgram& program, const ConvolveArgs& args);
  /// What functions on this device have in common.
  [[nodiscard]] HeldConstants& held_constants() { return held_constants_; }
  virtual void flush() = 0;
  virtual void finish() = 0;
  /// What the host computes for this device may be shared by these: all of a processor, one of another device.
  [[nodiscard]] virtual Threads host_threads();
  /// By kernel, since the last call; waits.  Empty unless opened with `times_launches`, and where the backend has
  /// no such clock; calls of libraries are not among them.
  [[nodiscard]] virtual std::vector<LaunchTime> launch_times() { return {}; }
  /// Bytes now allocated and the most there ever were (since the last reset).
  [[nodiscard]] virtual std::int64_t allocated_bytes() const = 0;
  [[nodiscard]] virtual std::int64_t peak_allocated_bytes() const = 0;

 private:
  HeldConstants held_constants_;
};

struct DeviceRequest {
  std::string backend{default_target};
  int local_rank = 0, local_ranks = 1;  ///< processes on this machine share its devices
  int devices_per_rank = 1;
  /// Streams of work on each device: devices of a rank come in runs of so many that are one and the same.
  int streams_per_device = 1;
  /// Queues that the host program lends, one per device and stream, of the kind that the backend takes and
  /// retained while the device lives; empty: devices are opened here.
  std::vector<void*> host_queues;
  bool times_launches = false;  ///< whether Device::launch_times is going to be asked; costs time
};

/// The devices one rank drives: of a single CPU, parts split by core among the local ranks and their
/// shards (sharing cores where there are fewer).  No device is a device error that says what to install.
[[nodiscard]] std::vector<std::unique_ptr<Device>> open_devices(const DeviceRequest& request);
/// How many devices a rank of `local_ranks` on this machine drives where nobody says: on CPUs one per
/// core where a placement has a partition for each core of the machine, else 1.
[[nodiscard]] int default_devices(const Artifact& artifact, int local_ranks);
/// Profiles of everything present, for `partita devices` and `doctor`.
[[nodiscard]] std::vector<DeviceProfile> list_devices();

}  // namespace partita
