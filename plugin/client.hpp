// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// A client: the devices of this process, and of the others of its job, and what is compiled for them.
#pragma once

#include <array>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "partita/collective/job.hpp"
#include "partita/exec/stream.hpp"
#include "plugin/abi.hpp"
#include "plugin/memory_kind.hpp"
#include "plugin/topology.hpp"

namespace partita::pjrt {

/// Of one device.
struct Memory {
  DeviceHandle* device = nullptr;
  MemoryKind kind = MemoryKind::device;
  std::string text;

  [[nodiscard]] int id() const;
  /// What works on arrays that lie here.
  [[nodiscard]] const std::shared_ptr<Stream>& stream() const;
};

struct DeviceHandle {
  Client* client = nullptr;
  DeviceDescription* description = nullptr;  ///< the topology's
  std::shared_ptr<Stream> stream;            ///< null: of another process
  int number = 0;                            ///< among those of its process
  std::array<Memory, memory_kinds.size()> owned_memories;
  std::array<Memory*, memory_kinds.size()> memories{};  ///< by kind

  [[nodiscard]] Memory* memory(MemoryKind memory_kind = MemoryKind::device) const {
    return memories[std::size_t(memory_kind)];
  }
  DeviceHandle* self = nullptr;

  /// An invalid argument where the device is another process's.
  void expect_here() const;
};

struct Client {
  Topology topology;
  std::vector<std::unique_ptr<DeviceHandle>> owned;
  std::vector<DeviceHandle*> devices, own_devices;  ///< of the job, and of this process
  std::vector<Memory*> memories;                    ///< of this process

  /// Devices of this process.  Where there are others each calls it, and the devices of all become those of a job: over MPI
  /// where it has started the processes, else over TCP, by the store.
  Client(ClientOptions options, const SharedStore& store);
  [[nodiscard]] DeviceHandle* device(int id) const;
  /// How shards of a program on these devices meet, one on each; null where all are of this process.
  [[nodiscard]] std::shared_ptr<Communicators> job_of(const std::vector<DeviceHandle*>& on) const;
  /// Of the host's memory, where devices have memory of their own.
  [[nodiscard]] const std::shared_ptr<Stream>& host_stream();

 private:
  std::shared_ptr<Job> job_;  // null where this process is alone
  std::once_flag host_is_open_;
  std::shared_ptr<Stream> host_;
};

}  // namespace partita::pjrt
