// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// mr.foreach: the loop over the partitions of a placement, a block at a time, that `place` makes of
// broadcasts, maps and reductions.  Operands are sliced…, shared… as operand_segments counts them.
// The region takes the first partition of the block (i64), how many there are (i32), the block of
// each sliced operand (of one partition, without that dimension, when block = 1) and the shared
// operands; it returns one value per partition and result, which `results` stacks or combines.
// Places at and beyond the count hold the last partition again and take no part in combined results.
#include "ops/placements/mr_support.hpp"
#include "partita/ir/interpreter.hpp"

namespace partita::ir::ops {
namespace {

std::vector<std::string> modes_of(const Dict& attrs) {
  std::vector<std::string> modes;
  const Attribute* attribute = attrs.find("results");
  const auto* list = attribute ? attribute->get_if<List>() : nullptr;
  if (list)
    for (const Attribute& item : list->items) {
      const auto* text = item.get_if<std::string>();
      modes.push_back(text ? *text : std::string());
    }
  return modes;
}

/// A block of partitions, or one when block = 1.
Type block_type(const Type& partition, std::int64_t block) {
  return block == 1 ? partition : with_axis(partition, 0, block);
}

void expect_arguments(const InferContext& c, const I64s& segments, std::int64_t block) {
  std::vector<Type> wanted{Type::scalar(DType::i64), Type::scalar(DType::i32)};
  for (std::size_t k = 0; k < c.operands.size(); ++k)
    wanted.push_back(k < std::size_t(segments[0])
                         ? block_type(without_axis(c.operands[k], 0), block)
                         : c.operands[k]);
  const std::vector<Value> arguments = c.regions[0]->arguments();
  c.expect(arguments.size() == wanted.size(), cat("a region of ", wanted.size(), " arguments"),
           cat(arguments.size()));
  for (std::size_t k = 0; k < wanted.size(); ++k)
    c.expect(arguments[k].type() == wanted[k],
             cat("argument ", k, " of the region of type ", to_string(wanted[k])),
             to_string(arguments[k].type()));
}

/// Type of one partition's value of result k.
Type partition_type(const InferContext& c, std::size_t k, std::int64_t block) {
  const Type& type = c.regions[0]->results[k].type();
  if (block == 1) return type;
  c.expect(type.rank() >= 1 && type.dims[0] == block,
           cat("value ", k, " that the region returns with ", block, " partitions in front"),
           to_string(type));
  return without_axis(type, 0);
}

std::vector<Type> infer(const InferContext& c) {
  c.expect(c.regions.size() == 1, "1 region", cat(c.regions.size()));
  const std::int64_t block = c.attrs.i64("block");
  c.expect(block >= 1, "a block of at least 1 partition", cat(block));
  const I64s segments = operand_segments(c, 2);
  const std::vector<std::string> modes = modes_of(c.attrs);
  c.expect(!modes.empty() && modes.size() == c.regions[0]->results.size(),
           cat(c.regions[0]->results.size(), " (at least 1) strings in results"),
           cat(modes.size()));
  PlacementSize n(c, c.attrs.text("placement"));
  for (std::size_t k = 0; k < std::size_t(segments[0]); ++k)
    n.expect(cat("operand ", k), c.operands[k], 0);
  expect_arguments(c, segments, block);
  std::vector<Type> types;
  for (std::size_t k = 0; k < modes.size(); ++k) {
    const Type type = partition_type(c, k, block);
    if (modes[k] == "stack") {
      if (!c.module && k < c.declared_results.size())
        n.expect(cat("result ", k), c.declared_results[k], 0);
      types.push_back(with_axis(type, 0, n.size()));
      continue;
    }
    const Combiner combiner =
        expect_combiner(c, modes[k], "stack, sum, max, min, and or or in results");
    c.expect(is_combined_over_partitions(combiner, type.dtype),
             cat("value ", k, " of a type that ", modes[k], " combines"), to_string(type));
    types.push_back(type);
  }
  return types;
}

std::int64_t size_of(const EvalContext& c, const I64s& segments,
                     const std::vector<std::string>& modes) {
  if (segments[0] > 0) return c.operands[0]->type.dims[0];
  for (std::size_t k = 0; k < modes.size(); ++k)
    if (modes[k] == "stack") return c.result_type(int(k)).dims[0];
  return c.interpreter.module().placement_size(c.node.attrs.text("placement")).value_or(1);
}

template <DType d>
Tensor scalar(std::int64_t value) {
  HostArray array(Type::scalar(d));
  array.data<d>()[0] = StorageType<d>(value);
  return std::make_shared<const HostArray>(std::move(array));
}

/// Values of the region for partitions first, first + 1, ….
std::vector<Tensor> run_block(const EvalContext& c, const I64s& segments, std::int64_t first,
                              std::int64_t count, std::int64_t block) {
  std::vector<Tensor> arguments{scalar<DType::i64>(first), scalar<DType::i32>(count)};
  for (std::size_t k = 0; k < c.operands.size(); ++k) {
    if (k >= std::size_t(segments[0])) {
      arguments.push_back(c.operands[k]);
    } else if (block == 1) {
      arguments.push_back(std::make_shared<const HostArray>(slice_of(*c.operands[k], 0, first)));
    } else {
      HostArray rows(with_axis(without_axis(c.operands[k]->type, 0), 0, block));
      for (std::int64_t l = 0; l < block; ++l)
        put_slice(slice_of(*c.operands[k], 0, first + std::min(l, count - 1)), rows, 0, l);
      arguments.push_back(std::make_shared<const HostArray>(std::move(rows)));
    }
  }
  if (block == 1) c.interpreter.partitions.emplace_back(c.node.attrs.text("placement"), first);
  std::vector<Tensor> values = c.run_region(0, std::move(arguments));
  if (block == 1) c.interpreter.partitions.pop_back();
  return values;
}

std::vector<Tensor> eval(const EvalContext& c) {
  const I64s& segments = c.node.attrs.i64s("operand_segments");
  const std::int64_t block = c.node.attrs.i64("block");
  const std::vector<std::string> modes = modes_of(c.node.attrs);
  const std::int64_t n = size_of(c, segments, modes);
  std::vector<HostArray> stacked(modes.size());
  std::vector<std::optional<Accumulator>> combined(modes.size());
  for (std::size_t k = 0; k < modes.size(); ++k) {
    if (modes[k] == "stack")
      stacked[k] = HostArray(c.result_type(int(k)));
    else
      combined[k].emplace(*find_combiner(&CombinerInfo::mr, modes[k]), c.result_type(int(k)));
  }
  for (std::int64_t first = 0; first < n; first += block) {
    const std::int64_t count = std::min(block, n - first);
    const std::vector<Tensor> values = run_block(c, segments, first, count, block);
    for (std::size_t k = 0; k < modes.size(); ++k)
      for (std::int64_t l = 0; l < count; ++l) {
        if (combined[k])
          combined[k]->add(*values[k], l * c.result_type(int(k)).count());
        else
          put_slice(block == 1 ? *values[k] : slice_of(*values[k], 0, l), stacked[k], 0, first + l);
      }
  }
  std::vector<Tensor> results;
  for (std::size_t k = 0; k < modes.size(); ++k)
    results.push_back(std::make_shared<const HostArray>(combined[k] ? combined[k]->result()
                                                                    : std::move(stacked[k])));
  return results;
}

}  // namespace

void register_mr_foreach(OpRegistry& registry) {
  OpDef op;
  op.name = "mr.foreach";
  op.doc = "Runs the region for each block of partitions; stacks its values or combines them.";
  op.attrs = {placement_attr(), AttrSpec{.name = "block", .kind = AttrKind::i64},
              AttrSpec{.name = "results", .kind = AttrKind::list},
              AttrSpec{.name = "operand_segments", .kind = AttrKind::i64s}};
  op.infer = infer;
  op.eval = eval;
  op.derivative = Derivative::none("is made of maps after they are differentiated");
  op.samples = {R"(module attributes {mr.placements = {clients = 5}} {
func.func @main(%a: tensor<5x2xf32>, %b: tensor<2xf32>) -> (tensor<5x2xf32>, tensor<2xf32>) {
  %0:2 = "mr.foreach"(%a, %b) ({
  ^bb0(%first: tensor<i64>, %count: tensor<i32>, %x: tensor<2x2xf32>, %y: tensor<2xf32>):
    %1 = stablehlo.broadcast_in_dim %y, dims = [1] : (tensor<2xf32>) -> tensor<2x2xf32>
    %2 = stablehlo.add %x, %1 : tensor<2x2xf32>
    "mr.return"(%2, %2) : (tensor<2x2xf32>, tensor<2x2xf32>) -> ()
  }) {placement = "clients", block = 2 : i64, results = ["stack", "sum"], operand_segments = array<i64: 1, 1>} : (tensor<5x2xf32>, tensor<2xf32>) -> (tensor<5x2xf32>, tensor<2xf32>)
  return %0#0, %0#1 : tensor<5x2xf32>, tensor<2xf32>
}
})"};
  registry.add(std::move(op));
}

}  // namespace partita::ir::ops
