// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "runtime/device/null_device.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <deque>

#include "partita/base/error.hpp"
#include "runtime/device/plain_convolution.hpp"

namespace partita {

namespace {

struct Usage {
  std::atomic<std::int64_t> bytes = 0, peak = 0;
};

class NullBuffer final : public DeviceBuffer {
 public:
  NullBuffer(std::size_t bytes, std::shared_ptr<Usage> usage)
      : memory_(std::make_shared<std::vector<std::byte>>(bytes)),
        span_(*memory_),
        usage_(std::move(usage)) {
    usage_->bytes += std::int64_t(bytes);
    usage_->peak = std::max<std::int64_t>(usage_->peak, usage_->bytes);
  }
  /// Memory of the host, which plans only read.
  explicit NullBuffer(std::span<const std::byte> host)
      : span_(const_cast<std::byte*>(host.data()), host.size()) {}
  ~NullBuffer() override {
    if (usage_) usage_->bytes -= std::int64_t(span_.size());
  }
  NullBuffer(const NullBuffer&) = delete;
  NullBuffer& operator=(const NullBuffer&) = delete;
  [[nodiscard]] std::size_t bytes() const override { return span_.size(); }
  [[nodiscard]] bool is_borrowed() const override { return usage_ == nullptr; }
  [[nodiscard]] std::byte* data() { return span_.data(); }
  /// Null where it is the host's.
  [[nodiscard]] std::shared_ptr<void> owner() const { return memory_; }

 private:
  std::shared_ptr<std::vector<std::byte>> memory_;
  std::span<std::byte> span_;
  std::shared_ptr<Usage> usage_;
};

struct NullProgram final : DeviceProgram {
  std::vector<std::function<void(const NullKernelArgs&)>> kernels;
};

std::byte* range(DeviceBuffer& buffer, std::size_t offset, std::size_t bytes) {
  if (offset > buffer.bytes() || bytes > buffer.bytes() - offset)
    throw_device_error(
        cat("null device: bytes ", offset, " + ", bytes, " of a buffer of ", buffer.bytes()));
  return dynamic_cast<NullBuffer&>(buffer).data() + offset;
}

/// Copies that are put off until somebody waits for them, in their order.
class LateCopies {
 public:
  DeviceEventPtr add(std::function<void()> copy) {
    copies_.push_back(std::move(copy));
    return std::make_shared<LateEvent>(*this, ++added_);
  }
  void run_until(std::int64_t number) {
    for (; done_ < number; ++done_) {
      copies_.front()();
      copies_.pop_front();
    }
  }
  void run_all() { run_until(added_); }

 private:
  class LateEvent final : public DeviceEvent {
   public:
    LateEvent(LateCopies& copies, std::int64_t number) : copies_(copies), number_(number) {}
    void wait() override { copies_.run_until(number_); }

   private:
    LateCopies& copies_;  // of the device that the event is of
    std::int64_t number_;
  };

  std::deque<std::function<void()>> copies_;
  std::int64_t added_ = 0, done_ = 0;
};

/// The work of a null device is done when it is enqueued, so its copies have nothing to wait for.
class LateCopyStream final : public CopyStream {
 public:
  explicit LateCopyStream(LateCopies& copies) : copies_(copies) {}
  void wait_for(const DeviceEventPtr& event) override {
    if (event) event->wait();
  }
  [[nodiscard]] DeviceEventPtr write(DeviceBuffer& to, std::size_t byte_offset,
                                     std::span<const std::byte> from) override {
    std::byte* at = range(to, byte_offset, from.size());
    return copies_.add(
        [at, owner = dynamic_cast<NullBuffer&>(to).owner(),
         bytes = std::vector(from.begin(), from.end())] { std::ranges::copy(bytes, at); });
  }
  void read(DeviceBuffer& from, std::size_t byte_offset, std::span<std::byte> to) override {
    start_read(from, byte_offset, to)->wait();
  }
  [[nodiscard]] DeviceEventPtr start_read(DeviceBuffer& from, std::size_t byte_offset,
                                          std::span<std::byte> to) override {
    const std::byte* at = range(from, byte_offset, to.size());
    return copies_.add([at, to, owner = dynamic_cast<NullBuffer&>(from).owner()] {
      std::copy_n(at, to.size(), to.begin());
    });
  }

 private:
  LateCopies& copies_;
};

template <class T>
void multiply(const GemmArgs& args) {
  const Gemm& g = *args.gemm;
  const auto matrix = [](const BoundBuffer& b) {
    return reinterpret_cast<T*>(range(*b.buffer, 0, 0)) + b.element_offset;
  };
  for (std::int64_t batch = 0; batch < args.batch; ++batch) {
    const T* a = matrix(args.a) + batch * g.stride_a;
    const T* b = matrix(args.b) + batch * g.stride_b;
    T* c = matrix(args.c) + batch * g.stride_c;
    for (std::int64_t i = 0; i < g.m; ++i)
      for (std::int64_t j = 0; j < g.n; ++j) {
        double sum = 0;
        for (std::int64_t k = 0; k < g.k; ++k)
          sum += double(g.transpose_a ? a[k * g.lda + i] : a[i * g.lda + k]) *
                 double(g.transpose_b ? b[j * g.ldb + k] : b[k * g.ldb + j]);
        T& out = c[i * g.ldc + j];
        out = T(g.alpha * sum + (g.beta == 0 ? 0 : g.beta * double(out)));
      }
  }
}

class NullDevice final : public Device {
 public:
  NullDevice(NullKernels kernels, const NullDeviceOptions& options)
      : options_(options), kernels_(std::move(kernels)), usage_(std::make_shared<Usage>()) {
    profile_.backend = profile_.name = profile_.driver = "null";
    profile_.compute_units = 1;
    profile_.global_bytes = options.memory_bytes;
    profile_.max_allocation_bytes = options.largest_buffer;
    profile_.has_fp64 = profile_.is_cpu = true;
  }

