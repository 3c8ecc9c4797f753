// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "ir/interpreter/constants.hpp"

#include <algorithm>
#include <limits>

#include "partita/ir/interpreter.hpp"
#include "partita/ir/reduction.hpp"
#include "partita/scalar/elementwise.hpp"

namespace partita::ir {

using ir::DenseRef;
using ir::Graph;
using ir::Node;
using ir::Value;

namespace {

/// Results of more elements stay computations, so that programs do not grow.
constexpr std::int64_t max_folded_elements = 64;
/// Operands of more elements are not worth reading at compile time.
constexpr std::int64_t max_read_elements = 4096;

/// Whether the node is worth running where its operands are known.
bool is_foldable(const Node& node) {
  using enum ir::Elements;
  const ir::OpDef& op = node.op();
  switch (op.elements) {
    case elementwise:
    case viewed:
    case gathered:
    case joined:
      return true;
    case generated:
    case passed:
      return false;
    case computed:
      break;
  }
  return op.shape == ir::KernelShape::contraction || op.shape == ir::KernelShape::reduce ||
         node.is("stablehlo.bitcast_convert");
}

std::vector<DenseRef> run(const Node& node, const std::vector<DenseRef>& constants,
                          const ir::Module& module) {
  std::vector<ir::Tensor> operands;
  for (const DenseRef& c : constants)
    operands.push_back(std::make_shared<const HostArray>(c->to_array()));
  ir::Interpreter interpreter(module);
  std::vector<DenseRef> results;
  for (const ir::Tensor& t :
       node.op().eval({.node = node, .operands = operands, .interpreter = interpreter}))
    results.push_back(ir::make_dense(*t));
  return results;
}

/// All operands repeat one element: so does the result.
std::vector<DenseRef> run_splat(const Node& node, const std::vector<DenseRef>& scalars,
                                const ir::Module& module) {
  Graph graph;
  std::vector<Value> operands;
  for (const DenseRef& s : scalars) operands.push_back(ir::create_constant(graph, s));
  const Type type = Type::scalar(node.result_types()[0].dtype);
  const Node* scalar_node = ir::create(graph, node.name(), operands, node.attrs, {}, {&type, 1});
  const auto result = run(*scalar_node, scalars, module);
  return {repeat(*result.at(0), node.result_types()[0].dims)};
}

}  // namespace

DenseRef constant_of(Value v) {
  if (!v.node->is("stablehlo.constant")) return nullptr;
  const ir::Attribute* a = v.node->attrs.find("value");
  const DenseRef* dense = a == nullptr ? nullptr : a->get_if<DenseRef>();
  return dense == nullptr ? nullptr : *dense;
}

DenseRef splat_of(Value v) {
  const DenseRef dense = constant_of(v);
  if (!dense || (!dense->is_splat() && dense->type().count() != 1)) return nullptr;
  if (dense->type().dims.empty() && dense->is_splat()) return dense;
  if (dense->bytes().size() != byte_size(dense->type().dtype)) return nullptr;  // no elements
  return std::make_shared<const ir::Dense>(Type::scalar(dense->type().dtype), dense->bytes(), true);
}

bool is_splat(Value v, double x) {
  const DenseRef splat = splat_of(v);
  return splat && splat->bytes() == ir::make_splat(splat->type(), x)->bytes();
}

bool is_identity_of(Combiner combiner, Value v) {
  const DenseRef splat = splat_of(v);
  if (!splat || !combines(combiner, splat->type().dtype)) return false;
  return splat->bytes() == ir::combiner_identity(combiner, splat->type())->bytes();
}

std::optional<ir::I64s> integers_of(Value v, std::int64_t max_count) {
  const DenseRef dense = constant_of(v);
  if (!dense || !intersects(info(dense->type().dtype).kind, Kinds::bits)) return std::nullopt;
  if (dense->type().count() > max_count && !dense->is_splat()) return std::nullopt;
  if (dense->type().count() == 0) return std::nullopt;
  const DenseRef scalar = splat_of(v);
  const HostArray array = convert((scalar ? scalar : dense)->to_array(), DType::i64);
  const auto count = std::size_t(array.type.count());
  ir::I64s values(array.data<DType::i64>(), array.data<DType::i64>() + count);
  if (dense->type().dtype == DType::ui64 &&
      std::ranges::any_of(values, [](auto x) { return x < 0; }))
    return std::nullopt;
  if (scalar && dense->type().count() <= max_count)
    values.resize(std::size_t(dense->type().count()), values[0]);
  return values;
}

DenseRef repeat(const ir::Dense& scalar, const Dims& dims) {
  const Type type{.dtype = scalar.type().dtype, .dims = dims};
  return std::make_shared<const ir::Dense>(type, scalar.bytes(), true);
}

std::vector<DenseRef> evaluate(const Node& node, const ir::Module& module) {
  if (!node.op().eval || node.op().has_side_effect || node.operands().empty()) return {};
  if (!is_foldable(node)) return {};
  std::vector<DenseRef> constants, splats;
  bool is_small = true;
  for (const Value& v : node.operands()) {
    constants.push_back(constant_of(v));
    if (!constants.back()) return {};
    splats.push_back(splat_of(v));
    is_small &= v.type().count() <= max_read_elements;
  }
  for (const Type& t : node.result_types()) {
    is_small &= t.count() <= max_folded_elements;
    if (t.count() == 0) return {};
  }
  if (is_small) return run(node, constants, module);
  const bool all_splats =
      std::ranges::all_of(splats, [](const DenseRef& s) { return s != nullptr; });
  if (!all_splats) return {};
  const ir::Elements elements = node.op().elements;
  if (elements == ir::Elements::elementwise) return run_splat(node, splats, module);
  if (elements == ir::Elements::viewed) return {repeat(*splats[0], node.result_types()[0].dims)};
  if (elements != ir::Elements::joined) return {};
  const std::size_t parts = node.is("stablehlo.concatenate") ? splats.size() : 2;
  for (std::size_t k = 1; k < parts; ++k)
    if (splats[k]->bytes() != splats[0]->bytes()) return {};
  return {repeat(*splats[0], node.result_types()[0].dims)};
}

}  // namespace partita::ir
