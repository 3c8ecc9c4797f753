// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "ops/support/derivative_support.hpp"
#include "ops/windows/window_derivatives.hpp"
#include "partita/ir/reduction.hpp"
#include "partita/ir/window.hpp"

namespace partita::ir::ops {
namespace {

/// Larger windows that are no scan are not written element by element.
constexpr std::int64_t most_elements = 4096;

I64s all_dims(const Type& type) {
  I64s all;
  for (std::int64_t d = 0; d < type.rank(); ++d) all.push_back(d);
  return all;
}

Dict attributes(const std::vector<WindowDim>& window) {
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
          {"padding", padding_attribute(padding)}};
}

/// Sums over windows, without an initial value.
Value window_sums(const DerivativeContext& c, Value v, Dict attrs) {
  std::vector<std::unique_ptr<Graph>> regions;
  regions.push_back(make_combiner(Combiner::sum, v.type().dtype));
  return create(c.graph, "stablehlo.reduce_window", {v, c.zeros(Type::scalar(v.type().dtype))},
                std::move(attrs), std::move(regions))
      ->result();
}

class WindowRule {
 public:
  explicit WindowRule(DerivativeContext& c)
      : c_(c),
        n_(c.node.operands().size() / 2),
        x_(c.node.operand(0)),
        window_(window_dims(x_.type(), c.node.attrs)),
        region_(c.node.region(0)) {
    if (n_ == 1 && has_tangent(x_.type())) combiner_ = simple_combiner(region_);
  }

  [[nodiscard]] bool is_sum() const { return combiner_ == Combiner::sum; }

  Values vjp(const Values& cotangents) {
    if (c_.node.result_types()[0].count() == 0) return {};
    const auto scan = scan_shape(window_);
    if (is_sum()) return of_sum(cotangents[0]);
    const bool is_scan = scan && absorbs_constants(region_, inits());
    if (!is_scan && (combiner_ == Combiner::max || combiner_ == Combiner::min) && !is_dilated())
      return of_extremum(cotangents[0], *combiner_);
    if (!is_scan && element_count(window_) > most_elements)
      c_.refuse(cat("windows of more than ", most_elements, " elements by such a region"));
    return vjp_of(c_, cotangents, [&] { return is_scan ? scanned(*scan) : combined(); });
  }

 private:
  [[nodiscard]] std::vector<Value> inits() const {
    return {c_.node.operands().begin() + std::ptrdiff_t(n_), c_.node.operands().end()};
  }
  [[nodiscard]] bool is_dilated() const {
    return std::ranges::any_of(window_, [](const WindowDim& w) {
      return w.base_dilation != 1 || (w.window_dilation != 1 && w.size > 1);
    });
  }

  /// Windows of the cotangent that hold what an element went into.  The initial value is added once,
  /// and for each element of padding.
  Values of_sum(Value g) const {
    Values results(2);
    if (c_.wanted(0) && x_.type().count() == 0) {
      results[0] = c_.zeros(x_.type());
    } else if (c_.wanted(0)) {
      std::vector<WindowDim> transposed;
      for (const WindowDim& w : window_) {
        WindowDim& t = transposed.emplace_back(w);
        t.extent = w.count();
        std::swap(t.stride, t.base_dilation);
        t.low = (w.size - 1) * w.window_dilation - w.low;
        t.high = w.spread() + w.low - t.spread();
      }
      results[0] = window_sums(c_, g, attributes(transposed));
    }
    if (c_.wanted(1)) {
      const Value inside = window_sums(c_, c_.splat(x_.type(), 1), c_.node.attrs);
      const Value times = c_.op("stablehlo.subtract",
                                {c_.splat(g.type(), double(element_count(window_) + 1)), inside});
      results[1] = c_.sum(c_.multiply(g, times), all_dims(g.type()));
    }
    return results;
  }

