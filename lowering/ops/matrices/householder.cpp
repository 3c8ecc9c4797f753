// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// QR decompositions and products of reflections.  A product's columns are independent: one work-item
// each.  A decomposition of a small matrix runs in one work-item; of a larger one each column takes
// two launches, one that makes its reflection and one that applies it to the columns after it.
#include "kernel/ast/element_math.hpp"
#include "lowering/context/kernel_body.hpp"
#include "lowering/context/loops.hpp"
#include "lowering/ops/matrices/matrix_steps.hpp"

namespace partita::lowering {

using namespace kernel;
namespace {

using ir::Node;
using scalar::ExprId;
using scalar::ExprPool;

/// Matrices of reflections in memory, below their diagonals, and the matrix that they are applied to.
struct Reflections {
  KernelBody& body;
  DType d;
  const MatrixStack& vs;
  const MatrixStack& target;
  std::int32_t v_buffer, target_buffer;
  ExprId matrix;

  [[nodiscard]] ExprId v(ExprId i, ExprId j) const {
    return body.pool().load(v_buffer, d, vs.linear(body.pool(), matrix, i, j));
  }
  [[nodiscard]] ExprId t(ExprId i, ExprId c) const {
    return body.pool().load(target_buffer, d, target.linear(body.pool(), matrix, i, c));
  }
  void set_t(ExprId i, ExprId c, ExprId value) const {
    body.store(target_buffer, target.linear(body.pool(), matrix, i, c), value);
  }

  /// For each row after j.
  template <class F>
  void rows_after(ExprId j, const F& of) const {
    ExprPool& pool = body.pool();
    const ExprId first = pool.add(j, 1);
    body.loop_to(pool.sub(pool.index(vs.rows), first), vs.rows,
                 [&](ExprId row) { of(pool.add(first, row)); });
  }

  /// Column c of the target minus scale · v (vᴴ · it), v of column j.
  void reflect(ExprId j, ExprId scale, ExprId c) const {
    const ElementMath math{body.pool(), d};
    const Register dot = body.new_register(d), by = body.new_register(d);
    const ExprId dot_value = body.value(dot), by_value = body.value(by);
    body.declare(dot, t(j, c));
    rows_after(j, [&](ExprId i) {
      body.assign(dot, math.add(dot_value, math.mul(math.conj(v(i, j)), t(i, c))));
    });
    body.declare(by, math.mul(scale, dot_value));
    set_t(j, c, math.sub(t(j, c), by_value));
    rows_after(j, [&](ExprId i) { set_t(i, c, math.sub(t(i, c), math.mul(v(i, j), by_value))); });
  }

  /// The reflection that clears column j of the target below the diagonal.
  void make(ExprId j, std::int32_t taus, ExprId tau_index) const {
    ExprPool& pool = body.pool();
    const ElementMath math{pool, d};
    const auto op = [&](std::string_view row, ExprId x, ExprId y) {
      return pool.apply(row, math.part, {x, y});
    };
    const ExprId zero = pool.constant_of(math.part, 0);
    const Register below = body.new_register(math.part), alpha = body.new_register(d),
                   beta = body.new_register(math.part), skips = body.new_register(DType::i1);
    const ExprId b = body.value(below), a = body.value(alpha), be = body.value(beta);
    body.declare(below, zero);
    rows_after(j, [&](ExprId i) { body.assign(below, op("add", b, math.norm(t(i, j)))); });
    body.declare(alpha, t(j, j));
    body.declare(skips,
                 pool.logical_and(op("compare_eq", b, zero), op("compare_eq", math.imag(a), zero)));
    const ExprId skip = body.value(skips);
    const ExprId length = pool.apply("sqrt", math.part, {op("add", math.norm(a), b)});
    const ExprId signed_length = pool.choose(op("compare_lt", math.real(a), zero), length,
                                             pool.apply("negate", math.part, {length}));
    body.declare(beta, pool.choose(skip, math.real(a), signed_length));
    const ExprId tau =
        math.compose(op("divide", op("subtract", be, math.real(a)), be),
                     op("divide", pool.apply("negate", math.part, {math.imag(a)}), be));
    body.store(taus, tau_index, pool.choose(skip, math.number(0), tau));
    const Register divisor =
        body.declare(d, pool.choose(skip, math.number(1), math.sub(a, math.compose(be, zero))));
    rows_after(j, [&](ExprId i) { set_t(i, j, math.div(t(i, j), body.value(divisor))); });
    set_t(j, j, math.compose(be, zero));
  }
};

/// A QR decomposition on its way: a stack of matrices in memory, and the factors of its reflections.
class QrKernels {
 public:
  QrKernels(Context& context, const Node& node, const Location& matrix, const Location& taus)
      : context_(context),
        node_(node),
        d_(accumulator_dtype(node.result_types()[0].dtype)),
        a_(node.result_types()[0]),
        steps_(node.result_types()[1].dims.back()),
        matrix_(matrix),
        taus_(taus) {}

  [[nodiscard]] std::int64_t steps() const { return steps_; }
  [[nodiscard]] bool is_small() const { return a_.columns <= small_matrix; }

