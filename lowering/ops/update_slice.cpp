// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Slices that are updated in place of a copy of the array.
#include "lowering/context/kernel_body.hpp"
#include "lowering/context/loops.hpp"
#include "lowering/context/lowerings.hpp"

namespace partita::lowering {

using namespace kernel;
namespace {

using ir::Node;
using ir::Value;
using scalar::ExprId;

void lower_update_slice(Context& context, Node& node) {
  const Value v = node.result(), operand = node.operand(0), update = node.operand(1);
  const Location to = context.new_temporary(v.type(), step_name(node));
  if (operand.type() == update.type()) {
    lower_loops(context, update, to);
    context.place(v, to);
    return;
  }
  if (context.is_placed(operand))
    context.emit_copy(context.place_of(operand), to, v.type(), "copy for update");
  else
    lower_loops(context, operand, to);
  const std::int64_t n = update.type().count();
  if (n > 0) {
    KernelBody body(context, step_name(node), n);
    auto& pool = body.pool();
    const auto index = scalar::delinearize(pool, body.item(), update.type().dims);
    std::vector<ExprId> at;
    for (std::size_t d = 0; d < index.size(); ++d) {
      const ExprId start = pool.to_index_within(body.element(node.operand(d + 2), {}), 0,
                                                v.type().dims[d] - update.type().dims[d]);
      at.push_back(pool.add(start, index[d]));
    }
    const ExprId value = body.element(update, index);
    body.note_count(v.type().count());
    body.store_to(to, v.type().dtype, scalar::linear_index(pool, at, v.type().dims), value);
    context.launch(body, n);
  }
  context.place(v, to);
}

}  // namespace

void register_update_slice_lowering(Lowerings& all) {
  all.add("stablehlo.dynamic_update_slice", lower_update_slice);
}

}  // namespace partita::lowering
