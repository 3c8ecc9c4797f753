// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Properties of batching and axis removal over every op's samples: a batched op on a stack is the op
// on each slice; removing what was added gives the op back; the op on shards, combined where a
// factor is reduced, is the whole op.
#include <set>

#include "partita/ir/reduction.hpp"
#include "tests/ops/op_test.hpp"

namespace partita::ir {
namespace {

// --- Slices of arrays ---------------------------------------------------------------------------

/// The part of an array with index i of an axis of n at a position.
Tensor part_of(const Tensor& array, const std::optional<AxisPosition>& p, std::int64_t n,
               std::int64_t i) {
  if (!p) return array;
  HostArray out(type_without(array->type, p));
  const Dims& dims = array->type.dims;
  std::size_t after = byte_size(array->type.dtype) * std::size_t(p->inner);
  for (std::size_t d = std::size_t(p->dim) + 1; d < dims.size(); ++d) after *= std::size_t(dims[d]);
  const std::size_t runs = after == 0 ? 0 : out.bytes.size() / after;
  for (std::size_t r = 0; r < runs; ++r)
    std::copy_n(
        array->bytes.begin() + std::ptrdiff_t((r * std::size_t(n) + std::size_t(i)) * after), after,
        out.bytes.begin() + std::ptrdiff_t(r * after));
  return std::make_shared<const HostArray>(std::move(out));
}

constexpr AxisPosition leading{0, 1, 1};

/// Arguments for a graph; those flagged are stacks of `size`.
std::vector<Tensor> draw(const std::vector<Type>& types, const std::vector<bool>& batched,
                         std::int64_t size, std::mt19937& random) {
  std::vector<Tensor> tensors;
  for (std::size_t k = 0; k < types.size(); ++k) {
    Type type = types[k];
    if (batched[k]) type.dims.insert(type.dims.begin(), size);
    tensors.push_back(random_tensor(type, random));
  }
  return tensors;
}

std::vector<Type> argument_types(const Graph& graph) {
  std::vector<Type> types;
  for (const Value& v : graph.arguments()) types.push_back(v.type());
  return types;
}

// --- Adding a dimension -------------------------------------------------------------------------

struct Batched {
  std::unique_ptr<Graph> graph = std::make_unique<Graph>();
  std::vector<bool> results;
};

Batched batch_graph(const Graph& graph, const std::vector<bool>& arguments, std::int64_t size) {
  Batched out;
  BatchMap map;
  for (int k = 0; k < graph.argument_count(); ++k) {
    Type type = graph.argument(k).type();
    if (arguments[std::size_t(k)]) type.dims.insert(type.dims.begin(), size);
    map[graph.argument(k)] = {out.graph->add_argument(type), arguments[std::size_t(k)]};
  }
  for (const BatchedValue& v : batch_body(graph, map, {.into = *out.graph, .size = size})) {
    out.graph->results.push_back(v.value);
    out.results.push_back(v.batched);
  }
  return out;
}

void check_batched(const Graph& graph, const std::vector<bool>& arguments, std::int64_t size,
                   std::mt19937& random, const std::string& what) {
  const Batched made = batch_graph(graph, arguments, size);
  const std::vector<Tensor> inputs = draw(argument_types(graph), arguments, size, random);
  const std::vector<Tensor> results = run_graph(*made.graph, inputs);
  for (std::int64_t i = 0; i < size; ++i) {
    std::vector<Tensor> slice;
    for (std::size_t k = 0; k < inputs.size(); ++k)
      slice.push_back(arguments[k] ? part_of(inputs[k], leading, size, i) : inputs[k]);
    const std::vector<Tensor> wanted = run_graph(graph, slice);
    for (std::size_t r = 0; r < wanted.size(); ++r)
      expect_close(made.results[r] ? part_of(results[r], leading, size, i) : results[r], wanted[r],
                   cat(what, ", lane ", i, ", result ", r));
  }
}

/// All subsets of a few arguments, some of many; never the empty one.
std::vector<std::vector<bool>> subsets(std::size_t count, std::mt19937& random) {
  std::vector<std::vector<bool>> all;
  const std::size_t total = count <= 6 ? (std::size_t(1) << count) - 1 : 40;
  for (std::size_t k = 1; k <= total; ++k) {
    std::vector<bool> flags;
    for (std::size_t b = 0; b < count; ++b)
      flags.push_back(count <= 6 ? (k >> b & 1) != 0 : random() % 2 == 0);
    all.push_back(std::move(flags));
  }
  return all;
}

std::string flags_text(const std::vector<bool>& flags) {
  std::string text;
  for (const bool flag : flags) text += flag ? '1' : '0';
  return text;
}

TEST(Batching, ABatchedOpIsTheOpOnEachSlice) {
  std::set<std::string_view> seen;
  for_each_sample_node([&](const Node& node, const std::string& name) {
    const auto graph = isolated(node);
    if (!why_not_batched(*graph).empty()) return;
    seen.insert(node.name());
    std::mt19937 random(11);
    for (const auto& arguments : subsets(std::size_t(graph->argument_count()), random)) {
      const std::string what = cat(name, ", batched ", flags_text(arguments));
      ASSERT_NO_THROW(check_batched(*graph, arguments, 3, random, what)) << what;
      check_batched(*graph, arguments, 1, random, cat(what, " by 1"));
      if (testing::Test::HasFatalFailure()) return;
    }
  });
  for (const char* op : {"add",
                         "select",
                         "clamp",
                         "compare",
                         "convert",
                         "broadcast_in_dim",
                         "reshape",
                         "transpose",
                         "slice",
                         "dynamic_slice",
                         "dynamic_update_slice",
                         "concatenate",
                         "pad",
                         "reverse",
                         "reduce",
                         "dot_general",
                         "gather",
                         "scatter",
                         "convolution",
                         "reduce_window",
                         "select_and_scatter",
                         "batch_norm_training",
                         "while",
                         "case",
                         "if",
                         "optimization_barrier"})
    EXPECT_TRUE(seen.contains(cat("stablehlo.", op))) << op;
}

/// Forms that no op's samples have.
constexpr const char* programs[] = {
    R"(func.func @main(%a: tensor<f32>, %x: tensor<2x3xf32>, %b: tensor<f32>) -> tensor<2x3xf32> {
  %0 = stablehlo.clamp %a, %x, %b : (tensor<f32>, tensor<2x3xf32>, tensor<f32>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
})",
    R"(func.func @main(%x: tensor<300xf32>, %u: tensor<4xf32>, %i: tensor<i8>, %j: tensor<ui8>, %k: tensor<i64>) -> (tensor<300xf32>, tensor<300xf32>, tensor<300xf32>, tensor<4xf32>) {
  %s = stablehlo.constant dense<30> : tensor<i8>
  %t = stablehlo.constant dense<60> : tensor<ui8>
  %m = stablehlo.constant dense<100000000000> : tensor<i64>
  %is = stablehlo.multiply %i, %s : tensor<i8>
  %jt = stablehlo.multiply %j, %t : tensor<ui8>
  %km = stablehlo.multiply %k, %m : tensor<i64>
  %0 = stablehlo.dynamic_update_slice %x, %u, %is : (tensor<300xf32>, tensor<4xf32>, tensor<i8>) -> tensor<300xf32>
  %1 = stablehlo.dynamic_update_slice %x, %u, %jt : (tensor<300xf32>, tensor<4xf32>, tensor<ui8>) -> tensor<300xf32>
  %2 = stablehlo.dynamic_update_slice %x, %u, %km : (tensor<300xf32>, tensor<4xf32>, tensor<i64>) -> tensor<300xf32>
  %3 = stablehlo.dynamic_slice %x, %km, sizes = [4] : (tensor<300xf32>, tensor<i64>) -> tensor<4xf32>
  return %0, %1, %2, %3 : tensor<300xf32>, tensor<300xf32>, tensor<300xf32>, tensor<4xf32>
})",
    R"(func.func @main(%i: tensor<i32>, %x: tensor<2xf32>, %y: tensor<2xf32>) -> (tensor<2xf32>, tensor<f32>) {
  %0:2 = "stablehlo.case"(%i) ({
    %1 = stablehlo.add %x, %y : tensor<2xf32>
    %2 = stablehlo.constant dense<1.0> : tensor<f32>
    stablehlo.return %1, %2 : tensor<2xf32>, tensor<f32>
  }, {
    %2 = stablehlo.constant dense<2.0> : tensor<f32>
    stablehlo.return %y, %2 : tensor<2xf32>, tensor<f32>
  }, {
    %2 = stablehlo.constant dense<3.0> : tensor<f32>
    %3 = stablehlo.broadcast_in_dim %2, dims = [] : (tensor<f32>) -> tensor<2xf32>
    stablehlo.return %3, %2 : tensor<2xf32>, tensor<f32>
  }) : (tensor<i32>) -> (tensor<2xf32>, tensor<f32>)
  return %0#0, %0#1 : tensor<2xf32>, tensor<f32>
})"};

