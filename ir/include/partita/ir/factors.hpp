// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Factors: one declarative rule per node that says how dimensions of operands and results belong
// together.  Each dimension of each operand and result is a product of factors (outermost first; a
// dimension of extent 1 may have none).  Batching adds a factor, outlining removes one, sharding
// splits one; all three are derived from the rule and from the AttrSpecs' dimension roles.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "partita/base/combiner.hpp"

namespace partita::ir {

class Node;

enum class FactorKind : std::uint8_t {
  parallel,    ///< independent along the factor: result slice i depends on operand slices i only
  reduced,     ///< summed away (by `combiner`): in operands, in no result
  replicated,  ///< needs the whole extent (sliced, padded, scattered, sorted along it)
};

struct Factor {
  std::int64_t size = 1;
  FactorKind kind = FactorKind::parallel;
  std::optional<Combiner> combiner;  ///< for `reduced`; nothing for another region
};

struct FactorRule {
  std::vector<Factor> factors;
  /// operands[k][d]: factors of dimension d of operand k, outermost first.  Likewise results.
  std::vector<std::vector<std::vector<int>>> operands, results;

  int add_factor(std::int64_t size, FactorKind kind = FactorKind::parallel,
                 std::optional<Combiner> combiner = {}) {
    factors.push_back({size, kind, combiner});
    return int(factors.size()) - 1;
  }
};

/// Rule of a node whose results and operands share their dimensions one by one; an operand of rank 0
/// beside a result of another rank has no dimensions to share.
[[nodiscard]] FactorRule pointwise_factors(const Node& node);

}  // namespace partita::ir
