// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "lowering/ops/scatter/atomic_scatter.hpp"

#include <optional>

#include "lowering/context/kernel_body.hpp"
#include "lowering/ops/scatter/scatter_space.hpp"
#include "partita/ir/reduction.hpp"

namespace partita::lowering {

using namespace kernel;

bool lower_atomic_scatter(Context& context, const ir::Node& node,
                          const std::vector<Location>& results) {
  if (context.policy().target.device_class != DeviceClass::simt || results.size() != 1)
    return false;
  const DType d = node.result_types()[0].dtype;
  const std::optional<Combiner> combiner = ir::simple_combiner(node.region(0));
  const ScatterSpace space(node, 1);
  if (!combiner || !can_combine_at_once(*combiner, d) || space.serial.empty()) return false;
  const Dims &dims = node.operand(0).type().dims, &update_dims = node.operand(2).type().dims;
  const std::int64_t items = node.operand(2).type().count();
  if (items == 0) return true;
  KernelBody body(context, step_name(node), items);
  body.note_count(node.operand(0).type().count());
  const auto at = scalar::delinearize(body.pool(), body.item(), update_dims);
  const auto target = scatter_target(body, node, space, at);
  body.guard(is_inside(body.pool(), target, dims), [&] {
    body.combine_at_once(body.buffer(results[0], d, true), *combiner,
                         scalar::linear_index(body.pool(), target, dims),
                         body.element(node.operand(2), at));
  });
  context.launch(body, items);
  return true;
}

}  // namespace partita::lowering
