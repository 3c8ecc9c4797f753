// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Devices and their memories as PJRT sees them.
#include <string_view>

#include "plugin/client.hpp"
#include "plugin/error.hpp"
#include "plugin/functions.hpp"
#include "plugin/hand_out.hpp"

namespace partita::pjrt {

namespace {

void id(abi::DescriptionId& call) { call.id = call.device->id; }

void process_index(abi::DescriptionProcessIndex& call) { call.id = call.device->process; }

void attributes(abi::DescriptionAttributes& call) {
  call.num_attributes = 0;
  call.attributes = nullptr;
}

void device_attributes(abi::DeviceAttributes& call) {
  call.attributes = nullptr;
  call.num_attributes = 0;
  call.owner = nullptr;
  call.deleter = [](void*) {};
}

void kind(abi::DescriptionText& call) { set_text(call, call.device->kind); }

void text(abi::DescriptionText& call) { set_text(call, call.device->text); }

void description(abi::DeviceGetDescription& call) { call.description = call.device->description; }

void is_addressable(abi::DeviceIsAddressable& call) {
  call.is_addressable = call.device->stream != nullptr;
}

void hardware_id(abi::DeviceLocalHardwareId& call) { call.id = call.device->number; }

void memories(abi::DeviceMemories& call) {
  call.memories = call.device->memories.data();
  call.num_memories = call.device->memories.size();
}

void default_memory(abi::DeviceDefaultMemory& call) { call.memory = call.device->memory(); }

void memory_stats(abi::DeviceMemoryStats& call) {
  call.device->expect_here();
  const Stream& stream = *call.device->stream;
  const std::int64_t limit = stream.profile().global_bytes;
  call.bytes_in_use = stream.allocated_bytes();
  call.peak_bytes_in_use = {stream.peak_allocated_bytes(), true};
  call.bytes_limit = {limit, limit > 0};
}

void memory_id(abi::MemoryId& call) { call.id = call.memory->id(); }

void memory_kind_of(abi::MemoryText& call) { set_text(call, to_string(call.memory->kind)); }

void memory_text(abi::MemoryText& call) { set_text(call, call.memory->text); }

void memory_devices(abi::MemoryDevices& call) {
  call.devices = &call.memory->device->self;
  call.num_devices = 1;
}

}  // namespace

void add_device_functions(abi::Table& table) {
  table.DeviceDescription_Id = call<id>;
  table.DeviceDescription_ProcessIndex = call<process_index>;
  table.DeviceDescription_Attributes = call<attributes>;
  table.DeviceDescription_Kind = call<kind>;
  table.DeviceDescription_DebugString = call<text>;
  table.DeviceDescription_ToString = call<text>;
  table.Device_GetDescription = call<description>;
  table.Device_IsAddressable = call<is_addressable>;
  table.Device_LocalHardwareId = call<hardware_id>;
  table.Device_AddressableMemories = call<memories>;
  table.Device_DefaultMemory = call<default_memory>;
  table.Device_MemoryStats = call<memory_stats>;
  table.Device_GetAttributes = call<device_attributes>;
  table.Memory_Id = call<memory_id>;
  table.Memory_Kind = call<memory_kind_of>;
  table.Memory_DebugString = call<memory_text>;
  table.Memory_ToString = call<memory_text>;
  table.Memory_AddressableByDevices = call<memory_devices>;
}

}  // namespace partita::pjrt
