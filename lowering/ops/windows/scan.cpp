// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// A reduce_window whose windows grow by one element from one to the next, as a scan of linear work.
// Many lanes: a work-item runs along each.  Few: lanes are cut into blocks; one kernel combines each
// block, one runs along the blocks of a lane, and one scans each block from what came before it.
#include "lowering/context/loops.hpp"
#include "lowering/ops/support/reduction.hpp"
#include "lowering/ops/windows/windows.hpp"

namespace partita::passes {
namespace {

using ir::Node;
using ir::Value;
using kernel::ExprId;

/// Lanes that keep a device busy by themselves.
constexpr std::int64_t many_lanes = 1024;
/// Scans shorter than this are not worth three kernels.
constexpr std::int64_t short_scan = 256;
constexpr std::int64_t shortest_block = 32;

/// The array as lanes along one dimension.
struct Lanes {
  Dims outer;  ///< extents of the other dimensions
  std::int64_t dimension = 0, extent = 1, lanes = 1;
  bool is_reverse = false;

  Lanes(const Type& type, const ir::ScanShape& shape)
      : outer(type.dims),
        dimension(shape.dimension),
        extent(type.dims[std::size_t(shape.dimension)]),
        is_reverse(shape.is_reverse) {
    outer.erase(outer.begin() + dimension);
    for (const std::int64_t e : outer) lanes *= e;
  }

  /// Element `step` of a lane, in the order of the scan.
  [[nodiscard]] std::vector<ExprId> index(kernel::ExprPool& pool, ExprId lane, ExprId step) const {
    std::vector<ExprId> at = kernel::delinearize(pool, lane, outer);
    at.insert(at.begin() + dimension, is_reverse ? pool.sub(pool.index(extent - 1), step) : step);
    return at;
  }
};

/// One kernel of a scan: combines elements into accumulators in the order of the scan.
struct ScanKernel {
  std::unique_ptr<Kernel> kernel;
  KernelBody body;
  Reduction reduction;
  const Node& node;
  const Lanes& lanes;
  std::size_t n;

  ScanKernel(Context& builder, const Node& from, const Lanes& shape, const std::string& name,
             std::int64_t items)
      : kernel(new_kernel(name, items)),
        body(builder, *kernel),
        reduction(*kernel, from, shape.extent > few_terms),
        node(from),
        lanes(shape),
        n(from.result_types().size()) {}

