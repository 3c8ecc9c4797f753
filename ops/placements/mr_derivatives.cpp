// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "ops/placements/mr_derivatives.hpp"

#include "partita/base/error.hpp"
#include "partita/ir/op.hpp"
#include "partita/scalar/elementwise.hpp"

namespace partita::ir {
namespace {

using Context = DerivativeContext;

/// What rules of reductions share.
class Reduction {
 public:
  Reduction(const Context& context, bool is_weighted)
      : c(context),
        s(reduce_segments(c.node.attrs, c.node.operands().size(), is_weighted)),
        placement(c.node.attrs.text("placement")),
        n(c.node.operand(0).type().dims[0]) {}

  const Context& c;
  const ReduceSegments s;
  const std::string placement;
  const std::int64_t n;

  [[nodiscard]] Value operand(std::size_t k) const { return c.node.operand(k); }
  [[nodiscard]] Value mask() const { return s.masks > 0 ? operand(s.mask()) : Value{}; }
  [[nodiscard]] Value broadcast(Value v) const {
    Type type = v.type();
    type.dims.insert(type.dims.begin(), n);
    return c.op("mr.broadcast", {v}, {{"placement", placement}}, type);
  }
  [[nodiscard]] Value reduce(const char* op, Value v) const {
    Dict attrs{{"placement", placement}};
    return c.op(op, {v}, attrs);
  }
  /// A map over operands, the last of which is the mask where there is one: what the body gives for
  /// partitions that are left out is zero.
  [[nodiscard]] Values masked_map(Values operands, const Context::MapBody& body) const {
    if (mask()) operands.push_back(mask());
    return c.map(placement, n, operands, [&](const Context& in, const Values& v) {
      const Values own(v.begin(), mask() ? v.end() - 1 : v.end());
      Values results = body(in, own);
      if (mask())
        for (Value& r : results) r = in.select(v.back(), r, in.zeros(r.type()));
      return results;
    });
  }
  /// B(ȳ), zero where the mask leaves a partition out.
  [[nodiscard]] Value spread(Value v) const {
    const Value all = broadcast(v);
    if (!mask()) return all;
    return masked_map({all}, [](const Context&, const Values& values) { return values; })[0];
  }
  /// How many partitions take part, as a scalar; absent when all do.
  [[nodiscard]] Value count(DType dtype) const {
    if (!mask()) return {};
    const DType wide = is_complex(dtype) || is_float(dtype) ? part_dtype(dtype) : DType::f32;
    const DType sum = accumulator_dtype(wide);
    const Value ones = c.map(
        placement, n, {mask()},
        [&](const Context& in, const Values& v) -> Values { return {in.convert(v[0], sum)}; })[0];
    return c.convert(reduce("mr.reduce_sum", ones), dtype);
  }
  [[nodiscard]] Value like(Value scalar, const Type& type) const {
    return c.broadcast(scalar, type.dims, I64s{});
  }
  [[nodiscard]] Value divide(Value a, Value b) const { return c.op("stablehlo.divide", {a, b}); }
  /// The cotangent of a value to keep: all of it where no partition takes part.
  [[nodiscard]] Value kept(Value cotangent) const {
    if (!mask()) return {};
    const Value none = c.compare("EQ", count(DType::f32), c.zeros(Type::scalar(DType::f32)));
    return c.select(none, cotangent, c.zeros(cotangent.type()));
  }