TEST(Batching, OtherFormsBatch) {
  std::mt19937 random(14);
  for (const char* program : programs) {
    const auto module = parse_module(program);
    const Graph& graph = *module->entry("main").body;
    for (const auto& arguments : subsets(std::size_t(graph.argument_count()), random))
      check_batched(graph, arguments, 5, random, cat(program, "\nbatched ", flags_text(arguments)));
  }
}

TEST(Batching, WholeProgramsBatch) {
  std::mt19937 random(12);
  for (const OpDef* op : OpRegistry::instance().all())
    for (const std::string& sample : op->samples) {
      const auto module = parse_module(sample, op->name);
      const Graph& graph = *module->entry("main").body;
      if (graph.argument_count() == 0 || !why_not_batched(graph).empty()) continue;
      check_batched(graph, std::vector<bool>(std::size_t(graph.argument_count()), true), 2, random,
                    op->name);
    }
}

constexpr const char* nested_loops =
    R"(func.func @main(%n: tensor<i32>, %m: tensor<i32>, %x: tensor<2xf32>) -> (tensor<2xf32>, tensor<i32>) {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %half = stablehlo.constant dense<0.5> : tensor<2xf32>
  %0:2 = stablehlo.while(%i = %zero, %a = %x) : tensor<i32>, tensor<2xf32>
  cond {
    %c = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  } do {
    %1:2 = stablehlo.while(%j = %zero, %b = %a) : tensor<i32>, tensor<2xf32>
    cond {
      %k = stablehlo.add %i, %m : tensor<i32>
      %c = stablehlo.compare LT, %j, %k : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %c : tensor<i1>
    } do {
      %s = stablehlo.multiply %b, %half : tensor<2xf32>
      %t = stablehlo.add %s, %x : tensor<2xf32>
      %u = stablehlo.add %j, %one : tensor<i32>
      stablehlo.return %u, %t : tensor<i32>, tensor<2xf32>
    }
    %p = stablehlo.compare GT, %1#0, %one : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %r = "stablehlo.if"(%p) ({
      %v = stablehlo.negate %1#1 : tensor<2xf32>
      stablehlo.return %v : tensor<2xf32>
    }, {
      stablehlo.return %x : tensor<2xf32>
    }) : (tensor<i1>) -> tensor<2xf32>
    %w = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %w, %r : tensor<i32>, tensor<2xf32>
  }
  return %0#1, %0#0 : tensor<2xf32>, tensor<i32>
})";

