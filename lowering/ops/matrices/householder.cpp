// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// QR decompositions and products of reflections.  A product's columns are independent: one work-item
// each.  A decomposition of a small matrix runs in one work-item; of a larger one each column takes
// two launches, one that makes its reflection and one that applies it to the columns after it.
#include "kernel/ast/statements.hpp"
#include "lowering/context/kernel_body.hpp"
#include "lowering/context/loops.hpp"
#include "lowering/ops/matrices/matrix_steps.hpp"

namespace partita::passes {
namespace {

using ir::Node;
using kernel::ExprId;
using kernel::ExprPool;

/// Matrices of reflections in memory, below their diagonals, and the matrix that they are applied to.
struct Reflections {
  Kernel& k;
  DType d;
  const MatrixStack& vs;
  const MatrixStack& target;
  std::int32_t v_buffer, target_buffer;
  ExprId matrix;

  [[nodiscard]] ExprId v(ExprId i, ExprId j) const {
    return k.pool.load(v_buffer, d, vs.linear(k.pool, matrix, i, j));
  }
  [[nodiscard]] ExprId t(ExprId i, ExprId c) const {
    return k.pool.load(target_buffer, d, target.linear(k.pool, matrix, i, c));
  }
  [[nodiscard]] Stmt set_t(ExprId i, ExprId c, ExprId value) const {
    return store(target_buffer, d, target.linear(k.pool, matrix, i, c), value);
  }

  /// For each row after j.
  [[nodiscard]] Stmt rows_after(ExprId j,
                                const std::function<std::vector<Stmt>(ExprId)>& of) const {
    ExprPool& pool = k.pool;
    const std::int32_t row = k.new_variable(vs.rows);
    const ExprId first = pool.add(j, 1);
    return loop(row, pool.sub(pool.index(vs.rows), first), of(pool.add(first, pool.variable(row))));
  }

  /// Column c of the target minus scale · v (vᴴ · it), v of column j.
  void reflect(std::vector<Stmt>& to, ExprId j, ExprId scale, ExprId c) const {
    const ElementMath math{k.pool, d};
    const Register dot(k, d), by(k, d);
    const ExprId dot_value = dot.value(k.pool), by_value = by.value(k.pool);
    to.push_back(dot.declare(t(j, c)));
    to.push_back(rows_after(j, [&](ExprId i) {
      return std::vector{dot.assign(math.add(dot_value, math.mul(math.conj(v(i, j)), t(i, c))))};
    }));
    to.push_back(by.declare(math.mul(scale, dot_value)));
    to.push_back(set_t(j, c, math.sub(t(j, c), by_value)));
    to.push_back(rows_after(j, [&](ExprId i) {
      return std::vector{set_t(i, c, math.sub(t(i, c), math.mul(v(i, j), by_value)))};
    }));
  }

