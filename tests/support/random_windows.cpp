// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "tests/support/random_windows.hpp"

#include <algorithm>
#include <numeric>
#include <random>

#include "partita/base/error.hpp"
#include "partita/ir/maker.hpp"
#include "partita/ir/mesh.hpp"
#include "partita/ir/reduction.hpp"
#include "partita/ir/sharding.hpp"
#include "partita/ir/window.hpp"

namespace partita::testing {
namespace {

using ir::Dict;
using ir::Graph;
using ir::I64s;
using ir::Maker;
using ir::Value;
using ir::WindowDim;

constexpr std::int64_t most_elements = 3000, longest = 48;

class Generator {
 public:
  explicit Generator(unsigned seed) : random_(seed) {}

  WindowProgram run() {
    choose_mesh();
    auto module = std::make_unique<ir::Module>();
    auto f = std::make_unique<ir::Function>();
    f->name = "main";
    f->body = std::make_unique<Graph>();
    graph_ = f->body.get();
    function_ = f.get();
    const DType dtypes[] = {DType::f64, DType::f64, DType::f64, DType::i32};
    dtype_ = dtypes[pick(4)];
    dim_ = pick(3);
    Type type{.dtype = dtype_, .dims = {1 + pick(3), 1 + pick(3), 1 + pick(3)}};
    if (chance(3)) type.dims.push_back(1 + pick(5));
    type.dims[std::size_t(dim_)] = 1 + pick(24);
    Value v = argument(type, true);
    for (int steps = 1 + pick(4); steps > 0; --steps) {
      v = step(v);
      if (chance(4)) results_.push_back(v);
    }
    results_.push_back(v);
    for (const Value& result : results_) {
      f->body->results.push_back(result);
      f->result_types.push_back(result.type());
      f->res_attrs.emplace_back();
      if (!chance(3)) say(f->res_attrs.back(), result.type(), chance(3));
    }
    ir::remove_dead_nodes(*f->body);
    module->items.push_back(
        {.op = "sdy.mesh", .symbol = "mesh", .attrs = {}, .raw = "@mesh = " + ir::to_text(mesh_)});
    WindowProgram program;
    for (const Value& a : f->body->arguments()) program.inputs.push_back(integers(a.type()));
    module->functions.push_back(std::move(f));
    ir::verify(*module);
    program.module = std::move(module);
    program.mesh = ir::to_text(mesh_);
    return program;
  }

 private:
  std::int64_t pick(std::int64_t n) { return std::int64_t(random_() % std::uint64_t(n)); }
  std::int64_t between(std::int64_t a, std::int64_t b) { return a + pick(b - a + 1); }
  bool chance(std::int64_t one_in) { return pick(one_in) == 0; }

  void choose_mesh() {
    mesh_.axes = {{"x", 2 + pick(7)}};
    if (chance(4)) mesh_.axes = {{"x", 2 + pick(3)}, {"y", 2}};
  }

  ir::Tensor integers(const Type& type) {
    HostArray wide(Type{.dtype = DType::f64, .dims = type.dims});
    for (std::int64_t k = 0; k < type.count(); ++k)
      wide.data<DType::f64>()[k] = double(pick(5) - 2);
    return std::make_shared<const HostArray>(convert(wide, type.dtype));
  }

  /// Along the dimension of the neighbours, and along others.
  void say(Dict& attrs, const Type& type, bool is_elsewhere) {
    ir::Sharding sharding{.mesh = "mesh"};
    sharding.dims.resize(type.dims.size());
    for (ir::DimSharding& dim : sharding.dims) dim.is_open = chance(3);
    if (type.dims.empty()) return;
    for (const ir::MeshAxis& axis : mesh_.axes) {
      const bool is_along = !is_elsewhere && !chance(4) && dim_ < type.rank();
      auto& axes = sharding.dims[std::size_t(is_along ? dim_ : pick(type.rank()))].axes;
      axes.insert(chance(2) ? axes.begin() : axes.end(), {.name = axis.name});
    }
    attrs.set("sdy.sharding", ir::to_attribute(sharding));
  }

  Value argument(Type type, bool is_cut) {
    const Value v = function_->body->add_argument(type);
    function_->arg_attrs.resize(std::size_t(function_->body->argument_count()));
    if (is_cut) say(function_->arg_attrs.back(), type, chance(8));
    return v;
  }

  [[nodiscard]] Maker make() const { return Maker{*graph_}; }

