// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// When a plan has made its outputs, so that they can be read while later steps run.
#pragma once

#include <cstddef>
#include <vector>

#include "partita/artifact/plan.hpp"

namespace partita {

/// Per step of the plan, not those inside of others: the outputs that no later step touches and it does.
[[nodiscard]] std::vector<std::vector<std::size_t>> outputs_made_by(const Plan& plan);

}  // namespace partita
