// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "ops/support/expansion.hpp"
#include "ops/support/support.hpp"

namespace partita::ir::ops {
namespace {

Node* expand_conv(const Expansion& e) {
  expect_operand_count(e.context, 3);
  const Type& padding = e.operands[2].type();
  e.context.expect(padding.rank() == 2 && padding.dims[1] == 2 && is_integer(padding.dtype),
                   "padding as pairs of integers", to_string(padding));
  const I64s values = e.integers(2, "padding");
  HostArray pairs(Type{.dtype = DType::i64, .dims = padding.dims});
  std::copy(values.begin(), values.end(), pairs.data<DType::i64>());
  Dict attrs = e.context.attrs;
  attrs.set("padding", make_dense(pairs));
  return e.make("stablehlo.convolution", {e.operands[0], e.operands[1]}, std::move(attrs),
                {e.result()});
}

}  // namespace

void register_dynamic_conv(OpRegistry& registry) {
  const OpDef* convolution = registry.find("stablehlo.convolution");
  PARTITA_ASSERT(convolution != nullptr);
  OpDef op;
  op.name = "stablehlo.dynamic_conv";
  op.doc = "stablehlo.convolution, with padding that follows from constants.";
  for (const AttrSpec& s : convolution->attrs)
    if (s.name != "padding") op.attrs.push_back(s);
  add_expansion(registry, std::move(op), expand_conv);
}

}  // namespace partita::ir::ops