  /// A scalar that stands for padding.
  Value filler() {
    const Type scalar = Type::scalar(dtype_);
    if (chance(3) && graph_ == function_->body.get()) return argument(scalar, false);
    return make().splat(scalar, chance(2) ? 0 : double(pick(4) - 1));
  }

  Value step(Value v) {
    static constexpr Value (Generator::*kinds[])(Value) = {
        &Generator::slice,       &Generator::pad,         &Generator::windows,
        &Generator::windows,     &Generator::convolution, &Generator::convolution,
        &Generator::concatenate, &Generator::roll,        &Generator::elementwise,
        &Generator::extrema,     &Generator::kernel,      &Generator::box,
        &Generator::selection,   &Generator::loop};
    return (this->*kinds[pick(std::ssize(kinds))])(v);
  }

  Value elementwise(Value v) {
    const Value w = chance(2) ? argument(v.type(), !chance(3)) : v;
    return make().op(chance(2) ? "stablehlo.subtract" : "stablehlo.maximum", {v, w});
  }

  Value slice(Value v) {
    I64s start, limit, strides;
    for (std::int64_t d = 0; d < v.type().rank(); ++d) {
      const std::int64_t extent = v.type().dims[std::size_t(d)];
      const bool is_whole = d != dim_ && !chance(3);
      start.push_back(is_whole ? 0 : pick(chance(2) ? std::min<std::int64_t>(extent, 2) : extent));
      limit.push_back(is_whole ? extent : between(start.back() + 1, extent));
      if (!is_whole && chance(2)) limit.back() = extent;
      strides.push_back(is_whole || chance(2) ? 1 : 1 + pick(3));
    }
    return make().op("stablehlo.slice", {v},
                     {{"start_indices", start}, {"limit_indices", limit}, {"strides", strides}});
  }

  /// Windows of one dimension with a result of 1 to `longest` elements.
  WindowDim window(std::int64_t extent, std::int64_t most, bool is_plain) {
    WindowDim w{.extent = extent};
    if (is_plain) return w;
    for (int tries = 0; tries < 20; ++tries) {
      w = {.extent = extent,
           .size = 1 + pick(most),
           .stride = chance(2) ? 1 : 1 + pick(3),
           .low = between(-2, 3),
           .high = between(-2, 3),
           .base_dilation = chance(2) ? 1 : 1 + pick(3),
           .window_dilation = chance(2) ? 1 : 1 + pick(2)};
      if (chance(8)) w.low = between(4, 12);
      if (w.count() >= 1 && w.count() <= longest) return w;
    }
    return {.extent = extent};
  }

  std::vector<WindowDim> window_of(const Type& type, std::int64_t most) {
    std::vector<WindowDim> all;
    for (std::int64_t d = 0; d < type.rank(); ++d)
      all.push_back(window(type.dims[std::size_t(d)], most, d != dim_ && !chance(4)));
    return all;
  }

  Value pad(Value v) {
    I64s low, high, interior;
    std::int64_t count = 1;
    for (const WindowDim& w : window_of(v.type(), 1)) {
      low.push_back(w.low);
      high.push_back(w.low + w.spread() + w.high > 0 ? w.high : 1 - w.low - w.spread());
      interior.push_back(w.base_dilation - 1);
      count *= w.low + w.spread() + high.back();
    }
    if (count > most_elements) return v;
    return make().op(
        "stablehlo.pad", {v, filler()},
        {{"edge_padding_low", low}, {"edge_padding_high", high}, {"interior_padding", interior}});
  }

  static Dict attributes(const std::vector<WindowDim>& window) {
    I64s sizes, strides, base, dilation, padding;
    for (const WindowDim& w : window) {
      sizes.push_back(w.size);
      strides.push_back(w.stride);
      base.push_back(w.base_dilation);
      dilation.push_back(w.window_dilation);
      padding.insert(padding.end(), {w.low, w.high});
    }
    return {{"window_dimensions", sizes},
            {"window_strides", strides},
            {"base_dilations", base},
            {"window_dilations", dilation},
            {"padding", ir::padding_attribute(padding)}};
  }

  static std::int64_t result_count(const std::vector<WindowDim>& window) {
    std::int64_t count = 1;
    for (const WindowDim& w : window) count *= w.count();
    return count;
  }

