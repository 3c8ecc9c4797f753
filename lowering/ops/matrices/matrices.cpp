// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Factorisations and triangular systems.  Columns of a right side are independent: one work-item
// each.  Factorisations of small matrices run in one work-item per matrix, of larger ones in a
// launch per column.  Small floats are computed in f32.
#include <cmath>
#include <limits>

#include "kernel/ast/element_math.hpp"
#include "lowering/context/kernel_body.hpp"
#include "lowering/context/loops.hpp"
#include "lowering/context/lowerings.hpp"
#include "lowering/ops/matrices/matrix_steps.hpp"

namespace partita::lowering {

using namespace kernel;

using ir::Node;
using scalar::ExprId;
using scalar::ExprPool;

// --- Triangular systems -------------------------------------------------------------------------

static void lower_triangular_solve(Context& context, Node& node) {
  const Type& type = node.result_types()[0];
  const DType d = accumulator_dtype(type.dtype);
  const bool left = node.attrs.flag("left_side"), unit = node.attrs.flag("unit_diagonal");
  const std::string transpose = node.attrs.text("transpose_a", "NO_TRANSPOSE");
  MatrixCall call{.routine = "triangular_solve", .options = {}, .operands = {}};
  if (transpose == "ADJOINT") call.options.emplace_back("adjoint");
  if (left) call.options.emplace_back("left");
  if (node.attrs.flag("lower")) call.options.emplace_back("lower");
  if (transpose == "TRANSPOSE") call.options.emplace_back("transpose");
  if (unit) call.options.emplace_back("unit_diagonal");
  if (lower_on_host(context, node, std::move(call), small_system)) return;
  // x·op(a) = b is op(a)ᵀ·xᵀ = bᵀ: columns of x and b are rows then.
  const bool transposed = (transpose != "NO_TRANSPOSE") == left;
  const bool forward = node.attrs.flag("lower") != transposed;
  const MatrixStack a(node.operand(0).type()), x(type);
  const std::int64_t n = a.rows, columns = left ? x.columns : x.rows, items = x.count * columns;
  const Type wide{.dtype = d, .dims = type.dims};
  const Location to = context.new_temporary(wide, step_name(node));
  if (type.count() > 0) {
    KernelBody body(context, step_name(node), items);
    ExprPool& pool = body.pool();
    const ElementMath math{pool, d};
    const auto place = scalar::delinearize(pool, body.item(), {x.count, columns});
    const std::int32_t solution = body.buffer(to, d, true);
    body.note_count(std::max(type.count(), node.operand(0).type().count()));
    const auto of_x = [&](ExprId i) {
      return left ? x.linear(pool, place[0], i, place[1]) : x.linear(pool, place[0], place[1], i);
    };
    const auto coefficient = [&](ExprId i, ExprId j) {
      const ExprId e =
          pool.convert(body.element(node.operand(0), transposed ? a.index(pool, place[0], j, i)
                                                                : a.index(pool, place[0], i, j)),
                       d);
      return transpose == "ADJOINT" ? math.conj(e) : e;
    };
    const auto ordered = [&](ExprId step) {
      return forward ? step : pool.sub(pool.index(n - 1), step);
    };
    body.loop(n, [&](ExprId row) {
      const ExprId i = ordered(row);
      const ExprId b = body.element(node.operand(1), left ? x.index(pool, place[0], i, place[1])
                                                          : x.index(pool, place[0], place[1], i));
      const Register sum = body.declare(d, pool.convert(b, d));
      const ExprId total = body.value(sum);
      body.loop_to(row, n, [&](ExprId term) {
        const ExprId j = ordered(term);
        const ExprId product = math.mul(coefficient(i, j), pool.load(solution, d, of_x(j)));
        body.assign(sum, math.sub(total, product));
      });
      body.store(solution, of_x(i), unit ? total : math.div(total, coefficient(i, i)));
    });
    context.launch(body, items);
  }
  context.place(node.result(), narrowed(context, to, wide, type, node));
}

Location narrowed(Context& context, Location from, const Type& wide, const Type& type,
                  const Node& node) {
  if (wide == type) return from;
  const Location to = context.new_temporary(type, step_name(node));
  lower_each(context, to, type, "narrow_" + step_name(node), [&](KernelBody& body, auto index) {
    ExprPool& pool = body.pool();
    const ExprId at = scalar::linear_index(pool, index, type.dims);
    return pool.convert(pool.load(body.buffer(from, wide.dtype, false), wide.dtype, at),
                        type.dtype);
  });
  return to;
}

// --- Cholesky -----------------------------------------------------------------------------------

namespace {

/// Column j of the factor: rows from the diagonal on need the columns before.
struct CholeskyColumn {
  KernelBody& body;
  const Node& node;
  const MatrixStack& a;
  std::int32_t factor;
  DType d;
  ExprId matrix;

