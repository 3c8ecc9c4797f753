// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// The rounds of `partita bench weak-scaling`, made by the builder: clients of the placement "clients" take four steps
// of SGD from the server's model on batches of their own, and the server takes the mean.  Sizes are those of
// benchmarks/peers/models.py.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace partita::tool {

struct RoundModel {
  std::string name;
  std::int64_t clients;  ///< of each rank, unless the user says
};
/// mlp, lm-s and lm-m.
[[nodiscard]] const std::vector<RoundModel>& round_models();
/// Decoders of so many parameters, which small machines cannot hold: 350M, 1B and 8B.
[[nodiscard]] const std::vector<std::string>& large_models();
/// The program of a round of so many clients.  Where `model_shards` is above 1 it has a mesh of an axis "model" of that
/// size, over which heads, hidden units and the vocabulary of a decoder are cut (arXiv 1909.08053).  A user error where
/// no model has that name, or it has nothing to cut.
[[nodiscard]] std::string round_text(const std::string& model, std::int64_t clients,
                                     std::int64_t model_shards = 1);

}  // namespace partita::tool
