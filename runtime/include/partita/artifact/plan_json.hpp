// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// The plan as JSON text, in both directions.  One description of each struct (plan_fields.hpp)
// serves reading and writing, so the two cannot differ.
#pragma once

#include <string>
#include <string_view>

#include "partita/artifact/plan.hpp"

namespace partita {

/// The same plan always gives the same text.
[[nodiscard]] std::string plan_to_json(const Plan& plan);

/// Reads what plan_to_json wrote; fields it does not know are skipped (a newer minor version has
/// them).  Text that is no plan is a user error at `name_for_errors` that names the field.  Indices
/// are not checked here but by find_problem (validate.hpp).
[[nodiscard]] Plan plan_from_json(std::string_view text, const std::string& name_for_errors);

}  // namespace partita