  Value windows(Value v) {
    const auto window = window_of(v.type(), 4);
    if (result_count(window) > most_elements) return v;
    static constexpr Combiner combiners[] = {Combiner::sum, Combiner::max, Combiner::min};
    std::vector<std::unique_ptr<Graph>> regions;
    regions.push_back(ir::make_combiner(combiners[pick(3)], dtype_));
    return ir::create(*graph_, "stablehlo.reduce_window", {v, filler()}, attributes(window),
                      std::move(regions))
        ->result();
  }

  /// The largest element of each window, and where it is.
  Value extrema(Value v) {
    const auto window = window_of(v.type(), 3);
    if (result_count(window) > most_elements) return v;
    auto region = std::make_unique<Graph>();
    const Type element = Type::scalar(dtype_), place = Type::scalar(DType::i32);
    const Value a = region->add_argument(element), i = region->add_argument(place),
                b = region->add_argument(element), j = region->add_argument(place);
    const Maker inside{*region};
    const Value stays = inside.compare("GE", a, b);
    region->results = {inside.op("stablehlo.select", {stays, a, b}),
                       inside.op("stablehlo.select", {stays, i, j})};
    std::vector<std::unique_ptr<Graph>> regions;
    regions.push_back(std::move(region));
    const Value places = make().iota({.dtype = DType::i32, .dims = v.type().dims}, dim_);
    ir::Node* node = ir::create(*graph_, "stablehlo.reduce_window",
                                {v, places, make().splat(element, -9), make().splat(place, -1)},
                                attributes(window), std::move(regions));
    if (graph_ == function_->body.get()) results_.push_back(node->result(1));
    return node->result(0);
  }

  /// The gradient of a pooling, whose windows begin before the array or end behind it at times.
  Value selection(Value v) {
    if (graph_ != function_->body.get()) return v;
    auto window = window_of(v.type(), 3);
    for (WindowDim& w : window) {
      w.base_dilation = w.window_dilation = 1;
      w.size = std::min(w.size, w.extent);
      if (chance(2)) w.low = w.high = -pick(2);
      if (w.count() < 1) w = {.extent = w.extent};
    }
    Dict attrs = attributes(window);
    attrs.erase("base_dilations");
    attrs.erase("window_dilations");
    Type type{.dtype = dtype_, .dims = {}};
    for (const WindowDim& w : window) type.dims.push_back(w.count());
    const Type scalar = Type::scalar(dtype_);
    const Value source = argument(type, !chance(3));
    auto select = std::make_unique<Graph>();
    const Value a = select->add_argument(scalar), b = select->add_argument(scalar);
    select->results = {Maker{*select}.compare(chance(2) ? "GE" : "LT", a, b)};
    std::vector<std::unique_ptr<Graph>> regions;
    regions.push_back(std::move(select));
    regions.push_back(ir::make_combiner(chance(6) ? Combiner::max : Combiner::sum, dtype_));
    return ir::create(*graph_, "stablehlo.select_and_scatter",
                      {v, source, make().splat(scalar, double(pick(2)))}, std::move(attrs),
                      std::move(regions))
        ->result();
  }

  /// Dimensions in any order; `dim_` is spatial in the operand, and stays where it is in the result.
  ir::ConvolutionDims convolution_dims(std::int64_t rank) {
    const auto shuffled = [&] {
      I64s order(std::size_t(rank), 0);
      std::iota(order.begin(), order.end(), 0);
      std::ranges::shuffle(order, random_);
      const auto at = std::ranges::find(order, std::int64_t(dim_));
      std::iter_swap(at, order.begin() + 2);  // the first spatial dimension
      return order;
    };
    const I64s in = shuffled(), kernel = shuffled(), out = shuffled();
    return {.input_batch = in[0],
            .input_feature = in[1],
            .kernel_input = kernel[0],
            .kernel_output = kernel[1],
            .output_batch = out[0],
            .output_feature = out[1],
            .input_spatial = {in.begin() + 2, in.end()},
            .kernel_spatial = {kernel.begin() + 2, kernel.end()},
            .output_spatial = {out.begin() + 2, out.end()}};
  }

  Value convolved(Value v, const ir::ConvolutionDims& dims, const std::vector<WindowDim>& window,
                  Value kernel) {
    I64s strides, base, dilation, padding;
    ir::Bools reversal;
    for (const WindowDim& w : window) {
      strides.push_back(w.stride);
      base.push_back(w.base_dilation);
      dilation.push_back(w.window_dilation);
      padding.insert(padding.end(), {w.low, w.high});
      reversal.values.push_back(w.is_reversed);
    }
    return make().op("stablehlo.convolution", {v, kernel},
                     {{"dimension_numbers", ir::dimension_numbers(dims)},
                      {"window_strides", strides},
                      {"padding", ir::padding_attribute(padding)},
                      {"lhs_dilation", base},
                      {"rhs_dilation", dilation},
                      {"window_reversal", reversal},
                      {"feature_group_count", std::int64_t(1)},
                      {"batch_group_count", std::int64_t(1)}});
  }

