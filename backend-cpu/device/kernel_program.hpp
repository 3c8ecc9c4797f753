// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Kernels of one artifact that the CPU device can run, as machine code or as lane code.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "backend-cpu/device/convolution.hpp"
#include "partita/device/device.hpp"

namespace partita::cpu {

/// Buffer k starts at element offsets[k] of buffers[k].
struct KernelArguments {
  void* const* buffers;
  const std::int64_t* offsets;
  const std::int64_t* scalars;
};

class KernelProgram : public DeviceProgram {
 public:
  /// Runs work-items [begin, end) of a kernel; calls on several threads are allowed.
  virtual void run(int kernel, std::int64_t begin, std::int64_t end,
                   const KernelArguments& arguments) const = 0;
  /// What an item takes, as last measured; 0: not yet.
  [[nodiscard]] double& seconds_per_item(int kernel) {
    return seconds_per_item_[std::size_t(kernel)];
  }
  /// Of a step of the artifact, made when it is first asked for.
  [[nodiscard]] Convolution& convolution(const Convolve& step, std::int64_t threads) {
    std::unique_ptr<Convolution>& made = convolutions_[&step];
    if (made == nullptr) made = std::make_unique<Convolution>(step, threads);
    return *made;
  }

 protected:
  explicit KernelProgram(std::size_t kernels) : seconds_per_item_(kernels) {}

 private:
  std::vector<double> seconds_per_item_;
  std::map<const Convolve*, std::unique_ptr<Convolution>> convolutions_;
};

}  // namespace partita::cpu
