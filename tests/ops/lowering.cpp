// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// What ops lower to, evaluated element by element, is what they evaluate to: for every op's samples,
// and for chains in which producers are inlined as fusion does it.
#include <map>
#include <set>

#include "partita/scalar/elementwise.hpp"
#include "tests/ops/op_test.hpp"

namespace partita::ir {
namespace {

using scalar::Expr;
using scalar::ExprId;
using scalar::ExprKind;
using scalar::ExprPool;

/// Evaluates expressions at one index; buffers are loaded from arrays.
struct Evaluator {
  const ExprPool& pool;
  const std::vector<Tensor>& buffers;
  std::vector<std::int64_t> variables;

  [[nodiscard]] std::int64_t index(ExprId id) const {
    const std::int64_t value = index_value(id);
    const ExprPool::Bounds b = pool.bounds(id);
    EXPECT_LE(b.low, value);
    EXPECT_GE(b.high, value);
    return value;
  }

  [[nodiscard]] std::int64_t index_value(ExprId id) const {
    const Expr& e = pool[id];
    const auto at = [&](std::size_t k) { return index(e.operands[k]); };
    switch (e.kind) {
      case ExprKind::index_constant:
        return std::int64_t(e.bits);
      case ExprKind::index_variable:
        return variables.at(std::size_t(e.slot));
      case ExprKind::to_index:
        return convert_scalar(element(e.operands[0]), DType::i64);
      case ExprKind::index_add:
        return at(0) + at(1);
      case ExprKind::index_sub:
        return at(0) - at(1);
      case ExprKind::index_mul:
        return at(0) * at(1);
      case ExprKind::index_div:
        return at(0) / at(1);
      case ExprKind::index_mod:
        return at(0) % at(1);
      case ExprKind::index_min:
        return std::min(at(0), at(1));
      case ExprKind::index_max:
        return std::max(at(0), at(1));
      default:
        throw_internal_error("expected an index");
    }
  }

  static std::int64_t convert_scalar(const HostArray& x, DType to) {
    return *partita::convert(x, to).data<DType::i64>();
  }
  static HostArray scalar(DType d, std::int64_t value) {
    HostArray wide(Type::scalar(DType::i64));
    *wide.data<DType::i64>() = value;
    return partita::convert(wide, d);
  }

  /// Equal parts of an expression are evaluated once.
  [[nodiscard]] HostArray element(ExprId id) const {
    if (const auto it = known.find(id); it != known.end()) return it->second;
    HostArray value = evaluate(id);
    known.emplace(id, value);
    return value;
  }
  mutable std::map<ExprId, HostArray> known = {};

