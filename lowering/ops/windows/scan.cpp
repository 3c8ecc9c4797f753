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
          store(body.buffer(at[i], d, true), d, index, reduction.registers[i].value(pool())));
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

/// A scan in blocks of each lane: totals of blocks, what precedes each, and the scan itself.
class Scan {
 public:
  Scan(Context& context, Node& node, const ir::ScanShape& shape)
      : context_(context),
        node_(node),
        type_(node.result_types()[0]),
        n_(node.result_types().size()),
        lanes_(type_, shape),
        name_("scan_" + step_name(node)) {
    block_ = lanes_.extent;
    if (lanes_.lanes < many_lanes && lanes_.extent >= short_scan)
      while (block_ > shortest_block &&
             lanes_.lanes * ((lanes_.extent + block_ - 1) / block_) < many_lanes)
        block_ = (block_ + 1) / 2;
    blocks_ = (lanes_.extent + block_ - 1) / block_;
  }

  void launch(const std::vector<Location>& results) {
    if (blocks_ > 1) {
      launch_totals();
      launch_offsets();
    }
    const std::int64_t items = lanes_.lanes * blocks_;
    ScanKernel k(context_, node_, lanes_, name_, items);
    auto& pool = k.pool();
    const auto place = kernel::delinearize(pool, pool.variable(0), {lanes_.lanes, blocks_});
    k.reduction.declare(*k.kernel, k.kernel->body,
                        blocks_ > 1 ? k.loads(totals_, pool.variable(0)) : k.inits());
    const std::int32_t c = k.kernel->new_variable(block_);
    const ExprId step = pool.add(pool.mul(place[1], block_), pool.variable(c));
    std::vector<Stmt> inner = k.combine(k.elements(place[0], step));
    k.store_results(inner, results, place[0], step);
    k.kernel->body.push_back(loop(c, pool.index(block_), within(k, step, std::move(inner))));
    run(k, items);
  }

 private:
  void launch_totals() {
    const std::int64_t items = lanes_.lanes * blocks_;
    ScanKernel k(context_, node_, lanes_, "blocks_of_" + name_, items);
    auto& pool = k.pool();
    const auto place = kernel::delinearize(pool, pool.variable(0), {lanes_.lanes, blocks_});
    const ExprId first = pool.mul(place[1], block_);
    k.reduction.declare(*k.kernel, k.kernel->body, k.elements(place[0], first));
    const std::int32_t c = k.kernel->new_variable(block_ - 1);
    const ExprId step = pool.add(first, pool.add(pool.variable(c), 1));
    std::vector<Stmt> inner = within(k, step, k.combine(k.elements(place[0], step)));
    k.kernel->body.push_back(loop(c, pool.index(block_ - 1), std::move(inner)));
    for (std::size_t i = 0; i < n_; ++i)
      totals_.push_back(context_.new_temporary(
          {.dtype = k.reduction.accumulators[i], .dims = {lanes_.lanes, blocks_}}, "totals"));
    k.store_totals(k.kernel->body, totals_, pool.variable(0));
    run(k, items);
  }

  /// Each block's total gives way to what precedes the block.
  void launch_offsets() {
    ScanKernel k(context_, node_, lanes_, "offsets_of_" + name_, lanes_.lanes);
    auto& pool = k.pool();
    k.reduction.declare(*k.kernel, k.kernel->body, k.inits());
    const std::int32_t b = k.kernel->new_variable(blocks_);
    const ExprId at = pool.add(pool.mul(pool.variable(0), blocks_), pool.variable(b));
    std::vector<Stmt> inner;
    std::vector<ExprId> held;
    const std::vector<ExprId> loaded = k.loads(totals_, at);
    for (std::size_t i = 0; i < n_; ++i) {
      const Register total(*k.kernel, k.reduction.accumulators[i]);
      inner.push_back(total.declare(loaded[i]));
      held.push_back(total.value(pool));
    }
    k.store_totals(inner, totals_, at);
    for (Stmt& s : k.combine(held)) inner.push_back(std::move(s));
    k.kernel->body.push_back(loop(b, pool.index(blocks_), std::move(inner)));
    run(k, lanes_.lanes);
  }

  /// The last block may be shorter.
  std::vector<Stmt> within(ScanKernel& k, ExprId step, std::vector<Stmt> stmts) const {
    if (blocks_ * block_ == lanes_.extent) return stmts;
    std::vector<Stmt> guarded;
    guarded.push_back(when(k.pool().less(step, k.pool().index(lanes_.extent)), std::move(stmts)));
    return guarded;
  }
  void run(ScanKernel& k, std::int64_t items) {
    k.body.note_count(type_.count());
    context_.launch(std::move(k.kernel), k.body, items);
  }

  Context& context_;
  Node& node_;
  const Type& type_;
  std::size_t n_;
  Lanes lanes_;
  std::string name_;
  std::int64_t block_ = 0, blocks_ = 0;
  std::vector<Location> totals_;
};

}  // namespace

void lower_scan(Context& context, Node& node, const ir::ScanShape& shape) {
  std::vector<Location> results;
  for (const Type& type : node.result_types())
    results.push_back(context.new_temporary(type, step_name(node)));
  if (node.result_types()[0].count() > 0) Scan(context, node, shape).launch(results);
  for (std::size_t i = 0; i < results.size(); ++i) context.place(node.result(int(i)), results[i]);
}

}  // namespace partita::passes
