// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// From the shapes of a tuning file to any shape: how long a contraction takes, generated with the
// best of the measured tiles and by the library.  Nothing is measured here.
#pragma once

#include <optional>
#include <string>

#include "lowering/values/values.hpp"
#include "partita/artifact/tuning.hpp"

namespace partita::lowering {

/// What is expected of a contraction, in nanoseconds.
struct ContractionEstimate {
  TileSize tile;
  double generated_ns = 0;
  double library_ns = 0;        ///< 0: not measured
  double library_first_ns = 0;  ///< what its first call takes more
  const TimedContraction* nearest = nullptr;

  /// The library is clearly faster, and wins back its first call.
  [[nodiscard]] bool takes_library() const;
};

class TuningModel {
 public:
  explicit TuningModel(Tuning tuning) : tuning_(std::move(tuning)) {}
  /// Nothing where no contraction of its dtype was measured.
  [[nodiscard]] std::optional<ContractionEstimate> estimate(const ContractionKey& key) const;
  [[nodiscard]] const Tuning& tuning() const { return tuning_; }

 private:
  Tuning tuning_;
};

[[nodiscard]] ContractionKey contraction_key(const ir::Node& dot);
[[nodiscard]] TileSize tiles_of(const ir::Node& dot, const ValuePolicy& policy);
/// One line: what was chosen, by what numbers.
[[nodiscard]] std::string explain_tiles(const ir::Node& dot, const ValuePolicy& policy);
[[nodiscard]] std::string explain_library(const ir::Node& dot, const ValuePolicy& policy);

}  // namespace partita::lowering
