// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Shapes with regions: loops, scans, searches, maps, branches, sorts; and the choice between shapes.
#include <algorithm>

#include "partita/base/error.hpp"
#include "partita/ir/op.hpp"
#include "tests/support/random_scope.hpp"

namespace partita::testing {

using ir::Graph;
using ir::I64s;
using ir::Node;
using ir::Value;

namespace {

Dims with_front(std::int64_t n, const Dims& dims) {
  Dims all{n};
  all.insert(all.end(), dims.begin(), dims.end());
  return all;
}

std::vector<Value> results_of(Node* node) {
  std::vector<Value> results;
  for (int k = 0; k < node->result_count(); ++k) results.push_back(node->result(k));
  return results;
}

}  // namespace

const std::map<std::string, std::int64_t>& shape_placements() {
  static const std::map<std::string, std::int64_t> sizes{
      {"one", 1}, {"two", 2}, {"three", 3}, {"five", 5}, {"eight", 8}};
  return sizes;
}

Scope::Place Scope::inside(std::string_view shape) const {
  return {.depth = place_.depth - 1, .in_map = place_.in_map, .shape = std::string(shape)};
}

Scope Scope::scope_in(Graph& graph, std::string_view shape, const Values& more) {
  Values visible = values_;
  visible.insert(visible.end(), more.begin(), more.end());
  return {shared_, graph, std::move(visible), inside(shape)};
}

// --- Choice ----------------------------------------------------------------------------------------

std::vector<Value> Scope::add() {
  using Shape = void (Scope::*)();
  static constexpr Shape shapes[] = {&Scope::gather,
                                     &Scope::gather,
                                     &Scope::gather_points,
                                     &Scope::dynamic_slice,
                                     &Scope::dynamic_update_slice,
                                     &Scope::scatter,
                                     &Scope::arg_max,
                                     &Scope::counted_loop,
                                     &Scope::loop_until,
                                     &Scope::scan,
                                     &Scope::scan,
                                     &Scope::search,
                                     &Scope::search,
                                     &Scope::map,
                                     &Scope::map,
                                     &Scope::branch,
                                     &Scope::sort,
                                     &Scope::small_results};
  const std::size_t before = values_.size();
  const Shape shape = one_of(shapes);
  (this->*shape)();
  // What a shape made on the way stays inside of it: its last values are its results.
  const std::size_t most = shape == &Scope::small_results ? 30 : 4;
  const std::size_t made = std::min(most, values_.size() - before);
  return {values_.end() - std::ptrdiff_t(made), values_.end()};
}

void Scope::grow(int count) {
  using Shape = void (Scope::*)();
  static constexpr Shape small[] = {&Scope::arithmetic,    &Scope::arithmetic,
                                    &Scope::choice,        &Scope::choice,
                                    &Scope::choice,        &Scope::gather,
                                    &Scope::gather,        &Scope::gather_points,
                                    &Scope::dynamic_slice, &Scope::dynamic_update_slice,
                                    &Scope::scatter,       &Scope::arg_max,
                                    &Scope::reduction};
  static constexpr Shape nested[] = {&Scope::counted_loop, &Scope::loop_until, &Scope::scan,
                                     &Scope::search,       &Scope::branch,     &Scope::sort};
  for (int k = 0; k < count; ++k) {
    if (place_.depth > 0 && pick(3) == 0)
      (this->*one_of(nested))();
    else
      (this->*one_of(small))();
  }
}

// --- Loops -----------------------------------------------------------------------------------------

Scope::Loop Scope::begin_loop(Values inits) {
  Loop loop{std::move(inits), std::make_unique<Graph>(), std::make_unique<Graph>()};
  for (Graph* g : {loop.condition.get(), loop.body.get()})
    for (const Value& v : loop.inits) g->add_argument(v.type());
  return loop;
}

std::vector<Value> Scope::end_loop(Loop loop) {
  std::vector<std::unique_ptr<Graph>> regions;
  regions.push_back(std::move(loop.condition));
  regions.push_back(std::move(loop.body));
  return results_of(ir::create(m_.graph, "stablehlo.while", loop.inits, {}, std::move(regions)));
}

std::vector<Value> Scope::carried() {
  Values carried;
  for (int k = 1 + pick(3); k > 0; --k) carried.push_back(any());
  return carried;
}

/// New values of the types of `like` from the one at `first` on.
std::vector<Value> Scope::of_types(const Values& like, std::size_t first) {
  Values results;
  for (std::size_t k = first; k < like.size(); ++k) results.push_back(value(like[k].type()));
  return results;
}

/// A known number of turns; the counter has any integer type, goes up or down, by one or two.
void Scope::counted_loop() {
  count("loop");
  const Type counter = Type::scalar(integer_dtype());
  const int turns = 1 + pick(5), step = 1 + pick(2);
  const bool goes_down = pick(4) == 0;
  Values inits{m_.splat(counter, goes_down ? 1 + turns * step : 0)};
  for (const Value& v : carried()) inits.push_back(v);
  Loop loop = begin_loop(std::move(inits));
  const ir::Maker condition{*loop.condition}, body{*loop.body};
  loop.condition->results = {
      goes_down ? condition.compare("GT", loop.condition->argument(0), condition.splat(counter, 1))
                : condition.compare("LT", loop.condition->argument(0),
                                    condition.splat(counter, turns * step))};
  Scope inner = scope_in(*loop.body, "loop", loop.body->arguments());
  inner.grow(2 + pick(3));
  const Values next = inner.of_types(loop.inits, 1);
  loop.body->results = {body.op(goes_down ? "stablehlo.subtract" : "stablehlo.add",
                                {loop.body->argument(0), body.splat(counter, step)})};
  loop.body->results.insert(loop.body->results.end(), next.begin(), next.end());
  for (const Value& v : end_loop(std::move(loop))) keep(v);
}

/// Turns for as long as something holds of what is carried, or of a part of it, which alone goes on:
/// so a loop is batched over lanes.
void Scope::loop_until() {
  count("loop until");
  const Type counter = Type::scalar(DType::i32);
  const Value most = m_.op("stablehlo.and", {value(counter), m_.splat(counter, 7)});
  const bool has_lanes = pick(2) == 0;
  const Dims lanes = has_lanes ? Dims{one_of({1, 2, 5, 16})} : Dims{};
  const Type state{.dtype = real_dtype(), .dims = lanes};
  Values inits{m_.splat(counter, 0), value(state)};
  for (const Value& v : carried()) inits.push_back(v);
  const Value limit = value(state);
  static constexpr const char* directions[] = {"LT", "LE", "NE", "GT"};
  const char* const direction = one_of(directions);
  Loop loop = begin_loop(std::move(inits));
  const ir::Maker condition{*loop.condition}, body{*loop.body};
  Value goes_on = condition.compare(direction, loop.condition->argument(1), limit);
  if (has_lanes) goes_on = condition.reduce(Combiner::logical_or, goes_on, {0});
  loop.condition->results = {condition.op(
      "stablehlo.and", {condition.compare("LT", loop.condition->argument(0), most), goes_on})};
  Scope inner = scope_in(*loop.body, "loop until", loop.body->arguments());
  inner.grow(1 + pick(3));
  const Values next = inner.of_types(loop.inits, 1);
  const Value old = loop.body->argument(1);
  loop.body->results = {
      body.op("stablehlo.add", {loop.body->argument(0), body.splat(counter, 1)}),
      body.op("stablehlo.select", {body.compare(direction, old, limit), next[0], old})};
  loop.body->results.insert(loop.body->results.end(), next.begin() + 1, next.end());
  for (const Value& v : end_loop(std::move(loop))) keep(v);
}

/// As JAX prints scans: rows read at the counter, results written into a stack at the counter.
void Scope::scan() {
  count("scan");
  const std::int64_t turns = 1 + pick(6);
  const Type counter = Type::scalar(pick(3) == 0 ? DType::i64 : DType::i32);
  const Type row{.dtype = real_dtype(), .dims = random_dims()};
  const Type item{.dtype = real_dtype(), .dims = pick(2) == 0 ? Dims{} : random_dims()};
  const Type stack{.dtype = item.dtype, .dims = with_front(turns, item.dims)};
  const Value rows = value({.dtype = row.dtype, .dims = with_front(turns, row.dims)});
  const bool carries_rows = pick(2) == 0;
  Values inits{m_.splat(counter, 0), m_.splat(stack, 0)};
  if (carries_rows) inits.push_back(rows);
  const std::size_t first = inits.size();
  for (const Value& v : carried()) inits.push_back(v);
  Loop loop = begin_loop(std::move(inits));
  const ir::Maker condition{*loop.condition}, body{*loop.body};
  loop.condition->results = {condition.compare("LT", loop.condition->argument(0),
                                               condition.splat(counter, double(turns)))};
  const auto places = [&](std::size_t rank) {
    Values at(rank, body.splat(counter, 0));
    at[0] = loop.body->argument(0);
    return at;
  };
  Values read{carries_rows ? loop.body->argument(2) : rows};
  I64s sizes = with_front(1, row.dims);
  for (const Value& v : places(sizes.size())) read.push_back(v);
  const Value current =
      body.reshape(body.op("stablehlo.dynamic_slice", read, {{"slice_sizes", sizes}}), row.dims);
  Values more = loop.body->arguments();
  more.push_back(current);
  Scope inner = scope_in(*loop.body, "scan", more);
  inner.grow(2 + pick(3));
  const Value made = body.reshape(inner.value(item), with_front(1, item.dims));
  const Values next = inner.of_types(loop.inits, first);
  Values write{loop.body->argument(1), made};
  for (const Value& v : places(stack.dims.size())) write.push_back(v);
  loop.body->results = {body.op("stablehlo.add", {loop.body->argument(0), body.splat(counter, 1)}),
                        body.op("stablehlo.dynamic_update_slice", write)};
  if (carries_rows) loop.body->results.push_back(loop.body->argument(2));
  loop.body->results.insert(loop.body->results.end(), next.begin(), next.end());
  for (const Value& v : end_loop(std::move(loop))) keep(v);
}

// --- Searches --------------------------------------------------------------------------------------

/// The half in which the query's place is.
std::vector<Value> Scope::search_step(Graph& graph, Value table, Value queries, Value low,
                                      Value high, int style) {
  Scope s(shared_, graph, {}, inside("search"));
  const ir::Maker& m = s.m_;
  const auto wide = Type{.dtype = DType::ui32, .dims = low.type().dims};
  const std::int64_t n = table.type().dims[0];
  Value middle = m.op("stablehlo.add", {m.convert(low, wide.dtype), m.convert(high, wide.dtype)});
  middle = m.op("stablehlo.divide", {middle, m.splat(wide, 2)});
  middle = m.convert(middle, low.type().dtype);
  const Type type = middle.type();
  Value at = middle;
  if (style % 3 == 0) at = m.op("stablehlo.minimum", {middle, m.splat(type, double(n - 1))});
  if (style % 3 == 1)
    at = m.op("stablehlo.select",
              {m.compare("LT", middle, m.splat(type, 0)),
               m.op("stablehlo.add", {middle, m.splat(type, double(n))}), middle});
  const Value goes_left = m.compare(style < 3 ? "LE" : "LT", queries, s.lookup(table, at));
  return {m.op("stablehlo.select", {goes_left, low, middle}),
          m.op("stablehlo.select", {goes_left, middle, high})};
}

/// Places of queries in a table, sorted or not, as JAX lowers searchsorted.
void Scope::search() {
  count("search");
  static constexpr std::int64_t extents[] = {1, 2, 3, 16, 31};
  const std::int64_t n = one_of(extents);
  int turns = 0;
  while ((std::int64_t(1) << turns) < n + 1) ++turns;
  const DType d = real_dtype();
  const Value table = value({.dtype = d, .dims = {n}});
  const Value queries = value({.dtype = d, .dims = random_dims()});
  const Type place{.dtype = pick(2) == 0 ? DType::ui32 : integer_dtype(),
                   .dims = queries.type().dims};
  const int style = pick(6);
  Value low = m_.splat(place, 0), high = m_.splat(place, double(n));
  if (pick(4) == 0) {
    for (int k = 0; k < turns; ++k) {
      const Values next = search_step(m_.graph, table, queries, low, high, style);
      low = next[0], high = next[1];
    }
    keep(high);
    return;
  }
  const Type counter = Type::scalar(DType::i32);
  Loop loop = begin_loop({m_.splat(counter, 0), low, high});
  const ir::Maker condition{*loop.condition}, body{*loop.body};
  loop.condition->results = {
      condition.compare("LT", loop.condition->argument(0), condition.splat(counter, turns))};
  const Values next = search_step(*loop.body, table, queries, loop.body->argument(1),
                                  loop.body->argument(2), style);
  loop.body->results = {body.op("stablehlo.add", {loop.body->argument(0), body.splat(counter, 1)}),
                        next[0], next[1]};
  const Values found = end_loop(std::move(loop));
  keep(found[2]);
  if (pick(3) == 0) keep(lookup(table, found[2]));
}

// --- Others ----------------------------------------------------------------------------------------

/// A shape with a region for each of a few partitions.
void Scope::map() {
  if (place_.in_map) return gather();
  count("map");
  auto placement = shape_placements().begin();
  std::advance(placement, pick(shape_placements().size()));
  const std::int64_t n = placement->second;
  auto region = std::make_unique<Graph>();
  Values operands;
  I64s axes;
  for (int k = 1 + pick(3); k > 0; --k) {
    const Dims dims = random_dims();
    operands.push_back(value({.dtype = real_dtype(), .dims = with_front(n, dims)}));
    region->add_argument({.dtype = operands.back().type().dtype, .dims = dims});
    axes.push_back(0);
  }
  for (int k = pick(3); k > 0; --k) {
    operands.push_back(any());
    region->add_argument(operands.back().type());
    axes.push_back(-1);
  }
  Scope inner(shared_, *region, region->arguments(), inside("map"));
  inner.place_.in_map = true;
  static constexpr void (Scope::*nested[])() = {&Scope::scan, &Scope::counted_loop,
                                                &Scope::loop_until, &Scope::search, &Scope::sort};
  if (place_.depth > 0) (inner.*one_of(nested))();
  inner.grow(1 + pick(3));
  std::vector<Type> types;
  for (int k = 1 + pick(3); k > 0; --k) {
    const Value v = inner.any();
    region->results.push_back(v);
    types.push_back({.dtype = v.type().dtype, .dims = with_front(n, v.type().dims)});
  }
  std::vector<std::unique_ptr<Graph>> regions;
  regions.push_back(std::move(region));
  const I64s out_axes(types.size(), 0);
  for (const Value& v : results_of(
           ir::create(m_.graph, "mr.map", operands,
                      {{"placement", placement->first}, {"in_axes", axes}, {"out_axes", out_axes}},
                      std::move(regions), types)))
    keep(v);
}

void Scope::branch() {
  if (place_.depth == 0) return choice();
  count("branch");
  const bool is_if = pick(3) == 0;
  const int branches = is_if ? 2 : 1 + pick(4);
  const Value which = is_if ? truth({}) : m_.convert(index({}, branches), DType::i32);
  const Values like{any(), any()};
  std::vector<std::unique_ptr<Graph>> regions;
  for (int k = 0; k < branches; ++k) {
    regions.push_back(std::make_unique<Graph>());
    Scope inner = scope_in(*regions.back(), "branch");
    if (k > 0 || pick(3) != 0) inner.grow(1 + pick(2));
    regions.back()->results = inner.of_types(like, 0);
  }
  for (const Value& v : results_of(ir::create(m_.graph, is_if ? "stablehlo.if" : "stablehlo.case",
                                              {which}, {}, std::move(regions))))
    keep(v);
}

/// By integer keys, with what goes along.
void Scope::sort() {
  count("sort");
  static const Dims choices[] = {{1}, {2}, {5}, {16}, {31}, {3, 4}, {2, 16}};
  const Dims dims = one_of(choices);
  Values operands{value({.dtype = integer_dtype(), .dims = dims})};
  const auto dimension = std::int64_t(pick(dims.size()));
  if (pick(2) == 0) operands.push_back(m_.iota({.dtype = DType::i32, .dims = dims}, dimension));
  if (pick(3) == 0) operands.push_back(value({.dtype = real_dtype(), .dims = dims}));
  auto region = std::make_unique<Graph>();
  for (const Value& v : operands)
    for (int side = 0; side < 2; ++side) region->add_argument(Type::scalar(v.type().dtype));
  const ir::Maker r{*region};
  region->results = {
      r.compare(pick(3) == 0 ? "GT" : "LT", region->argument(0), region->argument(1))};
  std::vector<std::unique_ptr<Graph>> regions;
  regions.push_back(std::move(region));
  const Values sorted =
      results_of(ir::create(m_.graph, "stablehlo.sort", operands,
                            {{"dimension", dimension}, {"is_stable", true}}, std::move(regions)));
  for (const Value& v : sorted) keep(v);
  if (dims.size() == 1 && operands.size() > 1 && is_integer(sorted[1].type().dtype))
    keep(lookup(operands[0], sorted[1]));
}

/// Many results of few elements and several types: launches that are packed, memory that is used again.
void Scope::small_results() {
  count("small results");
  static const Dims choices[] = {{}, {1}, {2}, {3}, {4}, {5}, {7}, {8}, {2, 2}, {2, 4}};
  for (int k = 20 + pick(11); k > 0; --k) {
    const Type type{.dtype = pick(4) == 0 ? DType::i1 : real_dtype(), .dims = one_of(choices)};
    const Value x = value(type), y = value(type);
    switch (pick(4)) {
      case 0:
        keep(m_.convert(m_.compare("LT", x, y), real_dtype()));
        break;
      case 1:
        keep(m_.op("stablehlo.select", {truth(type.dims), x, y}));
        break;
      case 2:
        keep(lookup(random_table(), index(type.dims.size() == 1 ? type.dims : Dims{}, 3)));
        break;
      default:
        keep(m_.op(type.dtype == DType::i1 ? "stablehlo.xor" : "stablehlo.subtract", {x, y}));
    }
  }
}

}  // namespace partita::testing
