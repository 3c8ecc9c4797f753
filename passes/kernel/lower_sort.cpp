// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Sort: work-items sort short runs by insertion, then passes over memory merge pairs of runs until
// one is left.  In a merge each work-item finds the element for its place by a binary search for how
// many of the elements before it come from the left run.  The left of two equals goes first
// throughout, so the sort is stable.
#include "passes/kernel/kernel_body.hpp"
#include "passes/kernel/statements.hpp"

namespace partita::passes {
namespace {

using ir::Node;
using kernel::ExprId;
using kernel::ExprPool;

constexpr std::int64_t run_length = 16;

/// What is sorted, along which dimension.
struct SortShape {
  Dims dims;
  std::size_t dimension;
  std::int64_t n;
  std::vector<DType> dtypes;

  explicit SortShape(const Node& node) : dims(node.operand(0).type().dims) {
    const std::int64_t d = node.attrs.i64("dimension", -1);
    dimension = std::size_t(d < 0 ? d + std::int64_t(dims.size()) : d);
    n = dims[dimension];
    for (const Type& t : node.result_types()) dtypes.push_back(t.dtype);
  }
  /// dims with another extent along the dimension.
  [[nodiscard]] Dims with(std::int64_t extent) const {
    Dims other = dims;
    other[dimension] = extent;
    return other;
  }
};

/// A kernel that compares elements of one slice by the comparator, through two sets of registers.
class SortKernel {
 public:
  SortKernel(Kernel& kernel, KernelBody& body, const Node& node, const SortShape& shape)
      : pool(kernel.pool), shape_(shape) {
    const ir::Graph& region = node.region(0);
    for (std::size_t i = 0; i < shape.dtypes.size(); ++i) {
      for (auto* side : {&before, &after}) side->emplace_back(kernel, shape.dtypes[i]);
      body.define(region.argument(int(2 * i)), before[i].value(pool));
      body.define(region.argument(int(2 * i) + 1), after[i].value(pool));
      for (const Register& r : {before[i], after[i]}) {
        const ElementMath math{pool, r.dtype};
        const bool has_parts = is_complex(r.dtype);
        kernel.body.push_back(r.declare(has_parts ? math.number(0) : pool.constant(r.dtype, 0)));
      }
    }
    body.note_count(node.operand(0).type().count());
    holds = body.combined(region, 0);
  }

  /// Registers = elements of the slice at `position`.
  void read(std::vector<Stmt>& to, const std::vector<Register>& registers,
            const std::vector<std::int32_t>& buffers, ExprId position) const {
    for (std::size_t i = 0; i < registers.size(); ++i)
      to.push_back(
          registers[i].assign(pool.load(buffers[i], registers[i].dtype, linear(position))));
  }
  void write(std::vector<Stmt>& to, const std::vector<Register>& registers,
             const std::vector<std::int32_t>& buffers, ExprId position) const {
    for (std::size_t i = 0; i < registers.size(); ++i)
      to.push_back(
          store(buffers[i], registers[i].dtype, linear(position), registers[i].value(pool)));
  }
  [[nodiscard]] ExprId linear(ExprId position) const {
    std::vector<ExprId> at = index;
    at[shape_.dimension] = position;
    return kernel::linear_index(pool, at, shape_.dims);
  }

  ExprPool& pool;
  std::vector<Register> before, after;  ///< the comparator's operands
  ExprId holds{};                       ///< whether `before` goes before `after`
  std::vector<ExprId> index;            ///< of the slice; the entry of the dimension is not used

 private:
  const SortShape& shape_;
};

/// Finds by bisection how many of the first `place` elements of two merged runs are from the left.
struct MergeSearch {
  SortKernel& s;
  Kernel& k;
  const std::vector<std::int32_t>& from;
  ExprId begin, left, right, place;  ///< first element, lengths of both runs, place in the merged
  std::int64_t longest;              ///< of a run

  [[nodiscard]] ExprId i32(ExprId index) const { return s.pool.from_index(index, DType::i32); }

  /// Register with the number.
  [[nodiscard]] Register search() const {
    ExprPool& pool = s.pool;
    const Register low(k, DType::i32), high(k, DType::i32);
    k.body.push_back(low.declare(i32(pool.max(pool.index(0), pool.sub(place, right)))));
    k.body.push_back(high.declare(i32(pool.min(place, left))));
    const ExprId is_open =
        pool.apply("compare_lt", DType::i32, {low.value(pool), high.value(pool)});
    const ExprId sum = pool.apply("add", DType::i32, {low.value(pool), high.value(pool)});
    const Register middle(k, DType::i32);
    std::vector<Stmt> step{middle.declare(
        pool.apply("shift_right_logical", DType::i32, {sum, pool.constant(DType::i32, 1)}))};
    const ExprId m = pool.to_index(middle.value(pool));
    // The right element that would be just behind the first m + 1 of the left.
    const ExprId other = pool.sub(pool.sub(place, m), pool.index(1));
    s.read(step, s.before, from, pool.add(pool.add(begin, left), other));
    s.read(step, s.after, from, pool.add(begin, m));
    const ExprId more =
        pool.apply("add", DType::i32, {middle.value(pool), pool.constant(DType::i32, 1)});
    const Register right_first(k, DType::i1);
    step.push_back(right_first.declare(s.holds));
    const ExprId r = right_first.value(pool);
    step.push_back(low.assign(pool.choose(r, low.value(pool), more)));
    step.push_back(high.assign(pool.choose(r, middle.value(pool), high.value(pool))));
    std::int64_t trips = 1;
    while ((std::int64_t(1) << trips) <= longest) ++trips;
    const std::int32_t trip = k.new_variable(trips);
    k.body.push_back(loop(trip, pool.index(trips), {when(is_open, std::move(step))}));
    return low;
  }