  Value convolution(Value v) {
    if (graph_ != function_->body.get()) return v;
    const ir::ConvolutionDims dims = convolution_dims(v.type().rank());
    Type kernel{.dtype = dtype_, .dims = Dims(v.type().dims.size(), 1)};
    std::vector<WindowDim> window;
    std::int64_t count = 1;
    for (std::size_t k = 0; k < dims.input_spatial.size(); ++k) {
      const std::int64_t d = dims.input_spatial[k];
      WindowDim& w = window.emplace_back(
          this->window(v.type().dims[std::size_t(d)], 4, d != dim_ && !chance(4)));
      w.is_reversed = chance(4);
      kernel.dims[std::size_t(dims.kernel_spatial[k])] = w.size;
      count *= w.count();
    }
    kernel.dims[std::size_t(dims.kernel_input)] = v.type().dims[std::size_t(dims.input_feature)];
    kernel.dims[std::size_t(dims.kernel_output)] = 1 + pick(3);
    if (3 * count * v.type().dims[std::size_t(dims.input_batch)] > most_elements) return v;
    return convolved(v, dims, window, argument(kernel, chance(3)));
  }

  /// As the gradient of a kernel: windows almost as long as the dimension, whose kernel is cut as well.
  Value kernel(Value v) {
    if (graph_ != function_->body.get()) return v;
    const ir::ConvolutionDims dims = convolution_dims(v.type().rank());
    Type type{.dtype = dtype_, .dims = Dims(v.type().dims.size(), 1)};
    std::vector<WindowDim> window;
    for (std::size_t k = 0; k < dims.input_spatial.size(); ++k) {
      WindowDim& w = window.emplace_back(
          WindowDim{.extent = v.type().dims[std::size_t(dims.input_spatial[k])]});
      if (dims.input_spatial[k] == dim_) {
        w.window_dilation = 1 + pick(2);
        w.base_dilation = chance(3) ? 2 : 1;
        w.stride = 1 + pick(2);
        w.low = between(-1, 2);
        w.size = std::max<std::int64_t>(1, (w.spread() + w.low - pick(3)) / w.window_dilation);
        // Room for one to four places of the kernel.
        w.high = pick(4) + (w.size - 1) * w.window_dilation + 1 - w.low - w.spread();
      }
      type.dims[std::size_t(dims.kernel_spatial[k])] = w.size;
    }
    type.dims[std::size_t(dims.kernel_input)] = v.type().dims[std::size_t(dims.input_feature)];
    type.dims[std::size_t(dims.kernel_output)] = 1 + pick(3);
    results_.push_back(convolved(v, dims, window, argument(type, true)));
    return v;
  }

  Value concatenate(Value v) {
    std::vector<Value> parts;
    for (std::int64_t k = 1 + pick(3); k > 0; --k) {
      Type type = v.type();
      type.dims[std::size_t(dim_)] = between(0, 5);
      parts.push_back(chance(3)                         ? v
                      : graph_ != function_->body.get() ? make().splat(type, 1)
                                                        : argument(type, !chance(3)));
    }
    parts.insert(parts.begin() + pick(std::ssize(parts) + 1), v);
    std::int64_t total = 0;
    for (const Value& part : parts) total += part.type().dims[std::size_t(dim_)];
    if (total > longest) return v;
    return make().op("stablehlo.concatenate", parts, {{"dimension", std::int64_t(dim_)}});
  }

  Value roll(Value v) {
    const std::int64_t extent = v.type().dims[std::size_t(dim_)];
    const std::int64_t by = chance(2) ? std::min<std::int64_t>(1, extent) : pick(extent + 1);
    return make().op("stablehlo.concatenate",
                     {make().part(v, dim_, extent - by, by), make().part(v, dim_, 0, extent - by)},
                     {{"dimension", std::int64_t(dim_)}});
  }

