// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "lowering/context/lowerings.hpp"
#include "lowering/ops/attention/element_attention.hpp"
#include "lowering/ops/attention/matrix_attention.hpp"
#include "lowering/ops/support/matrix_fragments.hpp"

namespace partita::lowering {

using namespace kernel;
namespace {

void lower_attention(Context& context, ir::Node& node) {
  const std::string name = step_name(node);
  const Location to = context.new_temporary(node.result_types()[0], name);
  const TargetInfo& target = context.policy().target;
  const bool has_matrices = suits_matrices(node, target);
  ElementAttentionForm form(AttentionShape(node), target);
  // One set of groups serves both kernels.
  if (has_matrices) form.group_rows = matrix_attention_rows;
  context.explain(name, cat("attention in one kernel: groups of ", form.items(), " items, ",
                            form.group_rows, " rows by ", form.tile(), " columns at a time",
                            has_matrices ? ", on matrix units where there are some" : ""));
  KernelBody body(context, name);
  const std::int64_t groups = write_element_attention(node, form, body, to);
  if (has_matrices) {
    KernelBody units(context, name);
    (void)write_matrix_attention(node, units, to);
    launch_matrices(context, units, body, groups);
  } else {
    context.launch_groups(body, groups);
  }
  context.place(node.result(), to);
}

}  // namespace

void register_attention_lowering(Lowerings& all) {
  all.add(ir::KernelShape::attention, lower_attention);
}

}  // namespace partita::lowering
