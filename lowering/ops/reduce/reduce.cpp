// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// reduce: a work-item for each result, which runs over what it combines in row-major order.  Few
// results of many elements are combined in two steps, of parts and of what became of the parts.
#include <algorithm>

#include "lowering/context/kernel_body.hpp"
#include "lowering/context/loops.hpp"
#include "lowering/context/lowerings.hpp"
#include "lowering/ops/reduce/group_reduce.hpp"
#include "lowering/ops/reduce/reduce_space.hpp"
#include "lowering/ops/support/reduction.hpp"

namespace partita::lowering {

using namespace kernel;

using ir::Node;
using scalar::ExprId;
using scalar::ExprPool;

namespace {

/// A reduction of at least this many elements into few results is split into partial ones.
constexpr std::int64_t split_reduction_from = 4096;
constexpr std::int64_t few_results = 256;
constexpr std::int64_t elements_per_partial = 512;
constexpr std::int64_t most_parts = 1024;
/// Items that keep the cores of a device busy.
constexpr std::int64_t enough_items = 32;

}  // namespace

/// Loops over what one result or part combines, to be opened, and where they are.
struct ReduceLoops {
  std::vector<LoopVariable> variables;
  std::vector<ExprId> at;

  /// One more of `extent` turns, to `end`.
  ExprId add(KernelBody& body, std::int64_t extent, ExprId end) {
    variables.push_back({body.new_variable(extent), end});
    at.push_back(body.pool().variable(variables.back().slot));
    return at.back();
  }
  void add(KernelBody& body, std::int64_t extent) { add(body, extent, body.pool().index(extent)); }
};

/// How the longest dimensions are cut where few results combine many elements.
struct Parts {
  std::int64_t length, count;

  explicit Parts(const ReduceSpace& space) {
    const std::int64_t extent = space.extent(0);
    const std::int64_t wanted = std::min(
        {extent, most_parts, std::max<std::int64_t>(1, space.reduced / elements_per_partial)});
    length = (extent + wanted - 1) / wanted;
    count = (extent + length - 1) / length;
  }
};

/// Arrays of what each part gives: {results, parts}, or {parts, results} where columns are read.
static std::vector<Location> reduce_parts(Context& context, Node& node, const ReduceSpace& space,
                                          const Parts& parts) {
  const std::int64_t items = space.results * parts.count, extent = space.extent(0);
  KernelBody body(context, "partial_" + step_name(node), items);
  const Reduction reduction(body, node);
  ExprPool& pool = body.pool();
  const Dims dims =
      space.has_columns() ? Dims{parts.count, space.results} : Dims{space.results, parts.count};
  const auto place = scalar::delinearize(pool, body.item(), dims);
  const ExprId result = place[space.has_columns() ? 1 : 0],
               first = pool.mul(place[space.has_columns() ? 0 : 1], parts.length);
  const std::optional<ExprId> identity = reduction.identity(pool);
  // Extrema may combine an element twice, others begin with the second one.
  const std::int64_t skipped = reduction.simple ? 0 : 1, turns = parts.length - skipped;
  ExprId end = pool.index(turns);
  if (parts.length * parts.count != extent)
    end = pool.min(end, pool.sub(pool.index(extent - skipped), first));
  std::vector<ExprId> begin{first};
  ReduceLoops loops;
  const ExprId turn = loops.add(body, turns, end);
  loops.at[0] = pool.add(pool.add(first, turn), skipped);
  for (std::size_t l = 1; l < space.loops(); ++l) {
    loops.add(body, space.extent(l));
    begin.push_back(pool.index(0));
  }
  reduction.declare(body, identity ? std::vector{*identity}
                                   : elements_of(body, node, space.index(pool, result, begin)));
  body.nest(loops.variables, [&] {
    reduction.combine(body, elements_of(body, node, space.index(pool, result, loops.at)));
  });
  std::vector<Location> partials;
  for (std::size_t i = 0; i < reduction.dtypes.size(); ++i) {
    const DType d = reduction.accumulators[i];
    partials.push_back(context.new_temporary({.dtype = d, .dims = dims}, "partial"));
    body.store_to(partials[i], d, body.item(), body.value(reduction.registers[i]));
  }
  context.launch(body, items);
  return partials;
}

/// The kernel that combines all elements of each result, or what became of their parts.
class ReduceKernel {
 public:
  ReduceKernel(Context& context, Node& node, const ReduceSpace& space)
      : context_(context),
        node_(node),
        space_(space),
        body_(context, step_name(node), space.results),
        reduction_(body_, node),
        item_(body_.item()) {}

