// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// chlo.scan: runs a region along a dimension, slice by slice; it stands for a while loop that counts.
#include "ops/support/expansion.hpp"
#include "ops/support/support.hpp"

namespace partita::ir::ops {
namespace {

struct Scan {
  std::size_t inputs = 0, carries = 0, outputs = 0;
  std::int64_t dimension = 0, steps = 0;
  bool is_reverse = false;
};

Type slice_type(const Type& type, std::int64_t dimension) {
  Type slice = type;
  slice.dims.erase(slice.dims.begin() + dimension);
  return slice;
}

Scan checked(const Expansion& e) {
  const InferContext& c = e.context;
  const I64s &operands = c.attrs.i64s("operandSegmentSizes"),
             &results = c.attrs.i64s("resultSegmentSizes");
  const auto sums_to = [](const I64s& list, std::size_t n) {
    return list.size() == 2 && list[0] >= 0 && list[1] >= 0 && std::size_t(list[0] + list[1]) == n;
  };
  c.expect(sums_to(operands, c.operands.size()),
           cat("segments of ", c.operands.size(), " operands"), to_text(operands));
  c.expect(sums_to(results, c.declared().size()) && results[1] == operands[1],
           cat("segments of ", c.declared().size(), " results, with ", operands[1], " carries"),
           to_text(results));
  Scan s{.inputs = std::size_t(operands[0]),
         .carries = std::size_t(operands[1]),
         .outputs = std::size_t(results[0]),
         .dimension = c.attrs.i64("dimension"),
         .is_reverse = c.attrs.flag("is_reverse")};
  s.steps = c.attrs.i64("scan_dim_size", -1);
  c.expect(s.inputs > 0 || s.steps >= 0, "inputs or scan_dim_size", "neither");
  for (std::size_t k = 0; k < s.inputs; ++k) {
    expect_dimensions(c, "dimension", I64s{s.dimension}, c.operands[k].rank());
    const std::int64_t extent = c.operands[k].dims[std::size_t(s.dimension)];
    if (s.steps < 0) s.steps = extent;
    c.expect(extent == s.steps, cat("an extent of ", s.steps, " along the dimension"),
             to_string(c.operands[k]));
  }
  return s;
}

void expect_region(const Expansion& e, const Scan& s) {
  const InferContext& c = e.context;
  c.expect(c.regions.size() == 1, "1 region", cat(c.regions.size()));
  const Graph& body = *c.regions[0];
  const auto expect_type = [&](const char* what, std::size_t k, const Type& wanted,
                               const Type& found) {
    c.expect(found == wanted, cat(what, " ", k, " of the region of type ", to_string(wanted)),
             to_string(found));
  };
  c.expect(std::size_t(body.argument_count()) == s.inputs + s.carries,
           cat("a region with ", s.inputs + s.carries, " arguments"), cat(body.argument_count()));
  c.expect(body.results.size() == s.outputs + s.carries,
           cat("a region with ", s.outputs + s.carries, " results"), cat(body.results.size()));
  for (std::size_t k = 0; k < s.inputs + s.carries; ++k)
    expect_type("argument", k,
                k < s.inputs ? slice_type(c.operands[k], s.dimension) : c.operands[k],
                body.argument(int(k)).type());
  for (std::size_t k = 0; k < s.outputs; ++k) {
    const Type& output = c.declared()[k];
    expect_dimensions(c, "dimension", I64s{s.dimension}, output.rank());
    c.expect(output.dims[std::size_t(s.dimension)] == s.steps,
             cat("an output of extent ", s.steps, " along the dimension"), to_string(output));
    expect_type("result", k, slice_type(output, s.dimension), body.results[k].type());
  }
  for (std::size_t k = 0; k < s.carries; ++k) {
    expect_type("result", s.outputs + k, c.operands[s.inputs + k],
                body.results[s.outputs + k].type());
    c.expect(c.declared()[s.outputs + k] == c.operands[s.inputs + k],
             cat("a carry of type ", to_string(c.operands[s.inputs + k])),
             to_string(c.declared()[s.outputs + k]));
  }
}

/// Starts of the slice of step `at`.
std::vector<Value> starts(const Maker& make, std::int64_t rank, std::int64_t dimension, Value at) {
  const Value zero = make.splat(at.type(), 0);
  std::vector<Value> values(std::size_t(rank), zero);
  values[std::size_t(dimension)] = at;
  return values;
}

/// One step: arguments and results are the counter, outputs, carries and inputs.
std::unique_ptr<Graph> loop_body(const Expansion& e, const Scan& s,
                                 const std::vector<Type>& types) {
  auto graph = std::make_unique<Graph>();
  for (const Type& type : types) graph->add_argument(type);
  const Maker make{*graph};
  const Value counter = graph->argument(0);
  Value at = counter;
  if (s.is_reverse)
    at = make.op("stablehlo.subtract", {make.splat(counter.type(), double(s.steps - 1)), counter});
  const auto argument = [&](std::size_t k) { return graph->argument(int(k)); };
  const Graph& body = *e.context.regions[0];
  ValueMap<Value> map;
  for (std::size_t k = 0; k < s.carries; ++k)
    map[body.argument(int(s.inputs + k))] = argument(1 + s.outputs + k);
  for (std::size_t k = 0; k < s.inputs; ++k) {
    const Value input = argument(1 + s.outputs + s.carries + k);
    std::vector<Value> values = starts(make, input.type().rank(), s.dimension, at);
    values.insert(values.begin(), input);
    I64s sizes(input.type().dims.begin(), input.type().dims.end());
    sizes[std::size_t(s.dimension)] = 1;
    const Value slice = make.op("stablehlo.dynamic_slice", values, {{"slice_sizes", sizes}});
    map[body.argument(int(k))] = make.reshape(slice, slice_type(input.type(), s.dimension).dims);
  }
  const std::vector<Value> results = clone_body(body, *graph, map);
  graph->results.push_back(make.op("stablehlo.add", {counter, make.splat(counter.type(), 1)}));
  for (std::size_t k = 0; k < s.outputs; ++k) {
    const Value output = argument(1 + k);
    Type type = output.type();
    type.dims[std::size_t(s.dimension)] = 1;
    const Value slice = make.reshape(results[k], type.dims);
    std::vector<Value> values = starts(make, type.rank(), s.dimension, at);
    values.insert(values.begin(), {output, slice});
    graph->results.push_back(make.op("stablehlo.dynamic_update_slice", values));
  }
  for (std::size_t k = 0; k < s.carries; ++k) graph->results.push_back(results[s.outputs + k]);
  for (std::size_t k = 0; k < s.inputs; ++k)
    graph->results.push_back(argument(1 + s.outputs + s.carries + k));
  return graph;
}

std::unique_ptr<Graph> condition(const Scan& s, const std::vector<Type>& types) {
  auto graph = std::make_unique<Graph>();
  for (const Type& type : types) graph->add_argument(type);
  const Maker make{*graph};
  graph->results = {make.compare("LT", graph->argument(0), make.splat(types[0], double(s.steps)))};
  return graph;
}

Node* expand(const Expansion& e) {
  const Scan s = checked(e);
  expect_region(e, s);
  const auto declared = e.context.declared();
  std::vector<Value> inits{create_splat(e.into, Type::scalar(DType::i32), 0, e.before)};
  for (std::size_t k = 0; k < s.outputs; ++k)
    inits.push_back(create_splat(e.into, declared[k], 0, e.before));
  inits.insert(inits.end(), e.operands.begin() + std::ptrdiff_t(s.inputs), e.operands.end());
  inits.insert(inits.end(), e.operands.begin(), e.operands.begin() + std::ptrdiff_t(s.inputs));
  std::vector<Type> types;
  for (const Value& v : inits) types.push_back(v.type());
  std::vector<std::unique_ptr<Graph>> regions;
  regions.push_back(condition(s, types));
  regions.push_back(loop_body(e, s, types));
  Node* loop = create(e.into, "stablehlo.while", inits, {}, std::move(regions), types, e.before,
                      e.context.location);
  std::vector<Value> results;
  for (std::size_t k = 0; k < declared.size(); ++k) results.push_back(loop->result(int(k + 1)));
  if (results.empty()) return loop;
  return e.make("stablehlo.optimization_barrier", results);
}

}  // namespace

void register_scan(OpRegistry& registry) {
  OpDef op;
  op.name = "chlo.scan";
  op.doc =
      "A region along a dimension of the inputs, from slices and carries to slices of the outputs "
      "and carries.";
  op.attrs = {AttrSpec{.name = "dimension", .kind = AttrKind::i64},
              AttrSpec{.name = "scan_dim_size", .kind = AttrKind::i64, .required = false},
              AttrSpec{.name = "operandSegmentSizes", .kind = AttrKind::i64s},
              AttrSpec{.name = "resultSegmentSizes", .kind = AttrKind::i64s},
              flag_attr("is_reverse"),
              flag_attr("is_associative")};
  op.samples = {
      R"(func.func @main(%a: tensor<2x5xf32>, %i: tensor<2xf32>) -> (tensor<2x5xf32>, tensor<2xf32>) {
  %0:2 = chlo.scan(%a) inits(%i) dimension=1 attributes {is_reverse = true} {
  ^bb0(%x: tensor<2xf32>, %c: tensor<2xf32>):
    %1 = stablehlo.add %x, %c : tensor<2xf32>
    %2 = stablehlo.multiply %1, %x : tensor<2xf32>
    stablehlo.return %2, %1 : tensor<2xf32>, tensor<2xf32>
  } : (tensor<2x5xf32>, tensor<2xf32>) -> (tensor<2x5xf32>, tensor<2xf32>)
  return %0#0, %0#1 : tensor<2x5xf32>, tensor<2xf32>
})"};
  add_expansion(registry, std::move(op), expand);
}

}  // namespace partita::ir::ops
