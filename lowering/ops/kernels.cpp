// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Kernels of the shape loops, slices that are updated, and the folds that end a streamed loop.
#include <algorithm>
#include <limits>

#include "ir/ops/support/support.hpp"
#include "lowering/context/kernel_body.hpp"
#include "lowering/ops/reduction.hpp"

namespace partita::passes {
namespace {

using ir::Node;
using ir::Value;
using kernel::ExprId;

/// Work-items of a group.  PoCL runs a group as one vectorised loop; GPUs take a multiple of 32.
constexpr std::int64_t group_size = 64;

double combiner_identity(std::string_view combiner, DType d) {
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

std::string_view fold_row(std::string_view combiner) {
  if (combiner == "sum") return "add";
  if (combiner == "max") return "maximum";
  if (combiner == "min") return "minimum";
  return combiner_row(combiner, DType::i1);
}

}  // namespace

void PlanBuilder::launch(std::unique_ptr<Kernel> kernel, KernelBody& body, HostExpr items,
                         const std::string& name, bool of_any_group) {
  Launch l;
  std::int64_t local = of_any_group ? 1 : group_size;
  ExprId limit{};
  if (items.is_constant()) {
    if (items.value() == 0) return;
    while (local / 2 >= items.value()) local /= 2;
    limit = kernel->pool.index(items.value());
  } else {
    limit = body.scalar(items);
  }
  // The last group may be larger than what is left.
  if (!items.is_constant() || items.value() % local != 0) {
    std::vector<Stmt> inside = std::move(kernel->body);
    kernel->body.clear();
    kernel->body.push_back(
        when(kernel->pool.less(kernel->pool.variable(unbounded_item), limit), std::move(inside)));
  }
  kernel->wide_index =
      body.largest_count() > std::numeric_limits<std::int32_t>::max() ||
      (items.is_constant() && items.value() > std::numeric_limits<std::int32_t>::max() - local);
  l.kernel = int(draft_.kernels.size());
  l.buffers = body.buffers();
  for (const HostExpr& s : body.scalars()) l.scalars.push_back({DType::i64, s});
  l.global[0] =
      HostExpr::binary(HostExpr::Kind::div, items + HostExpr(local - 1), HostExpr(local)) *
      HostExpr(local);
  if (!of_any_group) l.local = {local, 1, 1};
  draft_.kernels.push_back(std::move(kernel));
  emit(std::move(l), name);
}

void PlanBuilder::lower_loops(Value v, Location to) {
  const std::int64_t n = v.type().count();
  if (n == 0) return;
  if (const Epilogue* epilogue = analysis_.epilogue(v);
      epilogue != nullptr && !locations_.contains(v))
    return lower_contraction(*epilogue, to);
  auto k = new_kernel(step_name(*v.node), n);
  KernelBody body(*this, *k);
  const ExprId item = k->pool.variable(0);
  const ExprId value = body.element(v, kernel::delinearize(k->pool, item, v.type().dims));
  k->body.push_back(store(body.buffer(to, v.type().dtype, true), v.type().dtype, item, value));
  const std::string name = k->stem;
  launch(std::move(k), body, n, name);
}

void PlanBuilder::lower_fill(Location to, const Type& type, double value) {
  const std::int64_t n = type.count();
  if (n == 0) return;
  auto k = new_kernel(cat("fill_", to_string(type.dtype), "_", n), n);
  KernelBody body(*this, *k);
  k->body.push_back(store(body.buffer(to, type.dtype, true), type.dtype, k->pool.variable(0),
                          k->pool.constant_of(type.dtype, value)));
  const std::string name = k->stem;
  launch(std::move(k), body, n, name);
}

void PlanBuilder::lower_fold(Value v, Location accumulator, const std::string& combiner,
                             bool has_lanes, const HostExpr& count) {
  Type type = v.type();
  if (has_lanes) type.dims.erase(type.dims.begin());
  const std::int64_t n = type.count();
  if (n == 0) return;
  auto k = new_kernel(cat("fold_", combiner, "_", step_name(*v.node)), n);
  KernelBody body(*this, *k);
  const ExprId item = k->pool.variable(0);
  std::vector<ExprId> index = kernel::delinearize(k->pool, item, type.dims);
  const std::int32_t memory = body.buffer(accumulator, type.dtype, true);
  const std::int32_t acc = k->next_register++;
  const auto combine = [&](ExprId x) {
    return Stmt{
        .kind = Stmt::Kind::assign,
        .slot = acc,
        .dtype = type.dtype,
        .value = k->pool.apply(fold_row(combiner), type.dtype, {k->pool.reg(acc, type.dtype), x})};
  };
  k->body.push_back({.kind = Stmt::Kind::declare,
                     .slot = acc,
                     .dtype = type.dtype,
                     .value = k->pool.load(memory, type.dtype, item)});
  if (has_lanes) {
    const std::int32_t lane = k->new_variable(v.type().dims[0]);
    index.insert(index.begin(), k->pool.variable(lane));
    k->body.push_back(loop(lane, body.scalar(count), {combine(body.element(v, index))}));
  } else {
    k->body.push_back(combine(body.element(v, index)));
  }
  k->body.push_back(store(memory, type.dtype, item, k->pool.reg(acc, type.dtype)));
  const std::string name = k->stem;
  launch(std::move(k), body, n, name);
}

void PlanBuilder::lower_stack(Value v, Location to, bool has_lanes, const HostExpr& count) {
  const std::int64_t n = v.type().count();
  if (n == 0) return;
  auto k = new_kernel(cat("stack_", step_name(*v.node)), n);
  KernelBody body(*this, *k);
  const ExprId item = k->pool.variable(0);
  const ExprId value = body.element(v, kernel::delinearize(k->pool, item, v.type().dims));
  k->body.push_back(store(body.buffer(to, v.type().dtype, true), v.type().dtype, item, value));
  const std::string name = k->stem;
  launch(std::move(k), body, has_lanes ? count * HostExpr(n / v.type().dims[0]) : HostExpr(n),
         name);
}

void PlanBuilder::lower_update_slice(Node& node) {
  const Value v = node.result(), operand = node.operand(0), update = node.operand(1);
  const Location to = new_temporary(v.type(), step_name(node));
  if (operand.type() == update.type()) {
    lower_loops(update, to);
    locations_[v] = to;
    return;
  }
  if (locations_.contains(operand))
    emit_copy(locations_.at(operand), to, v.type(), "copy for update");
  else
    lower_loops(operand, to);
  const std::int64_t n = update.type().count();
  if (n > 0) {
    auto k = new_kernel(step_name(node), n);
    KernelBody body(*this, *k);
    auto& pool = k->pool;
    const auto index = kernel::delinearize(pool, pool.variable(0), update.type().dims);
    std::vector<ExprId> at;
    for (std::size_t d = 0; d < index.size(); ++d) {
      const ExprId start = ir::ops::lower_start(pool, body.element(node.operand(d + 2), {}),
                                                v.type().dims[d] - update.type().dims[d]);
      at.push_back(pool.add(start, index[d]));
    }
    const ExprId value = body.element(update, index);
    body.note_count(v.type().count());
    k->body.push_back(store(body.buffer(to, v.type().dtype, true), v.type().dtype,
                            kernel::linear_index(pool, at, v.type().dims), value));
    const std::string name = k->stem;
    launch(std::move(k), body, n, name);
  }
  locations_[v] = to;
}

double fold_identity(const std::string& combiner, DType d) {
  return combiner_identity(combiner, d);
}

}  // namespace partita::passes
