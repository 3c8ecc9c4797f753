// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// What combines partial results: of reductions, of partitions, of shards.  One enumeration for graphs,
// kernels, plans and collectives; what each of them calls it, and what holds of it, is a column of
// combiner.def.  Not for regions that are none of these: those have no combiner.
#pragma once

#include <array>
#include <optional>
#include <string_view>

#include "partita/base/dtype.hpp"
#include "partita/base/host_array.hpp"

namespace partita {

enum class Combiner : std::uint8_t {
#define PARTITA_COMBINER(name, ...) name,
#include "partita/base/combiner.def"
};

struct CombinerInfo {
  enum class Identity : std::uint8_t { zero, one, lowest, highest, all_bits };
  std::string_view name;       ///< text in plans
  std::string_view mr;         ///< attribute of mr ops, or ""
  std::string_view reduction;  ///< mr op that reduces by it, or ""
  std::string_view op;         ///< StableHLO's op, without "stablehlo."
  std::string_view row;        ///< row of the elementwise table
  Kinds kinds;                 ///< dtypes that it combines
  Identity identity;
  bool rounds;  ///< floating results are kept wider and rounded once
};

inline constexpr std::array combiner_infos = [] {
  using Identity = CombinerInfo::Identity;
  return std::array{
#define PARTITA_COMBINER(name, mr, reduction, op, row, kinds, identity, rounds) \
  CombinerInfo{#name, mr, reduction, op, row, kinds, identity, rounds},
#include "partita/base/combiner.def"
  };
}();

/// Those that mr ops and collectives know.
inline constexpr std::array collective_combiners{Combiner::sum, Combiner::max, Combiner::min,
                                                 Combiner::logical_and, Combiner::logical_or};

[[nodiscard]] constexpr const CombinerInfo& info(Combiner c) {
  return combiner_infos[std::size_t(c)];
}
/// As plans spell it.
[[nodiscard]] constexpr std::string_view to_string(Combiner c) { return info(c).name; }
/// Whether elements of d can be combined by it.
[[nodiscard]] constexpr bool combines(Combiner c, DType d) {
  const bool lacks_identity =
      info(c).identity == CombinerInfo::Identity::zero && is_float(d) && !info(d).format.has_zero();
  return intersects(info(c).kinds, info(d).kind) && !lacks_identity;
}

/// The combiner whose entry in a column is `text`, such as &CombinerInfo::mr; nothing for "".
[[nodiscard]] constexpr std::optional<Combiner> find_combiner(
    std::string_view CombinerInfo::*column, std::string_view text) {
  for (std::size_t k = 0; k < combiner_infos.size(); ++k)
    if (!text.empty() && combiner_infos[k].*column == text) return Combiner(k);
  return std::nullopt;
}

/// A scalar that changes nothing under the combiner.  A user error where it does not combine elements
/// of d, such as the sum of a float without a zero.
[[nodiscard]] HostArray identity_of(Combiner c, DType d);

}  // namespace partita
