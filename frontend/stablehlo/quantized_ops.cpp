// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "frontend/stablehlo/quantized_ops.hpp"

#include <algorithm>
#include <array>

#include "frontend/stablehlo/read_as.hpp"
#include "ir/core/attribute_check.hpp"
#include "partita/ir/op.hpp"

namespace partita::ir {

namespace {

using Granularity = Quantization::Granularity;

// --- What is done with which op -----------------------------------------------------------------

enum class Rule : std::uint8_t {
  numbers,   // computed on numbers, quantized again
  moved,     // elements of the first operands, moved as integers
  combined,  // integers, combined by a region that says itself what is done with them
  carried,   // control flow: what goes in and comes out is quantized alike
  called,    // the function says it
};

struct Row {
  std::string_view op;
  Rule rule;
  /// `moved`: how many operands are moved; 0: all.
  std::size_t operands = 0;
  Granularity finest = Granularity::tensor;
};

constexpr std::array rows{
    Row{"stablehlo.abs", Rule::numbers},
    Row{"stablehlo.add", Rule::numbers, 0, Granularity::axis},
    Row{"stablehlo.atan2", Rule::numbers},
    Row{"stablehlo.batch_norm_grad", Rule::numbers},
    Row{"stablehlo.batch_norm_inference", Rule::numbers},
    Row{"stablehlo.batch_norm_training", Rule::numbers},
    Row{"stablehlo.cbrt", Rule::numbers},
    Row{"stablehlo.ceil", Rule::numbers},
    Row{"stablehlo.cholesky", Rule::numbers},
    Row{"stablehlo.clamp", Rule::numbers},
    Row{"stablehlo.compare", Rule::numbers},
    Row{"stablehlo.convolution", Rule::numbers, 0, Granularity::blocks},
    Row{"stablehlo.cosine", Rule::numbers},
    Row{"stablehlo.divide", Rule::numbers},
    Row{"stablehlo.dot", Rule::numbers, 0, Granularity::blocks},
    Row{"stablehlo.dot_general", Rule::numbers, 0, Granularity::blocks},
    Row{"stablehlo.dynamic_conv", Rule::numbers, 0, Granularity::blocks},
    Row{"stablehlo.exponential", Rule::numbers},
    Row{"stablehlo.exponential_minus_one", Rule::numbers},
    Row{"stablehlo.floor", Rule::numbers},
    Row{"stablehlo.log", Rule::numbers},
    Row{"stablehlo.log_plus_one", Rule::numbers},
    Row{"stablehlo.logistic", Rule::numbers},
    Row{"stablehlo.maximum", Rule::numbers},
    Row{"stablehlo.minimum", Rule::numbers},
    Row{"stablehlo.multiply", Rule::numbers},
    Row{"stablehlo.negate", Rule::numbers},
    Row{"stablehlo.power", Rule::numbers},
    Row{"stablehlo.reduce_precision", Rule::numbers},
    Row{"stablehlo.remainder", Rule::numbers},
    Row{"stablehlo.round_nearest_afz", Rule::numbers},
    Row{"stablehlo.round_nearest_even", Rule::numbers},
    Row{"stablehlo.rsqrt", Rule::numbers},
    Row{"stablehlo.select", Rule::numbers},
    Row{"stablehlo.sign", Rule::numbers},
    Row{"stablehlo.sine", Rule::numbers},
    Row{"stablehlo.sqrt", Rule::numbers},
    Row{"stablehlo.subtract", Rule::numbers},
    Row{"stablehlo.tan", Rule::numbers},
    Row{"stablehlo.tanh", Rule::numbers},
    Row{"stablehlo.triangular_solve", Rule::numbers},

    Row{"check.expect_eq", Rule::moved},
    Row{"check.expect_eq_const", Rule::moved},
    Row{"sdy.reshard", Rule::moved, 1},
    Row{"sdy.sharding_constraint", Rule::moved, 1},
    Row{"stablehlo.all_gather", Rule::moved},
    Row{"stablehlo.all_to_all", Rule::moved},
    Row{"stablehlo.broadcast", Rule::moved, 1},
    Row{"stablehlo.broadcast_in_dim", Rule::moved, 1, Granularity::axis},
    Row{"stablehlo.collective_broadcast", Rule::moved},
    Row{"stablehlo.collective_permute", Rule::moved},
    Row{"stablehlo.concatenate", Rule::moved},
    Row{"stablehlo.dynamic_broadcast_in_dim", Rule::moved, 1, Granularity::axis},
    Row{"stablehlo.dynamic_gather", Rule::moved, 1},
    Row{"stablehlo.dynamic_pad", Rule::moved, 2},
    Row{"stablehlo.dynamic_reshape", Rule::moved, 1, Granularity::axis},
    Row{"stablehlo.dynamic_slice", Rule::moved, 1},
    Row{"stablehlo.dynamic_update_slice", Rule::moved, 2},
    Row{"stablehlo.gather", Rule::moved, 1},
    Row{"stablehlo.pad", Rule::moved, 2},
    Row{"stablehlo.real_dynamic_slice", Rule::moved, 1},
    Row{"stablehlo.reshape", Rule::moved, 1, Granularity::axis},
    Row{"stablehlo.reverse", Rule::moved},
    Row{"stablehlo.set_dimension_size", Rule::moved, 1},
    Row{"stablehlo.slice", Rule::moved},
    Row{"stablehlo.transpose", Rule::moved, 1, Granularity::axis},

    Row{"stablehlo.all_reduce", Rule::combined},
    Row{"stablehlo.map", Rule::combined},
    Row{"stablehlo.reduce", Rule::combined},
    Row{"stablehlo.reduce_scatter", Rule::combined},
    Row{"stablehlo.reduce_window", Rule::combined},
    Row{"stablehlo.scatter", Rule::combined},
    Row{"stablehlo.select_and_scatter", Rule::combined},
    Row{"stablehlo.sort", Rule::combined},

    Row{"stablehlo.case", Rule::carried, 0, Granularity::blocks},
    Row{"stablehlo.if", Rule::carried, 0, Granularity::blocks},
    Row{"stablehlo.optimization_barrier", Rule::carried},
    Row{"stablehlo.while", Rule::carried, 0, Granularity::blocks},

    Row{"func.call", Rule::called, 0, Granularity::blocks},
    Row{"stablehlo.composite", Rule::called, 0, Granularity::blocks},
};

const Row* find_row(std::string_view op) {
  const auto found = std::ranges::find(rows, op, &Row::op);
  return found == rows.end() ? nullptr : &*found;
}

bool is_contraction(std::string_view op) {
  return op == "stablehlo.dot_general" || op == "stablehlo.dot" || op == "stablehlo.convolution" ||
         op == "stablehlo.dynamic_conv";
}

// --- Asking an op -------------------------------------------------------------------------------

bool is_quantized(const std::vector<QuantizationRef>& types) {
  return std::ranges::any_of(types, [](const QuantizationRef& q) { return q != nullptr; });
}

bool is_quantized(const WrittenOp& op) {
  return is_quantized(quantizations(op.operands)) || is_quantized(quantizations(op.results)) ||
         std::ranges::any_of(op.regions, [](const WrittenRegion& region) {
           return is_quantized(region.quantizations.arguments) ||
                  is_quantized(region.quantizations.results);
         });
}

void expect_granularity(const WrittenOp& op, const WrittenType& type, Granularity finest) {
  if (!type.quantization || type.quantization->granularity <= finest) return;
  const char* const most = finest == Granularity::tensor ? "tensor" : "tensor or axis";
  fail(op, cat("one scale and zero point per ", most), to_string(type));
}

// --- Making nodes -------------------------------------------------------------------------------

// The op on integers, its results as declared.
std::vector<WrittenValue> make_stored(Graph& graph, WrittenOp op) {
  std::vector<std::unique_ptr<Graph>> regions;
  for (WrittenRegion& region : op.regions) regions.push_back(std::move(region.graph));
  Node* const node = create(graph, op.name, stored(op.operands), std::move(op.attrs),
                            std::move(regions), stored(op.results), nullptr, op.location);
  std::vector<WrittenValue> values;
  for (int k = 0; k < node->result_count(); ++k) {
    const auto at = std::size_t(k);
    values.emplace_back(node->result(k),
                        at < op.results.size() ? op.results[at].quantization : nullptr);
  }
  return values;
}

// What is quantized must be so everywhere, with one storage and expressed type.
void check_numbers(const WrittenOp& op) {
  const Quantization* first = nullptr;
  const auto check = [&](const std::string& what, const WrittenType& type) {
    if (type.dtype == DType::i1) return;
    if (!type.quantization) fail(op, cat(what, " that is quantized"), to_string(type));
    const Quantization& q = *type.quantization;
    if (!first) first = &q;
    if (q.storage != first->storage || q.expressed != first->expressed)
      fail(op,
           cat(what, " quantized as ", to_string(first->storage), ":", to_string(first->expressed)),
           to_string(type));
  };
  for (std::size_t k = 0; k < op.operands.size(); ++k)
    check(cat("operand ", k), op.operands[k].written());
  for (std::size_t k = 0; k < op.results.size(); ++k) check(cat("result ", k), op.results[k]);
}

std::vector<WrittenValue> make_of_numbers(Graph& graph, WrittenOp op) {
  if (is_contraction(op.name))
    check_contraction(op);
  else
    check_numbers(op);
  const Maker maker{graph, nullptr, op.location};
  for (WrittenValue& operand : op.operands)
    if (operand.quantization) operand = dequantize(maker, operand, *operand.quantization);
  const std::vector<WrittenType> declared = op.results;
  for (WrittenType& type : op.results) {
    if (!type.quantization) continue;
    type.dtype = type.quantization->expressed;
    type.quantization = nullptr;
  }
  std::vector<WrittenValue> values = make_stored(graph, std::move(op));
  for (std::size_t k = 0; k < values.size() && k < declared.size(); ++k)
    if (const QuantizationRef& q = declared[k].quantization)
      values[k] = {quantize(maker, values[k], *q), q};
  return values;
}

constexpr std::array<std::string_view, 5> promoting_ops{
    "stablehlo.all_reduce", "stablehlo.reduce", "stablehlo.reduce_scatter",
    "stablehlo.reduce_window", "stablehlo.scatter"};

bool is_promotable(const WrittenType& from, const WrittenType& to) {
  if (!from.quantization != !to.quantization) return false;
  if (from.quantization)
    return from.quantization->expressed == to.quantization->expressed &&
           info(from.dtype).bits <= info(to.dtype).bits;
  const bool is_same_kind = is_complex(from.dtype) == is_complex(to.dtype) &&
                            is_float(from.dtype) == is_float(to.dtype) &&
                            (from.dtype == DType::i1) == (to.dtype == DType::i1);
  return is_same_kind && info(from.dtype).bits <= info(to.dtype).bits;
}

// Elements of a reduction or scatter become those that its region combines, which may be wider
// (StableHLO's promotion).
void promote_operands(Graph& graph, WrittenOp& op) {
  if (op.regions.size() != 1 || op.results.empty() ||
      std::ranges::find(promoting_ops, op.name) == promoting_ops.end())
    return;
  const WrittenRegion& region = op.regions[0];
  const std::vector<std::size_t> numbers = combined_operands(op);
  const Maker maker{graph, nullptr, op.location};
  for (std::size_t k = 0; k < numbers.size(); ++k) {
    const std::size_t argument = k % op.results.size();
    if (argument >= region.quantizations.arguments.size()) return;
    WrittenValue& operand = op.operands[numbers[k]];
    const WrittenType from = operand.written();
    const WrittenType to(region.graph->argument(int(argument)).type(),
                         region.quantizations.arguments[argument]);
    if (!is_promotable(from, to)) continue;
    if (!from.quantization)
      operand = maker.convert(operand, to.dtype);
    else if (!same(from.quantization, to.quantization))
      operand = {quantize(maker, dequantize(maker, operand, *from.quantization), *to.quantization),
                 to.quantization};
  }
}

// --- Ops of their own ---------------------------------------------------------------------------

std::vector<WrittenValue> make_conversion(Graph& graph, const WrittenOp& op) {
  if (op.operands.size() != 1 || op.results.size() != 1 || !op.regions.empty())
    fail(op, "1 operand and 1 result",
         cat(op.operands.size(), " operands and ", op.results.size(), " results"));
  const WrittenValue& operand = op.operands[0];
  const WrittenType &result = op.results[0], written = operand.written();
  if (result.dims != written.dims)
    fail(op, cat("a result of the operand's extents, ", to_string(written)), to_string(result));
  const DType numbers = written.quantization ? written.quantization->expressed : written.dtype;
  const Maker maker{graph, nullptr, op.location};
  if (op.name == "stablehlo.uniform_dequantize") {
    if (!written.quantization) fail(op, "an operand that is quantized", to_string(written));
    if (result.quantization || result.dtype != numbers)
      fail(op, cat("a result of ", to_string(numbers)), to_string(result));
    return {WrittenValue(dequantize(maker, operand, *written.quantization))};
  }
  if (!result.quantization) fail(op, "a result that is quantized", to_string(result));
  if (result.quantization->expressed != numbers)
    fail(op, cat("a result that stands for ", to_string(numbers)), to_string(result));
  const Value value =
      written.quantization ? dequantize(maker, operand, *written.quantization) : Value(operand);
  return {WrittenValue(quantize(maker, value, *result.quantization), result.quantization)};
}

// The constant's text may say bits of the other sign: of i8 for a storage type u8.
void restate_constant(WrittenOp& op) {
  const Attribute* value = op.attrs.find("value");
  const auto* dense = value == nullptr ? nullptr : value->get_if<DenseRef>();
  if (dense == nullptr || op.results.size() != 1) return;
  const DType from = (*dense)->type().dtype, to = op.results[0].dtype;
  if (from == to || !is_integer(from) || info(from).bits != info(to).bits) return;
  std::vector<std::byte> bytes = (*dense)->bytes();
  if (info(to).bits < 8)
    for (std::byte& b : bytes) b = std::byte(stored_bits(to, std::uint64_t(b)));
  Type type = (*dense)->type();
  type.dtype = to;
  op.attrs.set("value",
               std::make_shared<const Dense>(type, std::move(bytes), (*dense)->is_splat()));
}

std::vector<WrittenValue> make_bitcast(Graph& graph, WrittenOp op) {
  if (op.operands.size() != 1 || op.results.size() != 1 ||
      op.results[0].stored() != op.operands[0].type())
    return make_stored(graph, std::move(op));
  op.operands[0].quantization = op.results[0].quantization;
  return op.operands;
}

// All numbers that integers stand for are finite, also where they are not in the expressed type.
std::vector<WrittenValue> make_is_finite(Graph& graph, WrittenOp op) {
  const Maker maker{graph, nullptr, op.location};
  if (op.operands.size() == 1) {
    expect_granularity(op, op.operands[0].written(), Granularity::tensor);
    Type numbers = op.operands[0].type();
    numbers.dtype = op.operands[0].quantization->expressed;
    op.operands[0] = maker.splat(numbers, 0);
  }
  return make_stored(graph, std::move(op));
}

std::vector<WrittenValue> make_iota(Graph& graph, WrittenOp op) {
  if (op.results.size() != 1) return make_stored(graph, std::move(op));
  const QuantizationRef q = op.results[0].quantization;
  expect_granularity(op, op.results[0], Granularity::tensor);
  op.results[0] = Type{.dtype = q->expressed, .dims = op.results[0].dims};
  const Maker maker{graph, nullptr, op.location};
  std::vector<WrittenValue> values = make_stored(graph, std::move(op));
  values[0] = {quantize(maker, values[0], *q), q};
  return values;
}

bool returns_quantized(const WrittenOp& op) { return is_quantized(quantizations(op.results)); }

// Ops whose types say all; nothing for others.
std::optional<std::vector<WrittenValue>> make_special(Graph& graph, WrittenOp& op) {
  if (is_quantizing_op(op.name)) return make_conversion(graph, op);
  if (op.name == "stablehlo.bitcast_convert") return make_bitcast(graph, std::move(op));
  if (op.name == "stablehlo.constant") {
    restate_constant(op);
    return make_stored(graph, std::move(op));
  }
  if (op.name == "stablehlo.get_dimension_size" && !returns_quantized(op))
    return make_stored(graph, std::move(op));
  if (op.name == "stablehlo.is_finite" && !returns_quantized(op) &&
      is_quantized(quantizations(op.operands)))
    return make_is_finite(graph, std::move(op));
  if (op.name == "stablehlo.iota" && returns_quantized(op)) return make_iota(graph, std::move(op));
  return std::nullopt;
}

}  // namespace

// --- The interface ------------------------------------------------------------------------------

std::vector<QuantizationRef> quantizations(const std::vector<WrittenType>& types) {
  std::vector<QuantizationRef> all;
  for (const WrittenType& type : types) all.push_back(type.quantization);
  return all;
}
std::vector<QuantizationRef> quantizations(const std::vector<WrittenValue>& values) {
  std::vector<QuantizationRef> all;
  for (const WrittenValue& value : values) all.push_back(value.quantization);
  return all;
}

bool is_quantizing_op(std::string_view name) {
  return name == "stablehlo.uniform_quantize" || name == "stablehlo.uniform_dequantize";
}

void fail(const WrittenOp& op, const std::string& expected, const std::string& found) {
  throw_user_error(cat(op.name, ": expected ", expected, ", found ", found), op.location);
}

std::vector<WrittenValue> create_written(Graph& graph, WrittenOp op) {
  if (is_read_as_other(op)) return create_as_other(graph, std::move(op));
  list_replica_groups(op);
  promote_operands(graph, op);
  if (!is_quantized(op) && !is_quantizing_op(op.name)) return make_stored(graph, std::move(op));
  if (const OpDef* def = OpRegistry::instance().find(op.name)) {
    normalize_attributes(*def, op.attrs, op.location);
    erase_default_attributes(*def, op.attrs);
  }
  if (auto values = make_special(graph, op)) return *std::move(values);
  const Row* const row = find_row(op.name);
  const auto check = [&](const WrittenType& type) {
    if (row == nullptr && type.quantization)
      fail(op, "operands and results that are not quantized", to_string(type));
    if (row != nullptr) expect_granularity(op, type, row->finest);
  };
  for (const WrittenValue& operand : op.operands) check(operand.written());
  for (const WrittenType& type : op.results) check(type);
  if (row == nullptr) fail(op, "a region without quantized values", "some");
  switch (row->rule) {
    case Rule::numbers:
      return make_of_numbers(graph, std::move(op));
    case Rule::moved:
      check_moved(op, row->operands);
      break;
    case Rule::combined:
      check_combined(op);
      break;
    case Rule::carried:
      check_carried(op);
      break;
    case Rule::called:
      break;
  }
  return make_stored(graph, std::move(op));
}

}  // namespace partita::ir
