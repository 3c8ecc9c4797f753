// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Texts of a module in which long constants are names: passes hand these on as they are, and all their elements printed
// between passes are minutes for a model with its weights.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "partita/ir/graph.hpp"

namespace partita::driver {

class BriefTexts {
 public:
  /// Of equal modules alone the same; constants that are the same object have the same name.
  [[nodiscard]] std::string of(const ir::Module& module);
  /// The module's whole text, by one of those.
  [[nodiscard]] std::string whole(const std::string& brief) const;

 private:
  std::vector<ir::DenseRef> kept_;  ///< alive, so that no other one takes its address
  std::map<const ir::Dense*, std::size_t> names_;
};

}  // namespace partita::driver
