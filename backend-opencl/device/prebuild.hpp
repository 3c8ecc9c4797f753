// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Binaries of an artifact's kernels, which OpenclProgram takes in place of their text (docs/opencl-device.md).
#pragma once

#include <set>
#include <string>
#include <vector>

#include "backend-opencl/device/program.hpp"

namespace partita::opencl {

/// Kernels of one module that are built together.
struct KernelGroup {
  std::size_t module = 0;
  std::vector<std::string> kernels;
  /// On PoCL, in which they are launched, as it calls them: "16-1-1-goffs0-smallgrid".
  std::set<std::string> forms;
};

/// On PoCL, kernels that are launched with the same work-group sizes as far as that is known before a run and pays;
/// elsewhere the modules.  The costliest first.
[[nodiscard]] std::vector<KernelGroup> prebuilt_groups(const Artifact& artifact,
                                                       const DeviceProfile& profile);

/// PoCL reads the forms once in a process: a second group may get the first one's.
[[nodiscard]] KernelBinary prebuild(const BuildTarget& target, const Artifact& artifact,
                                    const KernelGroup& group);

}  // namespace partita::opencl
