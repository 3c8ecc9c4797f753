// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "ops/matrices/matrices.hpp"
#include "ops/support/derivative_support.hpp"

namespace partita::ir::ops {
namespace {

std::vector<Type> infer(const InferContext& c) {
  expect_operand_count(c, 2);
  expect_matrices(c, 0);
  expect_matrices(c, 1);
  const Type &a = c.operands[0], &b = c.operands[1];
  c.expect(a.dtype == b.dtype, cat("operand 1 of ", to_string(a.dtype)), to_string(b));  // (C1)
  c.expect(a.rank() == b.rank(), cat("operand 1 of rank ", a.rank()), to_string(b));     // (C2)
  const std::size_t rank = a.dims.size();
  const std::int64_t n = a.dims.back();
  c.expect(a.dims[rank - 2] == n, "square matrices as operand 0", to_string(a));
  for (std::size_t d = 0; d + 2 < rank; ++d)
    c.expect(a.dims[d] == b.dims[d],
             cat("an extent ", a.dims[d], " in dimension ", d, " of operand 1"), to_string(b));
  const std::size_t solved = c.attrs.flag("left_side") ? rank - 2 : rank - 1;
  c.expect(b.dims[solved] == n, cat("an extent ", n, " in dimension ", solved, " of operand 1"),
           to_string(b));  // (C3)
  return {b};              // (C4)
}

std::vector<Tensor> eval(const EvalContext& c) {
  const Dict& attrs = c.node.attrs;
  const std::string transpose = attrs.text("transpose_a", "NO_TRANSPOSE");
  const bool left = attrs.flag("left_side"), unit = attrs.flag("unit_diagonal");
  // x·op(a) = b is op(a)ᵀ·xᵀ = bᵀ: columns of x and b are rows then.
  const bool transposed = (transpose != "NO_TRANSPOSE") == left;
  const bool forward = attrs.flag("lower") != transposed;
  HostArray result;
  visit_wide(c.result_type().dtype, [&](auto zero) {
    using T = decltype(zero);
    HostArray a = convert(*c.operands[0], wide_dtype<T>), x = convert(*c.operands[1], a.type.dtype);
    const auto as = matrices<T>(a), xs = matrices<T>(x);
    for (std::size_t k = 0; k < xs.size(); ++k) {
      const std::int64_t n = as[k].rows, columns = left ? xs[k].columns : xs[k].rows;
      const auto m = [&](std::int64_t i, std::int64_t j) {
        const T element = transposed ? as[k](j, i) : as[k](i, j);
        return transpose == "ADJOINT" ? conjugate(element) : element;
      };
      for (std::int64_t column = 0; column < columns; ++column) {
        const auto at = [&](std::int64_t i) -> T& {
          return left ? xs[k](i, column) : xs[k](column, i);
        };
        for (std::int64_t step = 0; step < n; ++step) {
          const std::int64_t i = forward ? step : n - 1 - step;
          T sum = at(i);
          for (std::int64_t s = 0; s < step; ++s) {
            const std::int64_t j = forward ? s : n - 1 - s;
            sum -= m(i, j) * at(j);
          }
          at(i) = unit ? sum : sum / m(i, i);
        }
      }
    }
    result = convert(x, c.result_type().dtype);
  });
  return one(std::move(result));
}

/// Of b: y with op(a)ᵀ·y = g, or y·op(a)ᵀ = g; of op(a): -y·xᵀ, or -xᵀ·y, in its triangle.
Values vjp(DerivativeContext& c, const Values& cotangents) {
  const Dict& attrs = c.node.attrs;
  const std::string kind = attrs.text("transpose_a", "NO_TRANSPOSE");
  const bool left = attrs.flag("left_side"), is_plain = kind == "NO_TRANSPOSE";
  const Value a = c.node.operand(0), x = c.node.result();
  if (x.type().count() == 0) return {};
  Dict transposed = attrs;
  transposed.set("transpose_a",
                 EnumAttr{"stablehlo", "transpose", is_plain ? "TRANSPOSE" : "NO_TRANSPOSE"});
  const Value y = c.op("stablehlo.triangular_solve",
                       {kind == "ADJOINT" ? conjugate(c, a) : a, cotangents[0]}, transposed);
  Values results{{}, y};
  if (!c.wanted(0)) return results;
  const Value product =
      left ? matrix_product(c, y, x, false, true) : matrix_product(c, x, y, true, false);
  Value of_a = is_plain ? product : matrix_transpose(c, product);
  if (kind == "ADJOINT") of_a = conjugate(c, of_a);
  results[0] = c.negate(triangle(c, of_a, attrs.flag("lower"), !attrs.flag("unit_diagonal")));
  return results;
}

}  // namespace

void register_triangular_solve(OpRegistry& registry) {
  OpDef op;
  op.name = "stablehlo.triangular_solve";
  op.doc =
      "x of op(a)·x = b, or of x·op(a) = b, for triangular matrices a, of which the other triangle "
      "is not read.";
  op.attrs = {flag_attr("left_side"), flag_attr("lower"), flag_attr("unit_diagonal"),
              AttrSpec{.name = "transpose_a",
                       .kind = AttrKind::enumeration,
                       .required = false,
                       .allowed = {"NO_TRANSPOSE", "TRANSPOSE", "ADJOINT"},
                       .enum_kind = "transpose"}};
  op.infer = infer;
  op.eval = eval;
  op.derivative = Derivative::transposed(vjp);
  op.shape = KernelShape::procedure;
  // Columns of b are independent too, but a matrix without one of its dimensions is none.
  op.factors = [](const Node& node) {
    return stack_factors(node, node.operand(0).type().dims.size() - 2);
  };
  std::string sample =
      R"(func.func @main(%u: tensor<2x4x4xf32>, %b: tensor<2x4x3xf32>, %c: tensor<2x3x4xf32>, %g: tensor<0x0xf64>, %h: tensor<0x5xf64>) -> (tensor<0x5xf64>, RESULTS) {
  %i = stablehlo.iota dim = 1 : tensor<2x4x4xi32>
  %j = stablehlo.iota dim = 2 : tensor<2x4x4xi32>
  %k = stablehlo.compare EQ, %i, %j : (tensor<2x4x4xi32>, tensor<2x4x4xi32>) -> tensor<2x4x4xi1>
  %three = stablehlo.constant dense<3.0> : tensor<2x4x4xf32>
  %a = stablehlo.select %k, %three, %u : tensor<2x4x4xi1>, tensor<2x4x4xf32>
  %e = "stablehlo.triangular_solve"(%g, %h) <{left_side = true, lower = true, unit_diagonal = false, transpose_a = #stablehlo<transpose NO_TRANSPOSE>}> : (tensor<0x0xf64>, tensor<0x5xf64>) -> tensor<0x5xf64>
)";
  std::string names = "%e", results;
  int count = 0;
  for (const bool left : {true, false})
    for (const bool lower : {true, false})
      for (const char* transpose : {"NO_TRANSPOSE", "TRANSPOSE", "ADJOINT"}) {
        const char* type = left ? "tensor<2x4x3xf32>" : "tensor<2x3x4xf32>";
        const std::string name = cat("%x", count++);
        sample +=
            cat("  ", name, " = \"stablehlo.triangular_solve\"(%a, ", left ? "%b" : "%c",
                ") <{left_side = ", left ? "true" : "false", ", lower = ", lower ? "true" : "false",
                ", unit_diagonal = ", count % 4 == 0 ? "true" : "false",
                ", transpose_a = #stablehlo<transpose ", transpose, ">}> : (tensor<2x4x4xf32>, ",
                type, ") -> ", type, "\n");
        names += cat(", ", name);
        results += cat(results.empty() ? "" : ", ", type);
      }
  sample += cat("  return ", names, " : tensor<0x5xf64>, ", results, "\n}");
  sample.replace(sample.find("RESULTS"), 7, results);
  op.samples = {std::move(sample)};
  registry.add(std::move(op));
}

}  // namespace partita::ir::ops
