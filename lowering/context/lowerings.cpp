// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "lowering/context/lowerings.hpp"

namespace partita::lowering {

const Lowerings& Lowerings::instance() {
  static const Lowerings lowerings = [] {
    Lowerings all;
    register_all_lowerings(all);
    return all;
  }();
  return lowerings;
}

LowerNode Lowerings::find(const ir::OpDef& op) const {
  if (const auto named = by_name_.find(op.name); named != by_name_.end()) return named->second;
  const auto shaped = by_shape_.find(op.shape);
  return shaped == by_shape_.end() ? nullptr : shaped->second;
}

}  // namespace partita::lowering
