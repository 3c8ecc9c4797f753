// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Both ops are written as loops of a reflection at a time, whose reverse is theirs.  Where a column is zero
// already, its reflection is none and depends on nothing.
#include "ops/matrices/householder_derivative.hpp"

#include <functional>

#include "ops/support/derivative_support.hpp"
#include "partita/base/error.hpp"

namespace partita::ir {
namespace {

using ops::conjugate;
using ops::matrix_product;

/// What the steps of both loops work with: stacks of matrices like `matrices`, in the graph of `c`.
class Step {
 public:
  Step(const DerivativeContext& context, const Type& matrices, Value index)
      : c(context), type_(matrices), j_(index) {}

  const DerivativeContext& c;

  /// `matrices` with other extents of the last dimensions.
  [[nodiscard]] Type shaped(std::int64_t rows, std::int64_t columns) const {
    Type type = type_;
    type.dims[type.dims.size() - 2] = rows;
    type.dims.back() = columns;
    return type;
  }
  [[nodiscard]] std::int64_t rows() const { return type_.dims[type_.dims.size() - 2]; }
  [[nodiscard]] Type column_type() const { return shaped(rows(), 1); }
  [[nodiscard]] Type scalar_type() const { return shaped(1, 1); }

  /// Whether the index along one of the last dimensions (-2 or -1) compares so with j.
  [[nodiscard]] Value where(const Type& type, int dimension, const char* direction) const {
    const Type index{.dtype = DType::i32, .dims = type.dims};
    return c.compare(direction, c.iota(index, type.rank() + dimension),
                     c.broadcast(j_, type.dims, I64s{}));
  }
  [[nodiscard]] Value only(const Type& type, int dimension, const char* direction, Value v) const {
    return c.select(where(type, dimension, direction), v, c.zeros(type));
  }
  /// Column j, and element j of a row.
  [[nodiscard]] Value column(Value m) const {
    return slice(m, shaped(rows(), 1), type_.rank() - 1);
  }
  [[nodiscard]] Value element(Value row) const {
    return slice(row, scalar_type(), type_.rank() - 1);
  }
  /// Row j of a column.
  [[nodiscard]] Value head(Value column) const {
    return slice(column, scalar_type(), type_.rank() - 2);
  }
  /// To the dimensions of a type, of which the value has some with extent 1.
  [[nodiscard]] Value spread(Value v, const Type& type) const {
    I64s all;
    for (std::int64_t d = 0; d < type.rank(); ++d) all.push_back(d);
    return c.broadcast(v, type.dims, all);
  }
  /// 1 in row j, and below of it what a column has there.
  [[nodiscard]] Value reflector(Value column) const {
    return c.select(where(column_type(), -2, "EQ"), c.splat(column_type(), 1),
                    only(column_type(), -2, "GT", column));
  }
  /// m - scale · v (vᴴ · only), for columns in which `only` is not zero.
  [[nodiscard]] Value reflected(Value m, Value v, Value scale, Value only) const {
    const Value row = matrix_product(c, conjugate(c, v), only, true);
    const Value scaled = c.multiply(spread(scale, row.type()), row);
    return c.op("stablehlo.subtract", {m, matrix_product(c, v, scaled)});
  }

 private:
  [[nodiscard]] Value slice(Value from, const Type& type, std::int64_t dimension) const {
    Values operands{from};
    for (std::int64_t d = 0; d < type.rank(); ++d)
      operands.push_back(d == dimension ? j_ : c.zeros(j_.type()));
    return c.op("stablehlo.dynamic_slice", operands, {{"slice_sizes", I64s(type.dims)}});
  }