  /// The op on the tangents of values (and values to keep); what is zero is left out.
  [[nodiscard]] Values on_tangents(const Values& tangents) const {
    Values values, keeps, results(s.values);
    std::vector<std::size_t> taken;
    for (std::size_t k = 0; k < s.values; ++k) {
      const bool has_kept = s.keeps > 0 && tangents[s.keep(k)];
      if (!tangents[k] && !has_kept) continue;
      values.push_back(c.or_zeros(tangents[k], operand(k).type()));
      if (s.keeps > 0) keeps.push_back(c.or_zeros(tangents[s.keep(k)], operand(s.keep(k)).type()));
      taken.push_back(k);
    }
    if (taken.empty()) return results;
    Dict attrs = c.node.attrs;
    attrs.set("operand_segments", I64s{std::int64_t(values.size()), std::int64_t(s.weights),
                                       std::int64_t(s.masks), std::int64_t(keeps.size())});
    Values operands = values;
    for (std::size_t k = s.values; k < s.values + s.weights + s.masks; ++k)
      operands.push_back(operand(k));
    operands.insert(operands.end(), keeps.begin(), keeps.end());
    Node* made = create(c.graph, c.node.name(), operands, attrs);
    for (std::size_t i = 0; i < taken.size(); ++i) results[taken[i]] = made->result(int(i));
    return results;
  }
};

// --- Sum and mean -------------------------------------------------------------------------------

Values linear_jvp(DerivativeContext& c, const Values& tangents) {
  return Reduction(c, false).on_tangents(tangents);
}

Values sum_vjp(DerivativeContext& c, const Values& cotangents) {
  const Reduction r(c, false);
  Values results(c.node.operands().size());
  for (std::size_t k = 0; k < r.s.values; ++k)
    if (cotangents[k] && c.wanted(k)) results[k] = r.spread(cotangents[k]);
  return results;
}

/// Divided before the broadcast: one small op.
Values mean_vjp(DerivativeContext& c, const Values& cotangents) {
  const Reduction r(c, false);
  Values results(c.node.operands().size());
  for (std::size_t k = 0; k < r.s.values; ++k) {
    if (!cotangents[k]) continue;
    const Type& type = cotangents[k].type();
    if (c.wanted(k)) {
      // Without any partition there is nothing to divide.
      const Value n = r.mask() ? c.op("stablehlo.maximum",
                                      {r.like(r.count(type.dtype), type), c.splat(type, 1)})
                               : c.splat(type, double(r.n));
      results[k] = r.spread(r.divide(cotangents[k], n));
    }
    if (r.s.keeps > 0 && c.wanted(r.s.keep(k))) results[r.s.keep(k)] = r.kept(cotangents[k]);
  }
  return results;
}

// --- Extrema ------------------------------------------------------------------------------------

/// By partition: whether it is the first that holds the extremum.
Value is_first(const Reduction& r, std::size_t k) {
  const Context& c = r.c;
  const Value x = r.operand(k), y = c.node.result(int(k));
  const Type index{.dtype = DType::i32, .dims = y.type().dims};
  const auto own_index = [&](const Context& in) {
    return in.broadcast(in.op("mr.partition_index", {}, {{"placement", r.placement}}), index.dims,
                        I64s{});
  };
  Values operands{x, r.broadcast(y)};
  if (r.mask()) operands.push_back(r.mask());
  const Value found =
      c.map(r.placement, r.n, operands, [&](const Context& in, const Values& v) -> Values {
        const Value none = in.splat(index, double(r.n));
        Value at = in.select(in.compare("EQ", v[0], v[1]), own_index(in), none);
        if (r.mask()) at = in.select(v[2], at, none);
        return {at};
      })[0];
  const Value first = r.reduce("mr.reduce_min", found);
  return c.map(r.placement, r.n, {r.broadcast(first)},
               [&](const Context& in, const Values& v) -> Values {
                 return {in.compare("EQ", own_index(in), v[0])};
               })[0];
}

Values extremum_jvp(DerivativeContext& c, const Values& tangents) {
  const Reduction r(c, false);
  Values results(r.s.values);
  for (std::size_t k = 0; k < r.s.values; ++k) {
    if (tangents[k]) {
      const Value chosen = c.map(r.placement, r.n, {is_first(r, k), tangents[k]},
                                 [](const Context& in, const Values& v) -> Values {
                                   return {in.select(v[0], v[1], in.zeros(v[1].type()))};
                                 })[0];
      results[k] = r.reduce("mr.reduce_sum", chosen);
    }
    if (r.s.keeps > 0 && tangents[r.s.keep(k)])
      results[k] = c.add(results[k], r.kept(tangents[r.s.keep(k)]));
  }
  return results;
}

Values extremum_vjp(DerivativeContext& c, const Values& cotangents) {
  const Reduction r(c, false);
  Values results(c.node.operands().size());
  for (std::size_t k = 0; k < r.s.values; ++k) {
    if (!cotangents[k]) continue;
    if (c.wanted(k))
      results[k] = c.map(r.placement, r.n, {is_first(r, k), r.broadcast(cotangents[k])},
                         [](const Context& in, const Values& v) -> Values {
                           return {in.select(v[0], v[1], in.zeros(v[1].type()))};
                         })[0];
    if (r.s.keeps > 0 && c.wanted(r.s.keep(k))) results[r.s.keep(k)] = r.kept(cotangents[k]);
  }
  return results;
}

// --- Weighted mean ------------------------------------------------------------------------------

/// Weights of one partition, for a value of this type.
Value weights_for(const Context& in, Value w, const Type& type) {
  return in.convert(in.broadcast(w, type.dims, I64s{}), type.dtype);
}

class WeightedMean {
 public:
  explicit WeightedMean(const Context& context) : c_(context), r_(context, true) {}