  [[nodiscard]] const DeviceProfile& profile() const override { return profile_; }

  [[nodiscard]] DeviceBufferPtr allocate(std::size_t bytes) override {
    bytes = std::max<std::size_t>(bytes, 1);
    if (profile_.global_bytes > 0 && std::int64_t(bytes) > profile_.global_bytes - usage_->bytes)
      throw_device_error(cat("out of device memory: ", bytes, " bytes on the null device"));
    if (options_.largest_buffer > 0 && std::int64_t(bytes) > options_.largest_buffer)
      throw_device_error(cat("null device: a buffer of ", bytes, " bytes"));
    return std::make_shared<NullBuffer>(bytes, usage_);
  }

  [[nodiscard]] DeviceBufferPtr borrow(std::span<const std::byte> host) override {
    if (host.empty()) return {};
    return std::make_shared<NullBuffer>(host);
  }

  [[nodiscard]] DeviceProgramPtr load(const Artifact& artifact) override {
    auto program = std::make_shared<NullProgram>();
    for (const KernelEntry& kernel : artifact.kernels) {
      const auto found = kernels_.find(kernel.name);
      if (found == kernels_.end()) throw_device_error(cat("null device: no kernel ", kernel.name));
      program->kernels.push_back(found->second);
    }
    return program;
  }

  void write(DeviceBuffer& to, std::size_t byte_offset, std::span<const std::byte> from) override {
    std::byte* at = range(to, byte_offset, from.size());
    if (!from.empty()) std::memcpy(at, from.data(), from.size());
  }
  void read(DeviceBuffer& from, std::size_t byte_offset, std::span<std::byte> to) override {
    const std::byte* at = range(from, byte_offset, to.size());
    if (!to.empty()) std::memcpy(to.data(), at, to.size());
  }
  [[nodiscard]] DeviceEventPtr start_read(DeviceBuffer& from, std::size_t byte_offset,
                                          std::span<std::byte> to) override {
    if (!options_.has_late_copies) return Device::start_read(from, byte_offset, to);
    std::vector<std::byte> now(to.size());
    read(from, byte_offset, now);
    return late_.add([now = std::move(now), to] { std::ranges::copy(now, to.begin()); });
  }
  [[nodiscard]] CopyStream* copies() override {
    return options_.has_late_copies ? &late_stream_ : nullptr;
  }
  [[nodiscard]] int iterations_ahead() const override { return options_.iterations_ahead; }
  void copy(DeviceBuffer& from, std::size_t from_byte, DeviceBuffer& to, std::size_t to_byte,
            std::size_t bytes) override {
    std::memmove(range(to, to_byte, bytes), range(from, from_byte, bytes), bytes);
  }

  void launch(DeviceProgram& program, const LaunchArgs& args) override {
    NullKernelArgs kernel_args{.buffers = {}, .scalars = {}, .global = args.global};
    for (const BoundBuffer& b : args.buffers)
      kernel_args.buffers.push_back({range(*b.buffer, 0, 0), b.element_offset});
    for (const LaunchArgs::Scalar& s : args.scalars) kernel_args.scalars.push_back(s.value);
    dynamic_cast<NullProgram&>(program).kernels.at(std::size_t(args.kernel))(kernel_args);
  }

  void gemm(const GemmArgs& args) override {
    if (args.gemm->dtype == DType::f32)
      multiply<float>(args);
    else if (args.gemm->dtype == DType::f64)
      multiply<double>(args);
    else
      throw_device_error(cat("null device: no GEMM of ", to_string(args.gemm->dtype)));
  }
  void convolve(DeviceProgram& program, const ConvolveArgs& args) override {
    const auto at = [](const BoundBuffer& b) {
      return reinterpret_cast<float*>(range(*b.buffer, 0, 0)) + b.element_offset;
    };
    const Convolve& c = *args.convolve;
    convolve_plainly(c, {.images = c.batch, .rows = c.window[0].count()}, at(args.source),
                     at(args.weights), at(args.result));
    for (const LaunchArgs& l : args.then) launch(program, l);
  }
  void flush() override {}
  void finish() override { late_.run_all(); }
  [[nodiscard]] std::int64_t allocated_bytes() const override { return usage_->bytes; }
  [[nodiscard]] std::int64_t peak_allocated_bytes() const override { return usage_->peak; }

 private:
  NullDeviceOptions options_;
  LateCopies late_;
  LateCopyStream late_stream_{late_};
  NullKernels kernels_;
  std::shared_ptr<Usage> usage_;  // outlives the device with its last buffer
  DeviceProfile profile_;
};

}  // namespace

std::unique_ptr<Device> make_null_device(NullKernels kernels, const NullDeviceOptions& options) {
  return std::make_unique<NullDevice>(std::move(kernels), options);
}

}  // namespace partita