  /// All of each matrix in one work-item.
  void decompose() const {
    launch("", 1, [&](KernelBody& body, const Reflections& r, ExprId) {
      ExprPool& pool = body.pool();
      const std::int32_t t = body.buffer(taus_, d_, true);
      const LoopVariable columns{body.new_variable(steps_), pool.index(steps_)};
      const std::int32_t c = body.new_variable(a_.columns);
      const ExprId j = pool.variable(columns.slot), first = pool.add(j, 1);
      body.loop(columns, [&] {
        r.make(j, t, tau_at(body, r, j));
        body.loop({c, pool.sub(pool.index(a_.columns), first)},
                  [&] { r.reflect(j, scale(body, r, t, j), pool.add(first, pool.variable(c))); });
      });
    });
  }
  /// The reflection of one column.
  void make(const HostExpr& column) const {
    launch("", 1, [&](KernelBody& body, const Reflections& r, ExprId) {
      const std::int32_t t = body.buffer(taus_, d_, true);
      const ExprId j = body.scalar(column);
      r.make(j, t, tau_at(body, r, j));
    });
  }
  /// Applies it to the columns after that.
  void apply(const HostExpr& column) const {
    launch("reflect_", a_.columns, [&](KernelBody& body, const Reflections& r, ExprId at) {
      const std::int32_t t = body.buffer(taus_, d_, false);
      const ExprId j = body.scalar(column);
      body.guard(body.pool().less(j, at), [&] { r.reflect(j, scale(body, r, t, j), at); });
    });
  }

 private:
  /// A kernel of `columns` work-items for each matrix, which `write` writes.
  template <class F>
  void launch(const std::string& prefix, std::int64_t columns, const F& write) const {
    const std::int64_t items = a_.count * columns;
    KernelBody body(context_, prefix + step_name(node_), items);
    body.note_count(node_.result_types()[0].count());
    const auto place = scalar::delinearize(body.pool(), body.item(), {a_.count, columns});
    const std::int32_t m = body.buffer(matrix_, d_, true);
    write(body, Reflections{body, d_, a_, a_, m, m, place[0]}, place[1]);
    context_.launch(body, items);
  }
  ExprId tau_at(KernelBody& body, const Reflections& r, ExprId j) const {
    return body.pool().add(body.pool().mul(r.matrix, steps_), j);
  }
  ExprId scale(KernelBody& body, const Reflections& r, std::int32_t taus, ExprId j) const {
    return ElementMath{body.pool(), d_}.conj(body.pool().load(taus, d_, tau_at(body, r, j)));
  }

  Context& context_;
  const Node& node_;
  DType d_;
  MatrixStack a_;
  std::int64_t steps_;
  const Location &matrix_, &taus_;
};

}  // namespace

void lower_qr(Context& context, Node& node) {
  if (lower_on_host(context, node, {.routine = "qr", .options = {}, .operands = {}})) return;
  const Type &type = node.result_types()[0], &taus_type = node.result_types()[1];
  const DType d = accumulator_dtype(type.dtype);
  const Type wide{.dtype = d, .dims = type.dims}, wide_taus{.dtype = d, .dims = taus_type.dims};
  const Location matrix = context.new_temporary(wide, step_name(node)),
                 taus = context.new_temporary(wide_taus, "taus");
  lower_each(context, matrix, wide, "copy_" + step_name(node), [&](KernelBody& body, auto index) {
    return body.pool().convert(body.element(node.operand(0), index), d);
  });
  const QrKernels kernels(context, node, matrix, taus);
  if (type.count() > 0 && kernels.is_small())
    kernels.decompose();
  else if (type.count() > 0)
    emit_counted(context, kernels.steps(), "columns of QR", [&](const HostExpr& column) {
      kernels.make(column);
      kernels.apply(column);
    });
  context.place(node.result(0), narrowed(context, matrix, wide, type, node));
  context.place(node.result(1), narrowed(context, taus, wide_taus, taus_type, node));
}

void lower_reflector_product(Context& context, Node& node) {
  if (lower_on_host(context, node, {.routine = "reflections", .options = {}, .operands = {}}))
    return;
  const Type& type = node.result_types()[0];
  const MatrixStack q(type);
  const DType d = accumulator_dtype(type.dtype);
  const Type wide{.dtype = d, .dims = type.dims};
  const std::int64_t count = node.operand(1).type().dims.back(), items = q.count * q.columns;
  const Location to = context.new_temporary(wide, step_name(node));
  if (type.count() > 0) {
    const Location vs = memory_as(context, node.operand(0), d),
                   taus = memory_as(context, node.operand(1), d);
    KernelBody body(context, step_name(node), items);
    ExprPool& pool = body.pool();
    const ElementMath math{pool, d};
    body.note_count(type.count());
    const auto place = scalar::delinearize(pool, body.item(), {q.count, q.columns});
    const Reflections r{body,    d, q, q, body.buffer(vs, d, false), body.buffer(to, d, true),
                        place[0]};
    const ExprId c = place[1];
    body.loop(q.rows, [&](ExprId i) {
      r.set_t(i, c, pool.choose(pool.equal(i, c), math.number(1), math.number(0)));
    });
    if (count > 0)
      body.loop(count, [&](ExprId step) {
        const ExprId j = pool.sub(pool.index(count - 1), step);
        const ExprId tau =
            pool.load(body.buffer(taus, d, false), d, pool.add(pool.mul(place[0], count), j));
        r.reflect(j, tau, c);
      });
    context.launch(body, items);
  }
  context.place(node.result(), narrowed(context, to, wide, type, node));
}

}  // namespace partita::lowering
