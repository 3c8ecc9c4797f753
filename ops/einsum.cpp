// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// stablehlo.einsum and unary_einsum: sums of products by letters for dimensions, "ab,bc->ac".  They
// stand for reductions, a dot_general and a transpose.
#include <algorithm>

#include "ops/support/expansion.hpp"
#include "ops/support/support.hpp"

namespace partita::ir::ops {
namespace {

bool has(const std::string& letters, char c) { return letters.find(c) != std::string::npos; }

/// "ab,bc->ac" without blanks, as {"ab", "bc", "ac"}.
std::vector<std::string> parts_of(const Expansion& e) {
  const std::string& config = e.context.attrs.text("einsum_config");
  std::vector<std::string> parts(1);
  bool has_arrow = false;
  for (std::size_t k = 0; k < config.size(); ++k) {
    if (config[k] == ' ') continue;
    const bool is_arrow = config.compare(k, 2, "->") == 0;
    if (is_arrow || (config[k] == ',' && !has_arrow)) {
      k += is_arrow ? 1 : 0;
      e.context.expect(!is_arrow || !has_arrow, "one '->' in einsum_config", config);
      has_arrow = has_arrow || is_arrow;
      parts.emplace_back();
      continue;
    }
    const char c = config[k];
    e.context.expect((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'),
                     "an einsum_config of letters, ',' and '->'", config);
    e.context.expect(!has(parts.back(), c), "each letter once per operand and result", config);
    parts.back() += c;
  }
  e.context.expect(has_arrow && parts.size() == e.operands.size() + 1,
                   cat("an einsum_config of ", e.operands.size(), " operands and a result"),
                   config);
  return parts;
}

/// Sums over the dimensions whose letter is in none of `kept`, in elements of `dtype`; `letters` loses them.
Value summed(const Expansion& e, Value v, std::string& letters, const std::string& kept,
             DType dtype) {
  I64s dimensions;
  std::string rest;
  for (std::size_t d = 0; d < letters.size(); ++d) {
    if (has(kept, letters[d]))
      rest += letters[d];
    else
      dimensions.push_back(std::int64_t(d));
  }
  letters = rest;
  return dimensions.empty() ? v : e.maker().sum(e.maker().convert(v, dtype), dimensions);
}

Node* transposed(const Expansion& e, Value v, const std::string& from, const std::string& to) {
  I64s permutation;
  for (const char c : to) permutation.push_back(std::int64_t(from.find(c)));
  return e.make("stablehlo.transpose", {v}, {{"permutation", permutation}});
}

void expect_letters(const Expansion& e, const std::vector<std::string>& parts) {
  for (std::size_t k = 0; k < e.operands.size(); ++k)
    e.context.expect(std::int64_t(parts[k].size()) == e.operands[k].type().rank(),
                     cat("as many letters as operand ", k, " has dimensions"),
                     cat("'", parts[k], "' for ", to_string(e.operands[k].type())));
  for (const char c : parts.back())
    e.context.expect(
        std::any_of(parts.begin(), parts.end() - 1, [c](const auto& p) { return has(p, c); }),
        "letters of the operands in the result", std::string(1, c));
}

Node* expand_unary(const Expansion& e) {
  expect_operand_count(e.context, 1);
  std::vector<std::string> parts = parts_of(e);
  expect_letters(e, parts);
  const Value sum = summed(e, e.operands[0], parts[0], parts[1], e.operands[0].type().dtype);
  return transposed(e, sum, parts[0], parts[1]);
}

Node* expand_binary(const Expansion& e) {
  expect_operand_count(e.context, 2);
  std::vector<std::string> parts = parts_of(e);
  expect_letters(e, parts);
  std::string &left = parts[0], &right = parts[1];
  const std::string result = parts[2], right_letters = right;
  // As of dot_general, the result may have wider elements than the operands.
  const DType dtype =
      e.context.declared_results.empty() ? e.operands[0].type().dtype : e.result().dtype;
  const Value lhs = summed(e, e.operands[0], left, result + right_letters, dtype);
  const Value rhs = summed(e, e.operands[1], right, result + left, dtype);
  I64s lhs_batch, rhs_batch, lhs_contract, rhs_contract;
  std::string order, left_free, right_free;
  for (std::size_t d = 0; d < left.size(); ++d) {
    const std::size_t other = right.find(left[d]);
    if (other == std::string::npos) {
      left_free += left[d];
      continue;
    }
    const bool is_batch = has(result, left[d]);
    (is_batch ? lhs_batch : lhs_contract).push_back(std::int64_t(d));
    (is_batch ? rhs_batch : rhs_contract).push_back(std::int64_t(other));
    if (is_batch) order += left[d];
  }
  for (const char c : right)
    if (!has(left, c)) right_free += c;
  order += left_free + right_free;
  Type product{.dtype = dtype, .dims = {}};
  for (const char c : order) {
    const std::size_t d = left.find(c);
    product.dims.push_back(d == std::string::npos ? rhs.type().dims[right.find(c)]
                                                  : lhs.type().dims[d]);
  }
  const Value products = e.value("stablehlo.dot_general", {lhs, rhs},
                                 {{"lhs_batching_dimensions", lhs_batch},
                                  {"rhs_batching_dimensions", rhs_batch},
                                  {"lhs_contracting_dimensions", lhs_contract},
                                  {"rhs_contracting_dimensions", rhs_contract}},
                                 {product});
  return transposed(e, products, order, result);
}

void add(OpRegistry& registry, const char* name, const char* doc, const char* sample,
         ExpandFn expand) {
  OpDef op;
  op.name = name;
  op.doc = doc;
  op.attrs = {AttrSpec{.name = "einsum_config", .kind = AttrKind::text}};
  op.samples = {sample};
  add_expansion(registry, std::move(op), expand);
}

}  // namespace

void register_einsum(OpRegistry& registry) {
  add(registry, "stablehlo.einsum",
      "Products of two operands, summed over dimensions whose letter the result lacks.",
      R"(func.func @main(%a: tensor<2x3x4xf32>, %b: tensor<4x5x2xf32>) -> (tensor<5x2x3xf32>, tensor<4xf32>) {
  %0 = stablehlo.einsum %a, %b, config = "abc,cda->dab" : (tensor<2x3x4xf32>, tensor<4x5x2xf32>) -> tensor<5x2x3xf32>
  %1 = stablehlo.einsum %a, %b, config = "abc,cde->c" : (tensor<2x3x4xf32>, tensor<4x5x2xf32>) -> tensor<4xf32>
  return %0, %1 : tensor<5x2x3xf32>, tensor<4xf32>
})",
      expand_binary);
  add(registry, "stablehlo.unary_einsum",
      "The operand summed over dimensions whose letter the result lacks, and transposed.",
      R"(func.func @main(%a: tensor<2x3x4xf32>) -> (tensor<4x2xf32>, tensor<f32>) {
  %0 = stablehlo.unary_einsum %a, config = "abc->ca" : (tensor<2x3x4xf32>) -> tensor<4x2xf32>
  %1 = stablehlo.unary_einsum %a, config = "abc->" : (tensor<2x3x4xf32>) -> tensor<f32>
  return %0, %1 : tensor<4x2xf32>, tensor<f32>
})",
      expand_unary);
}

}  // namespace partita::ir::ops