  kernel::ExprPool& pool() { return kernel->pool; }
  std::vector<ExprId> elements(ExprId lane, ExprId step) {
    std::vector<ExprId> e;
    for (std::size_t i = 0; i < n; ++i)
      e.push_back(body.element(node.operand(i), lanes.index(pool(), lane, step)));
    return e;
  }
  std::vector<ExprId> inits() {
    std::vector<ExprId> e;
    for (std::size_t i = 0; i < n; ++i) e.push_back(body.element(node.operand(n + i), {}));
    return e;
  }
  /// Elements come last, or first where the scan runs backwards.
  std::vector<Stmt> combine(const std::vector<ExprId>& values) {
    return reduction.combine(body, *kernel, values, lanes.is_reverse);
  }
  std::vector<ExprId> loads(const std::vector<Location>& from, ExprId at) {
    std::vector<ExprId> e;
    for (std::size_t i = 0; i < n; ++i)
      e.push_back(pool().load(body.buffer(from[i], reduction.accumulators[i], false),
                              reduction.accumulators[i], at));
    return e;
  }
  void store_totals(std::vector<Stmt>& to, const std::vector<Location>& at, ExprId index) {
    for (std::size_t i = 0; i < n; ++i) {
      const DType d = reduction.accumulators[i];
      to.push_back(
          store(body.buffer(at[i], d, true), d, index, pool().reg(reduction.registers[i], d)));
    }
  }
  void store_results(std::vector<Stmt>& to, const std::vector<Location>& results, ExprId lane,
                     ExprId step) {
    const ExprId linear =
        kernel::linear_index(pool(), lanes.index(pool(), lane, step), node.result_types()[0].dims);
    for (std::size_t i = 0; i < n; ++i)
      to.push_back(store(body.buffer(results[i], reduction.dtypes[i], true), reduction.dtypes[i],
                         linear, reduction.result(*kernel, i)));
  }
};

}  // namespace

void lower_scan(Context& context, Node& node, const ir::ScanShape& shape) {
  const std::size_t n = node.result_types().size();
  const Type& type = node.result_types()[0];
  const Lanes lanes(type, shape);
  std::vector<Location> results, totals;
  for (std::size_t i = 0; i < n; ++i)
    results.push_back(context.new_temporary(node.result_types()[i], step_name(node)));
  const auto finish = [&] {
    for (std::size_t i = 0; i < n; ++i) context.place(node.result(int(i)), results[i]);
  };
  if (type.count() == 0) return finish();
  const auto run = [&](ScanKernel& k, std::int64_t items) {
    k.body.note_count(type.count());
    const std::string name = k.kernel->stem;
    context.launch(std::move(k.kernel), k.body, items, name);
  };
  std::int64_t block = lanes.extent;
  if (lanes.lanes < many_lanes && lanes.extent >= short_scan)
    while (block > shortest_block &&
           lanes.lanes * ((lanes.extent + block - 1) / block) < many_lanes)
      block = (block + 1) / 2;
  const std::int64_t blocks = (lanes.extent + block - 1) / block, items = lanes.lanes * blocks;
  const std::string name = "scan_" + step_name(node);
  if (blocks > 1) {
    {
      ScanKernel k(context, node, lanes, "blocks_of_" + name, items);
      auto& pool = k.pool();
      const auto place = kernel::delinearize(pool, pool.variable(0), {lanes.lanes, blocks});
      const ExprId first = pool.mul(place[1], block);
      k.reduction.declare(*k.kernel, k.kernel->body, k.elements(place[0], first));
      const std::int32_t c = k.kernel->new_variable(block - 1);
      const ExprId step = pool.add(first, pool.add(pool.variable(c), 1));
      std::vector<Stmt> inner = k.combine(k.elements(place[0], step));
      if (blocks * block != lanes.extent)
        inner = {when(pool.less(step, pool.index(lanes.extent)), std::move(inner))};
      k.kernel->body.push_back(loop(c, pool.index(block - 1), std::move(inner)));
      for (std::size_t i = 0; i < n; ++i)
        totals.push_back(context.new_temporary(
            {.dtype = k.reduction.accumulators[i], .dims = {lanes.lanes, blocks}}, "totals"));
      k.store_totals(k.kernel->body, totals, pool.variable(0));
      run(k, items);
    }
    // Each block's total gives way to what precedes the block.
    ScanKernel k(context, node, lanes, "offsets_of_" + name, lanes.lanes);
    auto& pool = k.pool();
    k.reduction.declare(*k.kernel, k.kernel->body, k.inits());
    const std::int32_t b = k.kernel->new_variable(blocks);
    const ExprId at = pool.add(pool.mul(pool.variable(0), blocks), pool.variable(b));
    std::vector<Stmt> inner;
    std::vector<ExprId> held;
    const std::vector<ExprId> loaded = k.loads(totals, at);
    for (std::size_t i = 0; i < n; ++i) {
      const std::int32_t slot = k.kernel->next_register++;
      const DType d = k.reduction.accumulators[i];
      inner.push_back({.kind = Stmt::Kind::declare, .slot = slot, .dtype = d, .value = loaded[i]});
      held.push_back(pool.reg(slot, d));
    }
    k.store_totals(inner, totals, at);
    for (Stmt& s : k.combine(held)) inner.push_back(std::move(s));
    k.kernel->body.push_back(loop(b, pool.index(blocks), std::move(inner)));
    run(k, lanes.lanes);
  }
  ScanKernel k(context, node, lanes, name, items);
  auto& pool = k.pool();
  const auto place = kernel::delinearize(pool, pool.variable(0), {lanes.lanes, blocks});
  k.reduction.declare(*k.kernel, k.kernel->body,
                      blocks > 1 ? k.loads(totals, pool.variable(0)) : k.inits());
  const std::int32_t c = k.kernel->new_variable(block);
  const ExprId step = pool.add(pool.mul(place[1], block), pool.variable(c));
  std::vector<Stmt> inner = k.combine(k.elements(place[0], step));
  k.store_results(inner, results, place[0], step);
  if (blocks * block != lanes.extent)
    inner = {when(pool.less(step, pool.index(lanes.extent)), std::move(inner))};
  k.kernel->body.push_back(loop(c, pool.index(block), std::move(inner)));
  run(k, items);
  finish();
}

}  // namespace partita::passes
