// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// OpDef::elements is what passes fold, move and look through by: that it holds is checked on every op's
// samples.  mr.broadcast, whose result has partitions, is checked by its own tests.
#include <algorithm>
#include <set>

#include "tests/ops/op_test.hpp"

namespace partita::ir {
namespace {

/// Elements as their bytes.
std::vector<std::string> elements_of(const HostArray& array) {
  const std::size_t size = byte_size(array.type.dtype);
  std::vector<std::string> all;
  for (std::int64_t k = 0; k < array.type.count(); ++k)
    all.emplace_back(reinterpret_cast<const char*>(array.bytes.data()) + std::size_t(k) * size,
                     size);
  return all;
}

Tensor reversed(const Tensor& array) {
  const std::size_t size = byte_size(array->type.dtype);
  HostArray out(array->type);
  for (std::size_t k = 0; k < std::size_t(array->type.count()); ++k)
    std::copy_n(array->bytes.end() - std::ptrdiff_t((k + 1) * size), size,
                out.bytes.begin() + std::ptrdiff_t(k * size));
  return std::make_shared<const HostArray>(std::move(out));
}

std::vector<Tensor> draw_inputs(const Graph& graph, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<Tensor> inputs;
  for (const Value& v : graph.arguments()) inputs.push_back(random_tensor(v.type(), random));
  return inputs;
}

/// Every element of `result` is one of some source's.
void expect_from(const Tensor& result, const std::vector<Tensor>& sources,
                 const std::string& what) {
  std::set<std::string> known;
  for (const Tensor& source : sources)
    if (source->type.dtype == result->type.dtype)
      for (std::string& element : elements_of(*source)) known.insert(std::move(element));
  for (const std::string& element : elements_of(*result))
    ASSERT_TRUE(known.contains(element)) << what;
}

/// Operands in another order of elements give results in that order.
void expect_elementwise(const Graph& graph, const std::string& what) {
  const std::vector<Tensor> inputs = draw_inputs(graph, 3);
  std::vector<Tensor> turned;
  for (const Tensor& t : inputs) turned.push_back(reversed(t));
  const std::vector<Tensor> results = run_graph(graph, inputs), others = run_graph(graph, turned);
  for (std::size_t k = 0; k < results.size(); ++k)
    EXPECT_EQ(reversed(others[k])->bytes, results[k]->bytes) << what << ", result " << k;
}

void check(const Node& node, const std::string& what) {
  const auto graph = isolated(node);
  // What a node uses, once each, is what `isolated` makes arguments of.
  std::vector<Tensor> inputs = draw_inputs(*graph, 5), operands;
  const Node& alone = *graph->nodes()[0];
  for (const Value& v : alone.operands()) operands.push_back(inputs[std::size_t(v.index)]);
  const std::vector<Tensor> results = run_graph(*graph, inputs);
  switch (node.op().elements) {
    case Elements::computed:
      break;
    case Elements::elementwise:
      expect_elementwise(*graph, what);
      break;
    case Elements::generated: {
      const std::vector<Tensor> others = run_graph(*graph, draw_inputs(*graph, 6));
      for (std::size_t k = 0; k < results.size(); ++k)
        EXPECT_EQ(results[k]->bytes, others[k]->bytes) << what;
      break;
    }
    case Elements::passed:
      for (std::size_t k = 0; k < results.size(); ++k)
        EXPECT_EQ(results[k]->bytes, operands[k]->bytes) << what;
      break;
    case Elements::viewed:
    case Elements::gathered:
      expect_from(results[0], {operands[0]}, what);
      break;
    case Elements::joined:
      expect_from(results[0], operands, what);
      break;
  }
}

TEST(Elements, ComeFromWhereTheOpSays) {
  std::set<std::string_view> seen;
  for_each_sample_node([&](const Node& node, const std::string& name) {
    if (node.op().elements == Elements::computed || node.is("mr.broadcast")) return;
    seen.insert(node.name());
    check(node, name);
  });
  for (const char* op :
       {"add", "select", "compare", "convert", "sign", "constant", "iota", "optimization_barrier",
        "reshape", "transpose", "slice", "reverse", "broadcast_in_dim", "dynamic_slice", "gather",
        "concatenate", "pad", "dynamic_update_slice"})
    EXPECT_TRUE(seen.contains(cat("stablehlo.", op))) << op;
}

}  // namespace
}  // namespace partita::ir