TEST(Batching, LoopsThatEndAtDifferentTimes) {
  const auto module = parse_module(nested_loops);
  const Graph& graph = *module->entry("main").body;
  std::mt19937 random(13);
  for (const auto& arguments : subsets(3, random))
    check_batched(graph, arguments, 4, random, cat("loops, batched ", flags_text(arguments)));
}

TEST(Batching, ALoopOfCommonCountKeepsItsCondition) {
  const auto module = parse_module(nested_loops);
  const Batched made = batch_graph(*module->entry("main").body, {false, false, true}, 4);
  EXPECT_EQ(made.results, std::vector<bool>({true, false}));
  for (const Node* node : made.graph->nodes())
    if (node->is("stablehlo.while")) {
      EXPECT_EQ(node->region(0).nodes().size(), 1u);
    }
}

TEST(Batching, SpecialNodesAreAskedForInRegions) {
  const auto module = parse_module(nested_loops);
  const Graph& graph = *module->entry("main").body;
  BatchMap map;
  Graph into;
  for (const Value& v : graph.arguments()) map[v] = {into.add_argument(v.type()), false};
  const BatchContext context{
      .into = into,
      .size = 3,
      .special = [](const Node& node, BatchMap& values, const BatchContext& c) {
        if (!node.is("stablehlo.negate")) return false;
        values[Value{const_cast<Node*>(&node), 0}] = {
            create_splat(c.into, {.dtype = DType::f32, .dims = {3, 2}}, 2), true};
        return true;
      }};
  const std::vector<BatchedValue> results = batch_body(graph, map, context);
  EXPECT_TRUE(results[0].batched);
  EXPECT_FALSE(results[1].batched);
}

