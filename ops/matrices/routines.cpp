// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Custom calls @partita.NAME: eigenvalues, singular values and factorisations that the host computes by LAPACK, on
// stacks of matrices.
#include "ops/matrices/matrices.hpp"
#include "ops/matrices/routine_derivatives.hpp"
#include "ops/support/custom_call.hpp"
#include "partita/ir/matrix_calls.hpp"

namespace partita::ir::ops {
namespace {

std::vector<Tensor> eval(const EvalContext& c) {
  const StackedCall stacked = stacked_call(c.node);
  std::vector<const std::byte*> operands;
  for (const Tensor& operand : c.operands) operands.push_back(operand->bytes.data());
  std::vector<HostArray> arrays;
  for (const Type& type : c.node.result_types()) arrays.emplace_back(type);
  std::vector<std::byte*> results;
  for (HostArray& array : arrays) results.push_back(array.bytes.data());
  run_matrix_call(stacked.call, stacked.count(), operands, results);
  std::vector<Tensor> tensors;
  for (HostArray& array : arrays)
    tensors.push_back(std::make_shared<const HostArray>(std::move(array)));
  return tensors;
}

struct Sampled {
  const char* routine;
  std::vector<std::string> samples;
};

/// One call: text of operands and results by the names %a, %b, … and types.  The program returns results from number
/// `first` on: vectors of complex numbers are known but for their phases.
std::string sample(const char* routine, const std::string& config,
                   const std::vector<std::string>& operands,
                   const std::vector<std::string>& results, std::size_t first = 0) {
  std::string arguments, names, types, outputs, returned;
  for (std::size_t k = 0; k < operands.size(); ++k) {
    const std::string comma = k == 0 ? "" : ", ", name = cat("%", char('a' + int(k)));
    arguments += cat(comma, name, ": tensor<", operands[k], ">");
    names += comma + name;
    types += cat(comma, "tensor<", operands[k], ">");
  }
  std::string returned_types;
  for (std::size_t k = 0; k < results.size(); ++k) {
    const std::string type = cat("tensor<", results[k], ">");
    outputs += cat(k == 0 ? "" : ", ", type);
    if (k < first) continue;
    const std::string comma = k == first ? "" : ", ";
    returned_types += cat(comma, type);
    returned += cat(comma, results.size() == 1 ? std::string("%0") : cat("%0#", k));
  }
  return cat("func.func @main(", arguments, ") -> (", returned_types, ") {\n  %0",
             results.size() == 1 ? std::string() : cat(":", results.size()),
             " = stablehlo.custom_call @", matrix_target(routine), "(", names, ")",
             config.empty() ? std::string() : cat(" {mhlo.backend_config = {", config, "}}"),
             " : (", types, ") -> ", results.size() == 1 ? outputs : cat("(", outputs, ")"),
             "\n  return ", returned, " : ", returned_types, "\n}");
}

std::vector<Sampled> sampled_routines() {
  return {
      {"eigh",
       {sample("eigh", "lower = true", {"2x5x5xf32"}, {"2x5x5xf32", "2x5xf32"}),
        sample("eigh", "lower = false", {"4x4xcomplex<f64>"}, {"4x4xcomplex<f64>", "4xf64"}, 1),
        sample("eigh", "", {"3x0x0xf32"}, {"3x0x0xf32", "3x0xf32"})}},
      {"svd",
       {sample("svd", "compute_uv = true", {"2x5x3xf32"}, {"2x3xf32", "2x5x3xf32", "2x3x3xf32"}),
        sample("svd", "compute_uv = true, full_matrices = true", {"3x5xf64"},
               {"3xf64", "3x3xf64", "5x5xf64"}),
        sample("svd", "compute_uv = false", {"4x4xcomplex<f32>"}, {"4xf32"}),
        sample("svd", "compute_uv = true, full_matrices = true", {"2x0xf32"},
               {"0xf32", "2x2xf32", "0x0xf32"})}},
      {"eig",
       {sample("eig", "compute_left = true, compute_right = true", {"2x4x4xf32"},
               {"2x4xcomplex<f32>", "2x4x4xcomplex<f32>", "2x4x4xcomplex<f32>"}),
        sample("eig", "compute_right = true", {"3x3xcomplex<f64>"},
               {"3xcomplex<f64>", "3x3xcomplex<f64>"}),
        sample("eig", "", {"1x1xf64"}, {"1xcomplex<f64>"})}},
      {"schur",
       {sample("schur", "compute_vectors = true", {"2x4x4xf32"}, {"2x4x4xf32", "2x4x4xf32"}),
        sample("schur", "compute_values = true, compute_vectors = true", {"3x3xcomplex<f64>"},
               {"3x3xcomplex<f64>", "3x3xcomplex<f64>", "3xcomplex<f64>"}),
        sample("schur", "", {"4x4xf64"}, {"4x4xf64"})}},
      {"hessenberg",
       {sample("hessenberg", "", {"2x5x5xf32"}, {"2x5x5xf32", "2x4xf32"}),
        sample("hessenberg", "", {"1x1xcomplex<f64>"}, {"1x1xcomplex<f64>", "0xcomplex<f64>"})}},
      {"tridiagonal",
       {sample("tridiagonal", "lower = true", {"2x5x5xf32"},
               {"2x5x5xf32", "2x5xf32", "2x4xf32", "2x4xf32"}),
        sample("tridiagonal", "", {"3x3xcomplex<f64>"},
               {"3x3xcomplex<f64>", "3xf64", "2xf64", "2xcomplex<f64>"})}},
      {"lu",
       {sample("lu", "", {"2x5x3xf32"}, {"2x5x3xf32", "2x3xi32", "2x5xi32"}),
        sample("lu", "", {"3x5xcomplex<f64>"}, {"3x5xcomplex<f64>", "3xi32", "3xi32"}),
        sample("lu", "", {"2x0xf32"}, {"2x0xf32", "0xi32", "2xi32"})}},
      {"pivoted_qr",
       {sample("pivoted_qr", "", {"2x5x3xf32", "2x3xi32"}, {"2x5x3xf32", "2x3xi32", "2x3xf32"})}},
      {"apply_reflections",
       {sample("apply_reflections", "left = true", {"2x5x3xf32", "2x3xf32", "2x5x4xf32"},
               {"2x5x4xf32"}),
        sample("apply_reflections", "transpose = true",
               {"4x2xcomplex<f64>", "2xcomplex<f64>", "3x4xcomplex<f64>"}, {"3x4xcomplex<f64>"})}},
      {"tridiagonal_solve",
       {sample("tridiagonal_solve", "", {"2x5xf32", "2x5xf32", "2x5xf32", "2x5x3xf32"},
               {"2x5x3xf32"})}},
  };
}

}  // namespace

void register_routines(OpRegistry& registry) {
  for (Sampled& sampled : sampled_routines()) {
    const MatrixRoutine& routine = *find_matrix_routine(sampled.routine);
    std::string options;
    for (const std::string_view option : routine.options)
      options += cat(options.empty() ? "" : ", ", option);
    OpDef op =
        custom_call_target(matrix_target(routine.name),
                           cat(routine.doc, options.empty() ? "" : cat(" Options: ", options, "."),
                               " On the host, by LAPACK; NaN where there is no result."));
    op.infer = [&routine](const InferContext& c) -> std::vector<Type> {
      try {
        return stacked_call(routine, c.attrs, c.operands).results();
      } catch (const Error& error) {
        c.fail(error.what());
      }
    };
    op.eval = eval;
    op.derivative = routine_derivative(routine.name);
    op.shape = KernelShape::procedure;
    op.factors = [rank = routine.ranks[0]](const Node& node) {
      return stack_factors(node, node.operand(0).type().dims.size() - rank);
    };
    op.samples = std::move(sampled.samples);
    registry.add(std::move(op));
  }
}

}  // namespace partita::ir::ops