  [[nodiscard]] ExprId given(ExprId i, ExprId j) const {
    ExprPool& pool = body.pool();
    const ElementMath math{pool, d};
    const bool lower = node.attrs.flag("lower");
    const ExprId e =
        pool.convert(body.element(node.operand(0), lower ? a.index(pool, matrix, i, j)
                                                         : a.index(pool, matrix, j, i)),
                     d);
    return lower ? e : math.conj(e);
  }
  [[nodiscard]] ExprId computed(ExprId i, ExprId j) const {
    return body.pool().load(factor, d, a.linear(body.pool(), matrix, i, j));
  }

  /// Declares `diagonal` (of the part's dtype): the root of what is left of a pivot, NaN if there is
  /// nothing to take a root of.
  void pivot(const Register& diagonal, ExprId j) const {
    ExprPool& pool = body.pool();
    const ElementMath math{pool, d};
    const Register rest = body.declare(math.part, math.real(given(j, j)));
    const ExprId r = body.value(rest);
    body.loop_to(j, a.rows, [&](ExprId c) {
      body.assign(rest, pool.apply("subtract", math.part, {r, math.norm(computed(j, c))}));
    });
    const ExprId positive =
        pool.apply("compare_gt", math.part, {r, pool.constant_of(math.part, 0)});
    const ExprId nan = pool.constant_of(math.part, std::numeric_limits<double>::quiet_NaN());
    body.declare(diagonal, pool.choose(positive, pool.apply("sqrt", math.part, {r}), nan));
  }