TEST(Batching, NodesWithoutRuleAreNamed) {
  const auto module = parse_module(
      "module {\n  func.func @main(%a: tensor<2xf32>) -> tensor<2xf32> {\n"
      "    %0 = call @f(%a) : (tensor<2xf32>) -> tensor<2xf32>\n    return %0 : tensor<2xf32>\n  "
      "}\n"
      "  func.func private @f(%a: tensor<2xf32>) -> tensor<2xf32> {\n    return %a : "
      "tensor<2xf32>\n  }\n}");
  const Graph& graph = *module->entry("main").body;
  EXPECT_NE(why_not_batched(graph).find("func.call"), std::string::npos);
  EXPECT_EQ(why_not_batched(graph, [](const Node& node) { return node.is("func.call"); }), "");
}

// --- Removing one -------------------------------------------------------------------------------

/// Follows an axis from the arguments of a graph to the end, and removes it.
struct AxisGraph {
  ValueMap<AxisPosition> positions;
  std::unique_ptr<Graph> graph = std::make_unique<Graph>();
  std::string why;

  std::optional<AxisPosition> at(Value v) const {
    const auto found = positions.find(v);
    return found == positions.end() ? std::nullopt : std::optional(found->second);
  }
  std::optional<AxisFlow> flow_of(Node& node, std::int64_t n) const {
    AxisPositions operands, results;
    bool is_known = false;
    for (const Value& v : node.operands()) is_known |= operands.emplace_back(at(v)).has_value();
    for (int k = 0; k < node.result_count(); ++k)
      is_known |= results.emplace_back(at(node.result(k))).has_value();
    for (const Value& v : captures(node)) is_known |= at(v).has_value();
    if (!is_known) return std::nullopt;
    return flow_axis(node, n, operands, results, [this](Value v) { return at(v); });
  }
  bool visit(Node& node, std::int64_t n) {
    const auto flow = flow_of(node, n);
    if (!flow) return false;
    if (!flow->why.empty()) {
      why = cat(node.name(), ": ", flow->why);
      return false;
    }
    bool changed = false;
    for (std::size_t k = 0; k < flow->operands.size(); ++k)
      if (flow->operands[k])
        changed |= positions.emplace(node.operand(k), *flow->operands[k]).second;
    for (std::size_t k = 0; k < flow->results.size(); ++k)
      if (flow->results[k])
        changed |= positions.emplace(node.result(int(k)), *flow->results[k]).second;
    for (const auto& [v, p] : flow->captures) changed |= positions.emplace(v, p).second;
    return changed;
  }
  /// The index along the axis is the last argument of the new graph.
  void run(const Graph& from, std::int64_t n) {
    for (bool changed = true; changed && why.empty();) {
      changed = false;
      for (Node* node : from.nodes()) changed |= visit(*node, n);
      for (auto node = from.nodes().rbegin(); node != from.nodes().rend(); ++node)
        changed |= visit(**node, n);
    }
    if (!why.empty()) return;
    ValueMap<Value> map;
    for (const Value& v : from.arguments())
      map[v] = graph->add_argument(type_without(v.type(), at(v)));
    const Value index = graph->add_argument(Type::scalar(DType::i32));
    const auto look_up = [&](Value v) { return map.contains(v) ? map.at(v) : v; };
    for (Node* node : from.nodes()) {
      const auto flow = flow_of(*node, n);
      if (!flow) {
        clone_node(*node, *graph, map);
        continue;
      }
      std::vector<Value> operands;
      for (const Value& v : node->operands()) operands.push_back(look_up(v));
      const Removal removal = remove_dim(
          *node, *flow, n, operands,
          {.into = *graph, .partition_index = [&] { return index; }, .capture = look_up});
      why = removal.why;
      if (!why.empty()) return;
      for (std::size_t k = 0; k < removal.results.size(); ++k)
        map[node->result(int(k))] = removal.results[k];
    }
    for (const Value& v : from.results) graph->results.push_back(look_up(v));
  }
};

