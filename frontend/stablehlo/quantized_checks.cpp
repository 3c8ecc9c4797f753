// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// What StableHLO asks of quantized types beyond their being alike.
#include <algorithm>
#include <optional>

#include "frontend/stablehlo/quantized_ops.hpp"
#include "partita/ir/window.hpp"

namespace partita::ir {

namespace {

using Granularity = Quantization::Granularity;

bool is_per_axis(const QuantizationRef& q) { return q && q->granularity == Granularity::axis; }

QuantizationRef along(const Quantization& q, std::int64_t axis) {
  Quantization other = q;
  other.axis = axis;
  return std::make_shared<const Quantization>(std::move(other));
}

// --- Contractions -------------------------------------------------------------------------------

struct Contraction {
  WrittenType lhs, rhs, result;
};

void check_types(const WrittenOp& op, const Contraction& c) {
  if (!c.rhs.quantization) fail(op, "a right operand that is quantized", to_string(c.rhs));
  if (!c.lhs.quantization != !c.result.quantization)
    fail(op, cat("a result that is ", c.lhs.quantization ? "" : "not ", "quantized"),
         to_string(c.result));
  const Quantization& rhs = *c.rhs.quantization;
  const auto number = [](const WrittenType& type) {
    return type.quantization ? type.quantization->expressed : type.dtype;
  };
  for (const WrittenType* type : {&c.lhs, &c.result})
    if (number(*type) != rhs.expressed)
      fail(op, cat("operands and a result that stand for ", to_string(rhs.expressed)),
           to_string(*type));
  if (!c.lhs.quantization) return;
  if (c.lhs.quantization->storage != rhs.storage)
    fail(op, cat("operands with integers of ", to_string(rhs.storage)), to_string(c.lhs));
  if (c.lhs.quantization->granularity != Granularity::tensor)
    fail(op, "a left operand with one scale and zero point", to_string(c.lhs));
  if (rhs.granularity == Granularity::tensor &&
      c.result.quantization->granularity != Granularity::tensor)
    fail(op, "a result with one scale and zero point, as the right operand has",
         to_string(c.result));
}

void check_dot(const WrittenOp& op, const Contraction& c) {
  const Quantization& rhs = *c.rhs.quantization;
  if (std::ranges::any_of(rhs.zero_points, [](std::int64_t z) { return z != 0; }))
    fail(op, "a right operand whose zero points are 0", to_string(c.rhs));
  const I64s& contracted = op.attrs.i64s_or_empty("rhs_contracting_dimensions");
  if (is_per_axis(c.rhs.quantization) &&
      std::ranges::find(contracted, rhs.axis) != contracted.end())
    fail(op, "a right operand with one scale along each contracted dimension", to_string(c.rhs));
}

void check_features(const WrittenOp& op, const Contraction& c) {
  const Attribute* numbers = op.attrs.find("dimension_numbers");
  const auto parsed = numbers == nullptr ? std::nullopt : convolution_dims(*numbers);
  if (!parsed) return;  // the op says so itself
  if (is_per_axis(c.rhs.quantization) && c.rhs.quantization->axis != parsed->kernel_output)
    fail(op,
         cat("scales of the kernel along its output features, dimension ", parsed->kernel_output),
         to_string(c.rhs));
  if (is_per_axis(c.result.quantization) && c.result.quantization->axis != parsed->output_feature)
    fail(op, cat("scales of the result along its features, dimension ", parsed->output_feature),
         to_string(c.result));
}

}  // namespace

void check_contraction(const WrittenOp& op) {
  if (op.operands.size() < 2 || op.results.size() != 1) return;  // the op says so itself
  const Contraction c{op.operands[0].written(), op.operands[1].written(), op.results[0]};
  for (std::size_t k = 2; k < op.operands.size(); ++k)
    if (op.operands[k].quantization)
      fail(op, cat("operand ", k, " that is not quantized"), to_string(op.operands[k].written()));
  check_types(op, c);
  if (op.name == "stablehlo.dot_general") check_dot(op, c);
  if (op.name == "stablehlo.convolution" || op.name == "stablehlo.dynamic_conv")
    check_features(op, c);
}

// --- Moved elements -----------------------------------------------------------------------------

namespace {

std::int64_t product(const Dims& dims, std::size_t begin, std::size_t end) {
  std::int64_t count = 1;
  for (std::size_t d = begin; d < end; ++d) count *= dims[d];
  return count;
}

// The dimension of a reshaped array that is the same dimension of the operand.
std::optional<std::int64_t> reshaped_axis(const Dims& from, std::int64_t axis, const Dims& to) {
  const auto at = std::size_t(axis);
  for (std::size_t d = 0; d < to.size(); ++d)
    if (to[d] == from[at] && product(to, 0, d) == product(from, 0, at) &&
        product(to, d + 1, to.size()) == product(from, at + 1, from.size()))
      return std::int64_t(d);
  return std::nullopt;
}

QuantizationRef broadcast(const WrittenOp& op, const Quantization& q) {
  const I64s& at = op.attrs.i64s_or_empty("broadcast_dimensions");
  const Dims& dims = op.results[0].dims;
  if (std::size_t(q.axis) >= at.size()) return nullptr;
  const std::int64_t axis = at[std::size_t(q.axis)];
  if (axis < 0 || axis >= std::int64_t(dims.size())) return nullptr;
  Quantization wide = q;
  wide.axis = axis;
  // As many as the result has; where that is none, it is not quantized alike.
  const QuantizationRef& result = op.results[0].quantization;
  if (q.dims[0] == 1 && is_per_axis(result) && result->axis == axis) {
    wide.dims = result->dims;
    wide.scales.assign(result->scales.size(), q.scales[0]);
    wide.zero_points.assign(result->scales.size(), q.zero_points[0]);
  }
  return std::make_shared<const Quantization>(std::move(wide));
}

QuantizationRef transpose(const WrittenOp& op, const Quantization& q) {
  const I64s& permutation = op.attrs.i64s_or_empty("permutation");
  const auto found = std::ranges::find(permutation, q.axis);
  return found == permutation.end() ? nullptr : along(q, found - permutation.begin());
}

QuantizationRef reshape(const WrittenOp& op, const Quantization& q) {
  const QuantizationRef& result = op.results[0].quantization;
  const Dims &from = op.operands[0].type().dims, &to = op.results[0].dims;
  // Where several dimensions would do, the one that is written.
  if (is_per_axis(result) && std::size_t(result->axis) < to.size()) {
    const auto d = std::size_t(result->axis), at = std::size_t(q.axis);
    if (to[d] == from[at] && product(to, 0, d) == product(from, 0, at))
      return along(q, result->axis);
  }
  const auto axis = reshaped_axis(from, q.axis, to);
  return axis ? along(q, *axis) : nullptr;
}

// How the result of an op that moves elements is quantized; null where no quantization of it follows.
QuantizationRef moved_quantization(const WrittenOp& op) {
  const QuantizationRef& q = op.operands[0].quantization;
  if (!is_per_axis(q) || op.results.size() != 1) return q;
  if (op.name == "stablehlo.transpose") return transpose(op, *q);
  if (op.name.ends_with("broadcast_in_dim")) return broadcast(op, *q);
  if (op.name.ends_with("reshape")) return reshape(op, *q);
  return q;
}

}  // namespace

// --- Ops on integers ----------------------------------------------------------------------------

namespace {

// A type as it would be if it were quantized as `q` says.
std::string with(const QuantizationRef& q, const WrittenType& type) {
  Type plain = type;
  if (q) plain.dtype = q->storage;
  return to_string(WrittenType(plain, q));
}

void expect_same(const WrittenOp& op, const std::string& what, const WrittenType& found,
                 const QuantizationRef& expected) {
  if (!same(found.quantization, expected))
    fail(op, cat(what, " of type ", with(expected, found)), to_string(found));
}

}  // namespace

void check_moved(const WrittenOp& op, std::size_t count) {
  const std::size_t moved = count == 0 ? op.operands.size() : std::min(count, op.operands.size());
  const bool is_paired = op.results.size() == moved && moved > 1;
  if (moved == 0) return;
  for (std::size_t k = 0; k < op.operands.size(); ++k) {
    const bool is_moved = k < moved;
    if (!is_moved || !is_paired)
      expect_same(op, cat("operand ", k), op.operands[k].written(),
                  is_moved ? op.operands[0].quantization : nullptr);
  }
  const QuantizationRef first = moved_quantization(op);
  for (std::size_t k = 0; k < op.results.size(); ++k) {
    if (!is_paired && !first && op.operands[0].quantization)
      fail(op, cat("result ", k, " with the dimension along which operand 0 has its scales"),
           to_string(op.results[k]));
    expect_same(op, cat("result ", k), op.results[k],
                is_paired ? op.operands[k].quantization : first);
  }
}

namespace {

// Arguments and results of a region against those of the op, by position.
struct RegionOf {
  const WrittenOp& op;
  const WrittenRegion& region;

