// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "backend-cpu/device/cpu_device.hpp"

#include <algorithm>
#include <bit>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <new>

#include "backend-cpu/device/blas.hpp"
#include "backend-cpu/device/cores.hpp"
#include "backend-cpu/device/lane_program.hpp"
#include "partita/base/error.hpp"

namespace partita::cpu {
namespace {

/// Vectors and cache lines.
constexpr std::size_t alignment = 64;
/// Work worth waking other threads for.
constexpr double shared_work_seconds = 20e-6;
/// Work of a piece that one thread takes, and how many pieces there are at most for each.
constexpr double piece_seconds = 40e-6;
constexpr std::int64_t most_pieces_per_thread = 8;
/// Items at a time that stay on one thread, so that threads do not write to the same cache lines.
constexpr std::int64_t items_apart = 64;
/// Neighbours that are better left to one thread where that leaves all threads work: they read lines of the cache together.
/// Items that take longer matter more to how evenly work is shared.
constexpr std::int64_t items_together = 128;
constexpr double light_item_seconds = 1e-6;

class HostBuffer final : public DeviceBuffer {
 public:
  HostBuffer(std::size_t bytes, std::shared_ptr<CpuDevice::Usage> usage)
      : bytes_(bytes), usage_(std::move(usage)) {
    try {
      lines_ = std::make_unique_for_overwrite<Line[]>((bytes - 1) / sizeof(Line) + 1);
    } catch (const std::bad_alloc&) {
      throw_device_error(cat("out of memory: ", bytes, " bytes"));
    }
    data_ = lines_[0].bytes;
    usage_->bytes += std::int64_t(bytes_);
    usage_->peak = std::max<std::int64_t>(usage_->peak, usage_->bytes);
  }
  /// Memory of the host, which plans only read.
  explicit HostBuffer(std::span<const std::byte> host)
      : data_(const_cast<std::byte*>(host.data())), bytes_(host.size()) {}
  ~HostBuffer() override {
    if (usage_ != nullptr) usage_->bytes -= std::int64_t(bytes_);
  }
  HostBuffer(const HostBuffer&) = delete;
  HostBuffer& operator=(const HostBuffer&) = delete;
  [[nodiscard]] std::size_t bytes() const override { return bytes_; }
  [[nodiscard]] bool is_borrowed() const override { return usage_ == nullptr; }
  [[nodiscard]] std::byte* data() const { return data_; }

