// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "partita/base/dtype.hpp"

namespace partita {

std::optional<DType> parse_dtype(std::string_view text) {
  for (DType d : all_dtypes)
    if (info(d).text == text || info(d).name == text) return d;
  return std::nullopt;
}

}  // namespace partita
