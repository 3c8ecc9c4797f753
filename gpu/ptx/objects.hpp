// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// OpenCL's objects as this driver has them.  Each begins with the dispatch table, which the loader of OpenCL finds
// there, and counts its owners.
#pragma once

#include <CL/cl_icd.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <mutex>
#include <string>
#include <vector>

#include "gpu/ptx/cuda.hpp"
#include "gpu/ptx/kernels.hpp"

namespace partita::ptx {

extern cl_icd_dispatch dispatch_table;

struct Object {
  const cl_icd_dispatch* dispatch = &dispatch_table;
  std::atomic<int> owners = 1;
};

}  // namespace partita::ptx

// The names are OpenCL's.
struct _cl_platform_id : partita::ptx::Object {};  // NOLINT

struct _cl_device_id : partita::ptx::Object {  // NOLINT
  partita::ptx::Device device = 0;
  partita::ptx::Context context = nullptr;
};

struct _cl_context : partita::ptx::Object {};  // NOLINT

struct _cl_command_queue : partita::ptx::Object {  // NOLINT
  cl_context context = nullptr;
  partita::ptx::Stream stream = nullptr;
  partita::ptx::Event begin = nullptr;  ///< since which times are counted
  cl_command_queue_properties properties = 0;
};

struct _cl_mem : partita::ptx::Object {  // NOLINT
  partita::ptx::Address address = 0;
  std::size_t bytes = 0;
  void* host = nullptr;  ///< of memory of the host that the device reads too: where it lies
};

struct _cl_program : partita::ptx::Object {  // NOLINT
  std::string source, log;
  partita::ptx::Module module = nullptr;
  std::vector<partita::ptx::KernelText> kernels;
  /// Of partita_offset, the first item of a launch, and what it is now; address 0: no kernel asks.
  partita::ptx::Address offset_address = 0;
  std::array<std::uint64_t, 3> offset{};
  std::mutex mutex;
};

struct _cl_kernel : partita::ptx::Object {  // NOLINT
  cl_program program = nullptr;
  partita::ptx::Function function = nullptr;
  partita::ptx::KernelText text;
  int most_items = 0;
  std::vector<std::vector<std::byte>> arguments;
};

struct _cl_event : partita::ptx::Object {  // NOLINT
  partita::ptx::Event since = nullptr, begin = nullptr, end = nullptr;
};
