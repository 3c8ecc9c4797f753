// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// What comes with a program that is to be compiled: XLA's CompileOptionsProto, as far as it concerns a plugin.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace partita::pjrt {

struct CompileRequest {
  int replicas = 1, partitions = 1;
  /// Device of each partition, by its number; empty: any single one.
  std::vector<int> devices;
  /// Per result: whether its sharding is ours to choose.
  std::vector<bool> may_shard_outputs;
  /// `compiler_options` of jax.jit, as text.
  std::map<std::string, std::string> options;
};

/// Source: xla/pjrt/proto/compile_options.proto.  Wrong bytes are a user error.
[[nodiscard]] CompileRequest read_compile_request(std::string_view message);

/// XLA's DeviceAssignmentProto of one replica.
[[nodiscard]] std::string device_assignment(const std::vector<int>& devices);

}  // namespace partita::pjrt
