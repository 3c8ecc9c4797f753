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

/// Of one shard of a mesh of 2 × 3, without kernels: x (5×4) is cut along both; y holds the blocks of both rows, and z
/// their sum.
[[nodiscard]] Artifact mesh_artifact();

/// `shards` null devices in this process and the communicators between them.
[[nodiscard]] SessionParts null_parts(int shards, const NullKernels& kernels,
                                      const NullDeviceOptions& options = {});

/// A program of one shard over f32 buffers: in0 [n] -> out0 [n], with an arena.
class PlanBuilder {
 public:
  explicit PlanBuilder(std::int64_t n) {
    artifact.target = "opencl";
    artifact.modules.push_back({"kernels", ""});
    const Type type{.dtype = DType::f32, .dims = {n}};
    artifact.plan.inputs = {{.name = "x", .type = type}};
    artifact.plan.outputs = {{.name = "y", .type = type}};
    artifact.plan.buffers = {{.kind = BufferKind::input, .count = n, .name = "x"},
                             {.kind = BufferKind::output, .count = n, .name = "y"}};
  }
  int arena(DType dtype, std::int64_t count) {
    artifact.plan.buffers.push_back(
        {.dtype = dtype, .count = count, .arena_offset = artifact.plan.arena_bytes, .name = "t"});
    artifact.plan.arena_bytes += (count * std::int64_t(byte_size(dtype)) + 127) / 128 * 128;
    return int(artifact.plan.buffers.size()) - 1;
  }
  Step launch(const std::string& kernel, std::vector<BufferRef> buffers, HostExpr size = 1,
              std::vector<ScalarArg> scalars = {}) {
    artifact.kernels.push_back({kernel, 0});
    return {Launch{.kernel = int(artifact.kernels.size()) - 1,
                   .buffers = std::move(buffers),
                   .scalars = std::move(scalars),
                   .global = {std::move(size), 1, 1}},
            kernel};
  }
  Step copy_result(std::int64_t n) {
    return {Copy{.from = {0, 0}, .to = {1, 0}, .count = n}, "copy"};
  }

  Artifact artifact;
};

}  // namespace partita::testing
