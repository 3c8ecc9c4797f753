// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "passes/transforms/partition/scanned_parts.hpp"

#include "partita/ir/op.hpp"
#include "partita/ir/reduction.hpp"
#include "partita/ir/window.hpp"

namespace partita::passes {

using ir::AxisPosition;
using ir::I64s;
using ir::Maker;
using ir::Node;
using ir::Value;

namespace {

std::optional<ir::ScanShape> scan_of(const Node& node) {
  if (!node.is("stablehlo.reduce_window") || node.operands().size() != 2) return std::nullopt;
  return ir::scan_shape(ir::window_dims(node.operand(0).type(), node.attrs));
}

/// The combiner, where the initial value is a constant that changes nothing under it.
std::optional<Combiner> scan_combiner(const Node& node) {
  const auto combiner = ir::simple_combiner(node.region(0));
  const Value init = node.operand(1);
  if (!combiner || init.node == nullptr || !init.node->is("stablehlo.constant"))
    return std::nullopt;
  const auto& value = **init.node->attrs.find("value")->get_if<ir::DenseRef>();
  return value == *ir::combiner_identity(*combiner, init.type()) ? combiner : std::nullopt;
}

/// The attributes of the scan of a part.
ir::Dict scan_of_part(const Node& node, const ir::ScanShape& shape, const AxisPosition& at) {
  ir::Dict attrs = node.attrs;
  const auto d = std::size_t(at.dim);
  I64s sizes = attrs.i64s("window_dimensions");
  sizes[d] = at.inner;
  attrs.set("window_dimensions", sizes);
  I64s padding = ir::padding_pairs(attrs, sizes.size());
  padding[2 * d + std::size_t(shape.is_reverse)] = at.inner - 1;
  attrs.set("padding", ir::padding_attribute(padding));
  return attrs;
}

/// Small floats are summed wider and rounded once.
DType scanned_dtype(DType d, Combiner combiner) {
  return info(combiner).rounds && is_float(d) && byte_size(d) < byte_size(DType::f32) ? DType::f32
                                                                                      : d;
}

}  // namespace

std::optional<int> scanned_dim(const Node& node) {
  const auto shape = scan_of(node);
  return shape && scan_combiner(node) ? std::optional(int(shape->dimension)) : std::nullopt;
}

PartsCost scanned_parts_cost(const Node& node, const AxisPosition&, const MeshCut& cut) {
  const Type& type = node.operand(0).type();
  const double extent = double(type.dims[std::size_t(*scanned_dim(node))]);
  return {.bytes = double(cut.size()) * double(type.bytes()) / extent, .calls = 1};
}

std::vector<Value> scanned_parts(const Node& node, const AxisPosition& at, const MeshCut& cut,
                                 std::span<const Value> operands, ir::Graph& into) {
  const Maker make{into};
  const Reshard reshard(into, cut);
  const auto shape = *scan_of(node);
  const Combiner combiner = *scan_combiner(node);
  const DType own = operands[0].type().dtype, dtype = scanned_dtype(own, combiner);
  const std::int64_t extent = node.operand(0).type().dims[std::size_t(at.dim)];
  Value part = make.convert(operands[0], dtype);
  // What is scanned first must not be padding.
  if (shape.is_reverse) part = reshard.masked(part, at, extent, combiner);
  const Value identity = make.constant(ir::combiner_identity(combiner, Type::scalar(dtype)));
  std::vector<std::unique_ptr<ir::Graph>> regions;
  regions.push_back(ir::make_combiner(combiner, dtype));
  const Value scanned =
      ir::create(into, node.name(), {part, identity}, scan_of_part(node, shape, at),
                 std::move(regions), {}, nullptr, node.location())
          ->result();
  const Value totals =
      reshard.stack(make.part(scanned, at.dim, shape.is_reverse ? 0 : at.inner - 1, 1));
  const Type places{.dtype = DType::i32, .dims = totals.type().dims};
  const Value is_before = make.compare(shape.is_reverse ? "GT" : "LT", make.iota(places, 0),
                                       make.broadcast(reshard.index(), places.dims, {}));
  const Value before =
      make.op("stablehlo.select", {is_before, totals, make.broadcast(identity, places.dims, {})});
  I64s all;
  for (std::int64_t d = 0; d < scanned.type().rank(); ++d) all.push_back(d);
  const Value others = make.broadcast(make.reduce(combiner, before, {0}), scanned.type().dims, all);
  return {make.convert(make.op(cat("stablehlo.", info(combiner).op), {others, scanned}), own)};
}

}  // namespace partita::passes
