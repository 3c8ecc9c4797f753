// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Convolution without an intermediate array: each work-item keeps a tile of windows by output
// features in registers and runs over the elements of a window and the input features of a group.
// Padding and what lies between the elements of a dilated input are read as zero at a place that
// exists, so that the innermost loop has no branch.
#include <algorithm>

#include "kernel/ast/expressions.hpp"
#include "lowering/context/loops.hpp"
#include "lowering/ops/support/reduction.hpp"
#include "lowering/ops/windows/group_convolution.hpp"
#include "lowering/ops/windows/library_convolution.hpp"
#include "lowering/ops/windows/tiled_convolution.hpp"
#include "lowering/ops/windows/window_index.hpp"
#include "lowering/ops/windows/windows.hpp"

namespace partita::lowering {

using namespace kernel;
namespace {

using ir::Convolution;
using ir::Node;
using ir::Value;
using ir::WindowDim;
using scalar::ExprId;

/// Windows and output features that one work-item computes.
struct Tile {
  std::int64_t m = 4, n = 8;
};

class ConvolutionKernel {
 public:
  ConvolutionKernel(Context& context, const Node& node)
      : node_(node),
        conv_(node.operand(0).type(), node.operand(1).type(), node.attrs),
        type_(node.result_types()[0]),
        has_few_terms_(ir::element_count(conv_.window) * conv_.input <= few_terms),
        accumulator_(has_few_terms_ ? type_.dtype : accumulator_dtype(type_.dtype)),
        body_(context, step_name(node)) {
    for (const WindowDim& w : conv_.window) windows_.push_back(w.count());
    rows_ = conv_.batch;
    for (const std::int64_t e : windows_) rows_ *= e;
    while (tile_.m > rows_) tile_.m /= 2;
    while (tile_.n > conv_.output) tile_.n /= 2;
    row_tiles_ = (rows_ + tile_.m - 1) / tile_.m;
    column_tiles_ = (conv_.output + tile_.n - 1) / tile_.n;
    body_.set_items(items());
  }

  [[nodiscard]] std::int64_t items() const { return row_tiles_ * conv_.groups() * column_tiles_; }

  /// The kernel, written; to be launched.
  KernelBody& build(const Location& to) {
    auto& pool = body_.pool();
    const auto place =
        scalar::delinearize(pool, body_.item(), {row_tiles_, conv_.groups(), column_tiles_});
    group_ = place[1];
    for (std::int64_t i = 0; i < tile_.m; ++i)
      rows_at_.push_back(pool.add(pool.mul(place[0], tile_.m), i));
    for (std::int64_t j = 0; j < tile_.n; ++j)
      columns_at_.push_back(pool.add(pool.mul(place[2], tile_.n), j));
    for (std::int64_t t = 0; t < tile_.m * tile_.n; ++t)
      sums_.push_back(body_.declare(accumulator_, pool.constant_of(accumulator_, 0)));
    if (node_.operand(1).type().count() > 0) add_products();
    add_stores(to);
    return body_;
  }

 private:
  /// Past the last one, the last again.
  ExprId safe(ExprId x, std::int64_t extent, std::int64_t step) {
    return extent % step == 0 ? x : body_.pool().min(x, body_.pool().index(extent - 1));
  }

  /// (batch, window…) of a row.
  std::vector<ExprId> row_index(ExprId row) {
    Dims extents{conv_.batch};
    extents.insert(extents.end(), windows_.begin(), windows_.end());
    return scalar::delinearize(body_.pool(), row, extents);
  }

  struct Load {
    ExprId value, inside;
  };
  Load input(ExprId row, const WindowVariables& in_window, ExprId feature) {
    auto& pool = body_.pool();
    if (node_.operand(0).type().count() == 0)  // nothing but padding
      return {pool.constant_of(accumulator_, 0), pool.boolean(true)};
    const auto at = row_index(safe(row, rows_, tile_.m));
    const auto& d = conv_.dims;
    std::vector<ExprId> index(conv_.window.size() + 2);
    const ExprId by_batch = pool.mul(group_, conv_.batch),
                 by_feature = pool.mul(group_, conv_.input);
    const bool is_batch_group = conv_.batch_groups > 1;
    index[std::size_t(d.input_batch)] = is_batch_group ? pool.add(by_batch, at[0]) : at[0];
    index[std::size_t(d.input_feature)] = is_batch_group ? feature : pool.add(by_feature, feature);
    ExprId inside = pool.boolean(true);
    for (std::size_t k = 0; k < conv_.window.size(); ++k) {
      const WindowDim& w = conv_.window[k];
      const WindowIndex p = window_index(pool, w, at[k + 1], in_window.elements[k]);
      inside = pool.logical_and(inside, p.inside);
      index[std::size_t(d.input_spatial[k])] =
          pool.div(pool.clamp(p.position, 0, w.spread() - 1), w.base_dilation);
    }
    return {pool.convert(body_.element(node_.operand(0), index), accumulator_), inside};
  }

