// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Layouts of PJRT's binary interface: sizes and offsets that its C header gives on 64 bits,
// version 0.90 and what 0.91 to 0.93 add.
#include <gtest/gtest.h>

#include "plugin/abi.hpp"

namespace partita::pjrt {
namespace {

TEST(PjrtAbi, HasTheLayoutsOfTheInterface) {
  struct Known {
    const char* what;
    std::size_t ours, theirs;
  };
  constexpr Known known[] = {
      {"NamedValue", sizeof(abi::NamedValue), 56},
      {"ErrorGetCode", sizeof(abi::ErrorGetCode), 32},
      {"PluginAttributes", sizeof(abi::PluginAttributes), 32},
      {"EventOnReady", sizeof(abi::EventOnReady), 40},
      {"ClientCreate", sizeof(abi::ClientCreate), 88},
      {"ClientCreate::client", offsetof(abi::ClientCreate, client), 64},
      {"ClientCompile", sizeof(abi::ClientCompile), 56},
      {"Program", sizeof(abi::Program), 48},
      {"ClientDefaultAssignment", sizeof(abi::ClientDefaultAssignment), 48},
      {"BufferFromHost", sizeof(abi::BufferFromHost), 120},
      {"BufferFromHost::semantics", offsetof(abi::BufferFromHost, semantics), 72},
      {"BufferFromHost::memory", offsetof(abi::BufferFromHost, memory), 88},
      {"BufferFromHost::buffer", offsetof(abi::BufferFromHost, buffer), 112},
      {"Layout", sizeof(abi::Layout), 80},
      {"Layout::kind", offsetof(abi::Layout, kind), 72},
      {"ViewOfDeviceBuffer", sizeof(abi::ViewOfDeviceBuffer), 112},
      {"UninitializedBuffer", sizeof(abi::UninitializedBuffer), 80},
      {"DescriptionAttributes", sizeof(abi::DescriptionAttributes), 40},
      {"DeviceMemoryStats", sizeof(abi::DeviceMemoryStats), 192},
      {"DeviceMemoryStats::peak_pool_bytes", offsetof(abi::DeviceMemoryStats, peak_pool_bytes),
       176},
      {"MemoryDevices", sizeof(abi::MemoryDevices), 40},
      {"ExecutableMemoryStats", sizeof(abi::ExecutableMemoryStats), 120},
      {"Serialized<Executable>", sizeof(abi::Serialized<Executable>), 56},
      {"Serialized<LoadedExecutable>", sizeof(abi::Serialized<LoadedExecutable>), 56},
      {"ExecutableDeserialize", sizeof(abi::ExecutableDeserialize), 64},
      {"ExecutableOutputDims", sizeof(abi::ExecutableOutputDims), 48},
      {"ExecutableMemoryKinds", sizeof(abi::ExecutableMemoryKinds), 48},
      {"ExecutableCostAnalysis", sizeof(abi::ExecutableCostAnalysis), 40},
      {"LoadedDevices", sizeof(abi::LoadedDevices), 40},
      {"LoadedExecute", sizeof(abi::LoadedExecute), 80},
      {"LoadedExecute::completed", offsetof(abi::LoadedExecute, completed), 64},
      {"ExecuteOptions::kept_inputs", offsetof(abi::ExecuteOptions, kept_inputs), 56},
      {"ExecuteOptions::call_location", offsetof(abi::ExecuteOptions, call_location), 80},
      {"BufferToHost", sizeof(abi::BufferToHost), 56},
      {"BufferLayout", sizeof(abi::BufferLayout), 104},
      {"BufferCopyRawToHost", sizeof(abi::BufferCopyRawToHost), 56},
      {"BufferDimensions", sizeof(abi::BufferDimensions), 40},
      {"BufferDynamicDimensions", sizeof(abi::BufferDynamicDimensions), 40},
      {"Table::Client_Compile", offsetof(abi::Table, Client_Compile), 200},
      {"Table::Buffer_ToHostBuffer", offsetof(abi::Table, Buffer_ToHostBuffer), 600},
      {"Table::LoadedExecutable_GetDeviceAssignment",
       offsetof(abi::Table, LoadedExecutable_GetDeviceAssignment), 976},
      {"DeviceAttributes", sizeof(abi::DeviceAttributes), 56},
      {"LayoutSerialize", sizeof(abi::LayoutSerialize), 56},
      {"LayoutDefault", sizeof(abi::LayoutDefault), 56},
      {"LayoutsOfExecutable", sizeof(abi::LayoutsOfExecutable), 40},
      {"LayoutsExtension", sizeof(abi::LayoutsExtension), 80},
      {"Table", sizeof(abi::Table), 1072},
  };
  for (const Known& k : known) EXPECT_EQ(k.ours, k.theirs) << k.what;
}

}  // namespace
}  // namespace partita::pjrt
