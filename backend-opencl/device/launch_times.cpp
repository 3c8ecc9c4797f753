// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "backend-opencl/device/launch_times.hpp"

#include "backend-opencl/device/check.hpp"

namespace partita::opencl {
namespace {

cl_ulong time_of(cl_event event, cl_profiling_info what) {
  cl_ulong nanoseconds = 0;
  PARTITA_CL(clGetEventProfilingInfo(event, what, sizeof nanoseconds, &nanoseconds, nullptr));
  return nanoseconds;
}

}  // namespace

void LaunchTimes::add(const std::string& kernel, cl_event event) {
  constexpr std::size_t most_waiting = 1024;  // drivers hold memory for each
  waiting_.emplace_back(kernel, Event(event));
  if (waiting_.size() > most_waiting) read_until(most_waiting / 2);
}

std::vector<LaunchTime> LaunchTimes::take() {
  read_until(0);
  std::vector<LaunchTime> all;
  for (const auto& [name, sum] : std::exchange(sums_, {})) all.push_back(sum);
  return all;
}

void LaunchTimes::read_until(std::size_t left) {
  while (waiting_.size() > left) {
    const auto& [name, owner] = waiting_.front();
    const cl_event event = owner.get();
    PARTITA_CL(clWaitForEvents(1, &event));
    const cl_ulong begin = time_of(event, CL_PROFILING_COMMAND_START),
                   end = time_of(event, CL_PROFILING_COMMAND_END);
    LaunchTime& sum = sums_[name];
    sum.kernel = name;
    ++sum.launches;
    sum.seconds += double(end > begin ? end - begin : 0) * 1e-9;
    waiting_.pop_front();
  }
}

}  // namespace partita::opencl
