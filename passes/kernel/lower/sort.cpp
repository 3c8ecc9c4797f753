// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Sort, by the comparisons of sorting.hpp: work-items sort short runs by insertion, then passes over
// memory merge pairs of runs until one is left.  A pass cuts what each pair gives into chunks.  Its
// first kernel finds by bisection where the runs are to be cut for each chunk, its second merges the
// chunks.  A comparator that is no strict weak order can make a cut that merging from the start would
// not come by; each chunk sees that, because it ends at another place than where the next one was
// begun.  A third kernel merges such pairs anew, each by one work-item.  Where few elements of each
// slice are read and the comparator is known to be an order, one kernel selects these alone.
#include <algorithm>
#include <functional>

#include "partita/ir/sorting.hpp"
#include "passes/kernel/kernel_body.hpp"
#include "passes/kernel/statements.hpp"

namespace partita::passes {
namespace {

using ir::Node;
using kernel::ExprId;
using kernel::ExprPool;

using ir::insertion_run;

/// Elements that a work-item merges: runs of insertion_run times a power of two.
constexpr std::int64_t chunk = 64;

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
  /// dims with slices in parts of `length`.
  [[nodiscard]] Dims in(std::int64_t length) const {
    Dims parts = dims;
    parts[dimension] = (n + length - 1) / length;
    return parts;
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

void append(std::vector<Stmt>& to, std::vector<Stmt> statements) {
  std::ranges::move(statements, std::back_inserter(to));
}

/// Merges a pair of neighbouring runs, or a part of what it gives.
struct PairMerge {
  SortKernel& s;
  Kernel& k;
  std::vector<std::int32_t> from;
  ExprId run, pair;                 ///< length of a run, number of the pair within the slice
  ExprId begin{}, left{}, right{};  ///< the pair's first element, lengths of its runs

  PairMerge(SortKernel& sort, Kernel& kernel, const std::vector<std::int32_t>& source,
            ExprId length, ExprId number, std::int64_t n)
      : s(sort), k(kernel), from(source), run(length), pair(number) {
    ExprPool& pool = s.pool;
    begin = pool.mul(pair, pool.mul(run, 2));
    const ExprId rest = pool.sub(pool.index(n), begin);
    left = pool.min(run, rest);
    right = pool.max(pool.index(0), pool.min(run, pool.sub(rest, run)));
  }

  [[nodiscard]] ExprId i32(ExprId index) const { return s.pool.from_index(index, DType::i32); }
  [[nodiscard]] ExprId left_element(ExprId i) const { return s.pool.add(begin, i); }
  [[nodiscard]] ExprId right_element(ExprId j) const {
    return s.pool.add(s.pool.add(begin, left), j);
  }

  /// Register with how many of the first `place` elements are from the left run, after at most
  /// `trips` bisections.
  [[nodiscard]] Register cut(ExprId place, ExprId trips) const {
    ExprPool& pool = s.pool;
    const Register low(k, DType::i32), high(k, DType::i32), middle(k, DType::i32);
    k.body.push_back(low.declare(i32(pool.max(pool.index(0), pool.sub(place, right)))));
    k.body.push_back(high.declare(i32(pool.min(place, left))));
    const ExprId is_open =
        pool.apply("compare_lt", DType::i32, {low.value(pool), high.value(pool)});
    const ExprId sum = pool.apply("add", DType::i32, {low.value(pool), high.value(pool)});
    std::vector<Stmt> step{middle.declare(
        pool.apply("shift_right_logical", DType::i32, {sum, pool.constant(DType::i32, 1)}))};
    const ExprId m = pool.to_index(middle.value(pool));
    // The right element that would be just behind the first m + 1 of the left.
    s.read(step, s.before, from, right_element(pool.sub(pool.sub(place, m), pool.index(1))));
    s.read(step, s.after, from, left_element(m));
    const ExprId more =
        pool.apply("add", DType::i32, {middle.value(pool), pool.constant(DType::i32, 1)});
    const Register right_first(k, DType::i1);
    step.push_back(right_first.declare(s.holds));
    const ExprId r = right_first.value(pool);
    step.push_back(low.assign(pool.choose(r, low.value(pool), more)));
    step.push_back(high.assign(pool.choose(r, middle.value(pool), high.value(pool))));
    k.body.push_back(loop(k.next_variable++, trips, {when(is_open, std::move(step))}));
    return low;
  }

  /// Places within the pair's result, at most `most` of them.
  struct Places {
    ExprId first, end, most;
  };
  /// Merges the elements for those places, `taken` of the left run being gone before; leaves in it
  /// how many are gone afterwards.
  [[nodiscard]] std::vector<Stmt> part(const std::vector<std::int32_t>& to, const Register& taken,
                                       const Places& places) const {
    ExprPool& pool = s.pool;
    const std::int32_t t = k.next_variable++;
    const ExprId place = pool.add(places.first, pool.variable(t));
    const ExprId i = pool.to_index(taken.value(pool)), j = pool.sub(place, i);
    const Register takes_right(k, DType::i1), source(k, DType::i32);
    std::vector<Stmt> compared, step;
    s.read(compared, s.before, from, right_element(j));
    s.read(compared, s.after, from, left_element(i));
    compared.push_back(takes_right.assign(s.holds));
    step.push_back(takes_right.declare(pool.less_equal(left, i)));
    step.push_back(
        when(pool.logical_and(pool.less(i, left), pool.less(j, right)), std::move(compared)));
    const ExprId r = takes_right.value(pool);
    step.push_back(source.declare(pool.choose(r, i32(right_element(j)), i32(left_element(i)))));
    s.read(step, s.before, from, pool.to_index(source.value(pool)));
    s.write(step, s.before, to, pool.add(begin, place));
    const ExprId one =
        pool.apply("add", DType::i32, {taken.value(pool), pool.constant(DType::i32, 1)});
    step.push_back(taken.assign(pool.choose(r, taken.value(pool), one)));
    return {loop(t, places.most, {when(pool.less(place, places.end), std::move(step))})};
  }

  /// Merges the whole pair, of at most `most` elements.
  [[nodiscard]] std::vector<Stmt> all(const std::vector<std::int32_t>& to, ExprId most) const {
    const Register taken(k, DType::i32);
    std::vector<Stmt> statements{taken.declare(s.pool.constant(DType::i32, 0))};
    append(statements, part(to, taken, {s.pool.index(0), s.pool.add(left, right), most}));
    return statements;
  }
};

/// Arrays of one pass over memory.
struct Pass {
  std::int64_t run;                ///< length of the runs that are merged
  std::int64_t trips, shift;       ///< bisections in a run; log2 of the chunks of a pair
  std::vector<Location> from, to;  ///< the operands before and after
  Location cuts, flags;            ///< by chunk, and by pair in an array of that size
};

/// The kernels of a sort.
class Sorter {
 public:
  Sorter(const SortShape& shape, const Node& node)
      : shape_(shape), node_(node), chunks_(shape.in(chunk)) {}

  /// The slices in chunks.
  [[nodiscard]] const Dims& chunks() const { return chunks_; }

  void runs(Kernel& k, KernelBody& body, const std::vector<Location>& sorted) const;
  /// The first `count` of each slice alone, in order.
  void select(Kernel& k, KernelBody& body, const std::vector<Location>& sorted,
              std::int64_t count) const;
  void merge_pairs(Kernel& k, KernelBody& body, const Pass& pass) const;
  void cut(Kernel& k, KernelBody& body, const Pass& pass) const;
  void merge_chunks(Kernel& k, KernelBody& body, const Pass& pass) const;
  void mend(Kernel& k, KernelBody& body, const Pass& pass) const;

 private:
  [[nodiscard]] std::vector<std::int32_t> buffers(KernelBody& body, const std::vector<Location>& at,
                                                  bool is_written) const {
    std::vector<std::int32_t> slots;
    for (std::size_t i = 0; i < at.size(); ++i)
      slots.push_back(body.buffer(at[i], shape_.dtypes[i], is_written));
    return slots;
  }
  /// The part of the slice that a work-item of `grid` is for.
  ExprId place(SortKernel& s, const Dims& grid) const {
    s.index = kernel::delinearize(s.pool, s.pool.variable(0), grid);
    return s.index[shape_.dimension];
  }
  /// Element `at` of the slice's row in an array that has one for each chunk.
  [[nodiscard]] ExprId of_chunk(const SortKernel& s, ExprId at) const {
    std::vector<ExprId> index = s.index;
    index[shape_.dimension] = at;
    return kernel::linear_index(s.pool, index, chunks_);
  }
  /// The pair that a chunk is of.
  static ExprId pair_of(KernelBody& body, const Pass& pass, ExprId number) {
    ExprPool& pool = body.pool();
    return pool.to_index(
        pool.apply("shift_right_logical", DType::i32,
                   {pool.from_index(number, DType::i32),
                    pool.from_index(body.parameter(HostExpr(pass.shift)), DType::i32)}));
  }

  const SortShape& shape_;
  const Node& node_;
  Dims chunks_;
};

void Sorter::runs(Kernel& k, KernelBody& body, const std::vector<Location>& sorted) const {
  SortKernel s(k, body, node_, shape_);
  ExprPool& pool = k.pool;
  const ExprId begin = pool.mul(place(s, shape_.in(insertion_run)), insertion_run);
  const std::vector<std::int32_t> to = buffers(body, sorted, true);
  const std::int64_t length = std::min(insertion_run, shape_.n);
  const std::int32_t i = k.new_variable(length), back = k.new_variable(length);
  const ExprId at = pool.add(begin, pool.variable(i));
  const Register target(k, DType::i32), moves(k, DType::i1);
  std::vector<Stmt> insert, compare, move;
  for (std::size_t o = 0; o < node_.operands().size(); ++o) {
    std::vector<ExprId> index = s.index;
    index[shape_.dimension] = at;
    insert.push_back(s.before[o].assign(body.element(node_.operand(o), index)));
  }
  insert.push_back(target.declare(pool.from_index(at, DType::i32)));
  insert.push_back(moves.declare(pool.boolean(true)));
  const ExprId here = pool.sub(at, pool.variable(back)), previous = pool.sub(here, pool.index(1));
  s.read(compare, s.after, to, previous);
  compare.push_back(moves.assign(s.holds));
  s.write(move, s.after, to, here);
  move.push_back(target.assign(pool.from_index(previous, DType::i32)));
  compare.push_back(when(moves.value(pool), std::move(move)));
  insert.push_back(loop(back, pool.variable(i), {when(moves.value(pool), std::move(compare))}));
  s.write(insert, s.before, to, pool.to_index(target.value(pool)));
  if (shape_.n > insertion_run && shape_.n % insertion_run != 0)
    insert = {when(pool.less(at, pool.index(shape_.n)), std::move(insert))};
  k.body.push_back(loop(i, pool.index(length), std::move(insert)));
}

void Sorter::select(Kernel& k, KernelBody& body, const std::vector<Location>& sorted,
                    std::int64_t count) const {
  SortKernel s(k, body, node_, shape_);
  ExprPool& pool = k.pool;
  place(s, shape_.in(shape_.n));
  const std::vector<std::int32_t> to = buffers(body, sorted, true);
  const std::int32_t i = k.new_variable(shape_.n), back = k.new_variable(count);
  const ExprId at = pool.variable(i), last = pool.index(count - 1);
  // Elements that stay: what the last one was before goes when there are enough.
  const ExprId held = pool.min(at, last);
  const Register target(k, DType::i32), moves(k, DType::i1);
  std::vector<Stmt> step, full, insert, compare, move;
  for (std::size_t o = 0; o < node_.operands().size(); ++o) {
    std::vector<ExprId> index = s.index;
    index[shape_.dimension] = at;
    step.push_back(s.before[o].assign(body.element(node_.operand(o), index)));
  }
  step.push_back(moves.declare(pool.boolean(true)));
  s.read(full, s.after, to, last);
  full.push_back(moves.assign(s.holds));
  step.push_back(when(pool.less(last, at), std::move(full)));
  insert.push_back(target.declare(pool.from_index(held, DType::i32)));
  const ExprId here = pool.sub(held, pool.variable(back)), previous = pool.sub(here, pool.index(1));
  s.read(compare, s.after, to, previous);
  compare.push_back(moves.assign(s.holds));
  s.write(move, s.after, to, here);
  move.push_back(target.assign(pool.from_index(previous, DType::i32)));
  compare.push_back(when(moves.value(pool), std::move(move)));
  insert.push_back(loop(back, held, {when(moves.value(pool), std::move(compare))}));
  s.write(insert, s.before, to, pool.to_index(target.value(pool)));
  step.push_back(when(moves.value(pool), std::move(insert)));
  k.body.push_back(loop(i, pool.index(shape_.n), std::move(step)));
}

void Sorter::merge_pairs(Kernel& k, KernelBody& body, const Pass& pass) const {
  SortKernel s(k, body, node_, shape_);
  const ExprId pair = place(s, shape_.in(2 * pass.run)), run = k.pool.index(pass.run);
  const PairMerge merge(s, k, buffers(body, pass.from, false), run, pair, shape_.n);
  append(k.body, merge.all(buffers(body, pass.to, true), k.pool.index(2 * pass.run)));
}

void Sorter::cut(Kernel& k, KernelBody& body, const Pass& pass) const {
  SortKernel s(k, body, node_, shape_);
  ExprPool& pool = k.pool;
  const ExprId number = place(s, chunks_), run = body.parameter(HostExpr(pass.run)),
               pair = pair_of(body, pass, number);
  const PairMerge merge(s, k, buffers(body, pass.from, false), run, pair, shape_.n);
  const ExprId first = pool.sub(pool.mul(number, chunk), merge.begin);
  const Register cut = merge.cut(first, body.parameter(HostExpr(pass.trips)));
  k.body.push_back(store(body.buffer(pass.cuts, DType::i32, true), DType::i32, pool.variable(0),
                         cut.value(pool)));
  k.body.push_back(when(pool.equal(first, pool.index(0)),
                        {store(body.buffer(pass.flags, DType::i32, true), DType::i32,
                               of_chunk(s, pair), pool.constant(DType::i32, 0))}));
}

void Sorter::merge_chunks(Kernel& k, KernelBody& body, const Pass& pass) const {
  SortKernel s(k, body, node_, shape_);
  ExprPool& pool = k.pool;
  const ExprId number = place(s, chunks_), run = body.parameter(HostExpr(pass.run)),
               pair = pair_of(body, pass, number);
  const PairMerge merge(s, k, buffers(body, pass.from, false), run, pair, shape_.n);
  const ExprId first = pool.sub(pool.mul(number, chunk), merge.begin),
               end = pool.add(merge.left, merge.right);
  const std::int32_t cuts = body.buffer(pass.cuts, DType::i32, false);
  const Register taken(k, DType::i32);
  k.body.push_back(taken.declare(pool.load(cuts, DType::i32, pool.variable(0))));
  append(k.body, merge.part(buffers(body, pass.to, true), taken, {first, end, pool.index(chunk)}));
  const ExprId next = pool.load(cuts, DType::i32, of_chunk(s, pool.add(number, 1)));
  const ExprId differs = pool.apply("compare_ne", DType::i32, {taken.value(pool), next});
  k.body.push_back(when(pool.less(pool.add(first, chunk), end),
                        {when(differs, {store(body.buffer(pass.flags, DType::i32, true), DType::i32,
                                              of_chunk(s, pair), pool.constant(DType::i32, 1))})}));
}

void Sorter::mend(Kernel& k, KernelBody& body, const Pass& pass) const {
  SortKernel s(k, body, node_, shape_);
  ExprPool& pool = k.pool;
  const ExprId pair = place(s, chunks_), run = body.parameter(HostExpr(pass.run));
  const PairMerge merge(s, k, buffers(body, pass.from, false), run, pair, shape_.n);
  const ExprId flag =
      pool.load(body.buffer(pass.flags, DType::i32, false), DType::i32, pool.variable(0));
  const ExprId is_wrong =
      pool.apply("compare_ne", DType::i32, {flag, pool.constant(DType::i32, 0)});
  k.body.push_back(when(pool.less(merge.begin, pool.index(shape_.n)),
                        {when(is_wrong, merge.all(buffers(body, pass.to, true),
                                                  pool.add(merge.left, merge.right)))}));
}

/// So many elements are worth selecting one by one; more are sorted.
constexpr std::int64_t most_selected = 32, least_part = 4;

/// Whether the comparator surely gives an order: greater or less of the first operand's elements.
bool has_order(const Node& node) {
  const ir::Graph& region = node.region(0);
  const Node& compare = *region.results.at(0).node;
  if (!compare.is("stablehlo.compare")) return false;
  const std::string_view direction = compare.attrs.text("comparison_direction");
  const ir::Value a = compare.operand(0), b = compare.operand(1);
  if (direction != "GT" && direction != "LT") return false;
  if (!region.is_argument(a) || !region.is_argument(b) || a.index + b.index != 1) return false;
  return is_integer(a.type().dtype) ||
         (is_float(a.type().dtype) && compare.attrs.text("compare_type", "") == "TOTALORDER");
}

/// How many elements of each slice, from the first on, anything reads; `n` where that is not known.
std::int64_t used_prefix(const Node& node, const SortShape& shape) {
  std::int64_t most = 0;
  const auto is_result = [&](ir::Value v) { return v.node == &node; };
  const auto all = [&] { most = shape.n; };
  const std::function<void(const ir::Graph&)> visit = [&](const ir::Graph& graph) {
    if (std::ranges::any_of(graph.results, is_result)) all();
    for (const Node* user : graph.nodes()) {
      for (const auto& region : user->regions()) visit(*region);
      if (std::ranges::none_of(user->operands(), is_result)) continue;
      if (!user->is("stablehlo.slice")) return all();
      const std::size_t d = shape.dimension;
      most = std::max(most, user->attrs.i64s("limit_indices")[d]);
    }
  };
  visit(*node.graph());
  return most;
}

}  // namespace

void PlanBuilder::lower_sort(Node& node) {
  const SortShape shape(node);
  const Sorter sorter(shape, node);
  const std::string name = step_name(node);
  const std::int64_t count = node.operand(0).type().count();
  const auto temporaries = [&] {
    std::vector<Location> at;
    for (const Type& t : node.result_types()) at.push_back(new_temporary(t, name));
    return at;
  };
  const auto run_kernel = [&](const std::string& stem, const Dims& grid, auto fill,
                              const auto& arrays) {
    const std::int64_t items = Type{.dims = grid}.count();
    auto k = new_kernel(stem + name, items);
    KernelBody body(*this, *k);
    body.note_count(2 * count);
    (sorter.*fill)(*k, body, arrays);
    launch(std::move(k), body, items, stem + name);
  };
  Pass pass{.run = insertion_run, .trips = 0, .shift = 0, .to = temporaries()};
  if (count > 0 && shape.n > insertion_run && has_order(node)) {
    const std::int64_t prefix = used_prefix(node, shape);
    if (0 < prefix && prefix <= most_selected && prefix * least_part <= shape.n) {
      const Dims grid = shape.in(shape.n);
      auto k = new_kernel("first_of_" + name, Type{.dims = grid}.count());
      KernelBody body(*this, *k);
      body.note_count(2 * count);
      sorter.select(*k, body, pass.to, prefix);
      launch(std::move(k), body, Type{.dims = grid}.count(), "first_of_" + name);
      for (std::size_t r = 0; r < pass.to.size(); ++r) locations_[node.result(int(r))] = pass.to[r];
      return;
    }
  }
  if (count > 0) run_kernel("runs_", shape.in(insertion_run), &Sorter::runs, pass.to);
  if (count > 0 && shape.n > chunk)
    for (Location* at : {&pass.cuts, &pass.flags})
      *at = new_temporary({.dtype = DType::i32, .dims = sorter.chunks()}, "cuts");
  while (insertion_run >> pass.trips > 0) ++pass.trips;
  for (; count > 0 && pass.run < shape.n; pass.run *= 2, ++pass.trips) {
    pass.from = std::exchange(pass.to, temporaries());
    if (2 * pass.run <= chunk) {
      run_kernel("pairs_", shape.in(2 * pass.run), &Sorter::merge_pairs, pass);
      continue;
    }
    ++pass.shift;
    run_kernel("cuts_", sorter.chunks(), &Sorter::cut, pass);
    run_kernel("merge_", sorter.chunks(), &Sorter::merge_chunks, pass);
    run_kernel("mend_", sorter.chunks(), &Sorter::mend, pass);
  }
  for (std::size_t r = 0; r < pass.to.size(); ++r) locations_[node.result(int(r))] = pass.to[r];
}

}  // namespace partita::passes
