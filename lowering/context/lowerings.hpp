// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Which function lowers what.  Each file of lowering/ops and lowering/control registers its own.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "lowering/context/context.hpp"
#include "partita/ir/op.hpp"

namespace partita::lowering {

using namespace kernel;

using LowerNode = void (*)(Context& context, ir::Node& node);
/// Computes the root of a contraction with what follows it at a place.
using LowerEpilogue = void (*)(Context& context, const Epilogue& epilogue, Location to);

class Lowerings {
 public:
  [[nodiscard]] static const Lowerings& instance();
  void add(ir::KernelShape shape, LowerNode lower) { by_shape_[shape] = lower; }
  /// An op by the name of its definition; goes before its shape.
  void add(std::string_view op, LowerNode lower) { by_name_.emplace(op, lower); }
  void add_epilogue(LowerEpilogue lower) { epilogue_ = lower; }
  /// Null for what is lowered element by element, and for what is not supported.
  [[nodiscard]] LowerNode find(const ir::OpDef& op) const;
  [[nodiscard]] LowerEpilogue epilogue() const { return epilogue_; }

 private:
  std::map<ir::KernelShape, LowerNode> by_shape_;
  std::map<std::string, LowerNode, std::less<>> by_name_;
  LowerEpilogue epilogue_ = nullptr;
};
/// Generated: calls every register_<stem>_lowering of lowering/ops and lowering/control.
void register_all_lowerings(Lowerings& all);

}  // namespace partita::lowering
