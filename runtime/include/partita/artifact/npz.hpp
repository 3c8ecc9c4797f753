// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// NumPy .npz archives of arrays.  dtypes: bool, int8 to uint64, float16, float32, float64,
// complex64 and complex128, either byte order, C or Fortran order on reading; C order on writing.
// A dtype that NumPy has not is written as the one it is computed in (bf16 as float32); whoever reads
// converts to the dtype it needs.
#pragma once

#include <filesystem>
#include <map>
#include <string>

#include "partita/base/host_array.hpp"

namespace partita {

/// Name (without ".npy") to array.  A missing, damaged or unsupported file is a user error.
[[nodiscard]] std::map<std::string, HostArray> read_npz(const std::filesystem::path& path);
/// Atomic; stored deterministically (fixed times, sorted names).
void write_npz(const std::filesystem::path& path, const std::map<std::string, HostArray>& arrays);

}  // namespace partita