  /// To the first element that is the largest, unless the initial value is larger still.
  Values of_extremum(Value g, Combiner combiner) const {
    const Value init = c_.node.operand(1), y = c_.node.result();
    const Value identity =
        create_constant(c_.graph, combiner_identity(combiner, Type::scalar(x_.type().dtype)));
    Values results(2);
    if (!absorbs_everything(combiner, init)) {
      std::vector<std::unique_ptr<Graph>> regions;
      regions.push_back(clone_graph(region_));
      const Value inside = create(c_.graph, "stablehlo.reduce_window", {x_, identity},
                                  c_.node.attrs, std::move(regions))
                               ->result();
      const Value is_inside = c_.compare("EQ", inside, y);
      if (c_.wanted(1))
        results[1] = c_.sum(c_.select(is_inside, c_.zeros(g.type()), g), all_dims(g.type()));
      g = c_.select(is_inside, g, c_.zeros(g.type()));
    }
    if (!c_.wanted(0) || x_.type().count() == 0) return results;
    Dict attrs;
    for (const char* name : {"window_dimensions", "window_strides", "padding"})
      if (const Attribute* a = c_.node.attrs.find(name)) attrs.set(name, *a);
    auto select = std::make_unique<Graph>();
    const Type scalar = Type::scalar(x_.type().dtype);
    const Value a = select->add_argument(scalar), b = select->add_argument(scalar);
    select->results = {DerivativeContext(c_.node, *select, c_.sweep, c_.path)
                           .compare(combiner == Combiner::max ? "GE" : "LE", a, b)};
    std::vector<std::unique_ptr<Graph>> regions;
    regions.push_back(std::move(select));
    regions.push_back(make_combiner(Combiner::sum, x_.type().dtype));
    results[0] = create(c_.graph, "stablehlo.select_and_scatter", {x_, g, c_.zeros(scalar)},
                        std::move(attrs), std::move(regions))
                     ->result();
    return results;
  }

  /// Whether the initial value is the constant that changes nothing.
  [[nodiscard]] static bool absorbs_everything(Combiner combiner, Value init) {
    if (!init.node->is("stablehlo.constant")) return false;
    const auto* value = init.node->attrs.find("value")->get_if<DenseRef>();
    return (*value)->to_array().bytes == combiner_identity(combiner, init.type())->to_array().bytes;
  }

  /// f(initial values, totals) at each place; in a reversed scan the initial values come last.
  Values with_inits(const Values& totals, bool at_end) const {
    Values before, after = totals;
    for (const Value& v : inits()) before.push_back(c_.broadcast(v, totals[0].type().dims, I64s{}));
    if (at_end) std::swap(before, after);
    before.insert(before.end(), after.begin(), after.end());
    return apply_region(c_, region_, before);
  }

  /// Each step combines what the step before gave for an element and for one twice as far away.
  Values scanned(const ScanShape& shape) const {
    const auto d = std::size_t(shape.dimension);
    const std::int64_t extent = x_.type().dims[d];
    Values totals(c_.node.operands().begin(), c_.node.operands().begin() + std::ptrdiff_t(n_));
    for (std::int64_t step = 1; step < extent; step *= 2) {
      Values pairs = slices(c_, totals, d, 0, extent - step);
      const Values right = slices(c_, totals, d, step, extent);
      pairs.insert(pairs.end(), right.begin(), right.end());
      const Values joined = apply_region(c_, region_, pairs);
      const Values alone = shape.is_reverse ? slices(c_, totals, d, extent - step, extent)
                                            : slices(c_, totals, d, 0, step);
      for (std::size_t k = 0; k < n_; ++k) {
        const Values parts =
            shape.is_reverse ? Values{joined[k], alone[k]} : Values{alone[k], joined[k]};
        totals[k] = c_.op("stablehlo.concatenate", parts, {{"dimension", shape.dimension}});
      }
    }
    return with_inits(totals, shape.is_reverse);
  }

  /// Element k of all windows.
  Values elements(const Values& padded, std::span<const std::int64_t> k) const {
    I64s start, limit, step;
    for (std::size_t d = 0; d < window_.size(); ++d) {
      start.push_back(k[d] * window_[d].window_dilation);
      limit.push_back(start.back() + (window_[d].count() - 1) * window_[d].stride + 1);
      step.push_back(window_[d].stride);
    }
    Values results;
    for (const Value& v : padded)
      results.push_back(
          c_.op("stablehlo.slice", {v},
                {{"start_indices", start}, {"limit_indices", limit}, {"strides", step}}));
    return results;
  }

  /// The elements of windows as arrays of their own, combined in order by a tree.
  Values combined() const {
    I64s low, high, interior;
    Dims sizes;
    for (const WindowDim& w : window_) {
      low.push_back(w.low);
      high.push_back(w.high);
      interior.push_back(w.base_dilation - 1);
      sizes.push_back(w.size);
    }
    Values padded;
    for (std::size_t k = 0; k < n_; ++k)
      padded.push_back(c_.op("stablehlo.pad", {c_.node.operand(k), c_.node.operand(n_ + k)},
                             {{"edge_padding_low", low},
                              {"edge_padding_high", high},
                              {"interior_padding", interior}}));
    std::vector<Values> parts;
    for_each_index(sizes,
                   [&](std::span<const std::int64_t> k) { parts.push_back(elements(padded, k)); });
    while (parts.size() > 1) {
      std::vector<Values> joined;
      for (std::size_t i = 0; i + 1 < parts.size(); i += 2) {
        Values pair = parts[i];
        pair.insert(pair.end(), parts[i + 1].begin(), parts[i + 1].end());
        joined.push_back(apply_region(c_, region_, pair));
      }
      if (parts.size() % 2 == 1) joined.push_back(parts.back());
      parts = std::move(joined);
    }
    return with_inits(parts[0], false);
  }