TEST(Removal, UndoesBatching) {
  std::set<std::string_view> seen;
  for_each_sample_node([&](const Node& node, const std::string& name) {
    const auto graph = isolated(node);
    if (!why_not_batched(*graph).empty()) return;
    if (node.name().starts_with("stablehlo.rng")) return;  // batched by a loop over the lanes
    std::mt19937 random(21);
    for (const auto& arguments : subsets(std::size_t(graph->argument_count()), random)) {
      constexpr std::int64_t n = 3;
      const Batched made = batch_graph(*graph, arguments, n);
      const std::string what = cat(name, ", batched ", flags_text(arguments));
      AxisGraph removed;
      for (std::size_t k = 0; k < arguments.size(); ++k)
        if (arguments[k]) removed.positions[made.graph->argument(int(k))] = leading;
      removed.run(*made.graph, n);
      ASSERT_EQ(removed.why, "") << what;
      seen.insert(node.name());
      const std::vector<Tensor> inputs =
          draw(argument_types(*graph), std::vector<bool>(arguments.size()), n, random);
      std::vector<Tensor> with_index = inputs;
      with_index.push_back(i32({}, {1}));
      const auto wanted = run_graph(*graph, inputs), found = run_graph(*removed.graph, with_index);
      for (std::size_t r = 0; r < wanted.size(); ++r)
        expect_close(found[r], wanted[r], cat(what, ", result ", r));
      if (testing::Test::HasFatalFailure()) return;
    }
  });
  for (const char* op : {"add", "pad", "reduce", "dot_general", "gather", "scatter", "convolution",
                         "reduce_window", "select_and_scatter", "batch_norm_grad", "dynamic_slice",
                         "dynamic_update_slice", "while", "case", "if"})
    EXPECT_TRUE(seen.contains(cat("stablehlo.", op))) << op;
}

// --- Shards -------------------------------------------------------------------------------------

/// The dimension that holds a factor, and where an axis at the outer or inner end of it lies.
std::optional<AxisPosition> position_in(const FactorRule& rule,
                                        const std::vector<std::vector<int>>& dims, int factor,
                                        std::int64_t outer, std::int64_t inner) {
  for (std::size_t d = 0; d < dims.size(); ++d) {
    std::int64_t before = outer, after = inner;
    bool found = false;
    for (const int f : dims[d]) {
      if (f == factor)
        found = true;
      else
        (found ? after : before) *= rule.factors[std::size_t(f)].size;
    }
    if (found) return AxisPosition{int(d), before, after};
  }
  return std::nullopt;
}