  void launch_whole(const std::vector<Location>& results) {
    begin();
    for (std::size_t l = 0; l < space_.loops(); ++l) loops_.add(body_, space_.extent(l));
    finish(results, elements_of(body_, node_, space_.index(body_.pool(), item_, loops_.at)));
  }
  void launch_parts(const std::vector<Location>& results, const std::vector<Location>& partials,
                    std::int64_t parts) {
    begin();
    loops_.add(body_, parts);
    ExprPool& pool = body_.pool();
    const ExprId part = loops_.at[0];
    const ExprId from = space_.has_columns() ? pool.add(pool.mul(part, space_.results), item_)
                                             : pool.add(pool.mul(item_, parts), part);
    std::vector<ExprId> elements;
    for (std::size_t i = 0; i < partials.size(); ++i) {
      const DType d = reduction_.accumulators[i];
      elements.push_back(pool.load(body_.buffer(partials[i], d, false), d, from));
    }
    finish(results, elements);
  }

 private:
  /// Accumulators start from the initial values.
  void begin() {
    std::vector<ExprId> inits;
    for (std::size_t i = 0; i < reduction_.dtypes.size(); ++i)
      inits.push_back(body_.element(node_.operand(reduction_.dtypes.size() + i), {}));
    reduction_.declare(body_, inits);
  }
  void finish(const std::vector<Location>& results, const std::vector<ExprId>& elements) {
    if (space_.reduced > 0)
      body_.nest(loops_.variables, [&] { reduction_.combine(body_, elements); });
    for (std::size_t i = 0; i < results.size(); ++i)
      body_.store_to(results[i], reduction_.dtypes[i], item_, reduction_.result(body_, i));
    context_.launch(body_, space_.results);
  }

  Context& context_;
  Node& node_;
  const ReduceSpace& space_;
  KernelBody body_;
  Reduction reduction_;
  ExprId item_;
  ReduceLoops loops_;
};

static void lower_reduce(Context& context, Node& node) {
  if (context.is_placed(node.result())) return;  // came with the rows of an earlier one
  const std::size_t n = node.result_types().size();
  ReduceSpace space(node);
  if (context.policy().target.device_class == DeviceClass::simt && space.results > 0 &&
      space.reduced > 0)
    return lower_group_reduce(context, node);
  std::vector<Location> results;
  for (std::size_t i = 0; i < n; ++i)
    results.push_back(context.new_temporary(node.result_types()[i], step_name(node)));
  if (space.reduced >= split_reduction_from && 0 < space.results && space.results <= few_results) {
    if (!ir::simple_combiner(node.region(0)) ||
        space.results * std::min(space.extent(0), most_parts) < enough_items)
      space.flatten();
    const Parts parts(space);
    const std::vector<Location> partials = reduce_parts(context, node, space, parts);
    ReduceKernel(context, node, space).launch_parts(results, partials, parts.count);
  } else if (space.results > 0) {
    ReduceKernel(context, node, space).launch_whole(results);
  }
  // Located only at the end, so that the kernels see the operands and not the result.
  for (std::size_t i = 0; i < n; ++i) context.place(node.result(int(i)), results[i]);
}

void register_reduce_lowering(Lowerings& all) { all.add(ir::KernelShape::reduce, lower_reduce); }

}  // namespace partita::lowering