  DerivativeContext& c_;
  std::size_t n_;
  Value x_;
  std::vector<WindowDim> window_;
  const Graph& region_;
  std::optional<Combiner> combiner_;
};

Values vjp(DerivativeContext& c, const Values& cotangents) { return WindowRule(c).vjp(cotangents); }

Values jvp(DerivativeContext& c, const Values& tangents) {
  if (!WindowRule(c).is_sum()) return transposed_jvp(c, tangents);
  Values operands;
  for (std::size_t k = 0; k < tangents.size(); ++k)
    operands.push_back(c.or_zeros(tangents[k], c.node.operand(k).type()));
  return c.same(operands);
}

// --- Select and scatter -------------------------------------------------------------------------

/// Of two elements with their places the one that stays: `select` decides between elements, and a
/// place below 0 is padding.
std::unique_ptr<Graph> selecting_region(const DerivativeContext& c, const Graph& select,
                                        const Type& element, const Type& place) {
  auto region = std::make_unique<Graph>();
  const Value x = region->add_argument(element), i = region->add_argument(place),
              y = region->add_argument(element), j = region->add_argument(place);
  const DerivativeContext inside(c.node, *region, c.sweep, c.path);
  ValueMap<Value> map{{select.argument(0), x}, {select.argument(1), y}};
  const Value stays = clone_body(select, *region, map)[0];
  const Value zero = inside.zeros(place);
  const Value has_first = inside.compare("GE", i, zero), no_second = inside.compare("LT", j, zero);
  const Value first =
      inside.op("stablehlo.or", {no_second, inside.op("stablehlo.and", {has_first, stays})});
  region->results = {inside.select(first, x, y), inside.select(first, i, j)};
  return region;
}

/// Where in the flat operand each window's element is; -1 where it has none.
Value selected_places(const DerivativeContext& c) {
  const Value x = c.node.operand(0);
  const std::int64_t count = x.type().count();
  const DType d = count < std::int64_t(1) << 31 ? DType::i32 : DType::i64;
  const Value places = c.reshape(c.iota({.dtype = d, .dims = {count}}, 0), x.type().dims);
  const Type element = Type::scalar(x.type().dtype), place = Type::scalar(d);
  std::vector<std::unique_ptr<Graph>> regions;
  regions.push_back(selecting_region(c, c.node.region(0), element, place));
  Dict attrs = attributes(window_dims(x.type(), c.node.attrs));
  return create(c.graph, "stablehlo.reduce_window",
                {x, places, c.zeros(element), c.splat(place, -1)}, std::move(attrs),
                std::move(regions))
      ->result(1);
}

Values select_vjp(DerivativeContext& c, const Values& cotangents) {
  const Value x = c.node.operand(0), source = c.node.operand(1), init = c.node.operand(2);
  if (x.type().count() == 0) return {};
  return vjp_of(c, cotangents, [&] {
    const Value start = c.broadcast(init, {x.type().count()}, I64s{});
    const std::int64_t windows = source.type().count();
    if (windows == 0) return Values{c.reshape(start, x.type().dims)};
    const Value at = c.reshape(selected_places(c), {windows, 1});
    std::vector<std::unique_ptr<Graph>> regions;
    regions.push_back(clone_graph(c.node.region(1)));
    const Value scattered =
        create(c.graph, "stablehlo.scatter", {start, at, c.reshape(source, {windows})},
               {{"update_window_dims", I64s{}},
                {"inserted_window_dims", I64s{0}},
                {"input_batching_dims", I64s{}},
                {"scatter_indices_batching_dims", I64s{}},
                {"scatter_dims_to_operand_dims", I64s{0}},
                {"index_vector_dim", std::int64_t(1)}},
               std::move(regions))
            ->result();
    return Values{c.reshape(scattered, x.type().dims)};
  });
}

Values select_jvp(DerivativeContext& c, const Values& tangents) {
  if (simple_combiner(c.node.region(1)) != Combiner::sum) return transposed_jvp(c, tangents);
  if (!tangents[1] && !tangents[2]) return {};
  return c.same({c.node.operand(0), c.or_zeros(tangents[1], c.node.operand(1).type()),
                 c.or_zeros(tangents[2], c.node.operand(2).type())});
}

}  // namespace

Derivative reduce_window_derivative() { return Derivative::rules(jvp, vjp); }

Derivative select_and_scatter_derivative() { return Derivative::rules(select_jvp, select_vjp); }

}  // namespace partita::ir::ops
