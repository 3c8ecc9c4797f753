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
#include <utility>

#include "lowering/context/kernel_body.hpp"
#include "lowering/context/loops.hpp"
#include "lowering/context/lowerings.hpp"
#include "lowering/ops/sort/pair_merge.hpp"
#include "lowering/ops/sort/sort_kernel.hpp"
#include "partita/ir/sorting.hpp"

namespace partita::lowering {

using namespace kernel;
namespace {

using ir::Node;
using scalar::ExprId;
using scalar::ExprPool;

using ir::insertion_run;

/// Elements that a work-item merges: runs of insertion_run times a power of two.
constexpr std::int64_t chunk = 64;

/// Arrays of one pass over memory.
struct Pass {
  std::int64_t run;                ///< length of the runs that are merged
  std::int64_t trips, shift;       ///< bisections in a run; log2 of the chunks of a pair
  std::vector<Location> from, to;  ///< the operands before and after
  Location cuts, flags;            ///< by chunk, and by pair in an array of that size
};

/// Where an element goes among those before it, which are in order.
struct Insertion {
  ExprId place, most;      ///< behind the last of them; how many may move
  std::int32_t back;       ///< loop variable over them
  Register target, moves;  ///< where the element goes so far, whether it may go on
};

/// Elements of `to` behind which s.before does not belong move on by one; it takes the place left.
void insert_sorted(const SortKernel& s, const std::vector<std::int32_t>& to, const Insertion& at) {
  KernelBody& body = s.body;
  ExprPool& pool = s.pool;
  const ExprId here = pool.sub(at.place, pool.variable(at.back)),
               previous = pool.sub(here, pool.index(1)), moves = body.value(at.moves);
  body.loop({at.back, at.most}, [&] {
    body.guard(moves, [&] {
      s.read(s.after, to, previous);
      body.assign(at.moves, s.holds);
      body.guard(moves, [&] {
        s.write(s.after, to, here);
        body.assign(at.target, pool.from_index(previous, DType::i32));
      });
    });
  });
  s.write(s.before, to, pool.to_index(body.value(at.target)));
}

/// The kernels of a sort.
class Sorter {
 public:
  Sorter(const SortShape& shape, const Node& node)
      : shape_(shape), node_(node), chunks_(shape.in(chunk)) {}

  /// The slices in chunks.
  [[nodiscard]] const Dims& chunks() const { return chunks_; }

  void runs(KernelBody& body, const std::vector<Location>& sorted) const;
  /// The first `count` of each slice alone, in order.
  void select(KernelBody& body, const std::vector<Location>& sorted, std::int64_t count) const;
  void merge_pairs(KernelBody& body, const Pass& pass) const;
  void cut(KernelBody& body, const Pass& pass) const;
  void merge_chunks(KernelBody& body, const Pass& pass) const;
  void mend(KernelBody& body, const Pass& pass) const;

