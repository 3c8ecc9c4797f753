// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// The ops that elementwise.def defines: one OpDef per op, from its rows.
#include "partita/scalar/elementwise.hpp"

#include <algorithm>
#include <array>
#include <bit>

#include "ir/autodiff/row_derivative.hpp"
#include "ops/support/support.hpp"
#include "partita/ir/maker.hpp"

namespace partita::ir {
namespace {

using scalar::ExprId;
using scalar::ExprPool;

constexpr std::string_view compare_op = "stablehlo.compare";

constexpr std::array<std::pair<std::string_view, std::string_view>, 6> directions{
    {{"EQ", "compare_eq"},
     {"GE", "compare_ge"},
     {"GT", "compare_gt"},
     {"LE", "compare_le"},
     {"LT", "compare_lt"},
     {"NE", "compare_ne"}}};

/// Of a comparison.
std::string_view direction_of(const ElementwiseRow& row) {
  return std::ranges::find(directions, row.name, [](const auto& p) { return p.second; })->first;
}

/// Operand whose element type is the row's.
std::size_t main_operand(const ElementwiseRow& row) { return arity(row.signature) == 3 ? 1 : 0; }

/// The row of `op` that is for elements of type d; null when there is none.
const ElementwiseRow* find_row(std::string_view op, DType d, const Dict& attrs) {
  for (const ElementwiseRow& row : elementwise_rows()) {
    if (row.op != op || !row.accepts(d)) continue;
    if (op != compare_op || attrs.text("comparison_direction") == direction_of(row)) return &row;
  }
  return nullptr;
}

const ElementwiseRow& first_row(std::string_view op) {
  return *std::ranges::find(elementwise_rows(), op, &ElementwiseRow::op);
}

bool is_total_order(const Dict& attrs, DType d) {
  return is_float(d) && attrs.text("compare_type", "") == "TOTALORDER";
}

// --- Inference -------------------------------------------------------------------------------------

std::string accepted_dtypes(std::string_view op, const Dict& attrs) {
  std::string text;
  for (const DType d : all_dtypes)
    if (find_row(op, d, attrs)) text += cat(text.empty() ? "" : ", ", to_string(d));
  return text;
}

/// The operands that may be scalars beside arrays: a predicate, limits.
bool may_be_scalar(const ElementwiseRow& row, std::size_t k) {
  return row.signature == Signature::choice ? k == 0 : row.name == "clamp" && k != 1;
}

void expect_operand_types(const InferContext& c, const ElementwiseRow& row, const Type& reference) {
  for (std::size_t k = 0; k < c.operands.size(); ++k) {
    Type wanted = reference;
    wanted.dtype = operand_dtype(row.signature, reference.dtype, int(k));
    const Type& found = c.operands[k];
    if (found == wanted) continue;
    const bool scalar_fits = may_be_scalar(row, k) && found == Type::scalar(wanted.dtype);
    const std::string or_scalar =
        may_be_scalar(row, k) ? cat(" or ", to_string(Type::scalar(wanted.dtype))) : "";
    c.expect(scalar_fits, cat("operand ", k, " of type ", to_string(wanted), or_scalar),
             to_string(found));
  }
}

/// #stablehlo.result_accuracy<atol = …, rtol = …, ulps = …, mode = …> says how far off a result may be in mode TOLERANCE
/// alone.  Results are as near as they get in any.
void expect_accuracy(const InferContext& c) {
  const Attribute* const attribute = c.attrs.find("result_accuracy");
  const auto* const raw = attribute == nullptr ? nullptr : attribute->get_if<RawAttr>();
  if (raw == nullptr || raw->text.find("TOLERANCE") != std::string::npos) return;
  for (const std::string_view name : {"atol = ", "rtol = ", "ulps = "}) {
    const std::size_t at = raw->text.find(name);
    if (at == std::string::npos) continue;
    const char* const number = raw->text.c_str() + at + name.size();
    c.expect(std::strtod(number, nullptr) == 0,
             "no tolerance of the result_accuracy but in mode TOLERANCE", raw->text);
  }
}

std::vector<Type> infer(const InferContext& c) {
  const ElementwiseRow& any = first_row(c.op);
  ops::expect_operand_count(c, std::size_t(arity(any.signature)));
  const Type& reference = c.operands[main_operand(any)];
  const ElementwiseRow* row = find_row(c.op, reference.dtype, c.attrs);
  if (!row || reference.is_token)
    c.fail(cat("operands of ", accepted_dtypes(c.op, c.attrs)), to_string(reference));
  expect_operand_types(c, *row, reference);
  expect_accuracy(c);
  return {Type{.dtype = result_dtype(row->signature, reference.dtype), .dims = reference.dims}};
}

// --- Evaluation ------------------------------------------------------------------------------------

HostArray repeated(const HostArray& scalar, const Dims& dims) {
  HostArray result(Type{.dtype = scalar.type.dtype, .dims = dims});
  const std::size_t size = scalar.bytes.size();
  for (std::size_t at = 0; at < result.bytes.size(); at += size)
    std::memcpy(result.bytes.data() + at, scalar.bytes.data(), size);
  return result;
}

constexpr DType key_dtype(DType d) { return integer_dtype(Kinds::signed_, info(d).bits); }

/// Integers in the order of IEEE-754's totalOrder: -NaN, -inf, …, -0, +0, …, inf, NaN; without a sign in that of
/// the bits.
template <DType d>
auto total_order_key(StorageType<d> stored) {
  constexpr DType key = key_dtype(d);
  using Bits = StorageType<key>;
  const auto bits = round_to<key>(std::bit_cast<Bits>(stored));
  if (!info(d).format.is_signed) return Bits(bits ^ lowest_integer<key>);
  return Bits(bits ^ ((bits >> (8 * sizeof(Bits) - 1)) & highest_integer<key>));
}

HostArray total_order_keys(const HostArray& floats) {
  HostArray keys(Type{.dtype = key_dtype(floats.type.dtype), .dims = floats.type.dims});
  visit(floats.type.dtype, [&](auto d) {
    if constexpr (info(d).kind == Kinds::floating) {
      constexpr DType key = key_dtype(d);
      const auto* in = floats.data<d>();
      for (std::int64_t i = 0; i < floats.type.count(); ++i)
        keys.data<key>()[i] = total_order_key<d>(in[i]);
    }
  });
  return keys;
}

std::vector<Tensor> eval(const EvalContext& c) {
  HostArray result(c.result_type());
  const ElementwiseRow& any = first_row(c.node.name());
  DType d = c.operands[main_operand(any)]->type.dtype;
  const ElementwiseRow& row = *find_row(c.node.name(), d, c.node.attrs);
  std::vector<HostArray> made;
  made.reserve(c.operands.size());
  std::array<const void*, 3> pointers{};
  const bool total_order = c.node.is(compare_op) && is_total_order(c.node.attrs, d);
  for (std::size_t k = 0; k < c.operands.size(); ++k) {
    const HostArray* operand = c.operands[k].get();
    if (operand->type.dims != result.type.dims)
      operand = &made.emplace_back(repeated(*operand, result.type.dims));
    if (total_order) operand = &made.emplace_back(total_order_keys(*operand));
    pointers[k] = operand->bytes.data();
    if (total_order) d = operand->type.dtype;
  }
  elementwise_function(row, d)(pointers.data(), result.bytes.data(),
                               std::size_t(result.type.count()));
  return ops::one(std::move(result));
}

// --- Kernels ---------------------------------------------------------------------------------------

ExprId lower_total_order_key(ExprPool& pool, ExprId x) {
  const int bits = info(pool[x].dtype).bits;
  const DType d = key_dtype(pool[x].dtype);
  const ExprId as_integer = pool.bitcast(x, d);
  if (!info(pool[x].dtype).format.is_signed)
    return pool.apply("xor_", d, {as_integer, pool.constant(d, std::uint64_t{1} << (bits - 1))});
  const ExprId sign = pool.apply("shift_right_arithmetic", d,
                                 {as_integer, pool.constant(d, std::uint64_t(bits - 1))});
  const ExprId flip =
      pool.apply("and_", d, {sign, pool.constant(d, ~std::uint64_t{0} >> (65 - bits))});
  return pool.apply("xor_", d, {as_integer, flip});
}

ExprId lower(const Node& node, int, ExprPool& pool, std::span<const ExprId> index,
             const LoadFn& load) {
  const ElementwiseRow& any = first_row(node.name());
  const DType d = node.operand(main_operand(any)).type().dtype;
  const ElementwiseRow& row = *find_row(node.name(), d, node.attrs);
  std::vector<ExprId> operands;
  for (std::size_t k = 0; k < node.operands().size(); ++k)
    operands.push_back(
        load(int(k), node.operand(k).type().rank() == 0 ? std::span<const ExprId>() : index));
  if (!node.is(compare_op) || !is_total_order(node.attrs, d))
    return pool.apply(row.name, d, operands);
  for (ExprId& operand : operands) operand = lower_total_order_key(pool, operand);
  return pool.apply(row.name, pool[operands[0]].dtype, operands);
}

// --- Definitions -----------------------------------------------------------------------------------

std::vector<AttrSpec> compare_attributes() {
  AttrSpec direction{
      .name = "comparison_direction", .kind = AttrKind::enumeration, .required = true};
  direction.enum_kind = "comparison_direction";
  for (const auto& [name, row] : directions) direction.allowed.emplace_back(name);
  AttrSpec type{.name = "compare_type", .kind = AttrKind::enumeration, .required = false};
  type.enum_kind = "comparison_type";
  type.allowed = {"FLOAT", "TOTALORDER", "SIGNED", "UNSIGNED", "NOTYPE"};
  return {direction, type};
}

DType sample_dtype(const ElementwiseRow& row) {
  for (const DType d : {DType::f32, DType::i32, DType::c64})
    if (row.accepts(d)) return d;
  return DType::i1;
}

/// A program of one node, in generic form; `scalar` names an operand of rank 0.
std::string sample(const ElementwiseRow& row, DType d, int scalar = -1) {
  const auto type = [](DType dtype) { return to_string(Type{.dtype = dtype, .dims = {3, 4}}); };
  std::string parameters, names, types;
  for (int k = 0; k < arity(row.signature); ++k) {
    const std::string comma = k ? ", " : "", name = cat("%", "xyz"[k]);
    const DType dtype = operand_dtype(row.signature, d, k);
    const std::string t = k == scalar ? to_string(Type::scalar(dtype)) : type(dtype);
    parameters += cat(comma, name, ": ", t);
    names += comma + name;
    types += comma + t;
  }
  std::string attributes;
  if (row.op == compare_op)
    attributes =
        cat(" <{comparison_direction = #stablehlo<comparison_direction ", direction_of(row), ">}>");
  const std::string result = type(result_dtype(row.signature, d));
  return cat("func.func @main(", parameters, ") -> ", result, " {\n  %0 = \"", row.op, "\"(", names,
             ")", attributes, " : (", types, ") -> ", result, "\n  return %0 : ", result, "\n}");
}

std::vector<std::pair<int, int>> aliases(const ElementwiseRow& row) {
  switch (row.signature) {
    case Signature::unary:
      return {{0, 0}};
    case Signature::binary:
      return {{0, 0}, {0, 1}};
    case Signature::ternary:
      return {{0, 1}, {0, 0}, {0, 2}};
    case Signature::choice:
      return {{0, 1}, {0, 2}};
    default:
      return {};
  }
}

}  // namespace

const ElementwiseRow* row_of(const Node& node) {
  const auto rows = elementwise_rows();
  const auto any = std::ranges::find(rows, node.name(), &ElementwiseRow::op);
  if (any == rows.end()) return nullptr;
  const DType d = node.operand(main_operand(*any)).type().dtype;
  if (node.is(compare_op) && is_total_order(node.attrs, d)) return nullptr;
  return find_row(node.name(), d, node.attrs);
}

Dict row_attributes(const ElementwiseRow& row) {
  return row.op == compare_op ? comparison_attributes(direction_of(row)) : Dict();
}

Dict comparison_attributes(std::string_view direction) {
  return {{"comparison_direction",
           EnumAttr{"stablehlo", "comparison_direction", std::string(direction)}}};
}

FactorRule pointwise_factors(const Node& node) {
  FactorRule rule = ops::empty_rule(node);
  const Dims& dims = node.result_types().at(0).dims;
  for (std::size_t d = 0; d < dims.size(); ++d) {
    const int factor = rule.add_factor(dims[d]);
    for (auto& operand : rule.operands)
      if (operand.size() == dims.size()) operand[d] = {factor};
    for (auto& result : rule.results) result[d] = {factor};
  }
  return rule;
}

namespace ops {

void register_elementwise(OpRegistry& registry) {
  for (const ElementwiseRow& row : elementwise_rows()) {
    if (&first_row(row.op) != &row) continue;
    OpDef op;
    op.name = row.op;
    op.infer = infer;
    op.eval = eval;
    op.shape = KernelShape::loops;
    op.elements = Elements::elementwise;
    op.lower = lower;
    op.cost = row.cost;
    op.factors = pointwise_factors;
    op.may_alias = aliases(row);
    op.derivative = row_derivative();
    int rows = 0;
    for (const ElementwiseRow& other : elementwise_rows()) {
      if (other.op != row.op) continue;
      ++rows;
      op.doc += cat(op.doc.empty() ? "" : " ", other.doc);
      op.samples.push_back(sample(other, sample_dtype(other)));
      if (other.signature == Signature::choice) op.samples.push_back(sample(other, DType::f32, 0));
    }
    if (rows == 1) op.row = &row;
    if (row.op == compare_op) op.attrs = compare_attributes();
    registry.add(std::move(op));
  }
}

}  // namespace ops
}  // namespace partita::ir
