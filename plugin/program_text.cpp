// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "plugin/program_text.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <string_view>
#include <vector>

#include "partita/base/combiner.hpp"
#include "partita/frontend/stablehlo.hpp"
#include "partita/ir/collectives.hpp"
#include "partita/ir/maker.hpp"
#include "partita/ir/mesh.hpp"
#include "partita/ir/op.hpp"
#include "partita/ir/reduction.hpp"
#include "partita/ir/sharding.hpp"

namespace partita::pjrt {

namespace {

using ir::Dict;
using ir::Maker;
using ir::Node;
using ir::Value;

/// One op of the mesh as StableHLO's; its dimension of members is dimension 0.
class Collective {
 public:
  Collective(Node& node, const ir::Mesh& mesh)
      : node_(node), mesh_(mesh), make_{*node.graph(), &node, node.location()} {}

  /// Empty where there is none.
  [[nodiscard]] std::vector<Value> values() const {
    using Form = std::vector<Value> (Collective::*)() const;
    static const std::map<std::string_view, Form> forms{
        {"mr.mesh_all_reduce", &Collective::all_reduce},
        {"mr.mesh_all_gather", &Collective::all_gather},
        {"mr.mesh_reduce_scatter", &Collective::reduce_scatter},
        {"mr.mesh_all_to_all", &Collective::all_to_all},
        {"mr.mesh_permute", &Collective::permute},
        {"mr.shard_index", &Collective::shard_index}};
    const auto found = forms.find(node_.name());
    return found == forms.end() ? std::vector<Value>{} : (this->*found->second)();
  }

 private:
  [[nodiscard]] Dict groups() const { return {{"replica_groups", *node_.attrs.find("groups")}}; }
  [[nodiscard]] std::int64_t members() const {
    return std::ssize((*ir::id_lists(node_.attrs, "groups")).front());
  }
  [[nodiscard]] Combiner combiner() const {
    return *find_combiner(&CombinerInfo::mr, node_.attrs.text("combiner"));
  }
  [[nodiscard]] Value combined(const char* op, Value v, Dict attrs, const Type& type) const {
    std::vector<std::unique_ptr<ir::Graph>> regions;
    regions.push_back(ir::make_combiner(combiner(), v.type().dtype));
    const std::vector<Type> types{type};
    return ir::create(*node_.graph(), op, {v}, std::move(attrs), std::move(regions), types, &node_,
                      node_.location())
        ->result();
  }

  [[nodiscard]] std::vector<Value> all_reduce() const {
    std::vector<Value> results;
    for (const Value& v : node_.operands())
      results.push_back(combined("stablehlo.all_reduce", v, groups(), v.type()));
    return results;
  }
  [[nodiscard]] std::vector<Value> all_gather() const {
    std::vector<Value> results;
    Dict attrs = groups();
    attrs.set("all_gather_dim", 0);
    for (std::size_t k = 0; k < node_.operands().size(); ++k) {
      Dims one = node_.operand(k).type().dims;
      one.insert(one.begin(), 1);
      results.push_back(make_.typed("stablehlo.all_gather", {make_.reshape(node_.operand(k), one)},
                                    node_.result_types()[k], attrs));
    }
    return results;
  }
  [[nodiscard]] std::vector<Value> reduce_scatter() const {
    std::vector<Value> results;
    Dict attrs = groups();
    attrs.set("scatter_dimension", 0);
    for (std::size_t k = 0; k < node_.operands().size(); ++k) {
      Type one = node_.operand(k).type();
      one.dims[0] = 1;
      const Value scattered = combined("stablehlo.reduce_scatter", node_.operand(k), attrs, one);
      results.push_back(make_.reshape(scattered, node_.result_types()[k].dims));
    }
    return results;
  }
  [[nodiscard]] std::vector<Value> all_to_all() const {
    std::vector<Value> results;
    Dict attrs = groups();
    attrs.set("split_dimension", 0);
    attrs.set("concat_dimension", 0);
    attrs.set("split_count", members());
    for (const Value& v : node_.operands())
      results.push_back(make_.typed("stablehlo.all_to_all", {v}, v.type(), attrs));
    return results;
  }
  [[nodiscard]] std::vector<Value> permute() const {
    std::vector<Value> results;
    for (const Value& v : node_.operands())
      results.push_back(make_.op("stablehlo.collective_permute", {v},
                                 {{"source_target_pairs", *node_.attrs.find("pairs")}}));
    return results;
  }