  /// The reflection that clears column j of the target below the diagonal.
  void make(std::vector<Stmt>& to, ExprId j, std::int32_t taus, ExprId tau_index) const {
    ExprPool& pool = k.pool;
    const ElementMath math{pool, d};
    const auto op = [&](std::string_view row, ExprId x, ExprId y) {
      return pool.apply(row, math.part, {x, y});
    };
    const ExprId zero = pool.constant_of(math.part, 0);
    const Register below(k, math.part), alpha(k, d), beta(k, math.part), skips(k, DType::i1);
    const ExprId b = below.value(pool), a = alpha.value(pool), be = beta.value(pool);
    to.push_back(below.declare(zero));
    to.push_back(rows_after(
        j, [&](ExprId i) { return std::vector{below.assign(op("add", b, math.norm(t(i, j))))}; }));
    to.push_back(alpha.declare(t(j, j)));
    to.push_back(skips.declare(
        pool.logical_and(op("compare_eq", b, zero), op("compare_eq", math.imag(a), zero))));
    const ExprId skip = skips.value(pool);
    const ExprId length = pool.apply("sqrt", math.part, {op("add", math.norm(a), b)});
    const ExprId signed_length = pool.choose(op("compare_lt", math.real(a), zero), length,
                                             pool.apply("negate", math.part, {length}));
    to.push_back(beta.declare(pool.choose(skip, math.real(a), signed_length)));
    const ExprId tau =
        math.compose(op("divide", op("subtract", be, math.real(a)), be),
                     op("divide", pool.apply("negate", math.part, {math.imag(a)}), be));
    to.push_back(store(taus, d, tau_index, pool.choose(skip, math.number(0), tau)));
    const Register divisor(k, d);
    to.push_back(
        divisor.declare(pool.choose(skip, math.number(1), math.sub(a, math.compose(be, zero)))));
    to.push_back(rows_after(j, [&](ExprId i) {
      return std::vector{set_t(i, j, math.div(t(i, j), divisor.value(pool)))};
    }));
    to.push_back(set_t(j, j, math.compose(be, zero)));
  }
};

}  // namespace

void lower_qr(Context& context, Node& node) {
  const Type &type = node.result_types()[0], &taus_type = node.result_types()[1];
  const MatrixStack a(type);
  const DType d = accumulator_dtype(type.dtype);
  const Type wide{.dtype = d, .dims = type.dims}, wide_taus{.dtype = d, .dims = taus_type.dims};
  const Location matrix = context.new_temporary(wide, step_name(node)),
                 taus = context.new_temporary(wide_taus, "taus");
  lower_each(context, matrix, wide, "copy_" + step_name(node), [&](KernelBody& body, auto index) {
    return body.pool().convert(body.element(node.operand(0), index), d);
  });
  const std::int64_t steps = taus_type.dims.back();
  enum class Part : std::uint8_t { all, make, apply };
  const auto launch_part = [&](Part part, const HostExpr& column) {
    const std::int64_t lanes = part == Part::apply ? a.columns : 1, items = a.count * lanes;
    auto k = new_kernel((part == Part::apply ? "reflect_" : "") + step_name(node), items);
    KernelBody body(context, *k);
    ExprPool& pool = k->pool;
    const ElementMath math{pool, d};
    body.note_count(type.count());
    const auto place = kernel::delinearize(pool, pool.variable(0), {a.count, lanes});
    const std::int32_t m = body.buffer(matrix, d, true),
                       t = body.buffer(taus, d, part != Part::apply);
    const Reflections r{*k, d, a, a, m, m, place[0]};
    const auto tau_at = [&](ExprId j) { return pool.add(pool.mul(place[0], steps), j); };
    const auto scale = [&](ExprId j) { return math.conj(pool.load(t, d, tau_at(j))); };
    if (part == Part::all) {
      const std::int32_t jv = k->new_variable(steps), cv = k->new_variable(a.columns);
      const ExprId j = pool.variable(jv), first = pool.add(j, 1);
      std::vector<Stmt> stmts, columns;
      r.make(stmts, j, t, tau_at(j));
      r.reflect(columns, j, scale(j), pool.add(first, pool.variable(cv)));
      stmts.push_back(loop(cv, pool.sub(pool.index(a.columns), first), std::move(columns)));
      k->body.push_back(loop(jv, pool.index(steps), std::move(stmts)));
    } else if (part == Part::make) {
      const ExprId j = body.scalar(column);
      r.make(k->body, j, t, tau_at(j));
    } else {
      const ExprId j = body.scalar(column);
      std::vector<Stmt> stmts;
      r.reflect(stmts, j, scale(j), place[1]);
      k->body.push_back(when(pool.less(j, place[1]), std::move(stmts)));
    }
    context.launch(std::move(k), body, items);
  };
  if (type.count() > 0 && a.columns <= small_matrix)
    launch_part(Part::all, HostExpr(0));
  else if (type.count() > 0)
    emit_counted(context, steps, "columns of QR", [&](const HostExpr& column) {
      launch_part(Part::make, column);
      launch_part(Part::apply, column);
    });
  context.place(node.result(0), narrowed(context, matrix, wide, type, node));
  context.place(node.result(1), narrowed(context, taus, wide_taus, taus_type, node));
}

void lower_reflector_product(Context& context, Node& node) {
  const Type& type = node.result_types()[0];
  const MatrixStack q(type);
  const DType d = accumulator_dtype(type.dtype);
  const Type wide{.dtype = d, .dims = type.dims};
  const std::int64_t count = node.operand(1).type().dims.back(), items = q.count * q.columns;
  const Location to = context.new_temporary(wide, step_name(node));
  if (type.count() > 0) {
    const Location vs = memory_as(context, node.operand(0), d),
                   taus = memory_as(context, node.operand(1), d);
    auto k = new_kernel(step_name(node), items);
    KernelBody body(context, *k);
    ExprPool& pool = k->pool;
    const ElementMath math{pool, d};
    body.note_count(type.count());
    const auto place = kernel::delinearize(pool, pool.variable(0), {q.count, q.columns});
    const Reflections r{*k, d, q, q, body.buffer(vs, d, false), body.buffer(to, d, true), place[0]};
    const std::int32_t row = k->new_variable(q.rows);
    const ExprId i = pool.variable(row), c = place[1];
    k->body.push_back(
        loop(row, pool.index(q.rows),
             {r.set_t(i, c, pool.choose(pool.equal(i, c), math.number(1), math.number(0)))}));
    if (count > 0) {
      const std::int32_t step = k->new_variable(count);
      const ExprId j = pool.sub(pool.index(count - 1), pool.variable(step));
      const ExprId tau =
          pool.load(body.buffer(taus, d, false), d, pool.add(pool.mul(place[0], count), j));
      std::vector<Stmt> stmts;
      r.reflect(stmts, j, tau, c);
      k->body.push_back(loop(step, pool.index(count), std::move(stmts)));
    }
    context.launch(std::move(k), body, items);
  }
  context.place(node.result(), narrowed(context, to, wide, type, node));
}

}  // namespace partita::passes
