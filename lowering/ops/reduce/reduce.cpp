// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// reduce: a work-item for each result, which runs over what it combines in row-major order.  Few
// results of many elements are combined in two steps, of parts and of what became of the parts.  Long sums of columns are
// added up in blocks: the error of one after the other grows with their number.
#include <algorithm>
#include <functional>
#include <optional>
#include <span>

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
/// Terms that are added up before they are added to a longer sum, and from how many terms on.
constexpr std::int64_t block_terms = 32, terms_for_blocks = 2 * block_terms;

/// Whether each result is a long sum that an item adds up alone: in rows, neighbours are added to several sums anyway.
bool adds_in_blocks(const Node& node, const ReduceSpace& space) {
  const DType d = node.result_types()[0].dtype;
  const bool has_rows =
      space.has_neighbouring_terms() && space.extent(space.loops() - 1) > few_terms;
  return (is_float(d) || is_complex(d)) && !has_rows &&
         ir::simple_combiner(node.region(0)) == Combiner::sum;
}

}  // namespace

/// Loops over what one result or part combines.
class ReduceLoops {
 public:
  /// What is combined at an index for each loop.
  using ElementsAt = std::function<std::vector<ExprId>(std::span<const ExprId> at)>;

  /// One more, within those before: `extent` turns at most, to `end`.
  void add(std::int64_t extent, ExprId end) { loops_.push_back({extent, end}); }
  /// The innermost long one adds up blocks of its turns.
  void add_in_blocks() {
    for (std::size_t l = 0; l < loops_.size(); ++l)
      if (loops_[l].extent >= terms_for_blocks) in_blocks_ = l;
  }

  void combine(KernelBody& body, const Reduction& reduction, const ElementsAt& elements_at) const {
    std::vector<ExprId> at;
    const std::size_t around = in_blocks_.value_or(loops_.size());
    const std::vector<LoopVariable> outer = open(body, at, 0, around);
    body.nest(outer, [&] {
      if (in_blocks_)
        add_blocks(body, reduction, elements_at, at);
      else
        reduction.combine(body, elements_at(at));
    });
  }

 private:
  struct Loop {
    std::int64_t extent;
    ExprId end;
  };

  /// Variables of the loops from `first` on, whose values are added to `at`.
  std::vector<LoopVariable> open(KernelBody& body, std::vector<ExprId>& at, std::size_t first,
                                 std::size_t end) const {
    std::vector<LoopVariable> variables;
    for (std::size_t l = first; l < end; ++l) {
      variables.push_back({body.new_variable(loops_[l].extent), loops_[l].end});
      at.push_back(body.pool().variable(variables.back().slot));
    }
    return variables;
  }

  void add_blocks(KernelBody& body, const Reduction& reduction, const ElementsAt& elements_at,
                  const std::vector<ExprId>& outer) const {
    ExprPool& pool = body.pool();
    const auto& [extent, end] = loops_[*in_blocks_];
    const ExprId blocks = pool.div(end, block_terms), rest_from = pool.mul(blocks, block_terms);
    const LoopVariable block{body.new_variable(extent / block_terms), blocks},
        term{body.new_variable(block_terms), pool.index(block_terms)};
    const auto add_block = [&](const LoopVariable& terms, ExprId first) {
      const Register sum = body.new_register(reduction.accumulators[0]);
      std::vector<ExprId> at = outer;
      at.push_back(pool.add(first, pool.variable(terms.slot)));
      std::vector<LoopVariable> inner = open(body, at, *in_blocks_ + 1, loops_.size());
      inner.insert(inner.begin(), terms);
      body.declare(sum, *reduction.identity(pool));
      body.nest(inner, [&] {
        body.assign(sum, reduction.combined(body, body.value(sum), elements_at(at)[0]));
      });
      reduction.combine(body, {body.value(sum)});
    };
    body.loop(block, [&] { add_block(term, pool.mul(pool.variable(block.slot), block_terms)); });
    const ExprId rest = pool.sub(end, rest_from);
    if (rest != pool.index(0)) add_block({body.new_variable(block_terms - 1), rest}, rest_from);
  }

  std::vector<Loop> loops_;
  std::optional<std::size_t> in_blocks_;
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
  loops.add(turns, end);
  for (std::size_t l = 1; l < space.loops(); ++l) {
    loops.add(space.extent(l), pool.index(space.extent(l)));
    begin.push_back(pool.index(0));
  }
  if (adds_in_blocks(node, space)) loops.add_in_blocks();
  reduction.declare(body, identity ? std::vector{*identity}
                                   : elements_of(body, node, space.index(pool, result, begin)));
  loops.combine(body, reduction, [&](std::span<const ExprId> at) {
    std::vector<ExprId> place(at.begin(), at.end());
    place[0] = pool.add(pool.add(first, at[0]), skipped);
    return elements_of(body, node, space.index(pool, result, place));
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
    for (std::size_t l = 0; l < space_.loops(); ++l) add_loop(space_.extent(l));
    launch(results, [&](std::span<const ExprId> at) {
      return elements_of(body_, node_, space_.index(body_.pool(), item_, at));
    });
  }
  void launch_parts(const std::vector<Location>& results, const std::vector<Location>& partials,
                    std::int64_t parts) {
    add_loop(parts);
    launch(results, [&](std::span<const ExprId> at) {
      ExprPool& pool = body_.pool();
      const ExprId from = space_.has_columns() ? pool.add(pool.mul(at[0], space_.results), item_)
                                               : pool.add(pool.mul(item_, parts), at[0]);
      std::vector<ExprId> elements;
      for (std::size_t i = 0; i < partials.size(); ++i) {
        const DType d = reduction_.accumulators[i];
        elements.push_back(pool.load(body_.buffer(partials[i], d, false), d, from));
      }
      return elements;
    });
  }

 private:
  void add_loop(std::int64_t extent) { loops_.add(extent, body_.pool().index(extent)); }

  /// Accumulators start from the initial values.
  void launch(const std::vector<Location>& results, const ReduceLoops::ElementsAt& elements_at) {
    std::vector<ExprId> inits;
    for (std::size_t i = 0; i < reduction_.dtypes.size(); ++i)
      inits.push_back(body_.element(node_.operand(reduction_.dtypes.size() + i), {}));
    reduction_.declare(body_, inits);
    if (adds_in_blocks(node_, space_)) loops_.add_in_blocks();
    if (space_.reduced > 0) loops_.combine(body_, reduction_, elements_at);
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
