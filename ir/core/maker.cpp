// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "partita/ir/maker.hpp"

#include "partita/ir/op.hpp"
#include "partita/ir/reduction.hpp"

namespace partita::ir {

Value Maker::op(std::string_view name, std::vector<Value> operands, Dict attrs) const {
  Node* made = create(graph, name, std::move(operands), std::move(attrs), {}, {}, before, location);
  PARTITA_ASSERT(made->result_count() == 1);
  return made->result();
}

Value Maker::typed(std::string_view name, std::vector<Value> operands, const Type& type,
                   Dict attrs) const {
  return create(graph, name, std::move(operands), std::move(attrs), {}, {&type, 1}, before,
                location)
      ->result();
}

Value Maker::constant(DenseRef value) const {
  return create_constant(graph, std::move(value), before);
}

Value Maker::splat(const Type& type, double value) const {
  return create_splat(graph, type, value, before);
}

Value Maker::iota(const Type& type, std::int64_t dimension) const {
  return typed("stablehlo.iota", {}, type, {{"iota_dimension", dimension}});
}

Value Maker::compare(std::string_view direction, Value a, Value b) const {
  return op("stablehlo.compare", {a, b}, comparison_attributes(direction));
}

Value Maker::convert(Value v, DType dtype) const {
  if (v.type().dtype == dtype) return v;
  return typed("stablehlo.convert", {v}, {.dtype = dtype, .dims = v.type().dims});
}

Value Maker::reshape(Value v, const Dims& dims) const {
  if (v.type().dims == dims) return v;
  return typed("stablehlo.reshape", {v}, {.dtype = v.type().dtype, .dims = dims});
}

Value Maker::transpose(Value v, const I64s& permutation) const {
  bool is_identity = true;
  for (std::size_t d = 0; d < permutation.size(); ++d)
    is_identity &= permutation[d] == std::int64_t(d);
  return is_identity ? v : op("stablehlo.transpose", {v}, {{"permutation", permutation}});
}

Value Maker::part(Value v, std::int64_t dim, std::int64_t begin, std::int64_t count) const {
  const auto d = std::size_t(dim);
  Dims limits = v.type().dims;
  if (begin == 0 && limits.at(d) == count) return v;
  I64s starts(limits.size(), 0);
  starts[d] = begin;
  limits[d] = begin + count;
  const I64s strides(limits.size(), 1);
  return op("stablehlo.slice", {v},
            {{"start_indices", starts}, {"limit_indices", limits}, {"strides", strides}});
}

Value Maker::broadcast(Value v, const Dims& dims, const I64s& at) const {
  if (v.type().dims == dims) return v;
  return typed("stablehlo.broadcast_in_dim", {v}, {.dtype = v.type().dtype, .dims = dims},
               {{"broadcast_dimensions", at}});
}

Value Maker::sum(Value v, const I64s& dimensions) const {
  return dimensions.empty() ? v : reduce(Combiner::sum, v, dimensions);
}

Value Maker::reduce(Combiner combiner, Value v, const I64s& dimensions) const {
  const DType dtype = v.type().dtype;
  const Value start = constant(combiner_identity(combiner, Type::scalar(dtype)));
  std::vector<std::unique_ptr<Graph>> regions;
  regions.push_back(make_combiner(combiner, dtype));
  return create(graph, "stablehlo.reduce", {v, start}, {{"dimensions", dimensions}},
                std::move(regions), {}, before, location)
      ->result();
}

}  // namespace partita::ir
