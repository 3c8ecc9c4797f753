// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Which elementwise operations a contraction does on its accumulators before it stores them: bias,
// activation, mask, the step of an optimiser, a transpose of the result.  The contraction then has no
// memory of its own; the last of these operations, the root, has.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <vector>

#include "ir/core/contraction.hpp"
#include "partita/ir/graph.hpp"

namespace partita::lowering {

struct Epilogue {
  ir::Node* contraction = nullptr;
  std::vector<ir::Node*>
      chain;  ///< from the contraction's only user to the root, each using the last
  [[nodiscard]] ir::Value root() const {
    return chain.empty() ? contraction->result() : chain.back()->result();
  }
};

/// root = beta · addend + alpha · contraction, the latter perhaps transposed.
struct Accumulation {
  ir::Value addend;  ///< no node where there is none
  double alpha = 1, beta = 0;
  bool swaps = false;  ///< m and n
};
/// What a GEMM library can do of an epilogue; nothing where there is more to do.
[[nodiscard]] std::optional<Accumulation> accumulation(const Epilogue& epilogue);

/// The epilogues of a function's contractions, by their roots.  `is_library` says of a contraction
/// that the library takes it, `is_forced` of a value that it needs memory.
[[nodiscard]] ir::ValueMap<Epilogue> find_epilogues(
    const ir::Graph& body, const std::function<bool(const ir::Node&)>& is_library,
    const std::function<bool(ir::Value)>& is_forced);

}  // namespace partita::lowering
