// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Calls of functions of the host application as nodes: custom calls @partita.host_call.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "partita/ir/graph.hpp"

namespace partita::ir {

inline constexpr std::string_view host_call_target = "partita.host_call";

/// Its backend_config.
struct HostCallConfig {
  std::string function;
  bool once = false;
};

[[nodiscard]] bool is_host_call(const Node& node);
/// Nothing where there is none, or one with other entries.
[[nodiscard]] std::optional<HostCallConfig> read_host_call(const Dict& attrs);

}  // namespace partita::ir
