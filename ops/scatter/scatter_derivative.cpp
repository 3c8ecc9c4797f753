// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "ops/scatter/scatter_derivative.hpp"

#include "ops/support/derivative_support.hpp"
#include "partita/ir/reduction.hpp"

namespace partita::ir::ops {
namespace {

class ScatterRule {
 public:
  explicit ScatterRule(DerivativeContext& c)
      : c_(c),
        n_(c.node.operands().size() / 2),
        input_(c.node.operand(0).type()),
        updates_(c.node.operand(n_ + 1).type()),
        indices_(c.node.operand(n_)),
        region_(c.node.region(0)) {}

  [[nodiscard]] bool is_linear() const {
    return returns_update(region_) || is_combined_by(Combiner::sum);
  }

  Values vjp(const Values& cotangents) {
    if (updates_.count() == 0 || input_.count() == 0) return cotangents;
    if (returns_update(region_)) return of_assignment(cotangents);
    if (is_combined_by(Combiner::sum))
      return {cotangents[0], {}, c_.wanted(2) ? at(cotangents[0], 0) : Value{}};
    if (is_combined_by(Combiner::max) || is_combined_by(Combiner::min))
      return of_extremum(cotangents[0]);
    if (is_unique()) return of_region(cotangents);
    if (is_combined_by(Combiner::product)) return of_product(cotangents[0]);
    c_.refuse("its region is no sum, product, extremum or assignment and unique_indices is false");
  }

 private:
  [[nodiscard]] bool is_combined_by(Combiner combiner) const {
    return n_ == 1 && simple_combiner(region_) == combiner;
  }
  [[nodiscard]] const I64s& list(const char* name) const { return c_.node.attrs.i64s(name); }
  [[nodiscard]] Value update(std::size_t k) const { return c_.node.operand(n_ + 1 + k); }

  /// Whether no element of the inputs has two updates.
  [[nodiscard]] bool is_unique() const {
    std::int64_t windows = 1;
    for (const std::int64_t d : other_dims(updates_.rank(), list("update_window_dims")))
      windows *= updates_.dims[std::size_t(d)];
    return windows == 1 || c_.node.attrs.flag("unique_indices");
  }

  /// Extent of the updates' windows along each dimension of the inputs.
  [[nodiscard]] I64s window_sizes() const {
    const I64s& window = list("update_window_dims");
    const I64s along =
        other_dims(input_.rank(), list("inserted_window_dims"), list("input_batching_dims"));
    I64s sizes;
    for (const std::int64_t extent : input_.dims)
      sizes.push_back(std::min<std::int64_t>(extent, 1));
    for (std::size_t k = 0; k < along.size(); ++k)
      sizes[std::size_t(along[k])] = updates_.dims[std::size_t(window[k])];
    return sizes;
  }

  /// Indices into arrays with margins as wide as the windows, in which each window lies.
  [[nodiscard]] Value shifted_indices(const I64s& sizes) const {
    I64s least, most, margins;
    bool is_small = indices_.type().dtype == DType::i32;
    for (const std::int64_t d : list("scatter_dims_to_operand_dims")) {
      const std::int64_t size = sizes[std::size_t(d)], extent = input_.dims[std::size_t(d)];
      margins.push_back(size);
      least.push_back(-size);
      most.push_back(extent);
      is_small = is_small && extent + size < std::int64_t(1) << 31;
    }
    const Value v = c_.convert(indices_, is_small ? DType::i32 : DType::i64);
    const auto bound = [&](const I64s& numbers) {
      return by_component(c_, numbers, v.type(), c_.node.attrs.i64("index_vector_dim"));
    };
    return c_.op("stablehlo.add",
                 {c_.op("stablehlo.clamp", {bound(least), v, bound(most)}), bound(margins)});
  }

  /// The elements of an array of the inputs' shape where the updates go; `outside` for updates that
  /// are skipped.
  Value at(Value v, double outside) {
    const I64s sizes = window_sizes();
    I64s margins(sizes.size(), 0);
    const I64s none(sizes.size(), 0), &scattered = list("scatter_dims_to_operand_dims");
    for (const std::int64_t d : scattered) margins[std::size_t(d)] = sizes[std::size_t(d)];
    if (!shifted_) shifted_ = shifted_indices(sizes);
    const Value wide = c_.op("stablehlo.pad", {v, c_.splat(Type::scalar(v.type().dtype), outside)},
                             {{"edge_padding_low", margins},
                              {"edge_padding_high", margins},
                              {"interior_padding", none}});
    I64s slice_sizes = sizes;
    for (const std::int64_t d : scattered)
      if (!is_window_dim(d)) slice_sizes[std::size_t(d)] = 1;
    return c_.op("stablehlo.gather", {wide, shifted_},
                 {{"offset_dims", list("update_window_dims")},
                  {"collapsed_slice_dims", list("inserted_window_dims")},
                  {"operand_batching_dims", list("input_batching_dims")},
                  {"start_indices_batching_dims", list("scatter_indices_batching_dims")},
                  {"start_index_map", scattered},
                  {"index_vector_dim", c_.node.attrs.i64("index_vector_dim")},
                  {"slice_sizes", slice_sizes},
                  {"indices_are_sorted", c_.node.attrs.flag("indices_are_sorted")}});
  }
  [[nodiscard]] bool is_window_dim(std::int64_t d) const {
    return !contains(list("inserted_window_dims"), d) && !contains(list("input_batching_dims"), d);
  }