  [[nodiscard]] HostArray evaluate(ExprId id) const {
    const Expr& e = pool[id];
    HostArray out(Type::scalar(e.dtype));
    switch (e.kind) {
      case ExprKind::constant:
        std::memcpy(out.bytes.data(), &e.bits, out.bytes.size());
        return out;
      case ExprKind::apply: {
        std::vector<HostArray> operands;
        std::vector<const void*> pointers;
        for (const ExprId x : e.operands) operands.push_back(element(x));
        for (const HostArray& x : operands) pointers.push_back(x.bytes.data());
        elementwise_function(elementwise_row(e.name), e.source)(pointers.data(), out.bytes.data(),
                                                                1);
        return out;
      }
      case ExprKind::convert:
        return partita::convert(element(e.operands[0]), e.dtype);
      case ExprKind::bitcast:
        return reinterpreted(element(e.operands[0]), e.dtype);
      case ExprKind::choose:
        return element(e.operands[*element(e.operands[0]).data<DType::i1>() ? 1 : 2]);
      case ExprKind::load: {
        const HostArray& buffer = *buffers.at(std::size_t(e.slot));
        const std::int64_t at = index(e.operands[0]);
        if (at < 0 || at >= buffer.type.count())
          throw_internal_error(cat("load of element ", at, " of ", to_string(buffer.type)));
        std::memcpy(out.bytes.data(), buffer.bytes.data() + std::size_t(at) * out.bytes.size(),
                    out.bytes.size());
        return out;
      }
      case ExprKind::from_index:
        return scalar(e.dtype, index(e.operands[0]));
      case ExprKind::index_less:
        return scalar(DType::i1, index(e.operands[0]) < index(e.operands[1]));
      case ExprKind::index_less_equal:
        return scalar(DType::i1, index(e.operands[0]) <= index(e.operands[1]));
      case ExprKind::index_equal:
        return scalar(DType::i1, index(e.operands[0]) == index(e.operands[1]));
      default:
        throw_internal_error("expected an element");
    }
  }
};

/// Element of a value; nodes are inlined, arguments loaded.
ExprId element_of(const Graph& graph, Value v, ExprPool& pool, std::span<const ExprId> index) {
  if (graph.is_argument(v))
    return pool.load(v.index, v.type().dtype, scalar::linear_index(pool, index, v.type().dims));
  const Node& node = *v.node;
  return node.op().lower(node, v.index, pool, index, [&](int operand, std::span<const ExprId> at) {
    return element_of(graph, node.operand(std::size_t(operand)), pool, at);
  });
}

Tensor run_lowered(const Graph& graph, Value v, const std::vector<Tensor>& inputs) {
  HostArray out(v.type());
  ExprPool pool;
  std::vector<ExprId> index;
  for (std::size_t d = 0; d < out.type.dims.size(); ++d) {
    pool.set_extent(int(d), out.type.dims[d]);
    index.push_back(pool.variable(int(d)));
  }
  if (out.type.count() == 0) return std::make_shared<const HostArray>(std::move(out));
  const ExprId value = element_of(graph, v, pool, index);
  EXPECT_EQ(pool[value].dtype, out.type.dtype);
  Evaluator evaluator{
      .pool = pool, .buffers = inputs, .variables = std::vector<std::int64_t>(index.size(), 0)};
  const std::size_t size = byte_size(out.type.dtype);
  for (std::int64_t i = 0; i < out.type.count(); ++i) {
    std::int64_t rest = i;
    for (std::size_t d = index.size(); d-- > 0; rest /= out.type.dims[d])
      evaluator.variables[d] = rest % out.type.dims[d];
    evaluator.known.clear();
    const HostArray x = evaluator.element(value);
    std::memcpy(out.bytes.data() + std::size_t(i) * size, x.bytes.data(), size);
  }
  return std::make_shared<const HostArray>(std::move(out));
}

void check_lowering(const Graph& graph, const std::string& what, std::mt19937& random) {
  std::vector<Tensor> inputs;
  for (const Value& v : graph.arguments()) inputs.push_back(random_tensor(v.type(), random));
  const std::vector<Tensor> wanted = run_graph(graph, inputs);
  for (std::size_t r = 0; r < wanted.size(); ++r)
    expect_close(run_lowered(graph, graph.results[r], inputs), wanted[r],
                 cat(what, ", result ", r));
}

TEST(Lowering, IsWhatTheOpEvaluatesTo) {
  std::set<std::string_view> seen;
  for_each_sample_node([&](const Node& node, const std::string& name) {
    if (!node.op().lower) return;
    if (node.is("stablehlo.constant") &&
        !(*node.attrs.find("value")->get_if<DenseRef>())->is_splat())
      return;
    std::mt19937 random(41);
    for (int round = 0; round < 8; ++round) {
      ASSERT_NO_THROW(check_lowering(*isolated(node), name, random)) << name;
      if (testing::Test::HasFatalFailure()) return;
    }
    seen.insert(node.name());
  });
  for (const char* op :
       {"constant", "iota", "broadcast_in_dim", "reshape", "transpose", "slice", "dynamic_slice",
        "dynamic_update_slice", "concatenate", "pad", "reverse", "gather", "add", "convert"})
    EXPECT_TRUE(seen.contains(cat("stablehlo.", op))) << op;
}

TEST(Lowering, ChainsInlineTheirProducers) {
  const auto module = parse_module(
      R"(func.func @main(%a: tensor<4x6xf32>, %v: tensor<f32>, %i: tensor<i32>, %u: tensor<2x3xf32>, %k: tensor<5x1xi32>) -> (tensor<8x8xf32>, tensor<5x8xf32>) {
  %0 = stablehlo.transpose %a, dims = [1, 0] : (tensor<4x6xf32>) -> tensor<6x4xf32>
  %1 = stablehlo.reshape %0 : (tensor<6x4xf32>) -> tensor<3x8xf32>
  %2 = stablehlo.reverse %1, dims = [0, 1] : tensor<3x8xf32>
  %3 = stablehlo.slice %2 [0:3:2, 1:7] : (tensor<3x8xf32>) -> tensor<2x6xf32>
  %4 = stablehlo.pad %3, %v, low = [1, -1], high = [0, 2], interior = [1, 0] : (tensor<2x6xf32>, tensor<f32>) -> tensor<4x7xf32>
  %5 = stablehlo.dynamic_update_slice %4, %u, %i, %i : (tensor<4x7xf32>, tensor<2x3xf32>, tensor<i32>, tensor<i32>) -> tensor<4x7xf32>
  %6 = stablehlo.dynamic_slice %5, %i, %i, sizes = [3, 2] : (tensor<4x7xf32>, tensor<i32>, tensor<i32>) -> tensor<3x2xf32>
  %7 = stablehlo.reshape %6 : (tensor<3x2xf32>) -> tensor<6xf32>
  %8 = stablehlo.concatenate %7, %7, dim = 0 : (tensor<6xf32>, tensor<6xf32>) -> tensor<12xf32>
  %9 = stablehlo.slice %8 [2:10] : (tensor<12xf32>) -> tensor<8xf32>
  %10 = stablehlo.broadcast_in_dim %9, dims = [1] : (tensor<8xf32>) -> tensor<8x8xf32>
  %11 = stablehlo.iota dim = 0 : tensor<8x8xf32>
  %12 = stablehlo.multiply %10, %11 : tensor<8x8xf32>
  %13 = "stablehlo.gather"(%12, %k) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1, 8>}> : (tensor<8x8xf32>, tensor<5x1xi32>) -> tensor<5x8xf32>
  return %12, %13 : tensor<8x8xf32>, tensor<5x8xf32>
})");
  std::mt19937 random(42);
  for (int round = 0; round < 20; ++round)
    check_lowering(*module->entry("main").body, "chain", random);
}