Tensor combine(Combiner combiner, const Tensor& a, const Tensor& b) {
  Graph graph;
  graph.add_argument(a->type);
  graph.add_argument(b->type);
  graph.results = {create_value(graph, cat("stablehlo.", info(combiner).op), graph.arguments())};
  return run_graph(graph, {a, b})[0];
}

/// Splits one factor into n parts and compares what they compute with the whole.
void check_shards(const Node& node, const AxisFlow& flow, std::int64_t n, std::mt19937& random,
                  const std::string& what) {
  const auto whole = isolated(node);
  Node& inner = *whole->nodes()[0];
  std::vector<Tensor> inputs = draw(
      argument_types(*whole), std::vector<bool>(std::size_t(whole->argument_count())), n, random);
  AxisGraph removed;
  for (std::size_t k = 0; k < flow.operands.size(); ++k)
    if (flow.operands[k]) removed.positions[inner.operand(k)] = *flow.operands[k];
  for (std::size_t k = 0; k < flow.results.size(); ++k)
    if (flow.results[k]) removed.positions[inner.result(int(k))] = *flow.results[k];
  const bool is_reduced = flow.kind == FactorKind::reduced;
  for (int k = 0; k < whole->argument_count(); ++k)  // each shard applies initial values
    if (is_reduced && node.is("stablehlo.reduce") && inner.operand(1) == whole->argument(k))
      inputs[std::size_t(k)] = std::make_shared<const HostArray>(
          combiner_identity(*flow.combiner, inputs[std::size_t(k)]->type)->to_array());
  removed.run(*whole, n);
  ASSERT_EQ(removed.why, "") << what;
  const std::vector<Tensor> wanted = run_graph(*whole, inputs);
  std::vector<Tensor> sums;
  for (std::int64_t i = 0; i < n; ++i) {
    std::vector<Tensor> shard;
    for (std::size_t k = 0; k < inputs.size(); ++k)
      shard.push_back(part_of(inputs[k], removed.at(whole->argument(int(k))), n, i));
    shard.push_back(i32({}, {double(i)}));
    const std::vector<Tensor> found = run_graph(*removed.graph, shard);
    for (std::size_t r = 0; r < found.size(); ++r) {
      if (!is_reduced)
        expect_close(found[r], part_of(wanted[r], flow.results[r], n, i),
                     cat(what, ", shard ", i, ", result ", r));
      else if (i == 0)
        sums.push_back(found[r]);
      else
        sums[r] = combine(*flow.combiner, sums[r], found[r]);
    }
  }
  for (std::size_t r = 0; r < sums.size(); ++r)
    expect_close(sums[r], wanted[r], cat(what, ", result ", r));
}

void check_factor(const Node& node, const FactorRule& rule, int f, const std::string& name,
                  std::mt19937& random) {
  const Factor& factor = rule.factors[std::size_t(f)];
  if (factor.kind == FactorKind::replicated ||
      (factor.kind == FactorKind::reduced && !factor.combiner))
    return;
  for (std::int64_t n = 1; n <= factor.size; ++n) {
    // An axis of 1 lies in every factor of a dimension; only a dimension of 1 is unambiguous.
    if (factor.size % n != 0 || (n == 1 && factor.size > 1)) continue;
    for (std::int64_t outer = 1; outer <= factor.size / n; ++outer) {
      if (factor.size / n % outer != 0) continue;
      const std::int64_t inner = factor.size / n / outer;
      AxisPositions operands, results;
      for (const auto& dims : rule.operands)
        operands.push_back(position_in(rule, dims, f, outer, inner));
      for (const auto& dims : rule.results)
        results.push_back(position_in(rule, dims, f, outer, inner));
      const AxisFlow flow = flow_axis(node, n, operands, results);
      const std::string what =
          cat(name, ", factor ", f, " of ", factor.size, " into ", n, " with ", outer, " outside");
      ASSERT_EQ(flow.why, "") << what;
      EXPECT_EQ(flow.operands, operands) << what;
      EXPECT_EQ(flow.results, results) << what;
      check_shards(node, flow, n, random, what);
      if (testing::Test::HasFatalFailure()) return;
    }
  }
}

