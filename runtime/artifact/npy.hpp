// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// The .npy format: one array with a header that is a Python dictionary.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "partita/base/host_array.hpp"

namespace partita {

/// Either byte order, C or Fortran order; the result is little-endian and row-major.  Takes the
/// bytes so that data in the usual form is moved, not copied.  Errors are user errors at `name`.
[[nodiscard]] HostArray parse_npy(std::vector<std::byte> bytes, const std::string& name);
/// A dtype that NumPy has not (bf16) is written as the one it is computed in.
[[nodiscard]] std::vector<std::byte> write_npy(const HostArray& array);
/// What stands in a .npy file before the elements of an array, whose dtype is one of NumPy's.
[[nodiscard]] std::string npy_header(const Type& type);

}  // namespace partita
