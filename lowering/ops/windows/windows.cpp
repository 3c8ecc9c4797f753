// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Ops over windows: which way each is lowered.
#include "lowering/ops/windows/windows.hpp"

#include "lowering/context/lowerings.hpp"
#include "partita/ir/interpreter.hpp"
#include "partita/ir/reduction.hpp"

namespace partita::lowering {

using ir::Node;
using ir::WindowDim;

static void lower_window(Context& context, Node& node) {
  if (node.is("stablehlo.convolution")) return lower_convolution(context, node);
  if (node.is("stablehlo.select_and_scatter")) return lower_select_and_scatter(context, node);
  const std::vector<WindowDim> window = ir::window_dims(node.operand(0).type(), node.attrs);
  const auto shape = ir::scan_shape(window);
  if (shape && absorbs_initial(context, node)) return lower_scan(context, node, *shape);
  lower_reduce_window(context, node, window);
}

bool absorbs_initial(const Context& context, const Node& node) {
  const std::size_t n = node.result_types().size();
  if (const auto simple = ir::simple_combiner(node.region(0)); simple && !info(*simple).rounds)
    return true;
  std::vector<ir::Tensor> inits;
  for (std::size_t k = n; k < 2 * n; ++k) {
    const Node& init = *node.operand(k).node;
    if (!init.is("stablehlo.constant")) return false;
    inits.push_back(std::make_shared<const HostArray>(
        (*init.attrs.find("value")->get_if<ir::DenseRef>())->to_array()));
  }
  std::vector<ir::Tensor> twice = inits;
  twice.insert(twice.end(), inits.begin(), inits.end());
  const std::vector<ir::Tensor> combined =
      ir::Interpreter(context.module()).run(node.region(0), std::move(twice));
  for (std::size_t k = 0; k < n; ++k)
    if (combined[k]->bytes != inits[k]->bytes) return false;
  return true;
}

void register_windows_lowering(Lowerings& all) { all.add(ir::KernelShape::window, lower_window); }

}  // namespace partita::lowering
