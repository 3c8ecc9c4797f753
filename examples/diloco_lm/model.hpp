// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// A small transformer language model (pre-norm, causal attention, gelu MLP, tied output) whose leaves
// are a list of arrays.
#pragma once

#include <random>
#include <vector>

#include "partita/base/host_array.hpp"
#include "partita/builder.hpp"

namespace diloco_lm {

struct Sizes {
  std::int64_t vocabulary = 0, length = 32, width = 32, heads = 4, layers = 2;
};

/// Types of the leaves, in the order of which `loss` takes them.
std::vector<partita::Type> parameter_types(const Sizes& sizes);
/// Gains of 1, offsets of 0, and weights from a normal distribution scaled by their first extent.
std::vector<partita::HostArray> initial_parameters(const Sizes& sizes, std::mt19937& random);

/// Mean cross entropy of each next token; tokens: [batch, length + 1] i32.
partita::build::Array loss(const Sizes& sizes, const partita::build::Arrays& params,
                           const partita::build::Array& tokens);

}  // namespace diloco_lm