  /// ȳ/Σw, and zero where the weights are.
  [[nodiscard]] Value share(Value cotangent) const {
    const Value total = total_weight(cotangent.type()), none = is_zero(total);
    const Value divisor = c_.select(none, c_.splat(total.type(), 1), total);
    return c_.select(none, c_.zeros(cotangent.type()), r_.divide(cotangent, divisor));
  }
  [[nodiscard]] Value is_zero(Value total) const {
    return c_.compare("EQ", total, c_.zeros(total.type()));
  }
  [[nodiscard]] Value total_weight(const Type& type) const {
    const Value w = r_.operand(r_.s.weight());
    const Value sum = r_.reduce(
        "mr.reduce_sum",
        r_.mask() ? r_.masked_map({w}, [](const Context&, const Values& v) { return v; })[0] : w);
    return c_.convert(r_.like(sum, type), type.dtype);
  }

  Values vjp(const Values& cotangents) const {
    Values results(c_.node.operands().size());
    for (std::size_t k = 0; k < r_.s.values; ++k)
      if (cotangents[k]) value_vjp(k, cotangents[k], results);
    return results;
  }

  /// Σ w ẋ / Σ w + Σ ẇ (x − y) / Σ w
  Values jvp(const Values& tangents) const {
    Values results = r_.on_tangents(tangents);
    const Value dw = tangents[r_.s.weight()];
    for (std::size_t k = 0; dw && k < r_.s.values; ++k) {
      const Value y = c_.node.result(int(k));
      const Value terms = r_.masked_map(
          {dw, r_.operand(k), r_.broadcast(y)}, [](const Context& in, const Values& v) -> Values {
            const Value difference = in.op("stablehlo.subtract", {v[1], v[2]});
            return {in.multiply(weights_for(in, v[0], v[1].type()), difference)};
          })[0];
      results[k] = c_.add(results[k], share(r_.reduce("mr.reduce_sum", terms)));
    }
    return results;
  }

 private:
  void value_vjp(std::size_t k, Value cotangent, Values& results) const {
    const bool of_x = c_.wanted(k), of_w = c_.wanted(r_.s.weight());
    if (r_.s.keeps > 0 && c_.wanted(r_.s.keep(k))) {
      const Value none = is_zero(total_weight(cotangent.type()));
      results[r_.s.keep(k)] = c_.select(none, cotangent, c_.zeros(cotangent.type()));
    }
    if (!of_x && !of_w) return;
    const Value x = r_.operand(k), w = r_.operand(r_.s.weight());
    const Values both =
        r_.masked_map({x, w, r_.broadcast(share(cotangent)), r_.broadcast(c_.node.result(int(k)))},
                      [&](const Context& in, const Values& v) -> Values {
                        Values out;
                        if (of_x)
                          out.push_back(in.multiply(weights_for(in, v[1], v[0].type()), v[2]));
                        if (!of_w) return out;
                        Value p = in.multiply(in.op("stablehlo.subtract", {v[0], v[3]}), v[2]);
                        p = in.convert(p, v[1].type().dtype);
                        if (v[1].type().dims != p.type().dims) {
                          I64s all;
                          for (std::int64_t d = 0; d < p.type().rank(); ++d) all.push_back(d);
                          p = in.sum(p, all);
                        }
                        out.push_back(p);
                        return out;
                      });
    if (of_x) results[k] = both[0];
    if (of_w) results[r_.s.weight()] = c_.add(results[r_.s.weight()], both.back());
  }

  const Context& c_;
  const Reduction r_;
};

}  // namespace

ReduceSegments reduce_segments(const Dict& attrs, std::size_t operands, bool is_weighted) {
  const I64s& s = attrs.i64s_or_empty("operand_segments");
  if (!s.empty())
    return {std::size_t(s[0]), std::size_t(s[1]), std::size_t(s[2]), std::size_t(s[3])};
  return {operands - (is_weighted ? 1 : 0), is_weighted ? std::size_t{1} : 0, 0, 0};
}

Derivative reduce_sum_derivative() { return Derivative::rules(linear_jvp, sum_vjp); }
Derivative reduce_mean_derivative() { return Derivative::rules(linear_jvp, mean_vjp); }
Derivative reduce_extremum_derivative() { return Derivative::rules(extremum_jvp, extremum_vjp); }
Derivative weighted_mean_derivative() {
  return Derivative::rules(
      [](DerivativeContext& c, const Values& tangents) { return WeightedMean(c).jvp(tangents); },
      [](DerivativeContext& c, const Values& cotangents) {
        return WeightedMean(c).vjp(cotangents);
      });
}

}  // namespace partita::ir
