// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Element types as generated documents list them: rows of dtype.def side by side that are of one kind.
#pragma once

#include <string>
#include <vector>

#include "partita/base/dtype.hpp"
#include "partita/base/error.hpp"

namespace partita::testing {

/// One of the many narrow integers and floats of at most 8 bits.
[[nodiscard]] constexpr bool is_short(DType d) {
  return is_narrow_integer(d) || (is_float(d) && info(d).bits <= 8);
}

struct DTypeGroup {
  std::string name;  ///< "i2–i64", "f4–f8", "f16 bf16", "complex"
  std::vector<DType> members;
};

/// In the table's order: booleans, integers by sign, floats of at most 8 and of 16 bits, other floats, complex
/// numbers.
inline std::vector<DTypeGroup> dtype_groups() {
  std::vector<DTypeGroup> groups;
  for (const DType d : all_dtypes) {
    const auto is_like = [&](DType other) {
      return info(other).kind == info(d).kind && is_small_float(other) == is_small_float(d) &&
             (!is_float(d) || (info(other).bits <= 8) == (info(d).bits <= 8));
    };
    if (groups.empty() || !is_like(groups.back().members[0])) groups.emplace_back();
    groups.back().members.push_back(d);
  }
  for (DTypeGroup& g : groups) {
    const std::string first(to_string(g.members.front())), last(to_string(g.members.back()));
    g.name = is_complex(g.members[0]) ? "complex" : first;
    if (is_integer(g.members[0])) g.name = cat(first, "–", last);
    if (is_float(g.members[0]) && info(g.members[0]).bits <= 8)
      g.name = "f4–f8";
    else if (is_float(g.members[0]))
      for (std::size_t k = 1; k < g.members.size(); ++k)
        g.name += cat(" ", to_string(g.members[k]));
  }
  return groups;
}

}  // namespace partita::testing
