// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// What an artifact's kernels are expected to take on a device of many items, by a roofline: rates of the device's
// profile, and what each kernel does as it was counted when it was compiled.  Nothing is run and nothing measured:
// docs/gpus.md has the formula and what it leaves out.  For comparing forms and devices, not for promises.
#pragma once

#include <string>
#include <vector>

#include "partita/artifact/artifact.hpp"
#include "partita/base/target_info.hpp"
#include "partita/driver/compile.hpp"
#include "partita/driver/target.hpp"

namespace partita::driver {

/// What takes the most of a launch's time.
enum class TimeBound : std::uint8_t {
  launch,     ///< starting it
  flops,      ///< operations of the busiest kind: f32 and integers, f64, matrix units
  bandwidth,  ///< memory
  cache,      ///< what all items ask for, as often as they do
  latency,    ///< memory's answers, one after the other
};
[[nodiscard]] std::string_view to_string(TimeBound bound);

/// Of one launch.
struct LaunchTime {
  double seconds = 0;
  TimeBound bound = TimeBound::launch;
  double occupancy =
      0;  ///< items that a multiprocessor has at a time, as a part of the most it can have
};

/// A device as the model sees it.
struct ModelledDevice {
  TargetInfo info;
  Multiprocessors multiprocessors;
};
/// The device that options name.
[[nodiscard]] ModelledDevice modelled_device(const CompileOptions& options);

/// Items and groups of a launch, and the bytes of the buffers that it is given, in the order of the kernel's.
struct LaunchShape {
  double items = 0, group = 0;  ///< group: 0 where the device chooses
  std::vector<double> buffer_bytes;
};
/// `work` is known, and the device of class simt.
[[nodiscard]] LaunchTime launch_time(const KernelWork& work, const LaunchShape& shape,
                                     const ModelledDevice& device);

/// All launches of a kernel, or of the matrix library, or all copies.
struct KernelTime {
  std::string name;
  double launches = 0;
  double seconds = 0;  ///< of all of them
  bool is_known =
      true;            ///< else a loop's turns are not known before it runs, or nothing was counted
  LaunchTime longest;  ///< of its launches
};

/// Of one run on one shard.
struct TimeEstimate {
  std::vector<KernelTime> kernels;   ///< in the order of their first launch
  double launches = 0, seconds = 0;  ///< of those that are known
  bool has_open_loops = false;       ///< some loop's iterations are not known: it is counted once
};
/// Of several branches the longest counts; collectives, and copies between host and device, do not.
[[nodiscard]] TimeEstimate estimate_time(const Variant& variant, const ModelledDevice& device);

/// A table, and the sum.
[[nodiscard]] std::string to_text(const TimeEstimate& estimate, const ModelledDevice& device);

}  // namespace partita::driver