  /// A box at a constant place along the dimension, written or combined with what is there.
  Value box(Value v) {
    Type type = v.type();
    std::vector<std::int64_t> starts;
    for (std::size_t d = 0; d < type.dims.size(); ++d) {
      const std::int64_t extent = type.dims[d];
      const bool is_whole = std::int64_t(d) != dim_ && chance(2);
      type.dims[d] = is_whole    ? extent
                     : chance(2) ? std::max<std::int64_t>(1, extent - 2)
                                 : 1 + pick(extent);
      starts.push_back(pick(extent - type.dims[d] + 1));
    }
    const bool is_inside_loop = graph_ != function_->body.get();
    Value update = v;
    for (std::size_t d = 0; d < type.dims.size(); ++d)
      update = make().part(update, std::int64_t(d), 0, type.dims[d]);
    if (!is_inside_loop && !chance(4)) update = argument(type, !chance(3));
    if (chance(2)) {
      std::vector<Value> operands{v, update};
      for (std::size_t d = 0; d < starts.size(); ++d) {
        const bool is_known = std::int64_t(d) == dim_ || is_inside_loop || chance(2);
        operands.push_back(is_known ? make().splat(Type::scalar(DType::i32), double(starts[d]))
                                    : argument(Type::scalar(DType::i32), false));
      }
      return make().op("stablehlo.dynamic_update_slice", operands);
    }
    HostArray indices(Type{.dtype = DType::i32, .dims = {std::ssize(starts)}});
    I64s all;
    for (std::size_t d = 0; d < starts.size(); ++d) {
      indices.data<DType::i32>()[d] = std::int32_t(starts[d]);
      all.push_back(std::int64_t(d));
    }
    auto region = std::make_unique<Graph>();
    const Value a = region->add_argument(Type::scalar(dtype_)),
                b = region->add_argument(Type::scalar(dtype_));
    region->results = {chance(2) ? b : Maker{*region}.op("stablehlo.subtract", {b, a})};
    std::vector<std::unique_ptr<Graph>> regions;
    regions.push_back(std::move(region));
    return ir::create(*graph_, "stablehlo.scatter",
                      {v, make().constant(ir::make_dense(indices)), update},
                      {{"update_window_dims", all},
                       {"inserted_window_dims", I64s{}},
                       {"input_batching_dims", I64s{}},
                       {"scatter_indices_batching_dims", I64s{}},
                       {"scatter_dims_to_operand_dims", all},
                       {"index_vector_dim", std::int64_t(0)}},
                      std::move(regions))
        ->result();
  }

  /// A few steps, back to the type by a slice or a pad, carried by a loop.
  Value loop(Value v) {
    if (graph_ != function_->body.get()) return v;
    const Type counter = Type::scalar(DType::i32);
    std::vector<std::unique_ptr<Graph>> regions;
    for (int r = 0; r < 2; ++r) {
      regions.push_back(std::make_unique<Graph>());
      regions.back()->add_argument(counter);
      regions.back()->add_argument(v.type());
    }
    Graph &condition = *regions[0], &body = *regions[1];
    condition.results = {
        Maker{condition}.compare("LT", condition.argument(0), Maker{condition}.splat(counter, 2))};
    const Value start = make().splat(counter, 0);
    graph_ = &body;
    Value x = body.argument(1);
    for (std::int64_t steps = 1 + pick(2); steps > 0; --steps) {
      const Value before = x;
      x = step(x);
      if (x.type().dtype != before.type().dtype) x = before;
    }
    I64s low, high, none;
    for (std::size_t d = 0; d < v.type().dims.size(); ++d) {
      const std::int64_t more = v.type().dims[d] - x.type().dims[d];
      low.push_back(std::int64_t(d) == dim_ ? more / 2 : 0);
      high.push_back(more - low.back());
      none.push_back(0);
    }
    x = make().op(
        "stablehlo.pad", {x, filler()},
        {{"edge_padding_low", low}, {"edge_padding_high", high}, {"interior_padding", none}});
    if (chance(2)) x = make().op("stablehlo.subtract", {x, chance(2) ? v : body.argument(1)});
    body.results = {make().op("stablehlo.add", {body.argument(0), make().splat(counter, 1)}), x};
    graph_ = function_->body.get();
    return ir::create(*graph_, "stablehlo.while", {start, v}, {}, std::move(regions))->result(1);
  }

  std::mt19937 random_;
  ir::Mesh mesh_;
  ir::Function* function_ = nullptr;
  Graph* graph_ = nullptr;
  DType dtype_ = DType::f64;
  int dim_ = 0;
  std::vector<Value> results_;
};

}  // namespace

WindowProgram random_windows(unsigned seed) { return Generator(seed).run(); }

}  // namespace partita::testing
