// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Batching of control flow.  Which values of a region become batched is found by batching it into a
// scratch graph.
#include <algorithm>

#include "ops/control/control_axes.hpp"

namespace partita::ir::ops {
namespace {

/// Batches a region into a fresh graph, given which of its arguments are batched.
struct BatchedRegion {
  std::unique_ptr<Graph> graph = std::make_unique<Graph>();
  std::vector<BatchedValue> results;
};

BatchedRegion batch_region(const Graph& region, const std::vector<bool>& arguments,
                           const BatchJob& job) {
  BatchedRegion out;
  BatchMap map = job.map;
  for (int k = 0; k < region.argument_count(); ++k) {
    const bool is_batched = arguments[std::size_t(k)];
    const Type& type = region.argument(k).type();
    const Type with = is_batched ? with_dim_inserted(type, 0, job.context.size) : type;
    map[region.argument(k)] = {out.graph->add_argument(with), is_batched};
  }
  const BatchContext inside{
      .into = *out.graph, .size = job.context.size, .special = job.context.special};
  out.results = batch_body(region, map, inside);
  return out;
}

BatchContext inside(const BatchJob& job, Graph& graph) {
  return {.into = graph, .size = job.context.size, .special = job.context.special};
}

/// `a` where the slice's predicate holds, else `b`; all batched.
Value select_slices(const Maker& b, Value predicate, Value on_true, Value on_false) {
  return b.op("stablehlo.select",
              {b.broadcast(predicate, on_true.type().dims, {0}), on_true, on_false});
}

/// Whether any slice's predicate holds.
Value any_slice(const Maker& b, Value predicate) {
  return b.reduce(Combiner::logical_or, predicate, {0});
}

/// Carries that must be batched: those that come in batched and those that become so; all that
/// change when slices stop at different times.
struct Carries {
  std::vector<bool> batched;
  bool predicate = false;
};

Carries find_carries(const BatchJob& job) {
  const Graph &condition = job.node.region(0), &body = job.node.region(1);
  Carries carries;
  for (const BatchedValue& v : job.operands) carries.batched.push_back(v.batched);
  while (true) {
    std::vector<bool> next = carries.batched;
    carries.predicate = batch_region(condition, carries.batched, job).results[0].batched;
    const BatchedRegion out = batch_region(body, carries.batched, job);
    for (std::size_t k = 0; k < next.size(); ++k) {
      const bool is_passed_on = body.results[k] == body.argument(int(k));
      next[k] = next[k] || out.results[k].batched || (carries.predicate && !is_passed_on);
    }
    if (next == carries.batched) return carries;
    carries.batched = std::move(next);
  }
}

/// The body where slices whose predicate fails keep their values.
BatchedRegion masked_body(const BatchJob& job, const Carries& carries) {
  const Graph &condition = job.node.region(0), &body = job.node.region(1);
  BatchedRegion out = batch_region(body, carries.batched, job);
  const BatchContext context = inside(job, *out.graph);
  const Maker b{*out.graph};
  BatchMap map = job.map;
  for (int k = 0; k < condition.argument_count(); ++k)
    map[condition.argument(k)] = {out.graph->argument(k), carries.batched[std::size_t(k)]};
  const Value running = batch_body(condition, map, context)[0].value;
  for (std::size_t k = 0; k < out.results.size(); ++k) {
    if (!carries.batched[k]) continue;
    out.results[k] = {
        select_slices(b, running, batched(out.results[k], context), out.graph->argument(int(k))),
        true};
  }
  return out;
}

}  // namespace

void batch_while(const BatchJob& job) {
  const Carries carries = find_carries(job);
  BatchedRegion condition = batch_region(job.node.region(0), carries.batched, job);
  BatchedRegion body = carries.predicate ? masked_body(job, carries)
                                         : batch_region(job.node.region(1), carries.batched, job);
  const Value predicate = condition.results[0].value;
  condition.graph->results = {carries.predicate ? any_slice(Maker{*condition.graph}, predicate)
                                                : predicate};
  std::vector<Value> operands;
  for (std::size_t k = 0; k < carries.batched.size(); ++k) {
    operands.push_back(carries.batched[k] ? job.with_batch(k) : job.plain(k));
    const BatchedValue& result = body.results[k];
    body.graph->results.push_back(carries.batched[k] ? batched(result, inside(job, *body.graph))
                                                     : result.value);
  }
  std::vector<std::unique_ptr<Graph>> regions;
  regions.push_back(std::move(condition.graph));
  regions.push_back(std::move(body.graph));
  Node* made = create(job.context.into, job.node.name(), std::move(operands), job.node.attrs,
                      std::move(regions), {}, job.context.before, job.node.location());
  made->hint = job.node.hint;
  for (int k = 0; k < made->result_count(); ++k)
    job.set(k, made->result(k), carries.batched[std::size_t(k)]);
}

namespace {

/// One index for all slices: the node stays, with batched regions.
void batch_common_branch(const BatchJob& job) {
  std::vector<BatchedRegion> branches;
  for (const auto& region : job.node.regions()) branches.push_back(batch_region(*region, {}, job));
  const auto results = std::size_t(job.node.result_count());
  std::vector<bool> is_batched(results, false);
  for (const BatchedRegion& branch : branches)
    for (std::size_t k = 0; k < results; ++k)
      is_batched[k] = is_batched[k] || branch.results[k].batched;
  std::vector<std::unique_ptr<Graph>> regions;
  for (BatchedRegion& branch : branches) {
    const BatchContext context = inside(job, *branch.graph);
    for (std::size_t k = 0; k < results; ++k)
      branch.graph->results.push_back(is_batched[k] ? batched(branch.results[k], context)
                                                    : branch.results[k].value);
    regions.push_back(std::move(branch.graph));
  }
  Node* made = create(job.context.into, job.node.name(), {job.plain(0)}, job.node.attrs,
                      std::move(regions), {}, job.context.before, job.node.location());
  made->hint = job.node.hint;
  for (std::size_t k = 0; k < results; ++k) job.set(int(k), made->result(int(k)), is_batched[k]);
}

/// An index for each slice: every branch runs, slices select.
void batch_branch_per_slice(const BatchJob& job) {
  const Maker b = job.maker();
  const auto& regions = job.node.regions();
  std::vector<std::vector<BatchedValue>> branches;
  for (const auto& region : regions) {
    BatchMap map = job.map;
    branches.push_back(batch_body(*region, map, job.context));
  }
  const Value index = job.plain(0);
  for (std::size_t r = 0; r < branches[0].size(); ++r) {
    // The last branch is also that of an index out of range.
    Value chosen = batched(branches.back()[r], job.context);
    for (std::size_t k = branches.size() - 1; k-- > 0;) {
      const Value is_this = job.node.is("stablehlo.if")
                                ? index
                                : b.compare("EQ", index, b.splat(index.type(), double(k)));
      chosen = select_slices(b, is_this, batched(branches[k][r], job.context), chosen);
    }
    job.set(int(r), chosen);
  }
}

}  // namespace

void batch_branches(const BatchJob& job) {
  if (job.is_batched(0))
    batch_branch_per_slice(job);
  else
    batch_common_branch(job);
}

}  // namespace partita::ir::ops
