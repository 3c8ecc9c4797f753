// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Small artifacts made by hand, and the null device's kernels that run them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "partita/artifact/artifact.hpp"
#include "partita/exec/executor.hpp"
#include "runtime/device/null_device.hpp"

namespace partita::testing {

/// in0: model [width], in1: data [clients x width] split by clients.
/// out0 = sum over clients of (model + data), out1 = 2 * data split by clients.
[[nodiscard]] Artifact federated_artifact(std::int64_t clients, std::int64_t width);
/// What runs it.
[[nodiscard]] NullKernels federated_kernels();

/// Holds every kind of step, buffer and expression; valid, but not made to be run.
[[nodiscard]] Artifact artifact_of_everything();

[[nodiscard]] HostArray f32_array(Dims dims, const std::vector<float>& values);
[[nodiscard]] HostArray i32_array(Dims dims, const std::vector<std::int32_t>& values);
[[nodiscard]] std::vector<float> f32_values(const HostArray& array);

/// `shards` null devices in this process and the communicators between them.
/// Of one shard of a mesh of 2 × 3, without kernels: x (5×4) is cut along both; y holds the blocks of both rows, and z
/// their sum.
[[nodiscard]] Artifact mesh_artifact();

[[nodiscard]] SessionParts null_parts(int shards, const NullKernels& kernels,
                                      const NullDeviceOptions& options = {});

}  // namespace partita::testing