  /// The scatter of one input, with another region.
  Value scatter(Value input, Value updates, std::unique_ptr<Graph> region) const {
    std::vector<std::unique_ptr<Graph>> regions;
    regions.push_back(std::move(region));
    return create(c_.graph, "stablehlo.scatter", {input, indices_, updates}, c_.node.attrs,
                  std::move(regions))
        ->result();
  }
  Value combined(Combiner combiner, Value input, Value updates) const {
    return scatter(input, updates, make_combiner(combiner, input.type().dtype));
  }
  Value assigned(Value input, Value updates) const {
    auto region = std::make_unique<Graph>();
    region->add_argument(Type::scalar(input.type().dtype));
    region->results = {region->add_argument(Type::scalar(input.type().dtype))};
    return scatter(input, updates, std::move(region));
  }

  /// The input is zero where it is overwritten; of updates of one element the one that stays counts.
  Values of_assignment(const Values& cotangents) {
    Values results(2 * n_ + 1);
    const bool is_unique = this->is_unique();
    Value winners, wins;
    if (!is_unique) {
      const DType d = updates_.count() < (std::int64_t(1) << 31) - 1 ? DType::i32 : DType::i64;
      const Value count = c_.iota({.dtype = d, .dims = {updates_.count()}}, 0);
      const Value names =
          c_.reshape(c_.op("stablehlo.add", {count, c_.splat(count.type(), 1)}), updates_.dims);
      winners = assigned(c_.zeros({.dtype = d, .dims = input_.dims}), names);
      wins = c_.compare("EQ", at(winners, 0), names);
    }
    for (std::size_t k = 0; k < n_; ++k) {
      const Value g = cotangents[k];
      if (!g) continue;
      if (c_.wanted(k))
        results[k] = is_unique ? assigned(g, c_.zeros(update(k).type()))
                               : c_.select(c_.compare("EQ", winners, c_.zeros(winners.type())), g,
                                           c_.zeros(g.type()));
      if (!c_.wanted(n_ + 1 + k)) continue;
      const Value taken = at(g, 0);
      results[n_ + 1 + k] = is_unique ? taken : c_.select(wins, taken, c_.zeros(taken.type()));
    }
    return results;
  }

  /// Shared by the element of the input and the updates that are the result.
  Values of_extremum(Value cotangent) {
    const Value x = c_.node.operand(0), u = update(0), y = c_.node.result();
    const auto chosen = [&](Value is_it, Value v) {
      return c_.select(is_it, v, c_.zeros(v.type()));
    };
    const auto ones = [&](Value is_it) {
      return chosen(is_it, c_.splat({.dtype = y.type().dtype, .dims = is_it.type().dims}, 1));
    };
    const Value is_x = c_.compare("EQ", x, y), is_u = c_.compare("EQ", u, at(y, 0));
    const Value count = combined(Combiner::sum, ones(is_x), ones(is_u));
    const Value share =
        c_.op("stablehlo.divide",
              {cotangent, c_.op("stablehlo.maximum", {count, c_.splat(count.type(), 1)})});
    return {chosen(is_x, share), {}, chosen(is_u, at(share, 0))};
  }

  /// Each update combines with an element of its own.
  Values of_region(const Values& cotangents) {
    return vjp_of(c_, cotangents, [&] {
      Values arguments, results;
      for (std::size_t k = 0; k < n_; ++k) arguments.push_back(at(c_.node.operand(k), 1));
      for (std::size_t k = 0; k < n_; ++k) arguments.push_back(update(k));
      const Values values = apply_region(c_, region_, arguments);
      Dict attrs = c_.node.attrs;
      attrs.set("unique_indices", true);
      for (std::size_t k = 0; k < n_; ++k) {
        results.push_back(assigned(c_.node.operand(k), values[k]));
        results.back().node->attrs = attrs;
      }
      return results;
    });
  }

  /// The product of all others at the place: by division, which zeros are kept out of.
  Values of_product(Value cotangent) {
    const Value x = c_.node.operand(0), u = update(0), one = c_.splat(u.type(), 1);
    const Value is_zero = c_.compare("EQ", u, c_.zeros(u.type()));
    const Value kept = c_.select(is_zero, one, u);
    const Value product = combined(Combiner::product, c_.splat(x.type(), 1), kept);
    const Value zeros =
        combined(Combiner::sum, c_.zeros(x.type()), c_.select(is_zero, one, c_.zeros(u.type())));
    Values results(3);
    const Value none = c_.compare("EQ", zeros, c_.zeros(zeros.type()));
    if (c_.wanted(0))
      results[0] = c_.multiply(cotangent, c_.select(none, product, c_.zeros(x.type())));
    if (c_.wanted(2)) {
      const Value others = c_.op("stablehlo.divide", {at(product, 1), kept});
      const Value count = at(zeros, 0);
      const Value counted = c_.select(is_zero, one, c_.zeros(u.type()));
      const Value rest = c_.select(c_.compare("EQ", count, counted), others, c_.zeros(u.type()));
      results[2] = c_.multiply(at(c_.multiply(cotangent, x), 0), rest);
    }
    return results;
  }

  DerivativeContext& c_;
  std::size_t n_;
  Type input_, updates_;
  Value indices_, shifted_;
  const Graph& region_;
};

Values vjp(DerivativeContext& c, const Values& cotangents) {
  return ScatterRule(c).vjp(cotangents);
}

Values jvp(DerivativeContext& c, const Values& tangents) {
  if (!ScatterRule(c).is_linear()) return transposed_jvp(c, tangents);
  Values operands = c.node.operands();
  for (std::size_t k = 0; k < operands.size(); ++k)
    if (has_tangent(operands[k].type())) operands[k] = c.or_zeros(tangents[k], operands[k].type());
  return c.same(operands);
}

}  // namespace

Derivative scatter_derivative() { return Derivative::rules(jvp, vjp); }

}  // namespace partita::ir::ops
