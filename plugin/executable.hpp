// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "partita/exec/function.hpp"
#include "plugin/abi.hpp"
#include "plugin/client.hpp"
#include "plugin/compile.hpp"

namespace partita::pjrt {

/// A compiled program, loaded on the devices of a client: its partitions on those of this process.
class Loaded {
 public:
  Loaded(Client& client, CompiledProgram program);

  [[nodiscard]] const std::shared_ptr<const CompiledProgram>& program() const { return program_; }
  /// Of the partitions, and those of them that this process has.
  [[nodiscard]] const std::vector<DeviceHandle*>& devices() const { return devices_; }
  [[nodiscard]] const std::vector<DeviceHandle*>& own_devices() const { return own_devices_; }
  /// Whether executions call functions of the host: their errors belong to whoever starts them, and waits for them.
  [[nodiscard]] bool calls_host() const { return calls_host_; }
  /// One array for each argument or result of a partition.
  using Arrays = Function::Arrays;
  /// On `on`, where the program is for any device, else on its own; the results of each partition here.  `donated`: arguments
  /// that are given up.  `done` becomes the events of the execution, by partition.
  [[nodiscard]] std::vector<Arrays> execute(std::vector<Arrays> arguments,
                                            std::span<const int> donated, DeviceHandle* on,
                                            std::vector<EventPtr>& done);

 private:
  [[nodiscard]] const Function& function_on(DeviceHandle* device);
  /// The whole of argument `i`, of which partitions have blocks.
  [[nodiscard]] std::vector<std::byte> gathered(std::size_t i,
                                                const std::vector<Arrays>& arguments) const;
  [[nodiscard]] std::vector<Arrays> execute_gathered(const std::vector<Arrays>& arguments,
                                                     std::vector<EventPtr>& done);

  std::shared_ptr<const CompiledProgram> program_;
  std::vector<DeviceHandle*> devices_, own_devices_;
  std::vector<int> own_partitions_;     // of own_devices_
  std::shared_ptr<Communicators> job_;  // of the partitions, where other processes have some
  bool calls_host_;
  std::mutex mutex_;
  std::map<DeviceHandle*, std::unique_ptr<Function>> functions_;  // by the first device
};

/// What describes a compiled program, with the texts and arrays that its functions hand out.
struct Executable {
  std::shared_ptr<const CompiledProgram> program;
  std::optional<std::string> text;     ///< once it was asked for
  std::vector<abi::NamedValue> costs;  ///< likewise
  std::vector<std::string> input_shardings, output_shardings;
  std::vector<const char*> input_sharding_texts, output_sharding_texts, memory_kinds;
  std::vector<std::size_t> input_sharding_sizes, output_sharding_sizes, memory_kind_sizes;
  std::vector<MemoryLayout*> input_layouts, output_layouts;
  std::vector<int> output_types;
  std::vector<std::int64_t> output_dims;
  std::vector<std::size_t> output_ranks;

  explicit Executable(std::shared_ptr<const CompiledProgram> of);
};

struct LoadedExecutable {
  std::shared_ptr<Loaded> loaded;
  bool is_deleted = false;
};

/// Functions of the extension for shardings.
Error* parameter_shardings(void* arguments);
Error* output_shardings(void* arguments);

}  // namespace partita::pjrt
