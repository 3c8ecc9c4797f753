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

namespace partita::passes {

using ir::Node;
using kernel::ExprId;
using kernel::ExprPool;

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
      const std::vector<ExprId> parts = kernel::delinearize(pool, linear, extents);
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

/// A loop for each variable, the last innermost.
std::vector<Stmt> nested(std::span<const std::int32_t> variables, std::span<const ExprId> ends,
                         std::vector<Stmt> body) {
  for (std::size_t k = variables.size(); k-- > 0;) {
    std::vector<Stmt> outer;
    outer.push_back(loop(variables[k], ends[k], std::move(body)));
    body = std::move(outer);
  }
  return body;
}

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

/// Arrays of what each part gives: {results, parts}, or {parts, results} where columns are read.
static std::vector<Location> reduce_parts(Context& context, Node& node, const ReduceSpace& space) {
  const std::int64_t extent = space.extent(0);
  const std::int64_t wanted = std::min(
      {extent, most_parts, std::max<std::int64_t>(1, space.reduced / elements_per_partial)});
  const std::int64_t part = (extent + wanted - 1) / wanted, parts = (extent + part - 1) / part;
  auto k = new_kernel("partial_" + step_name(node), space.results * parts);
  KernelBody body(context, *k);
  const Reduction reduction(*k, node);
  ExprPool& pool = k->pool;
  const Dims dims = space.has_columns() ? Dims{parts, space.results} : Dims{space.results, parts};
  const auto place = kernel::delinearize(pool, pool.variable(0), dims);
  const ExprId result = place[space.has_columns() ? 1 : 0],
               first = pool.mul(place[space.has_columns() ? 0 : 1], part);
  const std::optional<ExprId> identity = identity_of(pool, reduction);
  // Extrema may combine an element twice, others begin with the second one.
  const std::int64_t skipped = reduction.simple ? 0 : 1;
  std::vector<std::int32_t> variables{k->new_variable(part - skipped)};
  std::vector<ExprId> ends{pool.index(part - skipped)}, begin{first},
      at{pool.add(pool.add(first, pool.variable(variables[0])), skipped)};
  if (part * parts != extent)
    ends[0] = pool.min(ends[0], pool.sub(pool.index(extent - skipped), first));
  for (std::size_t l = 1; l < space.loops(); ++l) {
    variables.push_back(k->new_variable(space.extent(l)));
    ends.push_back(pool.index(space.extent(l)));
    at.push_back(pool.variable(variables.back()));
    begin.push_back(pool.index(0));
  }
  reduction.declare(*k, k->body,
                    identity ? std::vector{*identity}
                             : elements_of(body, node, space.index(pool, result, begin)));
  for (Stmt& s :
       nested(variables, ends,
              reduction.combine(body, *k, elements_of(body, node, space.index(pool, result, at)))))
    k->body.push_back(std::move(s));
  std::vector<Location> partials;
  for (std::size_t i = 0; i < reduction.dtypes.size(); ++i) {
    const DType d = reduction.accumulators[i];
    partials.push_back(context.new_temporary({.dtype = d, .dims = dims}, "partial"));
    k->body.push_back(store(body.buffer(partials[i], d, true), d, pool.variable(0),
                            reduction.registers[i].value(pool)));
  }
  context.launch(std::move(k), body, space.results * parts);
  return partials;
}

static void lower_reduce(Context& context, Node& node) {
  const std::size_t n = node.result_types().size();
  ReduceSpace space(node);
  std::vector<Location> results;
  for (std::size_t i = 0; i < n; ++i)
    results.push_back(context.new_temporary(node.result_types()[i], step_name(node)));
  // Located only at the end, so that the kernels below see the operands and not the result.
  const auto finish = [&] {
    for (std::size_t i = 0; i < n; ++i) context.place(node.result(int(i)), results[i]);
  };
  if (space.results == 0) return finish();
  std::vector<Location> partials;
  std::int64_t parts = 0;
  if (space.reduced >= split_reduction_from && space.results <= few_results) {
    if (!ir::simple_combiner(node.region(0)) ||
        space.results * std::min(space.extent(0), most_parts) < enough_items)
      space.flatten();
    partials = reduce_parts(context, node, space);
    parts = context.plan().buffers[std::size_t(partials[0].buffer)].count.value() / space.results;
  }
  auto k = new_kernel(step_name(node), space.results);
  KernelBody body(context, *k);
  const Reduction reduction(*k, node);
  ExprPool& pool = k->pool;
  const ExprId item = pool.variable(0);
  std::vector<ExprId> inits, elements, ends, at;
  std::vector<std::int32_t> variables;
  for (std::size_t i = 0; i < n; ++i) inits.push_back(body.element(node.operand(n + i), {}));
  reduction.declare(*k, k->body, inits);
  for (std::size_t l = 0; l < (parts > 0 ? 1 : space.loops()); ++l) {
    const std::int64_t extent = parts > 0 ? parts : space.extent(l);
    variables.push_back(k->new_variable(extent));
    ends.push_back(pool.index(extent));
    at.push_back(pool.variable(variables.back()));
  }
  if (parts > 0) {
    const ExprId from = space.has_columns() ? pool.add(pool.mul(at[0], space.results), item)
                                            : pool.add(pool.mul(item, parts), at[0]);
    for (std::size_t i = 0; i < n; ++i) {
      const DType d = reduction.accumulators[i];
      elements.push_back(pool.load(body.buffer(partials[i], d, false), d, from));
    }
  } else {
    elements = elements_of(body, node, space.index(pool, item, at));
  }
  if (space.reduced > 0)
    for (Stmt& s : nested(variables, ends, reduction.combine(body, *k, elements)))
      k->body.push_back(std::move(s));
  for (std::size_t i = 0; i < n; ++i)
    k->body.push_back(store(body.buffer(results[i], reduction.dtypes[i], true), reduction.dtypes[i],
                            item, reduction.result(*k, i)));
  context.launch(std::move(k), body, space.results);
  finish();
}

void register_reduce_lowering(Lowerings& all) { all.add(ir::KernelShape::reduce, lower_reduce); }

}  // namespace partita::passes
