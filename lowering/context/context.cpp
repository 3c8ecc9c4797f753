// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "lowering/context/context.hpp"

#include <algorithm>

#include "lowering/context/loops.hpp"
#include "lowering/context/lowerings.hpp"
#include "lowering/values/host_operations.hpp"
#include "partita/base/error.hpp"
#include "partita/ir/donation.hpp"
#include "partita/ir/op.hpp"

namespace partita::lowering {

using namespace kernel;

using ir::Graph;
using ir::KernelShape;
using ir::Node;
using ir::Value;

namespace {

/// A text attribute of argument or result `k`; empty where there is none (others may say anything).
std::string text_of(const std::vector<ir::Dict>& attrs, std::size_t k, std::string_view name) {
  const ir::Attribute* found = k < attrs.size() ? attrs[k].find(name) : nullptr;
  const auto* text = found == nullptr ? nullptr : found->get_if<std::string>();
  return text == nullptr ? std::string() : *text;
}

}  // namespace

Context::Context(const ir::Module& module, const ir::Function& function, const ValuePolicy& policy)
    : module_(module),
      function_(function),
      policy_(policy),
      analysis_(*function.body, policy),
      plan_(draft_.plan),
      out_(&draft_.plan.steps),
      blocks_(function) {}

PlanDraft Context::lower() {
  if (blocks_.needs_gathers())
    throw_internal_error("a pass behind distribute needs blocks of partitions as a whole");
  bind_mesh();
  bind_arguments();
  lower_graph(*function_.body);
  bind_results();
  return std::move(draft_);
}

// --- Buffers ------------------------------------------------------------------------------------

int Context::new_buffer(BufferKind kind, DType dtype, HostExpr count, std::string name, int index) {
  plan_.buffers.push_back({.kind = kind,
                           .index = index,
                           .dtype = dtype,
                           .count = std::move(count),
                           .name = std::move(name)});
  return int(plan_.buffers.size()) - 1;
}

Location Context::new_temporary(const Type& type, const std::string& name) {
  return {new_buffer(BufferKind::arena, type.dtype, HostExpr(type.count()), name), HostExpr(0)};
}

Location Context::new_constant(HostArray array, const std::string& name) {
  const Type type = array.type;
  draft_.constants.push_back(std::move(array));
  return {new_buffer(BufferKind::constant, type.dtype, HostExpr(type.count()), name,
                     int(draft_.constants.size()) - 1),
          HostExpr(0)};
}

int Context::new_variable(const std::string& name) {
  plan_.variables.push_back(name);
  return int(plan_.variables.size()) - 1;
}

int Context::placement_index(const std::string& name) {
  const auto it = std::ranges::find(plan_.placements, name, &Placement::name);
  if (it != plan_.placements.end()) return int(it - plan_.placements.begin());
  const auto size = module_.placement_size(name);
  if (!size) throw_internal_error(cat("placement '", name, "' has no size"));
  const int begin = new_variable(name + ".begin"), end = new_variable(name + ".end");
  plan_.placements.push_back({name, *size, begin, end});
  return int(plan_.placements.size()) - 1;
}

void Context::emit(decltype(Step::what) what, std::string name) {
  out_->push_back({std::move(what), std::move(name)});
}

void Context::emit_copy(Location from, Location to, const Type& type, const std::string& name) {
  if (type.count() == 0 || (from.buffer == to.buffer && from.offset == to.offset)) return;
  emit(Copy{{from.buffer, from.offset}, {to.buffer, to.offset}, HostExpr(type.count())}, name);
}

std::int64_t partition_count(const Type& type) {
  return type.dims[0] == 0 ? 0 : type.count() / type.dims[0];
}

std::string step_name(const Node& node) {
  std::string name(node.name());
  if (const auto dot = name.find('.'); dot != std::string::npos) name.erase(0, dot + 1);
  const Dims dims = node.result_types().empty() ? Dims{} : node.result_types()[0].dims;
  if (dims.empty()) name += "_scalar";  // never the name of a built-in function
  for (std::int64_t d : dims)
    name += (name.back() >= '0' && name.back() <= '9' ? "x" : "_") + std::to_string(d);
  return name;
}

// --- Values -------------------------------------------------------------------------------------

bool Context::is_host(Value v) const { return host_.contains(v) || analysis_.is_host_scalar(v); }

bool Context::has_host_value(Value v) const {
  if (host_.contains(v)) return true;
  if (!is_host(v) || v.node == nullptr) return false;
  return v.node->is("stablehlo.constant") || v.node->is("mr.shard_index") ||
         (host_operation(*v.node) &&
          std::ranges::all_of(v.node->operands(), [&](Value x) { return has_host_value(x); }));
}

HostExpr Context::host_value(Value v) {
  if (const auto it = host_.find(v); it != host_.end()) return it->second;
  const Node& node = *v.node;
  HostExpr e;
  if (node.is("stablehlo.constant")) {
    const HostArray array =
        convert((*node.attrs.find("value")->get_if<ir::DenseRef>())->to_array(), DType::i64);
    e = HostExpr(*array.data<DType::i64>());
  } else if (node.is("mr.shard_index")) {
    e = shard_index(node);
  } else if (const HostOperation operation = host_operation(node)) {
    std::vector<HostExpr> operands;
    for (const Value& x : node.operands()) operands.push_back(host_value(x));
    e = operation(operands);
  } else {
    throw_internal_error(cat("no host value for ", node.name()));
  }
  host_[v] = e;
  return e;
}

bool Context::is_in_memory(Value v) const {
  if (locations_.contains(v)) return true;
  if (const auto it = slices_.find(v); it != slices_.end())
    return !it->second.is_block && locations_.contains(it->second.whole);
  if (!v.node->is("stablehlo.constant") || is_host(v)) return false;
  // Elements of 16 bytes are no literals.
  return !(*v.node->attrs.find("value")->get_if<ir::DenseRef>())->is_splat() ||
         byte_size(v.type().dtype) > 8;
}

Location Context::memory(Value v) {
  if (const auto it = locations_.find(v); it != locations_.end()) return it->second;
  if (const auto it = slices_.find(v);
      it != slices_.end() && !it->second.is_block && locations_.contains(it->second.whole)) {
    Location at = locations_.at(it->second.whole);
    at.offset = at.offset + it->second.first * HostExpr(v.type().count());
    return at;
  }
  if (is_in_memory(v)) {
    const auto& value = *v.node->attrs.find("value")->get_if<ir::DenseRef>();
    return locations_[v] = new_constant(value->to_array(), "constant");
  }
  const Location at = new_temporary(v.type(), step_name(*v.node));
  lower_loops(*this, v, at);
  return at;
}

void Context::bind_mesh() {
  mesh_ = ir::shard_mesh(module_);
  if (!mesh_) return;
  for (const ir::MeshAxis& axis : mesh_->axes) plan_.mesh.push_back({axis.name, axis.size});
  argument_layouts_ = ir::argument_layouts(*mesh_, function_);
  result_layouts_ = ir::result_layouts(*mesh_, function_);
}

PortInfo Context::port_of(const std::vector<ir::MeshLayout>& layouts, std::size_t k,
                          const Type& local) const {
  PortInfo port;
  port.type = layouts.empty() ? local : layouts[k].global;
  if (!layouts.empty() && layouts[k].is_cut()) port.axes = layouts[k].axes;
  return port;
}

HostExpr Context::shard_index(const Node& node) {
  if (!mesh_) return 0;
  if (plan_.mesh_variable < 0) plan_.mesh_variable = new_variable("shard");
  const HostExpr shard = HostExpr::variable(plan_.mesh_variable);
  const Dims sizes = ir::axis_sizes(*mesh_), strides = row_major_strides(sizes);
  HostExpr index = 0;
  for (const int axis : ir::shard_index_axes(node, *mesh_)) {
    const HostExpr size(sizes[std::size_t(axis)]);
    index = index * size + HostExpr::binary(HostExpr::Kind::mod,
                                            HostExpr::binary(HostExpr::Kind::div, shard,
                                                             HostExpr(strides[std::size_t(axis)])),
                                            size);
  }
  return index;
}

int Context::group_list(const std::vector<ir::I64s>& lists) {
  ShardLists wanted;
  for (const ir::I64s& list : lists) wanted.emplace_back(list.begin(), list.end());
  const auto found = std::ranges::find(plan_.groups, wanted);
  const auto number = int(found - plan_.groups.begin());
  if (found == plan_.groups.end()) plan_.groups.push_back(std::move(wanted));
  return number;
}

void Context::bind_arguments() {
  const auto arguments = function_.body->arguments();
  for (std::size_t k = 0; k < arguments.size(); ++k) {
    const Value v = arguments[k];
    PortInfo port = port_of(argument_layouts_, k, v.type());
    port.name = function_.body->argument_hint(int(k));
    if (const std::string name = text_of(function_.arg_attrs, k, "mr.name"); !name.empty())
      port.name = name;
    port.is_donated = k < function_.arg_attrs.size() && ir::is_donated(function_.arg_attrs[k]);
    HostExpr count(v.type().count());
    if (const std::string* placement = blocks_.placement(v)) {
      port.placement = placement_index(*placement);
      split_[v] = port.placement;
      count = block_count(v.type(), port.placement);
    }
    plan_.inputs.push_back(port);
    locations_[v] = {new_buffer(BufferKind::input, v.type().dtype, count, cat("in", k), int(k)), 0};
  }
}

HostExpr Context::first_partition(int placement) const {
  return HostExpr::variable(plan_.placements[std::size_t(placement)].begin_variable);
}

HostExpr Context::block_count(const Type& type, int placement) const {
  const Placement& p = plan_.placements[std::size_t(placement)];
  return (HostExpr::variable(p.end_variable) - HostExpr::variable(p.begin_variable)) *
         HostExpr(partition_count(type));
}

void Context::bind_results() {
  const auto& results = function_.body->results;
  for (std::size_t k = 0; k < results.size(); ++k) {
    const Value v = results[k];
    PortInfo port = port_of(result_layouts_, k, v.type());
    port.name = text_of(function_.res_attrs, k, "jax.result_info");
    const Location from = memory(v);
    HostExpr count(v.type().count());
    if (const auto it = split_.find(v); it != split_.end()) {
      port.placement = it->second;
      count = plan_.buffers[std::size_t(from.buffer)].count;
    }
    const int buffer = new_buffer(BufferKind::output, v.type().dtype, count, cat("out", k), int(k));
    plan_.outputs.push_back(port);
    if (v.type().count() > 0)
      emit(Copy{{from.buffer, from.offset}, {buffer, HostExpr(0)}, count}, cat("copy to out", k));
  }
}

void Context::lower_graph(const Graph& graph) {
  for (Node* node : graph.nodes()) lower_node(*node);
}

void Context::lower_node(Node& node) {
  if (const LowerNode lower = Lowerings::instance().find(node.op())) return lower(*this, node);
  if (node.op().shape != KernelShape::loops && node.op().shape != KernelShape::none)
    throw_internal_error(cat(node.name(), ": nothing lowers it"));
  if (node.op().shape == KernelShape::none)
    throw_user_error(cat(node.name(), ": is not supported on this target"), node.location());
  lower_elements(node);
}

void Context::lower_elements(Node& node) {
  for (int k = 0; k < node.result_count(); ++k) {
    const Value v = node.result(k);
    // Constants and host scalars get memory only where something asks for it.
    if (!analysis_.is_materialised(v) || is_host(v) || node.is("stablehlo.constant") ||
        is_placed(v))
      continue;
    if (node.is("stablehlo.reshape") && locations_.contains(node.operand(0)) &&
        !split_.contains(node.operand(0))) {
      locations_[v] = locations_.at(node.operand(0));
      continue;
    }
    const Location at = new_temporary(v.type(), step_name(node));
    lower_loops(*this, v, at);
    locations_[v] = at;
  }
}

// --- Steps --------------------------------------------------------------------------------------

Steps Context::capture(const std::function<void()>& emit_steps) {
  Steps steps;
  Steps* const outer = std::exchange(out_, &steps);
  emit_steps();
  out_ = outer;
  return steps;
}

Steps Context::capture_branch(const std::function<void()>& emit_steps) {
  const ir::ValueMap<Location> before = locations_;
  Steps steps = capture(emit_steps);
  // A constant placed inside of a branch has its memory everywhere; computed values do not.
  locations_ = before;
  return steps;
}

Steps Context::capture_partitions(const std::function<void()>& emit_steps) {
  ++foreach_depth_;
  Steps steps = capture(emit_steps);
  --foreach_depth_;
  return steps;
}

int Context::new_request(Value token) {
  const int request = plan_.requests++;
  requests_[token] = request;
  return request;
}

const Slice* Context::slice(Value v) const {
  const auto it = slices_.find(v);
  return it == slices_.end() ? nullptr : &it->second;
}

}  // namespace partita::lowering