 private:
  /// s.before = the operands' elements of the slice at a place.
  void read_operands(SortKernel& s, ExprId at) const;
  [[nodiscard]] std::vector<std::int32_t> buffers(KernelBody& body, const std::vector<Location>& at,
                                                  bool is_written) const {
    std::vector<std::int32_t> slots;
    for (std::size_t i = 0; i < at.size(); ++i)
      slots.push_back(body.buffer(at[i], shape_.dtypes[i], is_written));
    return slots;
  }
  /// The part of the slice that a work-item of `grid` is for.
  ExprId place(SortKernel& s, const Dims& grid) const {
    s.index = scalar::delinearize(s.pool, s.body.item(), grid);
    return s.index[shape_.dimension];
  }
  /// Element `at` of the slice's row in an array that has one for each chunk.
  [[nodiscard]] ExprId of_chunk(const SortKernel& s, ExprId at) const {
    std::vector<ExprId> index = s.index;
    index[shape_.dimension] = at;
    return scalar::linear_index(s.pool, index, chunks_);
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

void Sorter::read_operands(SortKernel& s, ExprId at) const {
  for (std::size_t o = 0; o < node_.operands().size(); ++o) {
    std::vector<ExprId> index = s.index;
    index[shape_.dimension] = at;
    s.body.assign(s.before[o], s.body.element(node_.operand(o), index));
  }
}

void Sorter::runs(KernelBody& body, const std::vector<Location>& sorted) const {
  SortKernel s(body, node_, shape_);
  ExprPool& pool = body.pool();
  const ExprId begin = pool.mul(place(s, shape_.in(insertion_run)), insertion_run);
  const std::vector<std::int32_t> to = buffers(body, sorted, true);
  const std::int64_t length = std::min(insertion_run, shape_.n);
  const bool is_cut = shape_.n > insertion_run && shape_.n % insertion_run != 0;
  body.loop(length, [&](ExprId i) {
    const std::int32_t back = body.new_variable(length);
    const ExprId at = pool.add(begin, i);
    body.guard_if_needed(is_cut ? pool.less(at, pool.index(shape_.n)) : pool.boolean(true), [&] {
      read_operands(s, at);
      const Register target = body.declare(DType::i32, pool.from_index(at, DType::i32)),
                     moves = body.declare(DType::i1, pool.boolean(true));
      insert_sorted(s, to, {at, i, back, target, moves});
    });
  });
}

void Sorter::select(KernelBody& body, const std::vector<Location>& sorted,
                    std::int64_t count) const {
  SortKernel s(body, node_, shape_);
  ExprPool& pool = body.pool();
  place(s, shape_.in(shape_.n));
  const std::vector<std::int32_t> to = buffers(body, sorted, true);
  body.loop(shape_.n, [&](ExprId at) {
    const std::int32_t back = body.new_variable(count);
    const ExprId last = pool.index(count - 1);
    // Elements that stay: what the last one was before goes when there are enough.
    const ExprId held = pool.min(at, last);
    const Register target = body.new_register(DType::i32), moves = body.new_register(DType::i1);
    read_operands(s, at);
    body.declare(moves, pool.boolean(true));
    body.guard(pool.less(last, at), [&] {
      s.read(s.after, to, last);
      body.assign(moves, s.holds);
    });
    body.guard(body.value(moves), [&] {
      body.declare(target, pool.from_index(held, DType::i32));
      insert_sorted(s, to, {held, held, back, target, moves});
    });
  });
}

void Sorter::merge_pairs(KernelBody& body, const Pass& pass) const {
  SortKernel s(body, node_, shape_);
  ExprPool& pool = body.pool();
  const ExprId pair = place(s, shape_.in(2 * pass.run)), run = pool.index(pass.run);
  const std::vector<std::int32_t> from = buffers(body, pass.from, false);
  const PairMerge merge(s, {from, run, pair, shape_.n});
  merge.all(buffers(body, pass.to, true), pool.index(2 * pass.run));
}

void Sorter::cut(KernelBody& body, const Pass& pass) const {
  SortKernel s(body, node_, shape_);
  ExprPool& pool = body.pool();
  const ExprId number = place(s, chunks_), run = body.parameter(HostExpr(pass.run)),
               pair = pair_of(body, pass, number);
  const std::vector<std::int32_t> from = buffers(body, pass.from, false);
  const PairMerge merge(s, {from, run, pair, shape_.n});
  const ExprId first = pool.sub(pool.mul(number, chunk), merge.begin);
  const Register cut = merge.cut(first, body.parameter(HostExpr(pass.trips)));
  body.store_to(pass.cuts, DType::i32, body.item(), body.value(cut));
  body.guard(pool.equal(first, pool.index(0)), [&] {
    body.store_to(pass.flags, DType::i32, of_chunk(s, pair), pool.constant(DType::i32, 0));
  });
}

void Sorter::merge_chunks(KernelBody& body, const Pass& pass) const {
  SortKernel s(body, node_, shape_);
  ExprPool& pool = body.pool();
  const ExprId number = place(s, chunks_), run = body.parameter(HostExpr(pass.run)),
               pair = pair_of(body, pass, number);
  const std::vector<std::int32_t> from = buffers(body, pass.from, false);
  const PairMerge merge(s, {from, run, pair, shape_.n});
  const ExprId first = pool.sub(pool.mul(number, chunk), merge.begin),
               end = pool.add(merge.left, merge.right);
  const std::int32_t cuts = body.buffer(pass.cuts, DType::i32, false);
  const Register taken = body.declare(DType::i32, pool.load(cuts, DType::i32, body.item()));
  merge.part(buffers(body, pass.to, true), taken, {first, end, pool.index(chunk)});
  const ExprId next = pool.load(cuts, DType::i32, of_chunk(s, pool.add(number, 1)));
  const ExprId differs = pool.apply("compare_ne", DType::i32, {body.value(taken), next});
  body.guard(pool.less(pool.add(first, chunk), end), [&] {
    body.guard(differs, [&] {
      body.store_to(pass.flags, DType::i32, of_chunk(s, pair), pool.constant(DType::i32, 1));
    });
  });
}

void Sorter::mend(KernelBody& body, const Pass& pass) const {
  SortKernel s(body, node_, shape_);
  ExprPool& pool = body.pool();
  const ExprId pair = place(s, chunks_), run = body.parameter(HostExpr(pass.run));
  const std::vector<std::int32_t> from = buffers(body, pass.from, false);
  const PairMerge merge(s, {from, run, pair, shape_.n});
  const ExprId flag =
      pool.load(body.buffer(pass.flags, DType::i32, false), DType::i32, body.item());
  const ExprId is_wrong =
      pool.apply("compare_ne", DType::i32, {flag, pool.constant(DType::i32, 0)});
  body.guard(pool.less(merge.begin, pool.index(shape_.n)), [&] {
    body.guard(is_wrong,
               [&] { merge.all(buffers(body, pass.to, true), pool.add(merge.left, merge.right)); });
  });
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

static void lower_sort(Context& context, Node& node) {
  const SortShape shape(node);
  const Sorter sorter(shape, node);
  const std::string name = step_name(node);
  const std::int64_t count = node.operand(0).type().count();
  const auto temporaries = [&] {
    std::vector<Location> at;
    for (const Type& t : node.result_types()) at.push_back(context.new_temporary(t, name));
    return at;
  };
  const auto run_kernel = [&](const std::string& stem, const Dims& grid, const auto& write) {
    const std::int64_t items = Type{.dims = grid}.count();
    KernelBody body(context, stem + name, items);
    body.note_count(2 * count);
    write(body);
    context.launch(body, items);
  };
  Pass pass{.run = insertion_run, .trips = 0, .shift = 0, .to = temporaries()};
  const auto set_results = [&] {
    for (std::size_t r = 0; r < pass.to.size(); ++r) context.place(node.result(int(r)), pass.to[r]);
  };
  if (count == 0) return set_results();
  if (shape.n > insertion_run && has_order(node)) {
    const std::int64_t prefix = used_prefix(node, shape);
    if (0 < prefix && prefix <= most_selected && prefix * least_part <= shape.n) {
      run_kernel("first_of_", shape.in(shape.n),
                 [&](KernelBody& body) { sorter.select(body, pass.to, prefix); });
      return set_results();
    }
  }
  run_kernel("runs_", shape.in(insertion_run),
             [&](KernelBody& body) { sorter.runs(body, pass.to); });
  if (shape.n > chunk)
    for (Location* at : {&pass.cuts, &pass.flags})
      *at = context.new_temporary({.dtype = DType::i32, .dims = sorter.chunks()}, "cuts");
  while (insertion_run >> pass.trips > 0) ++pass.trips;
  for (; pass.run < shape.n; pass.run *= 2, ++pass.trips) {
    pass.from = std::exchange(pass.to, temporaries());
    const auto run_pass = [&](const std::string& stem, const Dims& grid, auto member) {
      run_kernel(stem, grid, [&](KernelBody& body) { (sorter.*member)(body, pass); });
    };
    if (2 * pass.run <= chunk) {
      run_pass("pairs_", shape.in(2 * pass.run), &Sorter::merge_pairs);
      continue;
    }
    ++pass.shift;
    run_pass("cuts_", sorter.chunks(), &Sorter::cut);
    run_pass("merge_", sorter.chunks(), &Sorter::merge_chunks);
    run_pass("mend_", sorter.chunks(), &Sorter::mend);
  }
  set_results();
}

void register_sort_lowering(Lowerings& all) { all.add("stablehlo.sort", lower_sort); }

}  // namespace partita::lowering
