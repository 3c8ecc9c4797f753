// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Re-creating a node for one index of an axis.  Most ops follow from their attributes' dimension
// roles; those whose values or operand lists depend on the axis have a rule in the table at the end.
#include <algorithm>
#include <cstring>
#include <limits>
#include <map>

#include "ir/axes/axis_regions.hpp"
#include "ir/axes/dim_edit.hpp"
#include "partita/ir/window.hpp"

namespace partita::ir {
namespace {

struct Job {
  const Node& node;
  const AxisFlow& flow;
  std::int64_t n;
  std::vector<Value> operands;
  const RemovalContext& context;

  [[nodiscard]] Maker maker() const { return {context.into, context.before}; }
  [[nodiscard]] Type result_type(std::size_t k = 0) const {
    return type_without(node.result_types()[k], flow.results[k]);
  }
  [[nodiscard]] std::vector<Type> result_types() const {
    std::vector<Type> types;
    for (std::size_t k = 0; k < node.result_types().size(); ++k) types.push_back(result_type(k));
    return types;
  }
  [[nodiscard]] Value index() const {
    PARTITA_ASSERT(context.partition_index);
    return context.partition_index();
  }
};

bool is_whole(const AxisPosition& p) { return p.outer * p.inner == 1; }

Removal refused(std::string why) { return {.results = {}, .why = std::move(why)}; }

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

AxisPositions role_operands(const Job& job) {
  if (!job.node.is("stablehlo.scatter")) return job.flow.operands;
  const std::size_t n = job.flow.operands.size() / 2;
  return {job.flow.operands[0], job.flow.operands[n], job.flow.operands[n + 1]};
}

/// Attributes without the axis.  In one node it is removed or shrunk everywhere, or both (reshape,
/// which has no attributes).
Dict attributes_without(const Job& job) {
  const AxisPositions operands = role_operands(job);
  const DimEdits shrunk = edits_of(operands, false);
  const bool shrinks =
      std::any_of(shrunk.begin(), shrunk.end(), [](const auto& e) { return e.has_value(); });
  return shrinks ? attrs_with_shrunk(job.node, shrunk)
                 : attrs_with_removed(job.node, edits_of(operands, true),
                                      edits_of(job.flow.results, true));
}

Removal remove_plain(const Job& job) {
  return made_of(remake(job.node, job.context.into, job.operands, attributes_without(job),
                        job.result_types(), job.context.before));
}

// --- Constants and counts -----------------------------------------------------------------------

/// The constant with the axis as its dimension 0: [n, rest…], rest as the result's type.
HostArray axis_first(const HostArray& array, const AxisPosition& p, std::int64_t n,
                     const Type& rest) {
  Type type = rest;
  type.dims.insert(type.dims.begin(), n);
  HostArray out(type);
  const std::size_t size = byte_size(type.dtype);
  std::int64_t before = 1, after = 1;
  for (int d = 0; d < array.type.rank(); ++d)
    (d < p.dim ? before : after) *= d == p.dim ? 1 : array.type.dims[std::size_t(d)];
  before *= p.outer;
  after *= p.inner;
  const std::size_t run = std::size_t(after) * size;
  if (run == 0) return out;
  for (std::int64_t b = 0; b < before; ++b)
    for (std::int64_t i = 0; i < n; ++i)
      std::memcpy(out.bytes.data() + std::size_t(i * before + b) * run,
                  array.bytes.data() + std::size_t(b * n + i) * run, run);
  return out;
}

Removal remove_constant(const Job& job) {
  const Maker b = job.maker();
  const Type type = job.result_type();
  const DenseRef value = *job.node.attrs.find("value")->get_if<DenseRef>();
  const auto constant = [&](DenseRef v) {
    return Removal{.results = {b.constant(std::move(v))}, .why = {}};
  };
  if (value->is_splat()) return constant(std::make_shared<const Dense>(type, value->bytes(), true));
  const HostArray moved = axis_first(value->to_array(), *job.flow.results[0], job.n, type);
  HostArray first(type);
  std::copy_n(moved.bytes.begin(), first.bytes.size(), first.bytes.begin());
  bool is_uniform = true;
  for (std::int64_t i = 1; i < job.n && is_uniform; ++i)
    is_uniform = std::equal(first.bytes.begin(), first.bytes.end(),
                            moved.bytes.begin() + i * std::ptrdiff_t(first.bytes.size()));
  if (is_uniform) return constant(make_dense(first));
  std::vector<Value> operands{b.constant(make_dense(moved)), job.index()};
  for (std::size_t d = 0; d < type.dims.size(); ++d)
    operands.push_back(b.splat(operands[1].type(), 0));
  I64s sizes = moved.type.dims;
  sizes[0] = 1;
  return {.results = {b.reshape(b.op("stablehlo.dynamic_slice", operands, {{"slice_sizes", sizes}}),
                                type.dims)},
          .why = {}};
}

Removal remove_iota(const Job& job) {
  const Maker b = job.maker();
  const AxisPosition p = *job.flow.results[0];
  const Type type = job.result_type();
  const std::int64_t dimension = job.node.attrs.i64("iota_dimension");
  if (p.dim != dimension) return remove_plain(job);
  const bool fits = p.outer * job.n * p.inner <= std::numeric_limits<std::int32_t>::max();
  const Type counts{.dtype = fits ? DType::i32 : DType::i64, .dims = type.dims};
  const Value index = b.broadcast(b.convert(job.index(), counts.dtype), counts.dims, {});
  if (is_whole(p)) return {.results = {b.convert(index, type.dtype)}, .why = {}};
  // Index j = o * inner + q of what is left is (o * n + i) * inner + q = j + (j / inner * (n - 1) + i) * inner.
  const Value j = b.typed("stablehlo.iota", {}, counts, {{"iota_dimension", dimension}});
  const auto times = [&](Value v, std::int64_t factor) {
    return factor == 1 ? v : b.op("stablehlo.multiply", {v, b.splat(counts, double(factor))});
  };
  Value skipped = index;
  if (p.outer != 1 && job.n != 1) {
    const Value o =
        p.inner == 1 ? j : b.op("stablehlo.divide", {j, b.splat(counts, double(p.inner))});
    skipped = b.op("stablehlo.add", {times(o, job.n - 1), index});
  }
  return {.results = {b.convert(b.op("stablehlo.add", {j, times(skipped, p.inner)}), type.dtype)},
          .why = {}};
}

// --- Shape --------------------------------------------------------------------------------------

Removal remove_broadcast(const Job& job) {
  const Maker b = job.maker();
  const AxisPosition p = *job.flow.results[0];
  Value operand = job.operands[0];
  I64s dims = job.node.attrs.i64s("broadcast_dimensions");
  if (is_whole(p)) {
    // The operand loses the dimension too: its own of the axis is gone already, one of extent 1 goes now.
    const auto at = std::find(dims.begin(), dims.end(), p.dim);
    if (at != dims.end()) {
      Dims shape = operand.type().dims;
      if (!job.flow.operands[0]) shape.erase(shape.begin() + (at - dims.begin()));
      operand = b.reshape(operand, shape);
      dims.erase(at);
    }
    for (std::int64_t& d : dims)
      if (d > p.dim) --d;
  }
  const Type type = job.result_type();
  if (operand.type() == type && std::is_sorted(dims.begin(), dims.end()))
    return {.results = {operand}, .why = {}};
  return {.results = {b.typed("stablehlo.broadcast_in_dim", {operand}, type,
                              {{"broadcast_dimensions", dims}})},
          .why = {}};
}

Removal remove_reshape(const Job& job) {
  return {.results = {job.maker().reshape(job.operands[0], job.result_type().dims)}, .why = {}};
}

Removal remove_transpose(const Job& job) {
  const Dict attrs = attributes_without(job);
  if (const I64s& p = attrs.i64s("permutation"); std::is_sorted(p.begin(), p.end()))
    return {.results = {job.operands[0]}, .why = {}};
  return remove_plain(job);
}

/// dynamic_slice and dynamic_update_slice: a removed dimension has no start index.
Removal remove_with_start(const Job& job) {
  Job without = job;
  const std::size_t first = job.node.is("stablehlo.dynamic_slice") ? 1 : 2;
  if (const AxisPosition p = *job.flow.results[0]; is_whole(p))
    without.operands.erase(without.operands.begin() + std::ptrdiff_t(first + std::size_t(p.dim)));
  return remove_plain(without);
}

// --- Windows ------------------------------------------------------------------------------------

/// For ops that say something about each dimension: a removed one comes back with extent 1, and goes
/// from the results again.
Removal remove_keeping_rank(const Job& job, Dict attrs) {
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

Removal remove_from_rank(const Job& job) { return remove_keeping_rank(job, job.node.attrs); }

Removal remove_from_windows(const Job& job) {
  const auto is_part = [](const auto& p) { return p && !is_whole(*p); };
  const bool is_plain = std::none_of(job.flow.operands.begin(), job.flow.operands.end(), is_part) &&
                        std::none_of(job.flow.results.begin(), job.flow.results.end(), is_part);
  return is_plain ? remove_plain(job) : remove_from_rank(job);
}

/// An axis of groups leaves fewer of them.
Removal remove_from_convolution(const Job& job) {
  const ConvolutionDims d =
      convolution_dims(*job.node.attrs.find("dimension_numbers")).value_or(ConvolutionDims{});
  const auto lies_in = [&](std::size_t operand, std::int64_t dim) {
    const auto& p = job.flow.operands[operand];
    return p.has_value() && p->dim == dim;
  };
  Dict attrs = job.node.attrs;
  if (lies_in(1, d.kernel_output)) {
    const char* groups = lies_in(0, d.input_feature) ? "feature_group_count"
                         : lies_in(0, d.input_batch) ? "batch_group_count"
                                                     : nullptr;
    if (groups != nullptr) attrs.set(groups, attrs.i64(groups) / job.n);
  }
  return remove_keeping_rank(job, std::move(attrs));
}

// --- Control flow -------------------------------------------------------------------------------

Removal remove_control_flow(const Job& job);

/// Rebuilds one region without the axis.
class RegionRemoval {
 public:
  RegionRemoval(const Job& job, const RegionAxis& axis) : job_(job), axis_(axis) {}

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

  const Job& job_;
  const RegionAxis& axis_;
  ValueMap<Value> map_;
  std::string why_;
};

Removal remove_control_flow(const Job& job) {
  RegionAxis axis(job.node, job.n, [&](Value v) -> std::optional<AxisPosition> {
    const auto found = job.flow.captures.find(v);
    return found == job.flow.captures.end() ? std::nullopt : std::optional(found->second);
  });
  axis.run(job.flow.operands, job.flow.results);
  if (!axis.why().empty()) return refused(axis.why());
  std::vector<std::unique_ptr<Graph>> regions;
  for (const auto& region : job.node.regions()) {
    RegionRemoval removal(job, axis);
    regions.push_back(removal.region(*region));
    if (!regions.back()) return refused(removal.why());
  }
  Node* made =
      create(job.context.into, job.node.name(), job.operands, job.node.attrs, std::move(regions),
             job.result_types(), job.context.before, job.node.location());
  made->hint = job.node.hint;
  return made_of(made);
}

using Rule = Removal (*)(const Job&);

const std::map<std::string_view, Rule>& rules() {
  static const std::map<std::string_view, Rule> table{
      {"stablehlo.constant", remove_constant},
      {"stablehlo.iota", remove_iota},
      {"stablehlo.broadcast_in_dim", remove_broadcast},
      {"stablehlo.reshape", remove_reshape},
      {"stablehlo.transpose", remove_transpose},
      {"stablehlo.dynamic_slice", remove_with_start},
      {"stablehlo.dynamic_update_slice", remove_with_start},
      {"stablehlo.reduce_window", remove_from_windows},
      {"stablehlo.select_and_scatter", remove_from_windows},
      {"stablehlo.convolution", remove_from_convolution},
      {"stablehlo.batch_norm_inference", remove_from_rank},
      {"stablehlo.batch_norm_training", remove_from_rank},
      {"stablehlo.batch_norm_grad", remove_from_rank},
      {"stablehlo.while", remove_control_flow},
      {"stablehlo.case", remove_control_flow},
      {"stablehlo.if", remove_control_flow},
  };
  return table;
}

bool is_touched(const AxisFlow& flow) {
  const auto has = [](const AxisPositions& positions) {
    return std::any_of(positions.begin(), positions.end(),
                       [](const auto& p) { return p.has_value(); });
  };
  return has(flow.operands) || has(flow.results) || !flow.captures.empty();
}

}  // namespace

Removal remove_dim(const Node& node, const AxisFlow& flow, std::int64_t n,
                   std::span<const Value> operands, const RemovalContext& context) {
  PARTITA_ASSERT(operands.size() == node.operands().size());
  if (!flow.why.empty()) return refused(flow.why);
  const Job job{.node = node,
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
  const auto rule = rules().find(node.name());
  if (rule != rules().end() && (is_touched(flow) || is_control_flow(node)))
    return rule->second(job);
  return remove_plain(job);
}

}  // namespace partita::ir
