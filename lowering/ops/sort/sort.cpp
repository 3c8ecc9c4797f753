// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Sort, by the comparisons of sorting.hpp: work-items sort short runs by insertion, then passes over
// memory merge pairs of runs until one is left (sorter.hpp).  Where few elements of each slice are read and the
// comparator is known to be an order, these alone are selected (selection.hpp).  Devices of many items sort by groups
// instead (group_sort.hpp).
#include <utility>

#include "lowering/context/kernel_body.hpp"
#include "lowering/context/lowerings.hpp"
#include "lowering/ops/sort/group_sort.hpp"
#include "lowering/ops/sort/selection.hpp"
#include "lowering/ops/sort/sort_order.hpp"
#include "lowering/ops/sort/sorter.hpp"
#include "partita/ir/sorting.hpp"

namespace partita::lowering {

using namespace kernel;
namespace {

using ir::insertion_run;
using ir::Node;

/// Elements that a work-item merges: runs of insertion_run times a power of two.
constexpr std::int64_t chunk = 64;

}  // namespace

static void lower_sort(Context& context, Node& node) {
  const SortShape shape(node);
  const Sorter sorter(shape, node, chunk);
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
  if (context.policy().target.device_class == DeviceClass::simt) {
    lower_group_sort(context, node, pass.to);
    return set_results();
  }
  const std::int64_t prefix = used_prefix(node, shape.dimension, shape.n);
  if (suits_selection(node, shape, prefix)) {
    lower_selection(context, node, shape, prefix, pass.to);
    return set_results();
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
