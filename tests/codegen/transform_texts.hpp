// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#pragma once

#include <string>

#include "tests/codegen/group_form.hpp"

namespace partita::testing {

/// A transform over the last dimensions, of elements of complex numbers of `part` where it is no real one.
inline std::string fourier_text(const std::string& kind, Dims dims, const Dims& lengths,
                                const std::string& part = "f32") {
  const std::string complex = cat("complex<", part, ">");
  Dims half = dims;
  half.back() = half.back() / 2 + 1;
  const std::string in = kind == "RFFT"    ? tensor(dims, part)
                         : kind == "IRFFT" ? tensor(half, complex)
                                           : tensor(dims, complex),
                    out = kind == "RFFT"    ? tensor(half, complex)
                          : kind == "IRFFT" ? tensor(dims, part)
                                            : tensor(dims, complex);
  std::string list;
  for (const std::int64_t n : lengths) list += cat(list.empty() ? "" : ", ", n);
  return cat("func.func @main(%x: ", in, ") -> ", out, " {\n  %0 = stablehlo.fft %x, type = ", kind,
             ", length = [", list, "] : (", in, ") -> ", out, "\n  return %0 : ", out, "\n}\n");
}

}  // namespace partita::testing