  ExprId weight(ExprId column, const WindowVariables& in_window, ExprId feature) {
    auto& pool = body_.pool();
    const auto& d = conv_.dims;
    std::vector<ExprId> index(conv_.window.size() + 2);
    index[std::size_t(d.kernel_input)] = feature;
    index[std::size_t(d.kernel_output)] =
        pool.add(pool.mul(group_, conv_.output), safe(column, conv_.output, tile_.n));
    for (std::size_t k = 0; k < conv_.window.size(); ++k)
      index[std::size_t(d.kernel_spatial[k])] = in_window.elements[k];
    return pool.convert(body_.element(node_.operand(1), index), accumulator_);
  }

  void add_products() {
    auto& pool = body_.pool();
    const WindowVariables in_window = window_variables(body_, conv_.window);
    std::vector<LoopVariable> loops = in_window.loops;
    loops.push_back({body_.new_variable(conv_.input), pool.index(conv_.input)});
    const ExprId feature = conv_.input == 1 ? pool.index(0) : pool.variable(loops.back().slot);
    if (conv_.input == 1) loops.pop_back();
    std::vector<ExprId> a, b;
    for (const ExprId row : rows_at_) {
      const Load load = input(row, in_window, feature);
      // Padding is multiplied too: where the weight is not finite, the sum is no number.
      a.push_back(load.inside == pool.boolean(true)
                      ? load.value
                      : pool.apply("select", accumulator_,
                                   {load.inside, load.value, pool.constant_of(accumulator_, 0)}));
    }
    for (const ExprId column : columns_at_) b.push_back(weight(column, in_window, feature));
    body_.nest(loops, [&] {
      for (std::size_t i = 0; i < a.size(); ++i)
        for (std::size_t j = 0; j < b.size(); ++j) add_product(sums_[i * b.size() + j], a[i], b[j]);
    });
  }

  void add_product(const Register& sum, ExprId a, ExprId b) {
    auto& pool = body_.pool();
    if (!has_few_terms_) return body_.multiply_add(sum, a, b);
    const ExprId product = pool.apply("multiply", accumulator_, {a, b});
    body_.assign(sum, pool.apply("add", accumulator_, {body_.value(sum), product}));
  }

  void add_stores(const Location& to) {
    auto& pool = body_.pool();
    const std::int32_t out = body_.buffer(to, type_.dtype, true);
    body_.note_count(type_.count());
    const auto& d = conv_.dims;
    for (std::size_t i = 0; i < rows_at_.size(); ++i)
      for (std::size_t j = 0; j < columns_at_.size(); ++j) {
        const auto at = row_index(rows_at_[i]);
        std::vector<ExprId> index(conv_.window.size() + 2);
        index[std::size_t(d.output_batch)] = at[0];
        index[std::size_t(d.output_feature)] =
            pool.add(pool.mul(group_, conv_.output), columns_at_[j]);
        for (std::size_t k = 0; k < conv_.window.size(); ++k)
          index[std::size_t(d.output_spatial[k])] = at[k + 1];
        const ExprId linear = scalar::linear_index(pool, index, type_.dims);
        const ExprId sum = body_.value(sums_[i * columns_at_.size() + j]);
        ExprId inside = pool.boolean(true);
        if (rows_ % tile_.m != 0)
          inside = pool.logical_and(inside, pool.less(rows_at_[i], pool.index(rows_)));
        if (conv_.output % tile_.n != 0)
          inside = pool.logical_and(inside, pool.less(columns_at_[j], pool.index(conv_.output)));
        body_.guard_if_needed(inside,
                              [&] { body_.store(out, linear, pool.convert(sum, type_.dtype)); });
      }
  }

