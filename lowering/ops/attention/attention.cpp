// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "lowering/context/lowerings.hpp"
#include "lowering/ops/attention/element_attention.hpp"
#include "lowering/ops/attention/matrix_attention.hpp"
#include "lowering/ops/attention/matrix_tiles.hpp"

namespace partita::lowering {

using namespace kernel;
namespace {

using ir::attention::Operand;

/// Temporaries for all results.
std::vector<Location> places(Context& context, ir::Node& node, const std::string& name) {
  std::vector<Location> all;
  for (const Type& type : node.result_types()) all.push_back(context.new_temporary(type, name));
  return all;
}

/// A kernel of groups of lines of an operand, on matrix units where these suit.
struct Kernels {
  ir::Node& node;
  Operand own;
  std::string name, does;
  std::int64_t sums;  ///< of a line
  std::function<std::int64_t(KernelBody&, const ElementForm&)> elements;
  std::function<void(KernelBody&)> matrices;

  void launch(Context& context) const {
    const TargetInfo& target = context.policy().target;
    const Dims& lines = node.operand(own).type().dims;
    ElementForm form(lines[0], lines[1], sums, target);
    const bool has_matrices = suits_matrices(node, own, target);
    // One set of groups serves both kernels.
    if (has_matrices) form = ElementForm(matrix_group_lines, matrix_group_items);
    context.explain(name, cat(does, " in one kernel: groups of ", form.items(), " items, ",
                              form.group_lines, " lines by ", form.tile(), " at a time",
                              has_matrices ? ", on matrix units where there are some" : ""));
    KernelBody body(context, name);
    const std::int64_t groups = elements(body, form);
    if (!has_matrices) return context.launch_groups(body, groups);
    KernelBody units(context, name);
    matrices(units);
    launch_matrices(context, units, body, groups);
  }
};

void place_all(Context& context, ir::Node& node, const std::vector<Location>& results) {
  for (int k = 0; k < node.result_count(); ++k)
    context.place(node.result(k), results[std::size_t(k)]);
}

void lower_attention(Context& context, ir::Node& node) {
  const std::string name = step_name(node);
  const std::vector<Location> results = places(context, node, name);
  Kernels{.node = node,
          .own = Operand::queries,
          .name = name,
          .does = "attention",
          .sums = AttentionShape(node).width,
          .elements =
              [&](KernelBody& body, const ElementForm& form) {
                return write_element_attention(node, form, body, results);
              },
          .matrices = [&](KernelBody& body) { write_matrix_attention(node, body, results); }}
      .launch(context);
  place_all(context, node, results);
}

void lower_gradient(Context& context, ir::Node& node) {
  const std::string name = step_name(node);
  const std::vector<Location> results = places(context, node, name);
  const AttentionShape s(node);
  for (const Operand own : {Operand::keys, Operand::queries})
    Kernels{.node = node,
            .own = own,
            .name = cat(name, own == Operand::keys ? "_by_keys" : "_by_queries"),
            .does = own == Operand::keys ? "attention's gradient by keys and values"
                                         : "attention's gradient by queries",
            .sums = own == Operand::keys ? s.depth + s.width : s.depth,
            .elements =
                [&](KernelBody& body, const ElementForm& form) {
                  return write_element_gradient(node, own, form, body, results);
                },
            .matrices = [&](KernelBody& body) { write_matrix_gradient(node, own, body, results); }}
        .launch(context);
  place_all(context, node, results);
}

}  // namespace

void register_attention_lowering(Lowerings& all) {
  all.add("mr.attention", lower_attention);
  all.add("mr.attention_gradient", lower_gradient);
}

}  // namespace partita::lowering
