// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Files of arrays in the format safetensors: a header in JSON, then the bytes of all arrays, as they are.  i1 is BOOL;
// complex numbers, which the format has not, are pairs of floats along a last dimension.
#pragma once

#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "partita/base/host_array.hpp"

namespace partita {

struct Safetensors {
  std::map<std::string, HostArray> arrays;
  std::map<std::string, std::string> metadata;
};

/// The bytes of such a file; the same for the same content.
[[nodiscard]] std::vector<std::byte> serialize_safetensors(const Safetensors& file);
/// What such bytes hold, pairs of floats as such.  A user error at `name` where they are anything else: cut short,
/// arrays that overlap or end past the end, a dtype that is not known.
[[nodiscard]] Safetensors parse_safetensors(std::span<const std::byte> bytes,
                                            const std::string& name);

}  // namespace partita