  /// Register with the position, within the slice, of the element for `place`.
  [[nodiscard]] Register source() const {
    ExprPool& pool = s.pool;
    const Register taken = search(), source(k, DType::i32);
    const ExprId i = pool.to_index(taken.value(pool)), j = pool.sub(place, i);
    const ExprId from_left = i32(pool.add(begin, i)),
                 from_right = i32(pool.add(pool.add(begin, left), j));
    k.body.push_back(source.declare(from_right));
    std::vector<Stmt> compared;
    s.read(compared, s.before, from, pool.add(pool.add(begin, left), j));
    s.read(compared, s.after, from, pool.add(begin, i));
    compared.push_back(when(s.holds, {source.assign(from_right)}));
    k.body.push_back(when(pool.less(i, left), {source.assign(from_left),
                                               when(pool.less(j, right), std::move(compared))}));
    return source;
  }
};

}  // namespace

void PlanBuilder::lower_sort(Node& node) {
  const SortShape shape(node);
  const auto temporaries = [&] {
    std::vector<Location> at;
    for (const Type& t : node.result_types()) at.push_back(new_temporary(t, step_name(node)));
    return at;
  };
  const auto buffers = [&](KernelBody& body, const std::vector<Location>& at, bool is_written) {
    std::vector<std::int32_t> slots;
    for (std::size_t i = 0; i < at.size(); ++i)
      slots.push_back(body.buffer(at[i], shape.dtypes[i], is_written));
    return slots;
  };
  std::vector<Location> sorted = temporaries();
  const std::int64_t count = node.operand(0).type().count();
  if (count > 0) {
    const std::int64_t runs = (shape.n + run_length - 1) / run_length;
    const Dims grid = shape.with(runs);
    const std::int64_t items = Type{.dims = grid}.count();
    auto k = new_kernel("runs_" + step_name(node), items);
    KernelBody body(*this, *k);
    SortKernel s(*k, body, node, shape);
    ExprPool& pool = k->pool;
    s.index = kernel::delinearize(pool, pool.variable(0), grid);
    const ExprId begin = pool.mul(s.index[shape.dimension], run_length);
    const std::vector<std::int32_t> to = buffers(body, sorted, true);
    const std::int64_t length = std::min(run_length, shape.n);
    const std::int32_t i = k->new_variable(length), back = k->new_variable(length);
    const ExprId at = pool.add(begin, pool.variable(i));
    std::vector<Stmt> insert, exchange;
    for (std::size_t o = 0; o < node.operands().size(); ++o) {
      std::vector<ExprId> index = s.index;
      index[shape.dimension] = at;
      insert.push_back(s.before[o].assign(body.element(node.operand(o), index)));
    }
    s.write(insert, s.before, to, at);
    const ExprId here = pool.sub(at, pool.variable(back)), previous = pool.sub(here, pool.index(1));
    s.read(exchange, s.before, to, here);
    s.read(exchange, s.after, to, previous);
    std::vector<Stmt> swap;
    s.write(swap, s.before, to, previous);
    s.write(swap, s.after, to, here);
    exchange.push_back(when(s.holds, std::move(swap)));
    insert.push_back(loop(back, pool.variable(i), std::move(exchange)));
    if (runs * run_length != shape.n && runs > 1)
      insert = {when(pool.less(at, pool.index(shape.n)), std::move(insert))};
    k->body.push_back(loop(i, pool.index(length), std::move(insert)));
    const std::string name = k->stem;
    launch(std::move(k), body, items, name);
  }
  for (std::int64_t run = run_length; count > 0 && run < shape.n; run *= 2) {
    const std::vector<Location> merged = temporaries();
    auto k = new_kernel("merge_" + step_name(node), count);
    KernelBody body(*this, *k);
    SortKernel s(*k, body, node, shape);
    ExprPool& pool = k->pool;
    s.index = kernel::delinearize(pool, pool.variable(0), shape.dims);
    const ExprId at = s.index[shape.dimension];
    const ExprId begin = pool.mul(pool.div(at, 2 * run), 2 * run);
    const std::vector<std::int32_t> from = buffers(body, sorted, false),
                                    to = buffers(body, merged, true);
    const ExprId rest = pool.sub(pool.index(shape.n), begin);
    const ExprId left = pool.min(pool.index(run), rest),
                 right = pool.max(pool.index(0),
                                  pool.min(pool.index(run), pool.sub(rest, pool.index(run))));
    const MergeSearch search{s, *k, from, begin, left, right, pool.sub(at, begin), run};
    const Register source = search.source();
    const ExprId position = pool.to_index(source.value(pool));
    s.read(k->body, s.before, from, position);
    s.write(k->body, s.before, to, at);
    const std::string name = k->stem;
    launch(std::move(k), body, count, name);
    sorted = merged;
  }
  for (std::size_t r = 0; r < sorted.size(); ++r) locations_[node.result(int(r))] = sorted[r];
}

}  // namespace partita::passes
