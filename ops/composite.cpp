// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// stablehlo.composite: an op of another dialect with the function that it decomposes into.
#include <array>

#include "ops/support/callee.hpp"
#include "ops/support/support.hpp"
#include "partita/ir/interpreter.hpp"
#include "partita/scalar/elementwise.hpp"

namespace partita::ir::ops {
namespace {

/// "dialect.op", each part of letters, digits and the like.
bool is_op_name(std::string_view name) {
  const auto is_letter = [](char a) { return (a >= 'a' && a <= 'z') || (a >= 'A' && a <= 'Z'); };
  const auto is_inner = [&](char a) { return is_letter(a) || (a >= '0' && a <= '9') || a == '_'; };
  if (name.empty() || !is_letter(name.front())) return false;
  bool has_dot = false;
  for (std::size_t k = 1; k < name.size(); ++k) {
    if (name[k] == '.' ? name[k - 1] == '.' || k + 1 == name.size()
                       : !is_inner(name[k]) && !(has_dot && name[k] == '$'))
      return false;
    has_dot = has_dot || name[k] == '.';
  }
  return has_dot;
}

std::vector<Type> infer(const InferContext& c) {
  const std::string& name = c.attrs.text("name");
  c.expect(is_op_name(name), "the name of an op with its dialect, such as \"chlo.top_k\"",
           cat('"', name, '"'));  // (C1)
  if (!c.module) return {c.declared_results.begin(), c.declared_results.end()};
  const Function& function = expect_callee(c, c.attrs.text("decomposition"),
                                           "the name of a function as decomposition");  // (C3)
  return function.result_types;                                                         // (C4)
}

/// The row that a composite "chlo.sinh" stands for; null where the decomposition is to be run.
const ElementwiseRow* chlo_row(const EvalContext& c) {
  const std::string& name = c.node.attrs.text("name");
  if (!name.starts_with("chlo.") || c.operands.empty() || c.node.result_count() != 1)
    return nullptr;
  const Type& type = c.operands[0]->type;
  for (const ElementwiseRow& row : elementwise_rows()) {
    if (row.op != name || !row.accepts(type.dtype) ||
        arity(row.signature) != int(c.operands.size()))
      continue;
    const bool same_types =
        std::ranges::all_of(c.operands, [&](const Tensor& t) { return t->type == type; });
    const Type result{.dtype = result_dtype(row.signature, type.dtype), .dims = type.dims};
    if (same_types && c.result_type() == result) return &row;
  }
  return nullptr;
}

std::vector<Tensor> eval(const EvalContext& c) {
  if (const ElementwiseRow* row = chlo_row(c)) {
    HostArray result(c.result_type());
    std::array<const void*, 3> operands{};
    for (std::size_t k = 0; k < c.operands.size(); ++k) operands[k] = c.operands[k]->bytes.data();
    elementwise_function(*row, c.operands[0]->type.dtype)(operands.data(), result.bytes.data(),
                                                          std::size_t(result.type.count()));
    return one(std::move(result));
  }
  const Function* function = c.interpreter.module().find(c.node.attrs.text("decomposition"));
  PARTITA_ASSERT(function != nullptr);
  return c.interpreter.run(*function, c.operands);
}

}  // namespace

void register_composite(OpRegistry& registry) {
  OpDef op;
  op.name = "stablehlo.composite";
  op.doc =
      "An op named by a string, and the function it decomposes into; chlo.* become the op, "
      "partita.* are raised to "
      "mr ops, others are inlined.";
  op.attrs = {AttrSpec{.name = "name", .kind = AttrKind::text},
              AttrSpec{.name = "decomposition", .kind = AttrKind::symbol},
              AttrSpec{.name = "composite_attributes", .kind = AttrKind::dict, .required = false},
              AttrSpec{.name = "version", .kind = AttrKind::i64, .required = false}};
  op.infer = infer;
  op.eval = eval;
  op.derivative = Derivative::none("its op or its decomposition is differentiated in its place");
  registry.add(std::move(op));
}

}  // namespace partita::ir::ops
