// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// stablehlo.custom_call: what all targets share.  The targets are definitions of their own, in the
// files of their families (check.cpp, …); a target without one is refused when the op is made.
#include "ops/support/custom_call.hpp"

#include "ops/support/support.hpp"

namespace partita::ir::ops {

std::vector<AttrSpec> custom_call_attrs() {
  const auto optional = [](const char* name, AttrKind kind) {
    return AttrSpec{.name = name, .kind = kind, .required = false};
  };
  return {AttrSpec{.name = "call_target_name", .kind = AttrKind::text},
          flag_attr("has_side_effect"),
          optional("backend_config", AttrKind::any),  // a string, or a dictionary in version 4
          optional("api_version", AttrKind::i64),
          optional("called_computations", AttrKind::list),
          optional("operand_layouts", AttrKind::list),
          optional("result_layouts", AttrKind::list),
          optional("output_operand_aliases", AttrKind::list)};
}

OpDef custom_call_target(std::string_view target, std::string doc) {
  OpDef op;
  op.name = cat("stablehlo.custom_call @", target);
  op.doc = std::move(doc);
  op.attrs = custom_call_attrs();
  return op;
}

void register_custom_call(OpRegistry& registry) {
  OpDef op;
  op.name = "stablehlo.custom_call";
  op.doc = "A call of something outside of StableHLO, by name; targets that are known only.";
  op.attrs = custom_call_attrs();
  op.infer = [](const InferContext& c) -> std::vector<Type> {
    c.fail("a known call_target_name", cat("@", c.attrs.text("call_target_name")));
  };
  op.derivative = Derivative::none("is refused unless its target is known");
  registry.add(std::move(op));
}

}  // namespace partita::ir::ops
