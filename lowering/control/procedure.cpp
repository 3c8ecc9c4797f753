// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Ops that take several kernels: which procedure lays out which, and what the procedures share.
#include <array>

#include "kernel/ast/statements.hpp"
#include "lowering/context/kernel_body.hpp"

namespace partita::passes {

using ir::Node;
using ir::Value;
using kernel::ExprId;

void PlanBuilder::lower_procedure(Node& node) {
  struct Row {
    std::string_view op;
    void (PlanBuilder::*lower)(Node&);
  };
  static constexpr std::array rows{
      Row{"stablehlo.sort", &PlanBuilder::lower_sort},
      Row{"stablehlo.fft", &PlanBuilder::lower_fft},
      Row{"stablehlo.cholesky", &PlanBuilder::lower_cholesky},
      Row{"stablehlo.triangular_solve", &PlanBuilder::lower_triangular_solve},
      Row{"stablehlo.custom_call @Qr", &PlanBuilder::lower_qr},
      Row{"stablehlo.custom_call @ProductOfElementaryHouseholderReflectors",
          &PlanBuilder::lower_reflector_product},
  };
  for (const Row& row : rows)
    if (row.op == node.op().name) return (this->*row.lower)(node);
  throw_internal_error(cat("no procedure for ", node.op().name));
}

void PlanBuilder::lower_each(Location to, const Type& type, const std::string& stem,
                             const ElementFn& value) {
  const std::int64_t n = type.count();
  if (n == 0) return;
  auto k = new_kernel(stem, n);
  KernelBody body(*this, *k);
  const ExprId item = k->pool.variable(0);
  const ExprId element = value(body, kernel::delinearize(k->pool, item, type.dims));
  body.note_count(n);
  k->body.push_back(store(body.buffer(to, type.dtype, true), type.dtype, item, element));
  launch(std::move(k), body, n, stem);
}

Location PlanBuilder::memory_as(Value v, DType dtype) {
  const Location at = memory(v);
  if (v.type().dtype == dtype) return at;
  const Type type{.dtype = dtype, .dims = v.type().dims};
  const Location to = new_temporary(type, "widened");
  lower_each(to, type, "widen_" + step_name(*v.node), [&](KernelBody& body, auto index) {
    return body.pool().convert(body.element(v, index), dtype);
  });
  return to;
}

void PlanBuilder::emit_counted(std::int64_t count, const std::string& name,
                               const std::function<void(const HostExpr& index)>& emit_steps) {
  const int variable = new_variable(cat("i", plan_.variables.size()));
  For step{.variable = variable, .begin = HostExpr(0), .end = HostExpr(count), .step = 1};
  step.body = capture_steps([&] { emit_steps(HostExpr::variable(variable)); });
  emit(std::move(step), name);
}

}  // namespace partita::passes
