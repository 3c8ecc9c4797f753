// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// What somebody states of a device, as members of a TargetInfo in JSON: part of a device file.  Names
// of members are those of the struct; what is not stated stays as it is.
#pragma once

#include <string>
#include <string_view>

#include "partita/base/target_info.hpp"

namespace partita {

/// Sets the members of `info` that the JSON object `facts` has.  An unknown member, and a value that no
/// device has, are user errors of one line at `name_for_errors`.
void apply_facts(std::string_view facts, const std::string& name_for_errors, TargetInfo& info);

}  // namespace partita
