// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "lowering/control/foreach/folds.hpp"

#include <limits>

#include "kernel/ast/statements.hpp"
#include "lowering/context/kernel_body.hpp"

namespace partita::passes {
namespace {

using ir::Value;
using kernel::ExprId;

std::string_view fold_row(std::string_view combiner) {
  if (combiner == "sum") return "add";
  if (combiner == "max") return "maximum";
  if (combiner == "min") return "minimum";
  return combiner_row(combiner);
}

}  // namespace

double fold_identity(const std::string& combiner, DType d) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  if (combiner == "sum" || combiner == "or") return 0;
  if (combiner == "and") return 1;
  const bool is_max = combiner == "max";
  if (is_float(d)) return is_max ? -infinity : infinity;
  return visit(d, [&](auto t) -> double {
    if constexpr (std::is_integral_v<StorageType<t>>) {
      if (t == DType::i1) return is_max ? 0 : 1;
      return is_max ? double(std::numeric_limits<StorageType<t>>::lowest())
                    : double(std::numeric_limits<StorageType<t>>::max());
    } else {
      return 0;
    }
  });
}

void lower_fold(Context& context, Value v, Location accumulator, const std::string& combiner,
                bool has_lanes, const HostExpr& count) {
  Type type = v.type();
  if (has_lanes) type.dims.erase(type.dims.begin());
  const std::int64_t n = type.count();
  if (n == 0) return;
  auto k = new_kernel(cat("fold_", combiner, "_", step_name(*v.node)), n);
  KernelBody body(context, *k);
  const ExprId item = k->pool.variable(0);
  std::vector<ExprId> index = kernel::delinearize(k->pool, item, type.dims);
  const std::int32_t memory = body.buffer(accumulator, type.dtype, true);
  const Register acc(*k, type.dtype);
  const auto combine = [&](ExprId x) {
    return acc.assign(k->pool.apply(fold_row(combiner), type.dtype, {acc.value(k->pool), x}));
  };
  k->body.push_back(acc.declare(k->pool.load(memory, type.dtype, item)));
  if (has_lanes) {
    const std::int32_t lane = k->new_variable(v.type().dims[0]);
    index.insert(index.begin(), k->pool.variable(lane));
    k->body.push_back(loop(lane, body.scalar(count), {combine(body.element(v, index))}));
  } else {
    k->body.push_back(combine(body.element(v, index)));
  }
  k->body.push_back(store(memory, type.dtype, item, acc.value(k->pool)));
  context.launch(std::move(k), body, n);
}

void lower_stack(Context& context, Value v, Location to, bool has_lanes, const HostExpr& count) {
  const std::int64_t n = v.type().count();
  if (n == 0) return;
  auto k = new_kernel(cat("stack_", step_name(*v.node)), n);
  KernelBody body(context, *k);
  const ExprId item = k->pool.variable(0);
  const ExprId value = body.element(v, kernel::delinearize(k->pool, item, v.type().dims));
  k->body.push_back(store(body.buffer(to, v.type().dtype, true), v.type().dtype, item, value));
  context.launch(std::move(k), body,
                 has_lanes ? count * HostExpr(n / v.type().dims[0]) : HostExpr(n));
}

}  // namespace partita::passes