  /// From the number of the partition, of which the last axis is the fastest.
  [[nodiscard]] std::vector<Value> shard_index() const {
    const Type& type = node_.result_types()[0];
    const Value id = make_.convert(make_.op("stablehlo.partition_id", {}), type.dtype);
    Value index = make_.splat(type, 0);
    for (const ir::Attribute& item : node_.attrs.find("axes")->get_if<ir::List>()->items) {
      const std::size_t axis = *mesh_.find(*item.get_if<std::string>());
      std::int64_t stride = 1;
      for (std::size_t k = axis + 1; k < mesh_.axes.size(); ++k) stride *= mesh_.axes[k].size;
      const auto number = [&](std::int64_t n) { return make_.splat(type, double(n)); };
      const Value turns = make_.op("stablehlo.divide", {id, number(stride)});
      const Value place = make_.op("stablehlo.remainder", {turns, number(mesh_.axes[axis].size)});
      index =
          make_.op("stablehlo.add",
                   {make_.op("stablehlo.multiply", {index, number(mesh_.axes[axis].size)}), place});
    }
    return {index};
  }

  Node& node_;
  const ir::Mesh& mesh_;
  Maker make_;
};

void use_stablehlo(ir::Graph& graph, const ir::Mesh& mesh) {
  for (Node* node : std::vector<Node*>(graph.nodes())) {
    for (const auto& region : node->regions()) use_stablehlo(*region, mesh);
    const std::vector<Value> values = Collective(*node, mesh).values();
    if (values.empty()) continue;
    for (std::size_t k = 0; k < values.size(); ++k)
      graph.replace_uses(node->result(int(k)), values[k]);
    graph.erase(node);
  }
}

/// What only this project or Shardy understands.
void remove_foreign(Dict& attrs) {
  for (const ir::NamedAttribute& item : std::vector(attrs.items()))
    if (item.name.starts_with("mr.") || item.name.starts_with("sdy.")) attrs.erase(item.name);
}

/// A shard's program with StableHLO's collectives; null where the program has other ops that StableHLO lacks.
std::unique_ptr<ir::Module> shard_program(const Artifact& artifact) {
  std::unique_ptr<ir::Module> module = ir::parse_module(artifact.ir, "program");
  const std::optional<ir::Mesh> mesh = ir::shard_mesh(*module);
  if (!mesh) return nullptr;
  bool is_stablehlo = true;
  for (const auto& f : module->functions) {
    use_stablehlo(*f->body, *mesh);
    ir::walk(*f->body, [&](Node& node) {
      is_stablehlo &= node.name().starts_with("stablehlo.");
      remove_foreign(node.attrs);
    });
    for (Dict& attrs : f->arg_attrs) remove_foreign(attrs);
    for (Dict& attrs : f->res_attrs) remove_foreign(attrs);
  }
  remove_foreign(module->attrs);
  module->items.clear();
  return is_stablehlo ? std::move(module) : nullptr;
}

/// What XLA's client of before PJRT 0.91 reads shardings from.
void set_shardings(ir::Module& module, const CompiledProgram& program) {
  ir::List inputs;
  for (std::size_t i = 0; i < program.inputs.size(); ++i)
    inputs.items.emplace_back(sharding_text(program.input_cuts[i], program.input_is_sum[i]));
  std::string outputs;
  for (std::size_t i = 0; i < program.outputs.size(); ++i)
    outputs +=
        cat(i == 0 ? "" : ", ", sharding_text(program.output_cuts[i], program.output_is_sum[i]));
  module.attrs.set("mhlo.spmd_parameters_shardings", inputs);
  module.attrs.set("mhlo.spmd_output_sharding",
                   program.outputs.size() == 1 ? outputs : cat("{", outputs, "}"));
}

}  // namespace

std::optional<std::string> program_text(const CompiledProgram& program) {
  if (program.partitions == 1)
    return program.text.empty() ? std::nullopt : std::optional(program.text);
  std::unique_ptr<ir::Module> module;
  if (!program.is_gathered) module = shard_program(*program.artifact);
  if (module == nullptr && !program.text.empty())
    module = ir::parse_module(program.text, "program");
  if (module == nullptr) return std::nullopt;
  set_shardings(*module, program);
  return ir::print_module(*module);
}

}  // namespace partita::pjrt