  void expect_argument(std::size_t k, const QuantizationRef& expected) const {
    const auto& found = region.quantizations.arguments;
    if (k >= found.size() || same(found[k], expected)) return;
    const WrittenType type(region.graph->argument(int(k)).type(), found[k]);
    fail(op, cat("argument ", k, " of the region of type ", with(expected, type)), to_string(type));
  }
  void expect_result(std::size_t k, const QuantizationRef& expected) const {
    const auto& found = region.quantizations.results;
    if (k >= found.size() || same(found[k], expected)) return;
    const WrittenType type(region.graph->results[k].type(), found[k]);
    fail(op, cat("result ", k, " of the region of type ", with(expected, type)), to_string(type));
  }
};

}  // namespace

void check_carried(const WrittenOp& op) {
  const bool has_operands =
      op.name == "stablehlo.while" || op.name == "stablehlo.optimization_barrier";
  for (std::size_t k = 0; k < op.operands.size(); ++k) {
    if (!has_operands)
      expect_same(op, cat("operand ", k), op.operands[k].written(), nullptr);
    else if (k < op.results.size())
      expect_same(op, cat("result ", k), op.results[k], op.operands[k].quantization);
  }
  for (std::size_t r = 0; r < op.regions.size(); ++r) {
    const RegionOf region{op, op.regions[r]};
    const bool is_condition = op.name == "stablehlo.while" && r == 0;
    for (std::size_t k = 0; k < op.results.size(); ++k) {
      if (has_operands) region.expect_argument(k, op.results[k].quantization);
      if (!is_condition) region.expect_result(k, op.results[k].quantization);
    }
  }
}

std::vector<std::size_t> combined_operands(const WrittenOp& op) {
  std::vector<std::size_t> numbers;
  const bool has_indices = op.name == "stablehlo.scatter" && op.operands.size() % 2 == 1;
  for (std::size_t k = 0; k < op.operands.size(); ++k)
    if (!has_indices || k != op.operands.size() / 2) numbers.push_back(k);
  return numbers;
}

void check_combined(const WrittenOp& op) {
  std::vector<WrittenValue> operands;
  for (const std::size_t k : combined_operands(op)) operands.push_back(op.operands[k]);
  const std::size_t groups =
      op.name == "stablehlo.map" || op.results.empty() ? operands.size() : op.results.size();
  if (operands.empty() || groups > operands.size()) return;
  for (std::size_t k = groups; k < operands.size(); ++k)
    expect_same(op, cat("operand ", k), operands[k].written(), operands[k % groups].quantization);
  const bool is_map = op.name == "stablehlo.map", is_sort = op.name == "stablehlo.sort";
  if (!is_map)
    for (std::size_t k = 0; k < op.results.size(); ++k)
      expect_same(op, cat("result ", k), op.results[k], operands[k].quantization);
  for (const WrittenRegion& written : op.regions) {
    const RegionOf region{op, written};
    for (std::size_t k = 0; k < written.quantizations.arguments.size(); ++k)
      region.expect_argument(k, operands[is_sort ? k / 2 % groups : k % groups].quantization);
    // A region whose results are truth values compares.
    for (std::size_t k = 0; k < written.quantizations.results.size(); ++k)
      if (k < op.results.size() && written.graph->results[k].type().dtype != DType::i1)
        region.expect_result(k, op.results[k].quantization);
  }
}

}  // namespace partita::ir
