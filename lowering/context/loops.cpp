// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "lowering/context/loops.hpp"

#include <limits>

#include "lowering/context/kernel_body.hpp"
#include "lowering/context/lowerings.hpp"
#include "lowering/context/transposed_loops.hpp"

namespace partita::lowering {

using namespace kernel;

using ir::Value;
using scalar::ExprId;

void lower_loops(Context& context, Value v, Location to) {
  const std::int64_t n = v.type().count();
  if (n == 0) return;
  if (const Epilogue* epilogue = context.analysis().epilogue(v);
      epilogue != nullptr && !context.is_placed(v))
    return Lowerings::instance().epilogue()(context, *epilogue, to);
  if (context.policy().target.device_class == DeviceClass::simt && lower_transposed(context, v, to))
    return;
  KernelBody body(context, step_name(*v.node), n);
  const ExprId item = body.item();
  const ExprId value = body.element(v, scalar::delinearize(body.pool(), item, v.type().dims));
  body.store_to(to, v.type().dtype, item, value);
  context.launch(body, n);
}

void lower_block(Context& context, Value v, int placement, Location to) {
  const std::int64_t n = v.type().count();
  if (n == 0) return;
  KernelBody body(context, cat("block_", step_name(*v.node)), n);
  const ExprId item = body.item();
  const ExprId begin =
      body.scalar(context.first_partition(placement) * HostExpr(partition_count(v.type())));
  const ExprId element = body.pool().add(item, begin);
  const ExprId value = body.element(v, scalar::delinearize(body.pool(), element, v.type().dims));
  body.note_count(n);
  body.store_to(to, v.type().dtype, item, value);
  context.launch(body, context.block_count(v.type(), placement));
}

void lower_fill(Context& context, Location to, const HostArray& value, const Type& type) {
  const std::int64_t n = type.count();
  if (n == 0) return;
  KernelBody body(context, cat("fill_", to_string(type.dtype), "_", n), n);
  body.store_to(to, type.dtype, body.item(), body.pool().constant_of(type.dtype, value.bytes));
  context.launch(body, n);
}

void lower_each(Context& context, Location to, const Type& type, const std::string& stem,
                const ElementFn& value) {
  const std::int64_t n = type.count();
  if (n == 0) return;
  KernelBody body(context, stem, n);
  const ExprId item = body.item();
  const ExprId element = value(body, scalar::delinearize(body.pool(), item, type.dims));
  body.note_count(n);
  body.store_to(to, type.dtype, item, element);
  context.launch(body, n);
}

Location memory_as(Context& context, Value v, DType dtype) {
  const Location at = context.memory(v);
  if (v.type().dtype == dtype) return at;
  const Type type{.dtype = dtype, .dims = v.type().dims};
  const Location to = context.new_temporary(type, "widened");
  lower_each(context, to, type, "widen_" + step_name(*v.node), [&](KernelBody& body, auto index) {
    return body.pool().convert(body.element(v, index), dtype);
  });
  return to;
}

void emit_counted(Context& context, std::int64_t count, const std::string& name,
                  const std::function<void(const HostExpr& index)>& emit_steps) {
  const int variable = context.new_variable(cat("i", context.plan().variables.size()));
  For step{.variable = variable, .begin = HostExpr(0), .end = HostExpr(count), .step = 1};
  step.body = context.capture([&] { emit_steps(HostExpr::variable(variable)); });
  context.emit(std::move(step), name);
}

}  // namespace partita::lowering