  const Node& node_;
  Convolution conv_;
  Type type_;
  bool has_few_terms_;
  DType accumulator_;
  Dims windows_;
  Tile tile_;
  std::int64_t rows_ = 1, row_tiles_ = 1, column_tiles_ = 1;
  KernelBody body_;
  ExprId group_{};
  std::vector<ExprId> rows_at_, columns_at_;
  std::vector<Register> sums_;
};

}  // namespace

/// Whether sums may be taken in any order, and there is something to add up.
static bool suits_products(const Node& node) {
  const Convolution conv(node.operand(0).type(), node.operand(1).type(), node.attrs);
  const Type& type = node.result_types()[0];
  return type.count() > 0 && type.dtype != DType::i1 && node.operand(0).type().count() > 0 &&
         node.operand(1).type().count() > 0 &&
         ir::element_count(conv.window) * conv.input > few_terms;
}

static bool is_contiguous(Context& context, Value v, std::int64_t dimension);
static void lower_generated_convolution(Context& context, Node& node, Location to);
static void lower_tiled_convolution(Context& context, Node& node, Location to);

void lower_convolution(Context& context, Node& node) {
  const Value v = node.result();
  const Location to = context.new_temporary(v.type(), step_name(node));
  if (!lower_library_convolution(context, node, to)) lower_generated_convolution(context, node, to);
  context.place(v, to);
}

static void lower_generated_convolution(Context& context, Node& node, Location to) {
  if (context.policy().target.device_class == DeviceClass::simt && suits_products(node))
    return lower_group_convolution(context, node, to);
  if (suits_tiles(node, context.policy().target.tile()))
    return lower_tiled_convolution(context, node, to);
  if (node.result().type().count() == 0) return;
  ConvolutionKernel k(context, node);
  context.launch(k.build(to), k.items());
}

static void lower_tiled_convolution(Context& context, Node& node, Location to) {
  const Convolution conv(node.operand(0).type(), node.operand(1).type(), node.attrs);
  const DType sums = accumulator_dtype(node.result_types()[0].dtype);
  const Value x = node.operand(0), w = node.operand(1);
  const Type wide_input{.dtype = sums, .dims = x.type().dims};
  std::optional<Location> input, weights;
  if (x.type().dtype != sums) input = memory_as(context, x, sums);
  // Weights lie as the kernel reads them, or are laid out so.
  Type packed{.dtype = sums, .dims = {}};
  for (const WindowDim& d : conv.window) packed.dims.push_back(d.size);
  packed.dims.push_back(conv.input);
  packed.dims.push_back(conv.output * conv.groups());
  const auto weight_index = [&](std::span<const ExprId> at) {
    std::vector<ExprId> index(at.size());
    for (std::size_t k = 0; k < conv.window.size(); ++k)
      index[std::size_t(conv.dims.kernel_spatial[k])] = at[k];
    index[std::size_t(conv.dims.kernel_input)] = at[at.size() - 2];
    index[std::size_t(conv.dims.kernel_output)] = at[at.size() - 1];
    return index;
  };
  if (!is_contiguous(context, w, conv.dims.kernel_output) || w.type().dtype != sums) {
    weights = context.new_temporary(packed, "weights");
    lower_each(context, *weights, packed, "pack_" + step_name(node),
               [&](KernelBody& body, auto index) {
                 return body.pool().convert(body.element(w, weight_index(index)), sums);
               });
  }
  const auto load = [&](KernelBody& body, const Location& at, const Type& type,
                        std::span<const ExprId> index) {
    body.note_count(type.count());
    return body.pool().load(body.buffer(at, sums, false), sums,
                            scalar::linear_index(body.pool(), index, type.dims));
  };
  const auto weight = [&](KernelBody& body, std::span<const ExprId> i) {
    return weights ? load(body, *weights, packed, i) : body.element(w, weight_index(i));
  };
  // Most elements that windows meet in a dilated input are padding.
  const bool is_dilated =
      std::ranges::any_of(conv.window, [](const WindowDim& d) { return d.base_dilation > 1; });
  Type by_place{.dtype = sums, .dims = packed.dims};
  by_place.dims.erase(by_place.dims.end() - 2);
  std::optional<Location> padding;
  if (is_dilated) {
    padding = context.new_temporary(by_place, "padding");
    lower_each(context, *padding, by_place, "padding_of_" + step_name(node),
               [&](KernelBody& body, auto index) {
                 const ExprId zero = body.pool().constant_of(sums, 0);
                 const Register sum = body.declare(sums, zero);
                 body.loop(conv.input, [&](ExprId feature) {
                   std::vector<ExprId> at(index.begin(), index.end());
                   at.insert(at.end() - 1, feature);
                   body.multiply_add(sum, zero, weight(body, at));
                 });
                 return body.value(sum);
               });
  }
  KernelBody body(context, step_name(node));
  ConvolutionWork work{.node = node,
                       .to = to,
                       .most = context.policy().target.tile(),
                       .sums = sums,
                       .input =
                           [&](std::span<const ExprId> i) {
                             return input ? load(body, *input, wide_input, i) : body.element(x, i);
                           },
                       .weight = [&](std::span<const ExprId> i) { return weight(body, i); },
                       .padding = {}};
  if (padding)
    work.padding = [&](std::span<const ExprId> i) { return load(body, *padding, by_place, i); };
  const std::int64_t items = tile_convolution(work, body);
  context.launch(body, items, true);
}

/// Whether the elements of a value lie side by side in memory along a dimension.
static bool is_contiguous(Context& context, Value v, std::int64_t dimension) {
  KernelBody body(context, "scratch");
  std::vector<ExprId> index;
  std::int32_t along = 0;
  for (std::int64_t d = 0; d < std::int64_t(v.type().dims.size()); ++d) {
    const std::int64_t extent = v.type().dims[std::size_t(d)];
    const std::int32_t variable = body.new_variable(extent);
    if (d == dimension) along = variable;
    index.push_back(body.pool().variable(variable));
  }
  const scalar::Expr& e = body.pool()[body.element(v, index)];
  return e.kind == scalar::ExprKind::load && index_stride(body.pool(), e.operands[0], along) == 1;
}

}  // namespace partita::lowering
