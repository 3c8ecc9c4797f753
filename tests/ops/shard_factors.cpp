// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// What factors promise of every op's samples: split over two simulated shards, with the collectives
// that the factor asks for, the op is the whole op.  And that every op has factors and a batching
// rule, or a reason why not.
#include <algorithm>
#include <map>
#include <set>

#include "ops/support/expansion.hpp"
#include "partita/ir/reduction.hpp"
#include "partita/ir/sharding.hpp"
#include "tests/ops/op_test.hpp"

namespace partita::ir {
namespace {

// --- What every op has --------------------------------------------------------------------------

/// Ops (or all that begin so, with a star) without factors, and why.
const std::map<std::string, std::string>& without_factors() {
  static const std::map<std::string, std::string> reasons{
      {"check.*", "compares whole values"},
      {"func.call", "is inlined"},
      {"graph.arguments", "is no op of a program"},
      {"interpreter.run_parallel", "is a grid of processes of its own"},
      {"mr.all_*", "is made where axes are split already"},
      {"mr.check", "compares whole values"},
      {"mr.checkpoint", "is expanded first"},
      {"mr.custom_vjp", "is expanded first"},
      {"mr.foreach", "is made where axes are split already"},
      {"mr.grad", "is expanded first"},
      {"mr.map", "says itself where its axis is"},
      {"mr.mesh_done", "is the second half of a collective"},
      {"mr.mesh_start", "is the first half of a collective"},
      {"mr.partition_index", "has no dimensions"},
      {"mr.shard_index", "has no dimensions"},
      {"mr.stop_gradient", "is expanded first"},
      {"sdy.sharding_group", "has no results"},
      {"sdy.manual_computation", "is for given devices; becomes lanes"},
      {"stablehlo.case", "the axis follows its regions"},
      {"stablehlo.composite", "is inlined"},
      {"stablehlo.custom_call", "is refused unless its target is known"},
      {"stablehlo.custom_call @ApproxTopK", "is inlined as a sort"},
      {"stablehlo.custom_call @SPMD*", "is for given devices; becomes lanes"},
      {"stablehlo.custom_call @check.*", "compares whole values"},
      {"stablehlo.custom_call @partita.host_call", "takes whole arrays"},
      {"stablehlo.if", "the axis follows its regions"},
      {"stablehlo.partition_id", "has no dimensions"},
      {"stablehlo.replica_id", "has no dimensions"},
      {"stablehlo.rng", "numbers are by element of the whole"},
      {"stablehlo.rng_bit_generator", "bits are by element of the whole"},
      {"stablehlo.while", "the axis follows its regions"},
  };
  return reasons;
}

/// Ops whose samples cannot be batched, and why.
const std::map<std::string, std::string>& without_batching() {
  static const std::map<std::string, std::string> reasons{
      {"check.*", "reports to the test"},
      {"interpreter.run_parallel", "is a grid of processes of its own"},
      {"mr.*", "maps are batched by place"},
      {"sdy.*", "are removed first"},
      {"stablehlo.all_*", "become movement along lanes first"},
      {"stablehlo.collective_*", "become movement along lanes first"},
      {"stablehlo.partition_id", "has no operands"},
      {"stablehlo.replica_id", "has no operands"},
      {"stablehlo.reduce_scatter", "becomes movement along lanes first"},
      {"stablehlo.composite", "is inlined"},
      {"stablehlo.custom_call @ApproxTopK", "is inlined as a sort"},
      {"stablehlo.custom_call @check.*", "reports to the test"},
  };
  return reasons;
}

bool is_listed(const std::map<std::string, std::string>& reasons, const std::string& name) {
  return std::ranges::any_of(reasons, [&](const auto& entry) {
    const std::string& pattern = entry.first;
    return pattern.ends_with('*') ? name.starts_with(pattern.substr(0, pattern.size() - 1))
                                  : name == pattern;
  });
}

TEST(Factors, EveryOpHasSomeOrAReason) {
  for (const OpDef* op : OpRegistry::instance().all())
    if (!op->expand) {
      EXPECT_NE(op->factors != nullptr, is_listed(without_factors(), op->name)) << op->name;
    }
}

TEST(Batching, EveryOpIsBatchedOrListed) {
  std::set<std::string> batched;
  for_each_sample_node([&](const Node& node, const std::string& name) {
    const std::string why = why_not_batched(*isolated(node));
    if (!is_listed(without_batching(), node.op().name)) {
      EXPECT_EQ(why, "") << name;
    }
  });
}

// --- Two shards ---------------------------------------------------------------------------------

constexpr const char* mesh = "mesh<[\"shard\"=2]>";

/// Where the major half of a factor begins, in a value with these factors; nothing where the value
/// lacks the factor.
std::optional<AxisPosition> position_of(const FactorRule& rule,
                                        const std::vector<std::vector<int>>& dims, int factor) {
  for (std::size_t d = 0; d < dims.size(); ++d) {
    AxisPosition p{.dim = int(d)};
    bool found = false;
    for (const int f : dims[d]) {
      const std::int64_t size = rule.factors[std::size_t(f)].size;
      if (f == factor)
        p.inner = size / 2;
      else
        (found ? p.inner : p.outer) *= size;
      found |= f == factor;
    }
    if (found) return p;
  }
  return std::nullopt;
}

/// "<mesh, [{}, {"shard"}]>"
std::string sharding_text(const Type& type, const std::optional<AxisPosition>& position) {
  std::string text = cat("<", mesh, ", [");
  for (int d = 0; d < type.rank(); ++d)
    text += cat(d == 0 ? "" : ", ", position && position->dim == d ? "{\"shard\"}" : "{}");
  return text + "]>";
}

Attribute shardings_of(const std::vector<std::string>& texts) {
  std::vector<Sharding> all;
  for (const std::string& text : texts) all.push_back(parse_sharding(text));
  return to_attribute(std::move(all));
}

Value sum_over_shards(Graph& graph, Value v, Combiner combiner) {
  HostArray group(Type{.dtype = DType::i64, .dims = {1, 2}});
  group.data<DType::i64>()[1] = 1;
  std::vector<std::unique_ptr<Graph>> regions;
  regions.push_back(make_combiner(combiner, v.type().dtype));
  return create(graph, "stablehlo.all_reduce", {v},
                {{"replica_groups", make_dense(group)},
                 {"channel_handle", RawAttr{"#stablehlo.channel_handle<handle = 1, type = 1>"}},
                 {"use_global_device_ids", true}},
                std::move(regions))
      ->result();
}

Type half_of(Type type, const std::optional<AxisPosition>& position) {
  if (position) type.dims[std::size_t(position->dim)] /= 2;
  return type;
}

/// A dimension of which one index is left is there for shardings, and gone for the op.
Value reshaped(Graph& graph, Value v, const Type& type) {
  return v.type() == type ? v : create_value(graph, "stablehlo.reshape", {v}, {}, {&type, 1});
}

/// The op on one shard, as the region of a manual_computation.
std::unique_ptr<Graph> shard_program(const Node& node, const AxisFlow& flow) {
  auto region = std::make_unique<Graph>();
  std::vector<Value> operands;
  for (std::size_t k = 0; k < node.operands().size(); ++k) {
    const Type& whole = node.operand(k).type();
    operands.push_back(reshaped(*region, region->add_argument(half_of(whole, flow.operands[k])),
                                type_without(whole, flow.operands[k])));
  }
  const auto index = [&] {
    const Value id = create_value(*region, "stablehlo.partition_id", {});
    const Type type = Type::scalar(DType::i32);
    return create_value(*region, "stablehlo.convert", {id}, {}, {&type, 1});
  };
  const Removal removal =
      remove_dim(node, flow, 2, operands, {.into = *region, .partition_index = index});
  EXPECT_EQ(removal.why, "");
  for (std::size_t k = 0; k < removal.results.size(); ++k) {
    const Value v = removal.results[k];
    region->results.push_back(
        flow.kind == FactorKind::reduced
            ? sum_over_shards(*region, v, *flow.combiner)
            : reshaped(*region, v, half_of(node.result_types()[k], flow.results[k])));
  }
  return region;
}

void check_two_shards(const Node& node, const AxisFlow& flow, const std::string& what,
                      std::mt19937& random) {
  Module module;
  auto f = std::make_unique<Function>();
  f->name = "main";
  f->body = std::make_unique<Graph>();
  Graph whole;
  ValueMap<Value> map;
  std::vector<Tensor> inputs;
  std::vector<Value> operands;
  std::vector<std::string> in, out;
  for (std::size_t k = 0; k < node.operands().size(); ++k) {
    const Type& type = node.operand(k).type();
    in.push_back(sharding_text(type, flow.operands[k]));
    operands.push_back(f->body->add_argument(type));
    inputs.push_back(random_tensor(type, random));
    // Each shard applies the initial values of a reduction.
    const std::size_t half = node.operands().size() / 2;
    if (flow.kind == FactorKind::reduced && node.is("stablehlo.reduce") && k >= half)
      inputs.back() =
          std::make_shared<const HostArray>(combiner_identity(*flow.combiner, type)->to_array());
  }
  // An operand may be used twice: the op on arguments of its own.
  std::vector<Value> arguments;
  for (const Value& v : operands) arguments.push_back(whole.add_argument(v.type()));
  std::vector<std::unique_ptr<Graph>> regions;
  for (const auto& region : node.regions()) regions.push_back(clone_graph(*region));
  Node* copy =
      whole.add_node(node.op(), arguments, node.attrs, node.result_types(), std::move(regions));
  for (int k = 0; k < copy->result_count(); ++k) {
    whole.results.push_back(copy->result(k));
    out.push_back(sharding_text(node.result_types()[std::size_t(k)], flow.results[std::size_t(k)]));
  }
  std::vector<std::unique_ptr<Graph>> program;
  program.push_back(shard_program(*copy, flow));
  if (testing::Test::HasFailure()) return;
  Node* manual = create(*f->body, "sdy.manual_computation", operands,
                        {{"in_shardings", shardings_of(in)},
                         {"out_shardings", shardings_of(out)},
                         {"manual_axes", ManualAxes{{"shard"}}}},
                        std::move(program), node.result_types());
  for (int k = 0; k < manual->result_count(); ++k) f->body->results.push_back(manual->result(k));
  f->result_types = node.result_types();
  module.functions.push_back(std::move(f));
  Interpreter interpreter(module);
  const auto found = interpreter.run(*module.functions[0], inputs);
  const auto wanted = run_graph(whole, inputs);
  for (std::size_t k = 0; k < wanted.size(); ++k)
    expect_close(found[k], wanted[k], cat(what, ", result ", k));
}

bool has_whole_pieces(const AxisPositions& positions) {
  return std::ranges::all_of(positions, [](const auto& p) { return !p || p->outer == 1; });
}

TEST(Sharding, TwoShardsWithTheirCollectivesAreTheWhole) {
  std::set<std::string_view> parallel, reduced;
  for_each_sample_node([&](const Node& node, const std::string& name) {
    if (!node.op().factors || node.op().has_side_effect) return;
    const FactorRule rule = factor_rule(node);
    std::mt19937 random(41);
    for (std::size_t f = 0; f < rule.factors.size(); ++f) {
      const Factor& factor = rule.factors[f];
      const bool is_combined = factor.kind == FactorKind::reduced && factor.combiner.has_value();
      if (factor.size == 0 || factor.size % 2 != 0 ||
          !(factor.kind == FactorKind::parallel || is_combined))
        continue;
      AxisPositions operands, results;
      for (const auto& dims : rule.operands) operands.push_back(position_of(rule, dims, int(f)));
      for (const auto& dims : rule.results) results.push_back(position_of(rule, dims, int(f)));
      const std::string what = cat(name, ", factor ", f, " of ", factor.size);
      const AxisFlow flow = flow_axis(node, 2, operands, results);
      ASSERT_EQ(flow.why, "") << what;
      if (!has_whole_pieces(flow.operands) || !has_whole_pieces(flow.results)) continue;
      ASSERT_NO_THROW(check_two_shards(node, flow, what, random)) << what;
      if (testing::Test::HasFailure()) return;
      (is_combined ? reduced : parallel).insert(node.name());
    }
  });
  for (const char* op : {"add", "iota", "transpose", "dot_general", "gather", "reduce", "reshape"})
    EXPECT_TRUE(parallel.contains(cat("stablehlo.", op))) << op;
  for (const char* op : {"reduce", "dot_general"})
    EXPECT_TRUE(reduced.contains(cat("stablehlo.", op))) << op;
}

}  // namespace
}  // namespace partita::ir