TEST(Lowering, MovementsThatUndoEachOtherLoadInOrder) {
  const auto module = parse_module(R"(func.func @main(%a: tensor<4x1x6xf32>) -> tensor<4x1x6xf32> {
  %0 = stablehlo.reshape %a : (tensor<4x1x6xf32>) -> tensor<24xf32>
  %1 = stablehlo.reverse %0, dims = [0] : tensor<24xf32>
  %2 = stablehlo.reverse %1, dims = [0] : tensor<24xf32>
  %3 = stablehlo.reshape %2 : (tensor<24xf32>) -> tensor<2x12xf32>
  %4 = stablehlo.transpose %3, dims = [1, 0] : (tensor<2x12xf32>) -> tensor<12x2xf32>
  %5 = stablehlo.transpose %4, dims = [1, 0] : (tensor<12x2xf32>) -> tensor<2x12xf32>
  %6 = stablehlo.reshape %5 : (tensor<2x12xf32>) -> tensor<4x1x6xf32>
  return %6 : tensor<4x1x6xf32>
})");
  const Graph& graph = *module->entry("main").body;
  ExprPool pool;
  std::vector<ExprId> index;
  const Dims dims{4, 1, 6};
  for (int d = 0; d < 3; ++d) {
    pool.set_extent(d, dims[std::size_t(d)]);
    index.push_back(pool.variable(d));
  }
  EXPECT_EQ(element_of(graph, graph.results[0], pool, index),
            pool.load(0, DType::f32, scalar::linear_index(pool, index, dims)));
}

}  // namespace
}  // namespace partita::ir
