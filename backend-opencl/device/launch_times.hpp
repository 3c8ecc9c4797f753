// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// What kernels take on a device, by the clock of its driver.  For measuring alone: each launch keeps an event.
#pragma once

#include <deque>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "backend-opencl/device/handles.hpp"
#include "partita/device/device.hpp"

namespace partita::opencl {

class LaunchTimes {
 public:
  /// Takes the event of a launch in a queue that has CL_QUEUE_PROFILING_ENABLE.
  void add(const std::string& kernel, cl_event event);
  /// By kernel, sorted by name.  Waits for the launches.
  [[nodiscard]] std::vector<LaunchTime> take();

 private:
  /// Reads events until no more than `left` wait.
  void read_until(std::size_t left);

  std::deque<std::pair<std::string, Event>> waiting_;
  std::map<std::string, LaunchTime> sums_;
};

}  // namespace partita::opencl
