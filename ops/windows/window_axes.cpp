// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// A further dimension in windows and convolutions, and one less.  A convolution has a place for one
// batch dimension only, so a further one is folded into the batch, into output features or into
// groups; initial values that differ along it are applied by simpler ops.
#include "ops/windows/window_axes.hpp"

#include <algorithm>

#include "ops/support/batch_folding.hpp"
#include "partita/ir/window.hpp"

namespace partita::ir::ops {
namespace {

/// Batches what `expand` makes of the operands instead of the node.
template <class F>
void batch_expanded(const BatchJob& job, F&& expand) {
  Graph graph;
  std::vector<Value> arguments;
  BatchMap map;
  for (const Value& v : job.node.operands()) {
    arguments.push_back(graph.add_argument(v.type()));
    map[arguments.back()] = job.operands[arguments.size() - 1];
  }
  graph.results = expand(Maker{graph}, arguments);
  const std::vector<BatchedValue> results = batch_body(graph, map, job.context);
  for (std::size_t k = 0; k < results.size(); ++k)
    job.set(int(k), results[k].value, results[k].batched);
}

/// Elements of each window as further dimensions, each after the dimension of the windows.
Value windows_of(const Maker& b, Value v, Value init, const std::vector<WindowDim>& window) {
  I64s low, high, interior;
  for (const WindowDim& w : window) {
    low.push_back(w.low);
    high.push_back(w.high);
    interior.push_back(w.base_dilation - 1);
  }
  v = b.op(
      "stablehlo.pad", {v, init},
      {{"edge_padding_low", low}, {"edge_padding_high", high}, {"interior_padding", interior}});
  Dims split;
  for (std::size_t d = 0; d < window.size(); ++d) {
    const WindowDim& w = window[d];
    split.push_back(w.count());
    split.push_back(w.size);
    HostArray places(Type{.dtype = DType::i64, .dims = {w.count() * w.size}});
    std::int64_t* place = places.data<DType::i64>();
    for (std::int64_t o = 0; o < w.count(); ++o)
      for (std::int64_t k = 0; k < w.size; ++k) *place++ = o * w.stride + k * w.window_dilation;
    I64s sizes = v.type().dims, others;
    sizes[d] = 1;
    for (std::size_t other = 0; other < window.size(); ++other)
      if (other != d) others.push_back(std::int64_t(other));
    v = b.op("stablehlo.gather", {v, b.constant(make_dense(places))},
             {{"offset_dims", others},
              {"collapsed_slice_dims", I64s{std::int64_t(d)}},
              {"start_index_map", I64s{std::int64_t(d)}},
              {"index_vector_dim", 1},
              {"slice_sizes", sizes}});
  }
  return b.reshape(v, split);
}

std::vector<Value> reduced_windows(const Maker& b, const Node& node,
                                   const std::vector<Value>& arguments) {
  const std::size_t n = arguments.size() / 2;
  const std::vector<WindowDim> window = window_dims(arguments[0].type(), node.attrs);
  std::vector<Value> operands;
  for (std::size_t k = 0; k < n; ++k)
    operands.push_back(windows_of(b, arguments[k], arguments[n + k], window));
  operands.insert(operands.end(), arguments.begin() + std::ptrdiff_t(n), arguments.end());
  I64s dimensions;
  for (std::size_t d = 0; d < window.size(); ++d) dimensions.push_back(std::int64_t(2 * d + 1));
  std::vector<std::unique_ptr<Graph>> regions;
  regions.push_back(clone_graph(node.region(0)));
  const Node* made = create(b.graph, "stablehlo.reduce", operands, {{"dimensions", dimensions}},
                            std::move(regions));
  std::vector<Value> results;
  for (std::size_t k = 0; k < n; ++k) results.push_back(Value{const_cast<Node*>(made), int(k)});
  return results;
}

/// (element, index, is one) of two such triples: the one that the op's region selects.
std::unique_ptr<Graph> selection(const Graph& select, DType dtype) {
  auto graph = std::make_unique<Graph>();
  const Maker b{*graph};
  const Type types[] = {Type::scalar(dtype), Type::scalar(DType::i64), Type::scalar(DType::i1)};
  std::vector<Value> a;
  for (int k = 0; k < 6; ++k) a.push_back(graph->add_argument(types[k % 3]));
  ValueMap<Value> map{{select.argument(0), a[0]}, {select.argument(1), a[3]}};
  for (const Node* node : select.nodes()) clone_node(*node, *graph, map);
  const Value chosen = select.results[0];
  const Value stays = b.op(
      "stablehlo.and", {a[2], b.op("stablehlo.or", {map.contains(chosen) ? map.at(chosen) : chosen,
                                                    b.op("stablehlo.not", {a[5]})})});
  for (const std::size_t k : {0U, 1U})
    graph->results.push_back(b.op("stablehlo.select", {stays, a[k], a[k + 3]}));
  graph->results.push_back(b.op("stablehlo.or", {a[2], a[5]}));
  return graph;
}

/// The index that each window selects, then a scatter into the initial values.
std::vector<Value> selected_and_scattered(const Maker& b, const Node& node,
                                          const std::vector<Value>& arguments) {
  const Type &operand = arguments[0].type(), &source = arguments[1].type();
  const Type indices{.dtype = DType::i64, .dims = operand.dims};
  const Value index =
      b.reshape(b.iota({.dtype = DType::i64, .dims = {operand.count()}}, 0), operand.dims);
  std::vector<std::unique_ptr<Graph>> regions;
  regions.push_back(selection(node.region(0), operand.dtype));
  Dict attrs = node.attrs;
  if (!attrs.contains("window_dimensions"))
    attrs.set("window_dimensions", I64s(operand.dims.size(), 1));
  const Node* windows =
      create(b.graph, "stablehlo.reduce_window",
             {arguments[0], index, b.splat({.dtype = DType::i1, .dims = operand.dims}, 1),
              b.splat(Type::scalar(operand.dtype), 0), b.splat(Type::scalar(DType::i64), -1),
              b.splat(Type::scalar(DType::i1), 0)},
             attrs, std::move(regions));
  const Value place = b.reshape(Value{const_cast<Node*>(windows), 1}, {source.count(), 1});
  std::vector<std::unique_ptr<Graph>> combiners;
  combiners.push_back(clone_graph(node.region(1)));
  const Node* scattered = create(b.graph, "stablehlo.scatter",
                                 {b.broadcast(arguments[2], {operand.count()}, {}), place,
                                  b.reshape(arguments[1], {source.count()})},
                                 {{"update_window_dims", I64s{}},
                                  {"inserted_window_dims", I64s{0}},
                                  {"scatter_dims_to_operand_dims", I64s{0}},
                                  {"index_vector_dim", 1}},
                                 std::move(combiners));
  return {b.reshape(Value{const_cast<Node*>(scattered), 0}, operand.dims)};
}

}  // namespace

void batch_reduce_window(const BatchJob& job) {
  if (set_if_empty(job)) return;
  const std::size_t n = job.operands.size() / 2;
  std::vector<bool> data(2 * n, false);
  std::fill_n(data.begin(), n, true);
  bool is_batched = false;
  for (std::size_t k = n; k < 2 * n; ++k) is_batched |= job.is_batched(k);
  if (!is_batched) return batch_leading(job, data);
  batch_expanded(job, [&](const Maker& b, const std::vector<Value>& arguments) {
    return reduced_windows(b, job.node, arguments);
  });
}

void batch_select_and_scatter(const BatchJob& job) {
  if (set_if_empty(job)) return;
  if (!job.is_batched(2)) return batch_leading(job, {true, true, false});
  batch_expanded(job, [&](const Maker& b, const std::vector<Value>& arguments) {
    return selected_and_scattered(b, job.node, arguments);
  });
}

void batch_convolution(const BatchJob& job) {
  if (set_if_empty(job)) return;
  for (const Value& v : job.node.operands())
    if (v.type().count() == 0) return set_zeros(job);
  const Maker b = job.maker();
  const Convolution conv(job.node.operand(0).type(), job.node.operand(1).type(), job.node.attrs);
  const ConvolutionDims& d = conv.dims;
  const std::int64_t size = job.context.size;
  Dict attrs = job.node.attrs;
  Value lhs = job.plain(0), rhs = job.plain(1);
  Fold result;
  if (job.is_batched(0) && job.is_batched(1)) {
    const bool by_batch = conv.batch_groups > 1;
    lhs = folded(b, lhs, {by_batch ? d.input_batch : d.input_feature});
    rhs = folded(b, rhs, {d.kernel_output});
    result = {d.output_feature};
    const char* groups = by_batch ? "batch_group_count" : "feature_group_count";
    attrs.set(groups, attrs.i64(groups) * size);
  } else if (job.is_batched(0)) {
    lhs = folded(b, lhs, {d.input_batch, conv.batch_groups});
    result = {d.output_batch};
  } else {
    rhs = folded(b, rhs, {d.kernel_output, conv.groups()});
    result = {d.output_feature, conv.groups()};
  }
  Type type = job.node.result_types()[0];
  type.dims[std::size_t(result.dim)] *= size;
  Node* made = remake(job.node, b.graph, {lhs, rhs}, std::move(attrs), {type}, b.before);
  job.set(0, unfolded(b, made->result(), result, size));
}

Removal remove_from_windows(const RemovalJob& job) {
  const auto is_part = [](const auto& p) { return p && !is_whole(*p); };
  const bool is_plain = std::none_of(job.flow.operands.begin(), job.flow.operands.end(), is_part) &&
                        std::none_of(job.flow.results.begin(), job.flow.results.end(), is_part);
  return is_plain ? remove_plain(job) : remove_from_each_dim(job);
}

/// An axis of groups leaves fewer of them.
Removal remove_from_convolution(const RemovalJob& job) {
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

}  // namespace partita::ir::ops
