// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Arrays for a program's inputs: taken from named arrays and checked against the signature, or
// random ones.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "partita/artifact/plan.hpp"
#include "partita/base/host_array.hpp"

namespace partita {

/// One array per port, found as PREFIX0, PREFIX1, … or by the port's name; others are ignored.  f32
/// is converted where the port holds small floats that are computed in it; any other difference of
/// type, and a missing array, is a user error at `name_for_errors`.
[[nodiscard]] std::vector<HostArray> bind_arrays(const std::vector<PortInfo>& ports,
                                                 const std::string& prefix,
                                                 const std::map<std::string, HostArray>& arrays,
                                                 const std::string& name_for_errors);

/// The same, taking the arrays' memory where their dtype fits.
[[nodiscard]] std::vector<HostArray> bind_arrays(const std::vector<PortInfo>& ports,
                                                 const std::string& prefix,
                                                 std::map<std::string, HostArray>&& arrays,
                                                 const std::string& name_for_errors);

/// Floats in [-1, 1), integers in [0, 8), booleans; the same for the same seed on every machine.
[[nodiscard]] std::vector<HostArray> random_arrays(const std::vector<PortInfo>& ports,
                                                   std::uint64_t seed);

}  // namespace partita
