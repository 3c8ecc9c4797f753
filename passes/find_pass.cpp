// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "partita/base/error.hpp"
#include "partita/passes/pass.hpp"

namespace partita::passes {

const PassInfo& find_pass(std::string_view name) {
  static const std::vector<PassInfo> passes = all_passes();
  std::string known;
  for (const PassInfo& p : passes) {
    if (p.name == name) return p;
    known += (known.empty() ? "" : ", ") + p.name;
  }
  throw_user_error(cat("passes: unknown pass '", name, "'; known: ", known));
}

}  // namespace partita::passes