  const Type type_;
  const Value j_;
};

/// body(context, index, carried) for `count` indices from 0 on.
using LoopBody = std::function<Values(const DerivativeContext&, Value, const Values&)>;
Values repeat(const DerivativeContext& c, std::int64_t count, const Values& initial,
              const LoopBody& step) {
  const Type counter = Type::scalar(DType::i32);
  auto condition = std::make_unique<Graph>(), body = std::make_unique<Graph>();
  const Value i = condition->add_argument(counter), j = body->add_argument(counter);
  Values operands{c.zeros(counter)}, carried;
  for (const Value& v : initial) {
    operands.push_back(v);
    condition->add_argument(v.type());
    carried.push_back(body->add_argument(v.type()));
  }
  const DerivativeContext test(c.node, *condition, c.sweep, c.path);
  condition->results = {test.compare("LT", i, test.splat(counter, double(count)))};
  const DerivativeContext inside(c.node, *body, c.sweep, c.path);
  body->results = {inside.op("stablehlo.add", {j, inside.splat(counter, 1)})};
  for (const Value& v : step(inside, j, carried)) body->results.push_back(v);
  std::vector<std::unique_ptr<Graph>> regions;
  regions.push_back(std::move(condition));
  regions.push_back(std::move(body));
  Node* loop = create(c.graph, "stablehlo.while", operands, {}, std::move(regions));
  Values results;
  for (std::size_t k = 0; k < initial.size(); ++k) results.push_back(loop->result(int(k) + 1));
  return results;
}

/// The reflection that makes a column zero below of its head.
struct Reflection {
  Value tau, below, head;  ///< below: of the reflector; head: what becomes of the column's
};

Reflection reflection_of(const Step& s, Value column) {
  const DerivativeContext& c = s.c;
  const bool complex = is_complex(column.type().dtype);
  const auto real = [&](Value v) { return complex ? c.op("stablehlo.real", {v}) : v; };
  const auto imag = [&](Value v) { return c.op("stablehlo.imag", {v}); };
  const Value alpha = s.head(column), below = s.only(s.column_type(), -2, "GT", column);
  const auto squares = [&](Value v) {
    const Value re = real(v), square = c.multiply(re, re);
    return complex ? c.add(square, c.multiply(imag(v), imag(v))) : square;
  };
  const Value rest =
      c.reshape(c.sum(squares(below), I64s{column.type().rank() - 2}), s.scalar_type().dims);
  const Value re = real(alpha), zero = c.zeros(re.type());
  Value is_none = c.compare("EQ", rest, zero);
  if (complex) is_none = c.op("stablehlo.and", {is_none, c.compare("EQ", imag(alpha), zero)});
  const Value length = c.op(
      "stablehlo.sqrt", {c.select(is_none, c.splat(re.type(), 1), c.add(squares(alpha), rest))});
  const Value beta = c.select(c.compare("LT", re, zero), length, c.negate(length));
  const auto minus = [&](Value a, Value b) { return c.op("stablehlo.subtract", {a, b}); };
  const auto over = [&](Value a, Value b) { return c.op("stablehlo.divide", {a, b}); };
  const auto whole = [&](Value a, Value b) { return c.op("stablehlo.complex", {a, b}); };
  Value tau = over(minus(beta, re), beta), by = minus(re, beta), head = beta;
  if (complex) {
    tau = whole(tau, over(c.negate(imag(alpha)), beta));
    by = whole(by, imag(alpha));
    head = whole(beta, zero);
  }
  return {.tau = c.select(is_none, c.zeros(tau.type()), tau),
          .below = over(below, s.spread(by, s.column_type())),
          .head = c.select(is_none, alpha, head)};
}

Values qr_ops(const DerivativeContext& c) {
  const Value a = c.node.operand(0);
  const Type taus = c.node.result_types()[1];
  const std::int64_t count = taus.dims.back();
  const auto step = [&](const DerivativeContext& in, Value j, const Values& carried) -> Values {
    const Step s(in, a.type(), j);
    const Value m = carried[0], column = s.column(m);
    const Reflection r = reflection_of(s, column);
    const Value reflected =
        s.reflected(m, s.reflector(r.below), conjugate(in, r.tau), s.only(a.type(), -1, "GT", m));
    const Value own =
        in.select(s.where(s.column_type(), -2, "EQ"), s.spread(r.head, s.column_type()),
                  in.select(s.where(s.column_type(), -2, "GT"), r.below, column));
    const Value next = in.select(s.where(a.type(), -1, "EQ"), s.spread(own, a.type()), reflected);
    const Type row = carried[1].type();
    return {next, in.select(s.where(row, -1, "EQ"), s.spread(r.tau, row), carried[1])};
  };
  Type row = taus;
  row.dims.insert(row.dims.end() - 1, 1);
  const Values results = repeat(c, count, {a, c.zeros(row)}, step);
  return {results[0], c.reshape(results[1], taus.dims)};
}

Values product_ops(const DerivativeContext& c) {
  const Value a = c.node.operand(0), taus = c.node.operand(1);
  const std::int64_t count = taus.type().dims.back();
  const Type index{.dtype = DType::i32, .dims = a.type().dims};
  const Value is_diagonal =
      c.compare("EQ", c.iota(index, index.rank() - 2), c.iota(index, index.rank() - 1));
  const Value identity = c.select(is_diagonal, c.splat(a.type(), 1), c.zeros(a.type()));
  Dims row = taus.type().dims;
  row.insert(row.end() - 1, 1);
  const Value all = c.reshape(taus, row);
  const auto step = [&](const DerivativeContext& in, Value i, const Values& carried) -> Values {
    const Value j = in.op("stablehlo.subtract", {in.splat(i.type(), double(count - 1)), i});
    const Step s(in, a.type(), j);
    const Value v = s.reflector(s.column(a));
    return {s.reflected(carried[0], v, s.element(all), carried[0])};
  };
  return repeat(c, count, {identity}, step);
}

bool is_empty(const DerivativeContext& c) { return c.node.operand(0).type().count() == 0; }

}  // namespace

Derivative qr_derivative() {
  return Derivative::transposed([](DerivativeContext& c, const Values& cotangents) -> Values {
    if (is_empty(c)) return {};
    return ops::vjp_of(c, cotangents, [&] { return qr_ops(c); });
  });
}

Derivative reflections_derivative() {
  return Derivative::transposed([](DerivativeContext& c, const Values& cotangents) -> Values {
    if (is_empty(c) || c.node.operand(1).type().count() == 0) return {};
    return ops::vjp_of(c, cotangents, [&] { return product_ops(c); });
  });
}

}  // namespace partita::ir
