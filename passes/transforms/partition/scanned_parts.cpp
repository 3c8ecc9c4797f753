// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "passes/transforms/partition/scanned_parts.hpp"

#include <numeric>

#include "partita/ir/op.hpp"
#include "partita/ir/reduction.hpp"
#include "partita/ir/window.hpp"

namespace partita::passes {

using ir::AxisPosition;
using ir::Graph;
using ir::I64s;
using ir::Maker;
using ir::Node;
using ir::Value;

namespace {

std::optional<ir::ScanShape> scan_of(const Node& node) {
  if (!node.is("stablehlo.reduce_window")) return std::nullopt;
  return ir::scan_shape(ir::window_dims(node.operand(0).type(), node.attrs));
}

/// The combiner of a scan by one.
std::optional<Combiner> combiner_of(const Node& node) {
  return node.operands().size() == 2 ? ir::simple_combiner(node.region(0)) : std::nullopt;
}

/// Whether the initial value is a constant that changes nothing under the combiner.
bool starts_from_nothing(const Node& node, Combiner combiner) {
  const Value init = node.operand(1);
  if (init.node == nullptr || !init.node->is("stablehlo.constant")) return false;
  const auto& value = **init.node->attrs.find("value")->get_if<ir::DenseRef>();
  return value == *ir::combiner_identity(combiner, init.type());
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

/// One scan of several arrays by a region with two arguments for each.
class PartScan {
 public:
  PartScan(const Node& node, const AxisPosition& at, const MeshCut& cut, const Graph& region,
           Graph& into)
      : node_(node),
        at_(at),
        shape_(*scan_of(node)),
        region_(region),
        make_{into, nullptr, node.location()},
        reshard_(into, cut) {}

  [[nodiscard]] std::vector<Value> run(std::vector<Value> parts,
                                       const std::vector<Value>& inits) const {
    const std::size_t count = parts.size();
    // What is scanned first must not be padding.
    if (shape_.is_reverse)
      for (std::size_t k = 0; k < count; ++k)
        parts[k] = reshard_.masked(parts[k], at_, node_.operand(0).type().dims[dim()], inits[k]);
    const std::vector<Value> scanned =
        made("stablehlo.reduce_window", parts, inits, scan_of_part(node_, shape_, at_));
    std::vector<Value> before;
    for (std::size_t k = 0; k < count; ++k) before.push_back(totals_before(scanned[k], inits[k]));
    std::vector<Value> others = made("stablehlo.reduce", before, inits, {{"dimensions", I64s{0}}});
    I64s all(scanned[0].type().dims.size());
    std::iota(all.begin(), all.end(), 0);
    for (Value& v : others) v = make_.broadcast(v, scanned[0].type().dims, all);
    return shape_.is_reverse ? combined(scanned, others) : combined(others, scanned);
  }

 private:
  [[nodiscard]] std::size_t dim() const { return std::size_t(at_.dim); }

  [[nodiscard]] std::vector<Value> made(std::string_view op, std::vector<Value> operands,
                                        const std::vector<Value>& inits, ir::Dict attrs) const {
    operands.insert(operands.end(), inits.begin(), inits.end());
    std::vector<std::unique_ptr<Graph>> regions;
    regions.push_back(ir::clone_graph(region_));
    Node* const node = ir::create(make_.graph, op, std::move(operands), std::move(attrs),
                                  std::move(regions), {}, nullptr, node_.location());
    std::vector<Value> results;
    for (int k = 0; k < node->result_count(); ++k) results.push_back(node->result(k));
    return results;
  }

  /// What each part scans to, along a new first dimension; the initial value for those that are not before this one.
  [[nodiscard]] Value totals_before(Value scanned, Value init) const {
    const Value totals =
        reshard_.stack(make_.part(scanned, at_.dim, shape_.is_reverse ? 0 : at_.inner - 1, 1));
    const Type places{.dtype = DType::i32, .dims = totals.type().dims};
    const Value is_before = make_.compare(shape_.is_reverse ? "GT" : "LT", make_.iota(places, 0),
                                          make_.broadcast(reshard_.index(), places.dims, {}));
    return make_.op("stablehlo.select",
                    {is_before, totals, make_.broadcast(init, places.dims, {})});
  }

  /// The region on arrays.
  [[nodiscard]] std::vector<Value> combined(std::vector<Value> first,
                                            const std::vector<Value>& second) const {
    const std::size_t count = first.size();
    if (const auto combiner = ir::simple_combiner(region_))
      return {make_.op(cat("stablehlo.", info(*combiner).op), {first[0], second[0]})};
    I64s all(first[0].type().dims.size());
    std::iota(all.begin(), all.end(), 0);
    first.insert(first.end(), second.begin(), second.end());
    std::vector<Value> results;
    for (std::size_t k = 0; k < count; ++k) {
      std::vector<std::unique_ptr<Graph>> regions;
      regions.push_back(ir::clone_graph(region_));
      regions[0]->results = {regions[0]->results[k]};
      ir::remove_dead_nodes(*regions[0]);
      results.push_back(ir::create(make_.graph, "stablehlo.map", first, {{"dimensions", all}},
                                   std::move(regions), {}, nullptr, node_.location())
                            ->result());
    }
    return results;
  }

  const Node& node_;
  const AxisPosition& at_;
  ir::ScanShape shape_;
  const Graph& region_;
  Maker make_;
  Reshard reshard_;
};

}  // namespace

bool is_scanned_along(const Node& node, int dim) {
  const auto shape = scan_of(node);
  if (!shape || shape->dimension != dim) return false;
  const auto combiner = combiner_of(node);
  return combiner ? starts_from_nothing(node, *combiner)
                  : ir::why_not_batched(node.region(0)).empty();
}

PartsCost scanned_parts_cost(const Node& node, const AxisPosition& at, const MeshCut& cut) {
  const std::size_t count = node.operands().size() / 2;
  PartsCost cost{.calls = double(count)};
  for (std::size_t k = 0; k < count; ++k) {
    const Type& type = node.operand(k).type();
    cost.bytes +=
        double(cut.size()) * double(type.bytes()) / double(type.dims[std::size_t(at.dim)]);
  }
  return cost;
}

std::vector<Value> scanned_parts(const Node& node, const AxisPosition& at, const MeshCut& cut,
                                 std::span<const Value> operands, Graph& into) {
  const std::size_t count = operands.size() / 2;
  const std::vector<Value> parts(operands.begin(), operands.begin() + std::ptrdiff_t(count));
  const auto combiner = combiner_of(node);
  if (!combiner)
    return PartScan(node, at, cut, node.region(0), into)
        .run(parts, {operands.begin() + std::ptrdiff_t(count), operands.end()});
  const Maker make{into};
  const DType own = parts[0].type().dtype, dtype = scanned_dtype(own, *combiner);
  const auto region = ir::make_combiner(*combiner, dtype);
  const Value identity = make.constant(ir::combiner_identity(*combiner, Type::scalar(dtype)));
  const auto scanned =
      PartScan(node, at, cut, *region, into).run({make.convert(parts[0], dtype)}, {identity});
  return {make.convert(scanned[0], own)};
}

}  // namespace partita::passes
