// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Which OpenCL devices there are, what they can do, and which part of them each shard gets.
#pragma once

#include <CL/cl.h>

#include <string>
#include <vector>

#include "backend-opencl/device/handles.hpp"
#include "partita/device/device.hpp"

namespace partita::opencl {

/// A root device or, where `owner` holds it, a sub-device.
struct DeviceSlot {
  cl_platform_id platform = nullptr;
  cl_device_id device = nullptr;
  DeviceHandle owner;
};

/// The environment variable that names devices by part of a device's or platform's name.
inline constexpr const char* device_variable = "PARTITA_OPENCL_DEVICE";
/// 0: devices of class simt have no queue for copies, and loops do not run ahead.
inline constexpr const char* copies_variable = "PARTITA_OPENCL_COPIES";
/// The most bytes that one buffer may have, where that is less than the driver allows.
inline constexpr const char* largest_variable = "PARTITA_OPENCL_LARGEST_BUFFER";
/// cpu or gpu: which variants of artifacts all devices take, whatever they are.
inline constexpr const char* class_variable = "PARTITA_OPENCL_CLASS";

/// The device error of a machine without one.
[[noreturn]] void throw_no_device();

/// Every device of every platform, accelerators before CPUs, otherwise as the drivers list them.
/// Empty where no platform is installed.
[[nodiscard]] std::vector<DeviceSlot> find_devices();

[[nodiscard]] DeviceProfile query_profile(cl_platform_id platform, cl_device_id device);

/// Whether the device offers correctly rounded single-precision division and square root.
[[nodiscard]] bool rounds_divide_sqrt(cl_device_id device);

/// One slot per shard of the request's rank.  Devices named by PARTITA_OPENCL_DEVICE (part of a
/// device's or platform's name), else all accelerators, else the first CPU.  Several devices are
/// dealt to the shards of this machine in turn; a single CPU device is split by core among them,
/// or shared whole where it has fewer cores than shards.
[[nodiscard]] std::vector<DeviceSlot> assign_devices(const DeviceRequest& request);

/// Cores of the CPU that shards would split among them; 0 where they would take several devices, an
/// accelerator, a CPU that cannot be split, or where there is no device.
[[nodiscard]] int cores_to_split();

}  // namespace partita::opencl
