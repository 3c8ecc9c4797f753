// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// A node made again for one index of an axis.  Most ops follow from their attributes' dimension roles;
// those whose values or operand lists depend on the axis say how (`OpDef::remove_axis`).
#include "ir/axes/removal.hpp"

#include <algorithm>

#include "ir/axes/axis_regions.hpp"

namespace partita::ir {
namespace {

Removal not_removed(std::string why) { return {.results = {}, .why = std::move(why)}; }

Removal made_of(Node* node) {
  Removal removal;
  for (int k = 0; k < node->result_count(); ++k) removal.results.push_back(node->result(k));
  return removal;
}

/// Edits by position, as attributes' roles count values.
DimEdits edits_of(const AxisPositions& positions, bool whole) {
  DimEdits edits;
  for (const auto& p : positions)
    edits.push_back(p && is_whole(*p) == whole ? std::optional(DimEdit{p->dim, p->outer * p->inner})
                                               : std::nullopt);
  return edits;
}

AxisPositions role_operands(const RemovalJob& job) {
  if (!job.node.is("stablehlo.scatter")) return job.flow.operands;
  const std::size_t n = job.flow.operands.size() / 2;
  return {job.flow.operands[0], job.flow.operands[n], job.flow.operands[n + 1]};
}

}  // namespace

/// In one node the axis is removed or shrunk everywhere, or both (reshape, which has no attributes).
Dict attributes_without(const RemovalJob& job) {
  const AxisPositions operands = role_operands(job);
  const DimEdits shrunk = edits_of(operands, false);
  const bool shrinks =
      std::any_of(shrunk.begin(), shrunk.end(), [](const auto& e) { return e.has_value(); });
  return shrinks ? attrs_with_shrunk(job.node, shrunk)
                 : attrs_with_removed(job.node, edits_of(operands, true),
                                      edits_of(job.flow.results, true));
}

Removal remove_plain(const RemovalJob& job) {
  return made_of(remake(job.node, job.context.into, job.operands, attributes_without(job),
                        job.result_types(), job.context.before));
}

Removal remove_keeping_rank(const RemovalJob& job, Dict attrs) {
  const Maker b = job.maker();
  const auto kept = [](Type type, const std::optional<AxisPosition>& p) {
    if (p) type.dims[std::size_t(p->dim)] = p->outer * p->inner;
    return type;
  };
  std::vector<Value> operands;
  for (std::size_t k = 0; k < job.operands.size(); ++k)
    operands.push_back(
        b.reshape(job.operands[k], kept(job.node.operand(k).type(), job.flow.operands[k]).dims));
  std::vector<Type> types;
  for (std::size_t k = 0; k < job.node.result_types().size(); ++k)
    types.push_back(kept(job.node.result_types()[k], job.flow.results[k]));
  Node* made = remake(job.node, b.graph, std::move(operands), std::move(attrs), types, b.before);
  Removal removal;
  for (std::size_t k = 0; k < types.size(); ++k)
    removal.results.push_back(b.reshape(made->result(int(k)), job.result_type(k).dims));
  return removal;
}

namespace {

/// Rebuilds one region without the axis.
class RegionRemoval {
 public:
  RegionRemoval(const RemovalJob& job, const RegionAxis& axis) : job_(job), axis_(axis) {}

  std::unique_ptr<Graph> region(const Graph& from) {
    auto into = std::make_unique<Graph>();
    for (int k = 0; k < from.argument_count(); ++k) {
      const Value v = from.argument(k);
      map_[v] = into->add_argument(type_without(v.type(), axis_.position(v)));
    }
    for (const Node* node : from.nodes())
      if (!add(*node, *into)) return nullptr;
    for (const Value& v : from.results) into->results.push_back(look_up(v));
    return into;
  }
  [[nodiscard]] const std::string& why() const { return why_; }

 private:
  Value look_up(Value v) {
    if (const auto found = map_.find(v); found != map_.end()) return found->second;
    const Value outer = job_.context.capture ? job_.context.capture(v) : v;
    return map_[v] = outer;
  }

  bool add(const Node& node, Graph& into) {
    const std::optional<AxisFlow> flow = axis_.flow_of(node);
    if (!flow) {
      for (const Value& v : captures(node)) (void)look_up(v);
      clone_node(node, into, map_);
      return true;
    }
    std::vector<Value> operands;
    for (const Value& v : node.operands()) operands.push_back(look_up(v));
    const RemovalContext context{.into = into,
                                 .before = nullptr,
                                 .partition_index = job_.context.partition_index,
                                 .capture = [this](Value v) { return look_up(v); }};
    const Removal removal = remove_dim(node, *flow, job_.n, operands, context);
    why_ = removal.why;
    for (std::size_t k = 0; k < removal.results.size(); ++k)
      map_[Value{const_cast<Node*>(&node), int(k)}] = removal.results[k];
    return why_.empty();
  }

  const RemovalJob& job_;
  const RegionAxis& axis_;
  ValueMap<Value> map_;
  std::string why_;
};

}  // namespace

Removal remove_control_flow(const RemovalJob& job) {
  RegionAxis axis(job.node, job.n, [&](Value v) -> std::optional<AxisPosition> {
    const auto found = job.flow.captures.find(v);
    return found == job.flow.captures.end() ? std::nullopt : std::optional(found->second);
  });
  axis.run(job.flow.operands, job.flow.results);
  if (!axis.why().empty()) return not_removed(axis.why());
  std::vector<std::unique_ptr<Graph>> regions;
  for (const auto& region : job.node.regions()) {
    RegionRemoval removal(job, axis);
    regions.push_back(removal.region(*region));
    if (!regions.back()) return not_removed(removal.why());
  }
  Node* made =
      create(job.context.into, job.node.name(), job.operands, job.node.attrs, std::move(regions),
             job.result_types(), job.context.before, job.node.location());
  made->hint = job.node.hint;
  return made_of(made);
}

bool is_touched(const AxisFlow& flow) {
  const auto has = [](const AxisPositions& positions) {
    return std::ranges::any_of(positions, [](const auto& p) { return p.has_value(); });
  };
  return has(flow.operands) || has(flow.results) || !flow.captures.empty();
}

Removal remove_dim(const Node& node, const AxisFlow& flow, std::int64_t n,
                   std::span<const Value> operands, const RemovalContext& context) {
  PARTITA_ASSERT(operands.size() == node.operands().size());
  if (!flow.why.empty()) return not_removed(flow.why);
  const RemovalJob job{.node = node,
                       .flow = flow,
                       .n = n,
                       .operands = {operands.begin(), operands.end()},
                       .context = context};
  for (std::size_t k = 0; k < operands.size(); ++k) {
    const Type wanted = type_without(node.operand(k).type(), flow.operands[k]);
    if (operands[k].type() != wanted)
      throw_internal_error(cat("remove_dim: operand ", k, " of ", node.name(), " is of type ",
                               to_string(operands[k].type()), ", not ", to_string(wanted)));
  }
  const RemovalFn rule = node.op().remove_axis;
  if (rule != nullptr && (is_touched(flow) || node.op().regions_capture)) return rule(job);
  return remove_plain(job);
}

}  // namespace partita::ir