 private:
  struct alignas(alignment) Line {
    std::byte bytes[alignment];
  };
  std::unique_ptr<Line[]> lines_;
  std::byte* data_ = nullptr;
  std::size_t bytes_;
  std::shared_ptr<CpuDevice::Usage> usage_;  ///< none: borrowed
};

std::byte* data_of(DeviceBuffer& buffer) { return static_cast<HostBuffer&>(buffer).data(); }

std::byte* range(DeviceBuffer& buffer, std::size_t offset, std::size_t bytes) {
  if (offset > buffer.bytes() || bytes > buffer.bytes() - offset)
    throw_device_error(cat("expected bytes within a buffer of ", buffer.bytes(), ", found ", offset,
                           " + ", bytes));
  return data_of(buffer) + offset;
}

using Clock = std::chrono::steady_clock;
double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

}  // namespace

CpuDevice::CpuDevice(int cores)
    : profile_(profile_of(cores)), usage_(std::make_shared<Usage>()), pool_(cores - 1) {}

DeviceBufferPtr CpuDevice::allocate(std::size_t bytes) {
  return std::make_shared<HostBuffer>(std::max<std::size_t>(bytes, 1), usage_);
}

DeviceBufferPtr CpuDevice::borrow(std::span<const std::byte> host) {
  // Kernels may assume that elements are aligned.
  if (host.empty() || std::bit_cast<std::uintptr_t>(host.data()) % alignof(std::max_align_t) != 0)
    return {};
  return std::make_shared<HostBuffer>(host);
}

std::span<std::byte> CpuDevice::host_bytes(DeviceBuffer& buffer) {
  return {data_of(buffer), buffer.bytes()};
}

DeviceProgramPtr CpuDevice::load(const Artifact& artifact) {
  for (const KernelBinary& binary : artifact.binaries)
    if (binary.name == lane_code_name) return std::make_shared<LaneProgram>(artifact, binary);
  return std::make_shared<NativeModule>(artifact);
}

void CpuDevice::write(DeviceBuffer& to, std::size_t byte_offset, std::span<const std::byte> from) {
  std::byte* at = range(to, byte_offset, from.size());
  if (!from.empty()) std::memcpy(at, from.data(), from.size());
}

void CpuDevice::read(DeviceBuffer& from, std::size_t byte_offset, std::span<std::byte> to) {
  const std::byte* at = range(from, byte_offset, to.size());
  if (!to.empty()) std::memcpy(to.data(), at, to.size());
}

void CpuDevice::copy(DeviceBuffer& from, std::size_t from_byte, DeviceBuffer& to,
                     std::size_t to_byte, std::size_t bytes) {
  std::memmove(range(to, to_byte, bytes), range(from, from_byte, bytes), bytes);
}

void CpuDevice::gather(const LaunchArgs& args, Arguments& to) {
  if (args.global[1] != 1 || args.global[2] != 1)
    throw_internal_error("the cpu backend runs work-items of one dimension");
  to.buffers.clear();
  to.offsets.clear();
  to.scalars.clear();
  for (const BoundBuffer& b : args.buffers) {
    to.buffers.push_back(data_of(*b.buffer));
    to.offsets.push_back(b.element_offset);
  }
  for (const LaunchArgs::Scalar& s : args.scalars) to.scalars.push_back(s.value);
}

void CpuDevice::launch(DeviceProgram& program, const LaunchArgs& args) {
  auto& kernels = static_cast<KernelProgram&>(program);
  gather(args, arguments_);
  run_items(kernels.seconds_per_item(args.kernel), args.global[0],
            [&](std::int64_t begin, std::int64_t end) {
              kernels.run(args.kernel, begin, end, arguments_.view());
            });
}

// What an item costs is measured on a first part of the items, so that cheap launches stay on this
// thread.  Only time within the kernel counts: waiting for other threads must not make a launch look
// worth sharing.  A thread may be interrupted, so a faster measurement counts at once, a slower one
// little by little.
void CpuDevice::run_items(double& seconds_per_item, std::int64_t items, const ItemRange& run) {
  const std::int64_t parts = pool_.parts();
  if (parts == 1 || items == 1) return run(0, items);
  std::int64_t done = 0;
  const auto note = [&](double seconds, std::int64_t count) {
    const double now = std::max(seconds / double(count), 1e-12);
    const bool is_faster = seconds_per_item == 0 || now < seconds_per_item;
    seconds_per_item = is_faster ? now : seconds_per_item + (now - seconds_per_item) / 4;
  };
  if (seconds_per_item == 0 || double(items) * seconds_per_item < shared_work_seconds) {
    const bool is_known = seconds_per_item != 0;
    done = is_known ? items : std::max<std::int64_t>(1, items / (8 * parts));
    const auto start = Clock::now();
    run(0, done);
    note(seconds_since(start), done);
  }
  const std::int64_t rest = items - done;
  if (rest == 0) return;
  const double seconds = double(rest) * seconds_per_item;
  if (seconds < shared_work_seconds) return run(done, items);
  const std::int64_t wanted =
      parts * std::clamp<std::int64_t>(std::int64_t(seconds / (double(parts) * piece_seconds)), 1,
                                       most_pieces_per_thread);
  const std::int64_t pieces = seconds_per_item < light_item_seconds
                                  ? std::clamp(rest / items_together, parts, wanted)
                                  : wanted;
  const std::int64_t step = rest >= 8 * pieces * items_apart ? items_apart : 1;
  const auto bound = [&](std::int64_t piece) {
    return piece == pieces ? items : done + rest * piece / pieces / step * step;
  };
  double own_seconds = 0;
  std::int64_t own_items = 0;
  pool_.run(pieces, [&](int thread, std::int64_t piece) {
    const std::int64_t begin = bound(piece), end = bound(piece + 1);
    if (begin == end) return;
    if (thread != 0) return run(begin, end);
    const auto start = Clock::now();
    run(begin, end);
    own_seconds += seconds_since(start);
    own_items += end - begin;
  });
  if (own_items > 0) note(own_seconds, own_items);
}

void CpuDevice::gemm(const GemmArgs& args) {
  const Gemm& g = *args.gemm;
  const DType operands = g.reads_bf16 ? DType::bf16 : g.dtype;
  const auto at = [&](const BoundBuffer& b, DType d) {
    return data_of(*b.buffer) + std::size_t(b.element_offset) * byte_size(d);
  };
  multiply(g, args.batch,
           {.a = at(args.a, operands), .b = at(args.b, operands), .c = at(args.c, g.dtype)}, pool_);
}

void CpuDevice::convolve(DeviceProgram& program, const ConvolveArgs& args) {
  const auto at = [](const BoundBuffer& b) {
    return reinterpret_cast<float*>(data_of(*b.buffer)) + b.element_offset;
  };
  auto& kernels = static_cast<KernelProgram&>(program);
  std::vector<Arguments> arguments(args.then.size());
  for (std::size_t k = 0; k < arguments.size(); ++k) gather(args.then[k], arguments[k]);
  Convolution::Then then;
  if (!arguments.empty())
    then = [&](std::int64_t begin, std::int64_t end) {
      for (std::size_t k = 0; k < arguments.size(); ++k)
        kernels.run(args.then[k].kernel, begin, end, arguments[k].view());
    };
  kernels.convolution(*args.convolve, pool_.parts())
      .run({.source = at(args.source), .weights = at(args.weights), .result = at(args.result)},
           args.weights_stay, pool_, *this, then);
}

}  // namespace partita::cpu
