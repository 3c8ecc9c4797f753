// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Adds to an artifact the machine code of its kernels for the device that a run on this machine takes.
#pragma once

#include <filesystem>
#include <string>

#include "partita/artifact/artifact.hpp"

namespace partita::tool {

/// Binaries of all functions, made by `jobs` processes of this program side by side; those of other devices stay.  Returns
/// what was done, as a line.  A target whose artifacts hold machine code already is a user error; a device error where a
/// kernel does not build or a process fails.
std::string prebuild(Artifact& artifact, int jobs);
/// One per core that this process may use.
[[nodiscard]] int default_jobs();

/// One of those processes: leaves a binary in the folder, as a file F-NAME for function number F.
void prebuild_one(const std::filesystem::path& artifact, int function, int number,
                  const std::filesystem::path& folder);

}  // namespace partita::tool