  /// Writes row i of the column, i after j.
  void below(const Register& diagonal, ExprId i, ExprId j) const {
    ExprPool& pool = body.pool();
    const ElementMath math{pool, d};
    const Register sum = body.declare(d, given(i, j));
    const ExprId s = body.value(sum);
    body.loop_to(j, a.rows, [&](ExprId column) {
      const ExprId product = math.mul(computed(i, column), math.conj(computed(j, column)));
      body.assign(sum, math.sub(s, product));
    });
    body.store(factor, a.linear(pool, matrix, i, j), math.div_part(s, body.value(diagonal)));
  }
  void store_pivot(const Register& diagonal, ExprId j) const {
    const ElementMath math{body.pool(), d};
    body.store(factor, a.linear(body.pool(), matrix, j, j),
               math.compose(body.value(diagonal), body.pool().constant_of(math.part, 0)));
  }
};

/// One column of every matrix, or all columns where matrices are small.
void launch_cholesky(Context& context, const Node& node, const Location& factor, DType d,
                     const HostExpr& column) {
  const Type& type = node.result_types()[0];
  const MatrixStack a(type);
  const std::int64_t n = a.rows;
  const bool is_small = n <= small_matrix;
  const std::int64_t items = is_small ? a.count : a.count * n;
  KernelBody body(context, step_name(node), items);
  ExprPool& pool = body.pool();
  const auto place = scalar::delinearize(pool, body.item(), {a.count, is_small ? 1 : n});
  body.note_count(type.count());
  const CholeskyColumn step{body, node, a, body.buffer(factor, d, true), d, place[0]};
  const Register diagonal = body.new_register(part_dtype(d));
  if (is_small) {
    const LoopVariable columns{body.new_variable(n), pool.index(n)};
    const std::int32_t row = body.new_variable(n);
    const ExprId j = pool.variable(columns.slot), first = pool.add(j, 1);
    body.loop(columns, [&] {
      step.pivot(diagonal, j);
      step.store_pivot(diagonal, j);
      body.loop({row, pool.sub(pool.index(n), first)},
                [&] { step.below(diagonal, pool.add(first, pool.variable(row)), j); });
    });
  } else {
    const ExprId j = body.scalar(column), i = place[1];
    body.guard(pool.less_equal(j, i), [&] {
      step.pivot(diagonal, j);
      body.guard(pool.equal(i, j), [&] { step.store_pivot(diagonal, j); });
      body.guard(pool.less(j, i), [&] { step.below(diagonal, i, j); });
    });
  }
  context.launch(body, items);
}

/// The triangle of the factor at an index; a pivot that is not positive shows in the last one.
ExprId triangle(KernelBody& body, const Node& node, const Location& factor, DType d,
                std::span<const ExprId> index) {
  const Type& type = node.result_types()[0];
  const MatrixStack a(type);
  ExprPool& pool = body.pool();
  const ElementMath math{pool, d};
  const std::int32_t l = body.buffer(factor, d, false);
  const ExprId i = index[type.dims.size() - 2], j = index[type.dims.size() - 1];
  const ExprId matrix = a.matrix(pool, index);
  const bool lower = node.attrs.flag("lower");
  const ExprId e =
      pool.load(l, d, lower ? a.linear(pool, matrix, i, j) : a.linear(pool, matrix, j, i));
  const ExprId in_triangle = lower ? pool.less_equal(j, i) : pool.less_equal(i, j);
  const ExprId end = pool.index(a.rows - 1);
  const ExprId last = math.real(pool.load(l, d, a.linear(pool, matrix, end, end)));
  const ExprId value =
      pool.choose(pool.apply("compare_ne", math.part, {last, last}),
                  math.compose(last, pool.constant_of(math.part, 0)),
                  pool.choose(in_triangle, lower ? e : math.conj(e), math.number(0)));
  return pool.convert(value, type.dtype);
}

}  // namespace

static void lower_cholesky(Context& context, Node& node) {
  MatrixCall call{.routine = "cholesky", .options = {}, .operands = {}};
  if (node.attrs.flag("lower")) call.options.emplace_back("lower");
  if (lower_on_host(context, node, std::move(call))) return;
  const Type& type = node.result_types()[0];
  const DType d = accumulator_dtype(type.dtype);
  const Location result = context.new_temporary(type, step_name(node));
  context.place(node.result(), result);
  if (type.count() == 0) return;
  const Location factor = context.new_temporary({.dtype = d, .dims = type.dims}, "factor");
  const auto launch = [&](const HostExpr& column) {
    launch_cholesky(context, node, factor, d, column);
  };
  const std::int64_t n = MatrixStack(type).rows;
  if (n <= small_matrix)
    launch(HostExpr(0));
  else
    emit_counted(context, n, "cholesky columns", launch);
  lower_each(context, result, type, "triangle_" + step_name(node),
             [&](KernelBody& body, auto index) { return triangle(body, node, factor, d, index); });
}

void register_matrices_lowering(Lowerings& all) {
  all.add("stablehlo.cholesky", lower_cholesky);
  all.add("stablehlo.triangular_solve", lower_triangular_solve);
  all.add("stablehlo.custom_call @Qr", lower_qr);
  all.add("stablehlo.custom_call @ProductOfElementaryHouseholderReflectors",
          lower_reflector_product);
  for (const MatrixRoutine& routine : matrix_routines())
    if (routine.is_operation)
      all.add(cat("stablehlo.custom_call @", ir::matrix_target(routine.name)), lower_routine);
}

}  // namespace partita::lowering