TEST(Sharding, ShardsCombineToTheWhole) {
  std::set<std::string_view> seen;
  for_each_sample_node([&](const Node& node, const std::string& name) {
    // An axis passes each operand of a barrier by itself, and values of control flow as regions have it.
    if (!node.op().factors || node.is("stablehlo.optimization_barrier")) return;
    const FactorRule rule = factor_rule(node);
    std::mt19937 random(31);
    for (std::size_t f = 0; f < rule.factors.size(); ++f) {
      check_factor(node, rule, int(f), name, random);
      if (testing::Test::HasFatalFailure()) return;
    }
    seen.insert(node.name());
  });
  for (const char* op :
       {"add",         "select",    "constant",    "iota",          "broadcast_in_dim",
        "reshape",     "transpose", "slice",       "dynamic_slice", "dynamic_update_slice",
        "concatenate", "pad",       "reverse",     "reduce",        "dot_general",
        "gather",      "scatter",   "convolution", "reduce_window", "select_and_scatter"})
    EXPECT_TRUE(seen.contains(cat("stablehlo.", op))) << op;
}

TEST(Factors, EachDimensionIsTheProductOfItsFactors) {
  for_each_sample_node([&](const Node& node, const std::string& name) {
    const FactorRule rule = factor_rule(node);
    const auto check = [&](const std::vector<std::vector<int>>& dims, const Type& type) {
      ASSERT_EQ(dims.size(), type.dims.size()) << name;
      for (std::size_t d = 0; d < dims.size(); ++d) {
        std::int64_t product = 1;
        for (const int f : dims[d]) product *= rule.factors.at(std::size_t(f)).size;
        EXPECT_EQ(product, type.dims[d]) << name << ", dimension " << d;
      }
    };
    ASSERT_EQ(rule.operands.size(), node.operands().size()) << name;
    ASSERT_EQ(rule.results.size(), node.result_types().size()) << name;
    for (std::size_t k = 0; k < rule.operands.size(); ++k)
      check(rule.operands[k], node.operand(k).type());
    for (std::size_t k = 0; k < rule.results.size(); ++k)
      check(rule.results[k], node.result_types()[k]);
  });
}

TEST(Flow, AnAxisFoldedByReshapeIsFoundAgain) {
  const auto module = parse_module(
      "func.func @main(%a: tensor<8x16xf32>) -> tensor<2x64xf32> {\n"
      "  %0 = stablehlo.reshape %a : (tensor<8x16xf32>) -> tensor<128xf32>\n"
      "  %1 = stablehlo.reshape %0 : (tensor<128xf32>) -> tensor<2x64xf32>\n  return %1 : "
      "tensor<2x64xf32>\n}");
  const auto& nodes = module->entry("main").body->nodes();
  const AxisFlow folded = flow_axis(*nodes[0], 8, {AxisPosition{0, 1, 1}}, {});
  EXPECT_EQ(folded.results[0], (AxisPosition{0, 1, 16}));
  EXPECT_NE(flow_axis(*nodes[1], 8, {AxisPosition{0, 1, 16}}, {}).why, "") << "8 lies in 2 and 64";
  EXPECT_EQ(flow_axis(*nodes[1], 4, {AxisPosition{0, 2, 16}}, {}).results[0],
            (AxisPosition{1, 1, 16}));
  const AxisFlow back = flow_axis(*nodes[0], 16, {}, {AxisPosition{0, 8, 1}});
  EXPECT_EQ(back.operands[0], (AxisPosition{1, 1, 1}));
}

