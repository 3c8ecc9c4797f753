// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// First-order perturbation theory: what repeats (an eigenvalue, a singular value) has no derivative and gives NaN or
// infinity.  Reverse mode transposes what forward mode emits.
#include "ops/matrices/routine_derivatives.hpp"

#include <array>
#include <numeric>

#include "ops/matrices/matrices.hpp"
#include "ops/support/derivative_support.hpp"
#include "partita/ir/matrix_calls.hpp"

namespace partita::ir {
namespace {

using ops::conjugate;
using ops::matrix_product;
using ops::matrix_transpose;
using ops::triangle;

Value adjoint(const DerivativeContext& c, Value v) { return conjugate(c, matrix_transpose(c, v)); }

/// Dimensions of a stack of vectors among those of the stack of matrices whose rows (2) or columns (1) they count.
I64s dims_of_vectors(const Type& matrices, std::int64_t from_last) {
  I64s dims(matrices.dims.size() - 1);
  std::iota(dims.begin(), dims.end(), 0);
  dims.back() = matrices.rank() - from_last;
  return dims;
}

/// Vectors along rows (each element through its column) or columns of matrices.
Value along_rows(const DerivativeContext& c, Value vectors, const Type& matrices) {
  return c.broadcast(vectors, matrices.dims, dims_of_vectors(matrices, 1));
}
Value along_columns(const DerivativeContext& c, Value vectors, const Type& matrices) {
  return c.broadcast(vectors, matrices.dims, dims_of_vectors(matrices, 2));
}

Type square_type(const Type& vectors, DType dtype) {
  Type type{.dtype = dtype, .dims = vectors.dims};
  type.dims.push_back(vectors.dims.back());
  return type;
}

Value on_diagonal(const DerivativeContext& c, const Dims& dims) {
  const Type index{.dtype = DType::i32, .dims = dims};
  return c.compare("EQ", c.iota(index, index.rank() - 2), c.iota(index, index.rank() - 1));
}

Value real_part(const DerivativeContext& c, Value v) {
  return is_complex(v.type().dtype) ? c.op("stablehlo.real", {v}) : v;
}

/// Real numbers as elements of another type.
Value as(const DerivativeContext& c, Value v, DType dtype) {
  return is_complex(dtype) ? c.op("stablehlo.complex", {v, c.zeros(v.type())}) : v;
}

/// Real parts of the diagonals of square matrices.
Value real_diagonal(const DerivativeContext& c, Value v) {
  const Value parts = real_part(c, v);
  const Value kept = c.select(on_diagonal(c, parts.type().dims), parts, c.zeros(parts.type()));
  return c.sum(kept, {kept.type().rank() - 1});
}

/// 1 / v beside the diagonal, 0 on it.
Value inverse_beside_diagonal(const DerivativeContext& c, Value v) {
  const Value is_on = on_diagonal(c, v.type().dims), one = c.splat(v.type(), 1);
  return c.select(is_on, c.zeros(v.type()),
                  c.op("stablehlo.divide", {one, c.select(is_on, one, v)}));
}

Value subtract(const DerivativeContext& c, Value a, Value b) {
  return c.op("stablehlo.subtract", {a, b});
}

// --- eigh ---------------------------------------------------------------------------------------

Values eigh_tangents(const DerivativeContext& c, Value t) {
  const Value v = c.node.result(0), w = c.node.result(1);
  const Value whole = ops::hermitian_of_triangle(c, t, stacked_call(c.node).call.has("lower"));
  const Value inner = matrix_product(c, adjoint(c, v), matrix_product(c, whole, v));
  const Type reals = square_type(w.type(), w.type().dtype);
  const Value gaps = subtract(c, along_rows(c, w, reals), along_columns(c, w, reals));
  const Value mixed = c.multiply(as(c, inverse_beside_diagonal(c, gaps), v.type().dtype), inner);
  return {matrix_product(c, v, mixed), real_diagonal(c, inner)};
}

// --- svd ----------------------------------------------------------------------------------------

/// The thin decomposition of a node's operand.
std::array<Value, 3> thin_svd(const DerivativeContext& c, const MatrixCall& call) {
  if (call.has("compute_uv")) return {c.node.result(0), c.node.result(1), c.node.result(2)};
  Node* const made = create(c.graph, "stablehlo.custom_call", {c.node.operand(0)},
                            {{"call_target_name", matrix_target("svd")},
                             {"mhlo.backend_config", Dict{{"compute_uv", true}}}});
  return {made->result(0), made->result(1), made->result(2)};
}

/// What a basis that is not complete gets from outside of it: (t - b bᴴ t) / s.
Value from_outside(const DerivativeContext& c, Value basis, Value t, Value values) {
  const Value rest =
      subtract(c, t, matrix_product(c, basis, matrix_product(c, adjoint(c, basis), t)));
  const Type& type = rest.type();
  const Value divisors = along_rows(c, values, {.dtype = values.type().dtype, .dims = type.dims});
  return c.op("stablehlo.divide", {rest, as(c, divisors, type.dtype)});
}

Values svd_tangents(const DerivativeContext& c, Value t) {
  const MatrixCall call = stacked_call(c.node).call;
  const Dims& dims = call.operands[0].dims;
  if (call.has("compute_uv") && call.has("full_matrices") && dims[0] != dims[1])
    c.refuse("complete bases have no derivative, as bases of what the matrix leaves out");
  const auto [s, u, vt] = thin_svd(c, call);
  const DType dtype = u.type().dtype;
  const Value v = adjoint(c, vt);
  const Value inner = matrix_product(c, adjoint(c, u), matrix_product(c, t, v));
  const Value values = real_diagonal(c, inner);
  if (!call.has("compute_uv")) return {values};
  const Type reals = square_type(s.type(), s.type().dtype);
  const Value of_columns = along_rows(c, s, reals), of_rows = along_columns(c, s, reals);
  const Value gaps =
      c.multiply(c.op("stablehlo.add", {of_columns, of_rows}), subtract(c, of_columns, of_rows));
  const Value factors = as(c, inverse_beside_diagonal(c, gaps), dtype);
  const auto mixed = [&](Value scale) {
    const Value scaled = c.multiply(as(c, scale, dtype), inner);
    return c.multiply(factors, c.op("stablehlo.add", {scaled, adjoint(c, scaled)}));
  };
  Value of_u = mixed(of_columns);
  if (is_complex(dtype)) {  // phases, which are given to u
    const Value skew =
        c.multiply(subtract(c, inner, adjoint(c, inner)), c.splat(inner.type(), 0.5));
    const Value phases =
        c.select(on_diagonal(c, inner.type().dims),
                 c.op("stablehlo.divide", {skew, as(c, of_columns, dtype)}), c.zeros(inner.type()));
    of_u = c.op("stablehlo.add", {of_u, phases});
  }
  Value du = matrix_product(c, u, of_u), dv = matrix_product(c, v, mixed(of_rows));
  if (dims[0] > dims[1])
    du = c.op("stablehlo.add", {du, from_outside(c, u, matrix_product(c, t, v), s)});
  if (dims[1] > dims[0])
    dv = c.op("stablehlo.add", {dv, from_outside(c, v, matrix_product(c, adjoint(c, t), u), s)});
  return {values, du, adjoint(c, dv)};
}

// --- lu -----------------------------------------------------------------------------------------

/// The first `rows` and `columns`, or as many more, which are zero.
Value resized(const DerivativeContext& c, Value v, std::int64_t rows, std::int64_t columns) {
  const Dims& dims = v.type().dims;
  const std::size_t rank = dims.size();
  I64s none(rank, 0), high(rank, 0);
  high[rank - 2] = rows - dims[rank - 2];
  high[rank - 1] = columns - dims[rank - 1];
  if (high == none) return v;
  return c.op(
      "stablehlo.pad", {v, c.zeros(Type::scalar(v.type().dtype))},
      {{"edge_padding_low", none}, {"edge_padding_high", high}, {"interior_padding", none}});
}

Value with_ones_from(const DerivativeContext& c, Value v, std::int64_t first) {
  const Type index{.dtype = DType::i32, .dims = v.type().dims};
  const Value after =
      c.compare("GE", c.iota(index, index.rank() - 1), c.splat(index, double(first)));
  const Value is_one = c.op("stablehlo.and", {on_diagonal(c, v.type().dims), after});
  return c.select(is_one, c.splat(v.type(), 1), v);
}

Value solve(const DerivativeContext& c, Value a, Value b, bool left) {
  return c.op("stablehlo.triangular_solve", {a, b},
              {{"left_side", left},
               {"lower", left},
               {"unit_diagonal", left},
               {"transpose_a", EnumAttr{"stablehlo", "transpose", "NO_TRANSPOSE"}}});
}

/// F. R. de Hoog, R. S. Anderssen, M. A. Lukas, Differentiation of matrix functionals using triangular factorization.
Values lu_tangents(const DerivativeContext& c, Value t) {
  const Type& type = t.type();
  const std::int64_t rank = type.rank(), m = type.dims[type.dims.size() - 2], n = type.dims.back(),
                     k = std::min(m, n);
  if (k == 0) return {c.zeros(type), {}, {}};
  const Value lu = c.node.result(0);
  const Value l = with_ones_from(
                  c, resized(c, triangle(c, resized(c, lu, m, k), true, false), m, m), 0),
              u = with_ones_from(
                  c, resized(c, triangle(c, resized(c, lu, k, n), false, true), n, n), k);
  const Value order = along_columns(c, c.node.result(2), type);
  const Value inner = solve(c, u, solve(c, l, ops::take_along(c, t, order, rank - 2), true), false);
  return {c.op("stablehlo.add", {matrix_product(c, l, triangle(c, inner, true, false)),
                                 matrix_product(c, triangle(c, inner, false, true), u)}),
          {},
          {}};
}

// --- tridiagonal_solve --------------------------------------------------------------------------

/// Elements along dimension d moved by one place towards its end (or its beginning), zeros where nothing comes from.
Value moved(const DerivativeContext& c, Value v, std::int64_t d, bool to_end) {
  const std::size_t rank = v.type().dims.size();
  I64s none(rank, 0), low(rank, 0), high(rank, 0);
  low[std::size_t(d)] = to_end ? 1 : -1;
  high[std::size_t(d)] = to_end ? -1 : 1;
  return c.op("stablehlo.pad", {v, c.zeros(Type::scalar(v.type().dtype))},
              {{"edge_padding_low", low}, {"edge_padding_high", high}, {"interior_padding", none}});
}

/// x = A⁻¹ b: of b, y = A⁻ᵀ g; of an element of A, -y xᵀ there.
Values tridiagonal_solve_vjp(DerivativeContext& c, const Values& cotangents) {
  const Value below = c.node.operand(0), diagonal = c.node.operand(1), above = c.node.operand(2),
              x = c.node.result();
  if (x.type().count() == 0) return {};
  const std::int64_t line = below.type().rank() - 1, rows = x.type().rank() - 2;
  const Value y = c.same(
      {moved(c, above, line, true), diagonal, moved(c, below, line, false), cotangents[0]})[0];
  const auto of = [&](Value neighbour) {
    return c.negate(c.sum(c.multiply(y, neighbour), {x.type().rank() - 1}));
  };
  return {of(moved(c, x, rows, true)), of(x), of(moved(c, x, rows, false)), y};
}

// --- Both modes ---------------------------------------------------------------------------------

using Tangents = Values (*)(const DerivativeContext& c, Value t);

Derivative by_tangents(Tangents tangents_of) {
  return Derivative::rules(
      [tangents_of](DerivativeContext& c, const Values& tangents) {
        return tangents_of(c, tangents[0]);
      },
      [tangents_of](DerivativeContext& c, const Values& cotangents) -> Values {
        Value sum;
        for (std::size_t k = 0; k < cotangents.size(); ++k)
          if (cotangents[k])
            sum = c.add(sum, ops::transposed_vjp(c, cotangents[k],
                                                 [&](Value t) { return tangents_of(c, t)[k]; }));
        return {sum};
      });
}

}  // namespace

Derivative routine_derivative(std::string_view routine) {
  if (routine == "eigh") return by_tangents(eigh_tangents);
  if (routine == "svd") return by_tangents(svd_tangents);
  if (routine == "lu") return by_tangents(lu_tangents);
  if (routine == "tridiagonal_solve") return Derivative::transposed(tridiagonal_solve_vjp);
  if (routine == "eig") return Derivative::none("eigenvalues of general matrices have no rule yet");
  return Derivative::none("has no rule, as in JAX");
}

}  // namespace partita::ir
