// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// An artifact in words, for `partita inspect`: signature, placements, memory, kernels, and the tree
// of steps with library calls and collectives by name.
#pragma once

#include <string>

#include "partita/artifact/artifact.hpp"

namespace partita {

/// Several lines, each ended by a newline.
[[nodiscard]] std::string describe_artifact(const Artifact& artifact);
/// How inputs, outputs and buffers lie over the shards, with the blocks of 1 to 4 shards.
[[nodiscard]] std::string describe_sharding(const Artifact& artifact);
/// "begin + 4*i" with the plan's names of variables.
[[nodiscard]] std::string to_string(const HostExpr& e, const Plan& plan);
/// "12.5 MiB".
[[nodiscard]] std::string format_bytes(std::int64_t bytes);

}  // namespace partita
