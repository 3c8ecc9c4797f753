// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// What artifacts and tuning files of this target hold that is the backend's alone: parameters of CLBlast.
#pragma once

#include <optional>
#include <string>

#include "partita/artifact/artifact.hpp"

namespace partita::opencl {

/// What is wrong with parameters by the rules of CLBlast's kernels ("Xgemm: expected KWG divisible by
/// KWI"), or nothing.
[[nodiscard]] std::optional<std::string> find_problem(const LibraryParameters& parameters);

}  // namespace partita::opencl