TEST(Flow, WhatNeedsTheWholeAxisSaysSo) {
  const auto why = [](const std::string& text, AxisPositions operands) {
    const auto module = parse_module(text);
    return flow_axis(*module->entry("main").body->nodes()[0], 4, operands, {}).why;
  };
  EXPECT_NE(why("func.func @main(%a: tensor<4x4xf32>) -> tensor<4x2xf32> {\n  %0 = stablehlo.slice "
                "%a [0:4, 1:3] : (tensor<4x4xf32>) -> tensor<4x2xf32>\n"
                "  return %0 : tensor<4x2xf32>\n}",
                {AxisPosition{1, 1, 1}}),
            "");
  // The outer product of an axis with itself.
  EXPECT_NE(
      why("func.func @main(%a: tensor<4xf32>) -> tensor<4x4xf32> {\n  %0 = stablehlo.dot_general "
          "%a, %a, contracting_dims = [] x [] : (tensor<4xf32>, tensor<4xf32>) -> tensor<4x4xf32>\n"
          "  return %0 : tensor<4x4xf32>\n}",
          {AxisPosition{0, 1, 1}, AxisPosition{0, 1, 1}}),
      "");
}

TEST(Flow, PassesLoopsWithTheirCaptures) {
  const auto module = parse_module(
      R"(func.func @main(%x: tensor<4x3xf32>, %y: tensor<4x3xf32>, %n: tensor<i32>) -> tensor<4x3xf32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %0:2 = stablehlo.while(%i = %zero, %a = %x) : tensor<i32>, tensor<4x3xf32>
  cond {
    %c = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  } do {
    %one = stablehlo.constant dense<1> : tensor<i32>
    %j = stablehlo.add %i, %one : tensor<i32>
    %s = stablehlo.add %a, %y : tensor<4x3xf32>
    stablehlo.return %j, %s : tensor<i32>, tensor<4x3xf32>
  }
  return %0#1 : tensor<4x3xf32>
})");
  const Graph& graph = *module->entry("main").body;
  Node& loop = *graph.nodes()[1];
  const AxisFlow flow = flow_axis(loop, 4, {std::nullopt, AxisPosition{0, 1, 1}}, {});
  ASSERT_EQ(flow.why, "");
  EXPECT_EQ(flow.results[0], std::nullopt);
  EXPECT_EQ(flow.results[1], (AxisPosition{0, 1, 1}));
  ASSERT_TRUE(flow.captures.contains(graph.argument(1)));
  EXPECT_EQ(flow.captures.at(graph.argument(1)), (AxisPosition{0, 1, 1}));

  AxisGraph removed;
  removed.positions[graph.argument(0)] = AxisPosition{0, 1, 1};
  removed.run(graph, 4);
  ASSERT_EQ(removed.why, "");
  const Tensor x = f32({3}, {1, 2, 3}), y = f32({3}, {10, 20, 30});
  EXPECT_EQ(values_of(run_graph(*removed.graph, {x, y, i32({}, {2}), i32({}, {0})})[0]),
            std::vector<double>({21, 42, 63}));
}

TEST(Flow, ALoopWhoseConditionMeetsTheAxisStopsIt) {
  const auto module = parse_module(R"(func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.while(%a = %x) : tensor<4xf32>
  cond {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %m = stablehlo.reduce(%a init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
    %c = stablehlo.compare LT, %m, %zero : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  } do {
    %s = stablehlo.add %a, %a : tensor<4xf32>
    stablehlo.return %s : tensor<4xf32>
  }
  return %0 : tensor<4xf32>
})");
  const AxisFlow flow =
      flow_axis(*module->entry("main").body->nodes()[0], 4, {AxisPosition{0, 1, 1}}, {});
  EXPECT_NE(flow.why.find("reduces"), std::string::npos) << flow.why;
}

}  // namespace
}  // namespace partita::ir
