// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "lowering/values/values.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <set>
#include <string_view>
#include <vector>

#include "ir/core/contraction.hpp"
#include "lowering/values/host_operations.hpp"
#include "lowering/values/strided_view.hpp"
#include "lowering/values/tuning_model.hpp"
#include "partita/ir/attention.hpp"
#include "partita/ir/window.hpp"

namespace partita::lowering {

namespace {

using ir::Graph;
using ir::KernelShape;
using ir::Node;
using ir::Value;

/// What a contraction may recompute per element it loads.
constexpr double contraction_operand_cost = 1;
/// The same where vectors of results are computed and each element is read that often.
constexpr std::int64_t often_read = 128;
/// Laying out weights for the library in each call costs as much as so many windows do, about a third of them.
constexpr std::int64_t fewest_windows = 256;
/// The library's call costs a few microseconds.
constexpr double fewest_multiply_adds = 1 << 17;
/// Fewer output features than this fill no vector.
constexpr std::int64_t fewest_columns = 4;
/// A value that several elements of its user need is stored where computing it for each of them costs as much as
/// storing it so often.
constexpr double spread_stores = 3;
/// Updates of a scatter are applied one after the other: what is costlier than this is computed before by all threads, if
/// there are so many.
constexpr double scatter_element_cost = 4;
constexpr std::int64_t fewest_scattered = 4096;
/// Beyond this an expression is cut, so that kernels stay small.
constexpr double kernel_budget = 400;

template <std::size_t n>
bool is_one_of(std::string_view name, const std::array<std::string_view, n>& names) {
  return std::ranges::find(names, name) != names.end();
}

/// Whether windows read an element of the operand more often than once.
bool visits_again(const Node& node) {
  if (node.op().shape != KernelShape::window) return false;
  if (!node.is("stablehlo.reduce_window")) return true;
  for (const ir::WindowDim& w : ir::window_dims(node.operand(0).type(), node.attrs))
    if (w.size > w.stride) return true;
  return false;
}

/// Cost up to which elements of a contraction's operand are computed where they are used.
double operand_cost(const Node& dot, int operand) {
  const ir::ContractionShape s = contraction_shape(dot);
  const DType d = dot.result_types()[0].dtype;
  const bool is_tiled = d == DType::f32 || d == DType::f64;
  return is_tiled && (operand == 0 ? s.n : s.m) >= often_read ? 0 : contraction_operand_cost;
}

/// The same for what windows read more often than once.
double window_operand_cost(const Node& node, const TileSize& most) {
  const bool is_tiled = node.is("stablehlo.convolution") && suits_tiles(node, most);
  return is_tiled ? 0 : contraction_operand_cost;
}

/// The same for indices of a scatter, and for updates that are all of them single elements; others stay as they are.
double scatter_operand_cost(const Node& scatter, int operand) {
  const std::size_t arrays = scatter.operands().size() / 2, k(operand);
  const Type &indices = scatter.operand(arrays).type(),
             &updates = scatter.operand(arrays + 1).type();
  const bool is_index = k == arrays, is_update = k > arrays;
  const bool is_one_by_one =
      is_index || (is_update && scatter.attrs.i64s_or_empty("update_window_dims").empty());
  return is_one_by_one && std::min(indices.count(), updates.count()) >= fewest_scattered
             ? scatter_element_cost
             : kernel_budget;
}

bool is_scalar_integer(Value v) { return ir::is_scalar_integer(v.type()); }

}  // namespace

bool suits_tiles(const ir::Node& convolution, const TileSize& most) {
  const Type &input = convolution.operand(0).type(), &weights = convolution.operand(1).type(),
             &type = convolution.result_types()[0];
  const DType sums = accumulator_dtype(type.dtype);
  if ((sums != DType::f32 && sums != DType::f64) || most.vector_bytes == 0) return false;
  if (!is_float(input.dtype) || !is_float(weights.dtype)) return false;
  if (type.count() == 0 || input.count() == 0 || weights.count() == 0) return false;
  const ir::Convolution conv(input, weights, convolution.attrs);
  return conv.output >= fewest_columns && ir::element_count(conv.window) * conv.input > few_terms;
}

bool is_view_op(const Node& node) {
  const ir::Elements from = node.op().elements;
  return from == ir::Elements::viewed || from == ir::Elements::passed;
}

bool is_library_contraction(const Node& node, const ValuePolicy& policy) {
  if (node.op().shape != KernelShape::contraction) return false;
  const DType d = node.result_types()[0].dtype;
  if (d != DType::f32 && d != DType::f64) return false;
  for (const Value& v : node.operands())
    if (v.type().dtype != d) return false;
  const ir::ContractionShape s = contraction_shape(node);
  if (s.batch == 0 || s.m == 0 || s.n == 0 || s.k == 0) return false;
  if (policy.library != LibraryUse::where_faster) return policy.library == LibraryUse::always;
  if (policy.tuning)
    if (const auto estimate = policy.tuning->estimate(contraction_key(node)))
      return estimate->takes_library();
  return double(s.batch) * double(s.m) * double(s.n) * double(s.k) >=
         double(policy.target.library_threshold);
}

namespace {

/// What a value is a view of.
Value viewed(Value v) {
  while (is_view_op(*v.node) && !v.node->is("stablehlo.reverse") &&
         !v.node->is("stablehlo.broadcast_in_dim"))
    v = v.node->operand(v.node->result_count() > 1 ? std::size_t(v.index) : 0);
  return v;
}

/// Images, then spatial dimensions, features last, in the input and in the result.
bool has_features_last(const ir::ConvolutionDims& d) {
  const auto rank = std::int64_t(d.input_spatial.size());
  bool is_last = d.input_batch == 0 && d.output_batch == 0 && d.input_feature == rank + 1 &&
                 d.output_feature == rank + 1;
  for (std::int64_t k = 0; k < rank; ++k)
    is_last = is_last && d.input_spatial[std::size_t(k)] == k + 1 &&
              d.output_spatial[std::size_t(k)] == k + 1;
  return is_last;
}

/// The library's windows are those of ConvolveWindow.
bool is_library_window(const ir::WindowDim& w) {
  const std::int64_t reach = (w.size - 1) * w.window_dilation + 1;
  return w.base_dilation == 1 && (!w.is_reversed || w.size == 1) && w.low >= 0 && w.high >= 0 &&
         w.low < reach && w.high < reach;
}

/// The library has kernels for these.
bool is_library_grouping(const ir::Convolution& conv) {
  constexpr std::int64_t vector = 16;
  const bool is_depthwise = conv.input == 1 && conv.output == 1;
  return conv.batch_groups == 1 && (conv.groups() == 1 || is_depthwise ||
                                    (conv.input % vector == 0 && conv.output % vector == 0));
}

}  // namespace

const Node* strided_image(const Node& dot, const ValuePolicy& policy) {
  if (!policy.target.library_convolves || !is_library_contraction(dot, policy)) return nullptr;
  const Type &image = dot.operand(0).type(), &weights = dot.operand(1).type();
  const std::int64_t rank = image.rank();
  if (image.dtype != DType::f32 || rank < 3 || rank > 5 || weights.rank() != 2 ||
      dot.attrs.i64s("lhs_contracting_dimensions") != ir::I64s{rank - 1})
    return nullptr;
  const Node& slice = *dot.operand(0).node;
  if (!slice.is("stablehlo.slice")) return nullptr;
  const Dims& whole = slice.operand(0).type().dims;
  const ir::I64s& strides = slice.attrs.i64s("strides");
  for (std::size_t d = 0; d < whole.size(); ++d) {
    const bool is_spatial = d != 0 && d + 1 != whole.size();
    if (slice.attrs.i64s("start_indices")[d] != 0 || (strides[d] != 1 && !is_spatial) ||
        image.dims[d] != (whole[d] - 1) / strides[d] + 1)
      return nullptr;
  }
  const ir::ContractionShape s = contraction_shape(dot);
  const bool stays = viewed(dot.operand(1)).node->is("stablehlo.constant");
  return s.m >= (stays ? fewest_rows_by_constant : fewest_windows) ? &slice : nullptr;
}

bool is_library_convolution(const Node& node, const ValuePolicy& policy) {
  if (!policy.target.library_convolves || policy.library == LibraryUse::never ||
      !node.is("stablehlo.convolution"))
    return false;
  const Type &input = node.operand(0).type(), &weights = node.operand(1).type(),
             &type = node.result_types()[0];
  for (const Type* t : {&input, &weights, &type})
    if (t->dtype != DType::f32 || t->count() == 0) return false;
  const ir::Convolution conv(input, weights, node.attrs);
  if (conv.window.empty() || conv.window.size() > 3 || !has_features_last(conv.dims) ||
      !std::ranges::all_of(conv.window, is_library_window) || !is_library_grouping(conv))
    return false;
  std::int64_t windows = conv.batch;
  for (const ir::WindowDim& w : conv.window) windows *= w.count();
  const bool stays = viewed(node.operand(1)).node->is("stablehlo.constant");
  if (!stays && windows < fewest_windows) return false;
  return double(windows) * double(weights.count()) >= fewest_multiply_adds;
}

ValueAnalysis::ValueAnalysis(const Graph& body, const ValuePolicy& policy) : policy_(policy) {
  find_host_scalars(body);
  for (const Value& v : body.arguments()) materialised_.insert(v);
  for (const Value& v : body.results) force_value(v);
  force(body);
  form_epilogues(body);
  find_uses(body);
  estimate(body);
  decide(body);
  reconsider(body);
  keep_whole_epilogues(body);
}

/// Calls `visit` for the contractions of a function, whose regions are control flow.
static void for_contractions(const Graph& graph, const std::function<void(Node&)>& visit) {
  for (Node* node : graph.nodes()) {
    if (node->op().shape == KernelShape::contraction) visit(*node);
    if (node->op().shape != KernelShape::none) continue;
    for (const auto& region : node->regions()) for_contractions(*region, visit);
  }
}

void ValueAnalysis::form_epilogues(const Graph& graph) {
  epilogues_ = find_epilogues(
      graph,
      [this](const Node& node) {
        return is_library_contraction(node, policy_) &&
               (strided_image(node, policy_) != nullptr ||
                has_matrix_layouts(node,
                                   {library_operand(node, true), library_operand(node, false)},
                                   [this](Value v) { return host_.contains(v); }));
      },
      [this](Value v) { return materialised_.contains(v); });
  std::set<const Node*> fused;
  for (const auto& [root, epilogue] : epilogues_) {
    force_value(root);
    fused.insert(epilogue.contraction);
  }
  for_contractions(graph, [&](Node& node) {
    if (!fused.contains(&node)) force_value(node.result());
  });
}

/// An epilogue of which a part got memory after all ends where it begins.
void ValueAnalysis::keep_whole_epilogues(const Graph& graph) {
  std::erase_if(epilogues_, [this](const auto& entry) {
    const auto& chain = entry.second.chain;
    return std::any_of(chain.begin(), chain.end() - 1,
                       [this](Node* node) { return materialised_.contains(node->result()); });
  });
  std::set<const Node*> fused;
  for (const auto& [root, epilogue] : epilogues_) fused.insert(epilogue.contraction);
  for_contractions(graph, [&](Node& node) {
    if (!fused.contains(&node)) force_value(node.result());
  });
}

void ValueAnalysis::force_value(Value v) { materialised_.insert(v); }

/// The host counts a loop whose first and last number it knows.
void ValueAnalysis::note_counter(Node& node, const ir::CountedLoop& loop) {
  const Value end = *loop.outer_end;
  const bool end_is_host =
      host_.contains(end) || (end.node->is("stablehlo.constant") && is_scalar_integer(end));
  if (!end_is_host || !host_.contains(node.operand(std::size_t(loop.induction)))) return;
  host_.insert(node.region(1).argument(loop.induction));
  host_.insert(node.region(0).argument(loop.induction));
  host_.insert(node.result(loop.induction));
  if (node.region(0).is_argument(loop.end)) host_.insert(node.region(1).argument(loop.end.index));
}

void ValueAnalysis::find_host_scalars(const Graph& graph) {
  for (Node* node : graph.nodes()) {
    if (const auto loop = ir::counted_loop(*node); loop && loop->outer_end && loop->rising_step())
      note_counter(*node, *loop);
    if (node->is("mr.foreach")) {
      host_.insert(node->region(0).argument(0));
      host_.insert(node->region(0).argument(1));
    }
    for (const auto& region : node->regions()) find_host_scalars(*region);
    if (node->result_count() != 1 || !is_scalar_integer(node->result())) continue;
    const bool operands_are_host =
        std::ranges::all_of(node->operands(), [&](Value v) { return host_.contains(v); });
    if (node->is("stablehlo.constant") || node->is("mr.shard_index") ||
        (operands_are_host && host_operation(*node) != nullptr))
      host_.insert(node->result());
  }
}

/// Whether computing elements of `v` reads `array`, as far as a look at some nodes tells.
static bool reads(Value v, Value array) {
  constexpr std::size_t most_nodes = 64;
  std::vector<Value> open{v};
  std::set<Value> seen{v};
  for (std::size_t k = 0; k < open.size() && k < most_nodes; ++k) {
    if (open[k] == array) return true;
    if (open[k].node == nullptr || open[k].node->op().shape != KernelShape::loops) continue;
    for (const Value& operand : open[k].node->operands())
      if (seen.insert(operand).second) open.push_back(operand);
  }
  return false;
}

/// What a small part of an array is replaced by is computed before where it reads that array: who only writes the array may
/// do it in place, and loops that carry it copy nothing.
void ValueAnalysis::force_updates(const Node& node) {
  constexpr std::int64_t least_ratio = 4;
  const bool is_slice = node.is("stablehlo.dynamic_update_slice");
  if (!is_slice && !node.is("stablehlo.scatter")) return;
  const std::size_t arrays = is_slice ? 1 : node.operands().size() / 2;
  for (std::size_t a = 0; a < arrays; ++a)
    for (std::size_t k = arrays; k < node.operands().size(); ++k) {
      const Value array = node.operand(a), v = node.operand(k);
      if (v.type().count() * least_ratio <= array.type().count() && reads(v, array)) force_value(v);
    }
}

void ValueAnalysis::force(const Graph& graph) {
  for (Node* node : graph.nodes()) {
    force_updates(*node);
    const KernelShape shape = node->op().shape;
    const bool is_loops =
        shape == KernelShape::loops && !node->is("stablehlo.dynamic_update_slice");
    if (!is_loops && shape != KernelShape::contraction)
      for (int k = 0; k < node->result_count(); ++k) force_value(node->result(k));
    const bool is_dense_constant =
        node->is("stablehlo.constant") &&
        !(*node->attrs.find("value")->get_if<ir::DenseRef>())->is_splat();
    if (is_dense_constant) force_value(node->result());
    // Control flow and collectives take and give memory; procedures read elements often.
    // What a loop starts from is written into its carries, whether it is in memory or not.
    const bool reads_often = shape == KernelShape::procedure && !node->is("stablehlo.sort");
    const bool takes_memory = shape == KernelShape::none && !node->is("stablehlo.while");
    if (takes_memory || reads_often)
      for (const Value& v : node->operands()) force_value(v);
    if (is_library_contraction(*node, policy_)) force_operands(*node);
    if (is_library_convolution(*node, policy_)) {
      Value input = node->operand(0);
      while (input.node->is("stablehlo.reshape")) input = input.node->operand(0);
      force_value(input);
      force_viewed(node->operand(1));
    }
    const bool folds = node->is("mr.foreach");
    for (const auto& region : node->regions()) {
      if (shape != KernelShape::none) continue;  // combiners of reduce and scatter are scalar code
      for (const Value& v : region->arguments()) materialised_.insert(v);
      if (!folds)
        for (const Value& v : region->results) force_value(v);
      force(*region);
    }
  }
}

/// Whether both operands are f32 that was bf16, which lies as the library reads matrices.
bool ValueAnalysis::suits_bf16(const Node& dot) const {
  if (!policy_.target.library_reads_bf16 || dot.result_types()[0].dtype != DType::f32) return false;
  const auto is_widened = [](Value v) {
    return v.node->is("stablehlo.convert") && v.node->operand(0).type().dtype == DType::bf16;
  };
  return std::ranges::all_of(dot.operands(), is_widened) &&
         has_matrix_layouts(dot, {dot.operand(0).node->operand(0), dot.operand(1).node->operand(0)},
                            [this](Value v) { return host_.contains(v); });
}

Value ValueAnalysis::library_operand(const Node& dot, bool is_lhs) const {
  const Value v = dot.operand(is_lhs ? 0 : 1);
  return reads_bf16(dot) ? v.node->operand(0) : v;
}

void ValueAnalysis::force_operands(const Node& dot) {
  if (suits_bf16(dot)) bf16_products_.insert(&dot);
  for (const bool is_lhs : {true, false}) {
    const Value v = library_operand(dot, is_lhs);
    force_viewed(v);
  }
}

/// What the library reads as a view is not copied.
void ValueAnalysis::force_viewed(Value v) {
  force_value(is_strided_view(v, [this](Value x) { return host_.contains(x); }) ? viewed(v) : v);
}

double ValueAnalysis::cost(Value v) const {
  if (materialised_.contains(v) || host_.contains(v)) return 0;
  const auto it = cost_.find(v);
  return it == cost_.end() ? 0 : it->second;
}

void ValueAnalysis::find_uses(const Graph& graph) {
  for (Node* node : graph.nodes()) {
    for (std::size_t k = 0; k < node->operands().size() && !reads_bf16(*node); ++k)
      uses_[node->operand(k)].push_back({node, int(k), &graph});
    if (node->op().shape != KernelShape::none) continue;
    for (const auto& region : node->regions()) find_uses(*region);
  }
  for (const Value& v : graph.results) uses_[v].push_back({nullptr, 0, &graph});
}

double ValueAnalysis::spread(Value v) const {
  double most = 1;
  const auto it = uses_.find(v);
  if (it == uses_.end()) return most;
  for (const Use& use : it->second)
    if (use.user != nullptr && use.user->op().shape == KernelShape::loops)
      most = std::max(most, double(use.user->result_types()[0].count()) /
                                double(std::max<std::int64_t>(v.type().count(), 1)));
  return most;
}

void ValueAnalysis::estimate(const Graph& graph) {
  for (Node* node : graph.nodes()) {
    if (node->op().shape == KernelShape::loops) {
      double total = node->op().element_cost();
      for (const Value& v : node->operands()) total += cost(v);
      for (int k = 0; k < node->result_count(); ++k) {
        const Value v = node->result(k);
        cost_[v] = total;
        // What several elements need is better read than computed for each of them.
        const double store = policy_.target.store_operations;
        const bool is_costly = total >= store && total * (spread(v) - 1) >= spread_stores * store;
        if (total > kernel_budget || (is_costly && !host_.contains(v))) force_value(v);
      }
    }
    if (node->op().shape != KernelShape::none) continue;
    for (const auto& region : node->regions()) estimate(*region);
  }
}

/// What computing v again may cost before it is stored instead, given what becomes of its users.
double ValueAnalysis::limit(Value v, const Graph& graph) {
  double limit = kernel_budget;
  std::set<const void*> roots;
  bool changes_index = false, is_captured = false;
  const auto& uses = uses_[v];
  for (const Use& use : uses) {
    if (use.graph != &graph) is_captured = true;
    if (use.user == nullptr) {  // folded into a foreach's accumulator or stack
      roots.insert(&graph);
      continue;
    }
    const Node& user = *use.user;
    if (visits_again(user))
      limit = std::min(limit, window_operand_cost(user, policy_.target.tile()));
    if (user.op().shape == KernelShape::attention) {
      // Masks and the like are as large as the scores that nobody stores: however many kernels take them, it is one
      // root.
      if (std::size_t(use.operand) >= ir::first_region_operand(user)) {
        roots.insert(this);
        continue;
      }
      // Queries, keys, values and what is of their rows are read again and again.
      limit = std::min(limit, contraction_operand_cost);
    }
    if (user.op().shape == KernelShape::contraction)
      limit = std::min(limit, operand_cost(user, use.operand));
    if (user.is("stablehlo.scatter") && policy_.target.device_class == DeviceClass::multicore)
      limit = std::min(limit, scatter_operand_cost(user, use.operand));
    changes_index |=
        user.op().element_cost() == 0 ||
        is_one_of<3>(user.name(), {"stablehlo.concatenate", "stablehlo.pad", "stablehlo.gather"});
    if (user.op().shape == KernelShape::loops && !materialised_.contains(use.user->result()))
      roots.insert(roots_[use.user->result()].begin(), roots_[use.user->result()].end());
    else
      roots.insert(use.user);
  }
  if (roots.size() > 1) limit = std::min(limit, policy_.target.store_operations);
  if (is_captured || (uses.size() > 1 && changes_index)) limit = 0;
  roots_[v] = std::move(roots);
  return limit;
}

void ValueAnalysis::decide(const Graph& graph) {
  const auto& nodes = graph.nodes();
  for (auto it = nodes.rbegin(); it != nodes.rend(); ++it) {
    Node* node = *it;
    if (node->op().shape == KernelShape::none)
      for (const auto& region : node->regions()) decide(*region);
    if (node->op().shape != KernelShape::loops) continue;
    for (int k = 0; k < node->result_count(); ++k) {
      const Value v = node->result(k);
      if (materialised_.contains(v) || host_.contains(v)) continue;
      limits_[v] = limit(v, graph);
      if (cost(v) > limits_[v]) force_value(v);
    }
  }
}

void ValueAnalysis::reconsider(const Graph& graph) {
  for (Node* node : graph.nodes()) {
    if (node->op().shape == KernelShape::none)
      for (const auto& region : node->regions()) reconsider(*region);
    if (node->op().shape != KernelShape::loops) continue;
    double total = node->op().element_cost();
    for (const Value& v : node->operands()) total += cost(v);
    for (int k = 0; k < node->result_count(); ++k) {
      const Value v = node->result(k);
      cost_[v] = total;
      const auto it = limits_.find(v);
      if (it == limits_.end()) continue;
      if (total > it->second)
        force_value(v);
      else
        materialised_.erase(v);
    }
  }
}

}  // namespace partita::lowering
