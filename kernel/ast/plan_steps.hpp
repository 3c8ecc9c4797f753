// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Walking over the steps of a plan.
#pragma once

#include <optional>
#include <set>
#include <vector>

#include "partita/artifact/plan.hpp"

namespace partita::kernel {

/// The lists of steps directly inside a step.
[[nodiscard]] std::vector<Steps*> inner_steps(Step& step);
[[nodiscard]] std::vector<const Steps*> inner_steps(const Step& step);

/// Whether it computes by a library of the device.
[[nodiscard]] bool is_library_call(const Step& step);

/// The request of a collective that the step starts; nothing where it starts none.
[[nodiscard]] std::optional<int> started_request(const Step& step);

/// The launch that a step is, and those that follow a library's call.
[[nodiscard]] std::vector<Launch*> launches_of(Step& step);
[[nodiscard]] std::vector<const Launch*> launches_of(const Step& step);

/// Kernels that a launch of the steps names.
[[nodiscard]] std::set<int> launched_kernels(const Steps& steps);

/// Replaces the number k of each kernel that is launched by `numbers[k]`.
void renumber_kernels(Steps& steps, const std::vector<int>& numbers);

}  // namespace partita::kernel
