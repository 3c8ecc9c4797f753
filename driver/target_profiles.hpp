// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Built-in knowledge of devices by name: a table of what differs from the default of their target.  A
// new device is a row.  What was measured of contractions there is a tuning file, not this.
#pragma once

#include <span>
#include <string_view>

#include "partita/base/target_info.hpp"

namespace partita::passes {

struct TargetProfile {
  std::string_view target, name;
  void (*set)(TargetInfo& info);  ///< what is known of the device; the rest stays
  bool is_offered = true;         ///< as a value of --device; else data alone
};

[[nodiscard]] std::span<const TargetProfile> target_profiles();
/// One that is offered; null where there is none.
[[nodiscard]] const TargetProfile* find_profile(std::string_view target, std::string_view name);

}  // namespace partita::passes
