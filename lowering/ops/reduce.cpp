// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// reduce: a work-item for each result, which runs over what it combines in row-major order.  Few
// results of many elements are combined in two steps, of parts and of what became of the parts.
#include <algorithm>

#include "lowering/context/kernel_body.hpp"
#include "lowering/context/loops.hpp"
#include "lowering/context/lowerings.hpp"
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
/// Results that lie side by side in the operand and are worth reading so.
constexpr std::int64_t neighbours = 8;

}  // namespace

/// Dimensions that are kept, and those that are reduced: neighbours of them are one loop.
class ReduceSpace {
 public:
  explicit ReduceSpace(const Node& node) : rank_(node.operand(0).type().dims.size()) {
    const Dims& in = node.operand(0).type().dims;
    const ir::I64s& dimensions = node.attrs.i64s("dimensions");
    bool continues = false;
    for (std::size_t d = 0; d < in.size(); ++d) {
      const bool is_reduced = std::ranges::find(dimensions, std::int64_t(d)) != dimensions.end();
      (is_reduced ? reduced : results) *= in[d];
      if (!is_reduced) {
        kept_.push_back({d, in[d]});
      } else if (in[d] != 1) {
        if (!continues) loops_.emplace_back();
        loops_.back().push_back({d, in[d]});
      }
      if (in[d] == 1) continue;
      continues = is_reduced;
      has_columns_ = !is_reduced && in[d] >= neighbours;
    }
    if (loops_.empty()) loops_.emplace_back();
  }

  /// One loop over everything.
  void flatten() {
    for (std::size_t k = 1; k < loops_.size(); ++k)
      loops_[0].insert(loops_[0].end(), loops_[k].begin(), loops_[k].end());
    loops_.resize(1);
  }

  [[nodiscard]] std::size_t loops() const { return loops_.size(); }
  [[nodiscard]] std::int64_t extent(std::size_t loop) const {
    std::int64_t n = 1;
    for (const auto& [d, e] : loops_[loop]) n *= e;
    return n;
  }
  /// Whether neighbouring results combine neighbouring elements.
  [[nodiscard]] bool has_columns() const { return has_columns_; }

  /// Of the element that result `result` combines at `at`, one number per loop.
  [[nodiscard]] std::vector<ExprId> index(ExprPool& pool, ExprId result,
                                          std::span<const ExprId> at) const {
    std::vector<ExprId> full(rank_, pool.index(0));
    const auto put = [&](const std::vector<Dimension>& dimensions, ExprId linear) {
      Dims extents;
      for (const auto& [d, e] : dimensions) extents.push_back(e);
      const std::vector<ExprId> parts = scalar::delinearize(pool, linear, extents);
      for (std::size_t k = 0; k < parts.size(); ++k) full[dimensions[k].first] = parts[k];
    };
    put(kept_, result);
    for (std::size_t k = 0; k < loops_.size(); ++k) put(loops_[k], at[k]);
    return full;
  }

  std::int64_t results = 1, reduced = 1;

 private:
  using Dimension = std::pair<std::size_t, std::int64_t>;
  std::size_t rank_;
  std::vector<Dimension> kept_;
  std::vector<std::vector<Dimension>> loops_;
  bool has_columns_ = false;
};

namespace {

/// What changes nothing under a sum or product; nothing for other combiners.
std::optional<ExprId> identity_of(ExprPool& pool, const Reduction& reduction) {
  if (!reduction.simple) return std::nullopt;
  const DType d = reduction.accumulators[0];
  if (*reduction.simple == Combiner::product) return ElementMath{pool, d}.number(1);
  if (*reduction.simple != Combiner::sum) return std::nullopt;
  // -0 + x is x, whatever the sign of x.
  const ExprId zero = pool.constant_of(part_dtype(d), is_integer(d) ? 0.0 : -0.0);
  return ElementMath{pool, d}.compose(zero, zero);
}

/// Elements of the operands for one result.
std::vector<ExprId> elements_of(KernelBody& body, const Node& node, std::span<const ExprId> index) {
  std::vector<ExprId> elements;
  for (std::size_t i = 0; i < node.result_types().size(); ++i)
    elements.push_back(body.element(node.operand(i), index));
  return elements;
}

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
  const std::optional<ExprId> identity = identity_of(pool, reduction);
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
  const std::size_t n = node.result_types().size();
  ReduceSpace space(node);
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
