// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "partita/ir/host_call.hpp"

#include "partita/ir/backend_config.hpp"
#include "partita/ir/op.hpp"

namespace partita::ir {

bool is_host_call(const Node& node) {
  return node.is("stablehlo.custom_call") &&
         node.attrs.text("call_target_name", "") == host_call_target;
}

std::optional<HostCallConfig> read_host_call(const Dict& attrs) {
  const Dict* const config = backend_config(attrs);
  if (config == nullptr) return std::nullopt;
  HostCallConfig result;
  for (const NamedAttribute& item : config->items()) {
    const auto* const text = item.value.get_if<std::string>();
    const auto* const flag = item.value.get_if<bool>();
    if (item.name == "function" && text != nullptr)
      result.function = *text;
    else if (item.name == "once" && flag != nullptr)
      result.once = *flag;
    else
      return std::nullopt;
  }
  if (result.function.empty()) return std::nullopt;
  return result;
}

}  // namespace partita::ir
