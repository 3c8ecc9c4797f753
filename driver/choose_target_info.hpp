// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// What a compilation knows of the device that it is for: what it was given (of a device file, or of a
// device that is here), else a built-in profile by name, else the target's default.
#pragma once

#include "partita/base/target_info.hpp"
#include "partita/driver/compile.hpp"
#include "partita/driver/target.hpp"

namespace partita::driver {

/// As the code generator makes use of it.
[[nodiscard]] TargetInfo choose_target_info(const CompileOptions& options, const Target& target);

/// What the profile of a device's name says of its multiprocessors; the usual where there is none.
[[nodiscard]] Multiprocessors multiprocessors_of(const Target& target, const std::string& device);

}  // namespace partita::driver
