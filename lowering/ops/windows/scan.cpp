// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// A reduce_window whose windows grow by one element from one to the next, as a scan of linear work.
// Many lines: a work-item runs along each.  Few: lines are cut into blocks; one kernel combines each
// block, one runs along the blocks of a line, and one scans each block from what came before it.
// Devices of many items have groups along lines instead (group_scan.hpp).
#include "lowering/context/loops.hpp"
#include "lowering/ops/support/reduction.hpp"
#include "lowering/ops/windows/group_scan.hpp"
#include "lowering/ops/windows/scan_lines.hpp"
#include "lowering/ops/windows/windows.hpp"

namespace partita::lowering {

using namespace kernel;
namespace {

using ir::Node;
using ir::Value;
using scalar::ExprId;

/// Lines that keep a device busy by themselves.
constexpr std::int64_t many_lines = 1024;
/// Scans shorter than this are not worth three kernels.
constexpr std::int64_t short_scan = 256;
constexpr std::int64_t shortest_block = 32;

/// One kernel of a scan: combines elements into accumulators in the order of the scan.
struct ScanKernel {
  KernelBody body;
  Reduction reduction;
  const Node& node;
  const ScanLines& lines;
  std::size_t n;

  ScanKernel(Context& builder, const Node& from, const ScanLines& shape, const std::string& name,
             std::int64_t items)
      : body(builder, name, items),
        reduction(body, from, shape.extent > few_terms),
        node(from),
        lines(shape),
        n(from.result_types().size()) {}

  scalar::ExprPool& pool() { return body.pool(); }
  std::vector<ExprId> elements(ExprId line, ExprId step) {
    std::vector<ExprId> e;
    for (std::size_t i = 0; i < n; ++i)
      e.push_back(body.element(node.operand(i), lines.index(pool(), line, step)));
    return e;
  }
  std::vector<ExprId> inits() {
    std::vector<ExprId> e;
    for (std::size_t i = 0; i < n; ++i) e.push_back(body.element(node.operand(n + i), {}));
    return e;
  }
  /// Elements come last, or first where the scan runs backwards.
  void combine(const std::vector<ExprId>& values) {
    reduction.combine(body, values, lines.is_reverse);
  }
  std::vector<ExprId> loads(const std::vector<Location>& from, ExprId at) {
    std::vector<ExprId> e;
    for (std::size_t i = 0; i < n; ++i)
      e.push_back(pool().load(body.buffer(from[i], reduction.accumulators[i], false),
                              reduction.accumulators[i], at));
    return e;
  }
  void store_totals(const std::vector<Location>& at, ExprId index) {
    for (std::size_t i = 0; i < n; ++i)
      body.store_to(at[i], reduction.accumulators[i], index, body.value(reduction.registers[i]));
  }
  void store_results(const std::vector<Location>& results, ExprId line, ExprId step) {
    const ExprId linear =
        scalar::linear_index(pool(), lines.index(pool(), line, step), node.result_types()[0].dims);
    for (std::size_t i = 0; i < n; ++i)
      body.store_to(results[i], reduction.dtypes[i], linear, reduction.result(body, i));
  }
};

/// A scan in blocks of each line: totals of blocks, what precedes each, and the scan itself.
class Scan {
 public:
  Scan(Context& context, Node& node, const ir::ScanShape& shape)
      : context_(context),
        node_(node),
        type_(node.result_types()[0]),
        n_(node.result_types().size()),
        lines_(type_, shape),
        name_("scan_" + step_name(node)) {
    block_ = lines_.extent;
    if (lines_.lines < many_lines && lines_.extent >= short_scan)
      while (block_ > shortest_block &&
             lines_.lines * ((lines_.extent + block_ - 1) / block_) < many_lines)
        block_ = (block_ + 1) / 2;
    blocks_ = (lines_.extent + block_ - 1) / block_;
  }

  void launch(const std::vector<Location>& results) {
    if (blocks_ > 1) {
      launch_totals();
      launch_offsets();
    }
    const std::int64_t items = lines_.lines * blocks_;
    ScanKernel k(context_, node_, lines_, name_, items);
    auto& pool = k.pool();
    const auto place = scalar::delinearize(pool, k.body.item(), {lines_.lines, blocks_});
    k.reduction.declare(k.body, blocks_ > 1 ? k.loads(totals_, k.body.item()) : k.inits());
    k.body.loop(block_, [&](ExprId c) {
      const ExprId step = pool.add(pool.mul(place[1], block_), c);
      k.body.guard_if_needed(is_within(k, step), [&] {
        k.combine(k.elements(place[0], step));
        k.store_results(results, place[0], step);
      });
    });
    run(k, items);
  }

 private:
  void launch_totals() {
    const std::int64_t items = lines_.lines * blocks_;
    ScanKernel k(context_, node_, lines_, "blocks_of_" + name_, items);
    auto& pool = k.pool();
    const auto place = scalar::delinearize(pool, k.body.item(), {lines_.lines, blocks_});
    const ExprId first = pool.mul(place[1], block_);
    k.reduction.declare(k.body, k.elements(place[0], first));
    k.body.loop(block_ - 1, [&](ExprId c) {
      const ExprId step = pool.add(first, pool.add(c, 1));
      k.body.guard_if_needed(is_within(k, step), [&] { k.combine(k.elements(place[0], step)); });
    });
    for (std::size_t i = 0; i < n_; ++i)
      totals_.push_back(context_.new_temporary(
          {.dtype = k.reduction.accumulators[i], .dims = {lines_.lines, blocks_}}, "totals"));
    k.store_totals(totals_, k.body.item());
    run(k, items);
  }

  /// Each block's total gives way to what precedes the block.
  void launch_offsets() {
    ScanKernel k(context_, node_, lines_, "offsets_of_" + name_, lines_.lines);
    auto& pool = k.pool();
    k.reduction.declare(k.body, k.inits());
    k.body.loop(blocks_, [&](ExprId b) {
      const ExprId at = pool.add(pool.mul(k.body.item(), blocks_), b);
      std::vector<ExprId> held;
      const std::vector<ExprId> loaded = k.loads(totals_, at);
      for (std::size_t i = 0; i < n_; ++i)
        held.push_back(k.body.value(k.body.declare(k.reduction.accumulators[i], loaded[i])));
      k.store_totals(totals_, at);
      k.combine(held);
    });
    run(k, lines_.lines);
  }

  /// The last block may be shorter.
  [[nodiscard]] ExprId is_within(ScanKernel& k, ExprId step) const {
    return blocks_ * block_ == lines_.extent ? k.pool().boolean(true)
                                             : k.pool().less(step, k.pool().index(lines_.extent));
  }
  void run(ScanKernel& k, std::int64_t items) {
    k.body.note_count(type_.count());
    context_.launch(k.body, items);
  }

  Context& context_;
  Node& node_;
  const Type& type_;
  std::size_t n_;
  ScanLines lines_;
  std::string name_;
  std::int64_t block_ = 0, blocks_ = 0;
  std::vector<Location> totals_;
};

}  // namespace

void lower_scan(Context& context, Node& node, const ir::ScanShape& shape) {
  std::vector<Location> results;
  for (const Type& type : node.result_types())
    results.push_back(context.new_temporary(type, step_name(node)));
  if (node.result_types()[0].count() > 0) {
    if (context.policy().target.device_class == DeviceClass::simt)
      lower_group_scan(context, node, shape, results);
    else
      Scan(context, node, shape).launch(results);
  }
  for (std::size_t i = 0; i < results.size(); ++i) context.place(node.result(int(i)), results[i]);
}

}  // namespace partita::lowering
