// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Products for which there are fast kernels and libraries, in the place of others: of small floats, which are summed in f32 and
// rounded once, with operands converted once each; of integers whose sums floats hold exactly; of complex numbers as
// four of their parts.  Kernels for GPUs read such operands as they are.
#include <limits>

#include "ir/core/contraction.hpp"
#include "partita/base/parse.hpp"
#include "partita/ir/maker.hpp"
#include "partita/ir/op.hpp"
#include "partita/ir/window.hpp"
#include "partita/passes/pass.hpp"

namespace partita::passes::transforms {
namespace {

using ir::Node;
using ir::Value;

/// Multiply-adds from which converting operands beforehand pays.
constexpr std::int64_t worth_widening = 4096;

bool is_widened(const Node& node) {
  if (!node.is("stablehlo.dot_general") || node.attrs.find("algorithm") != nullptr) return false;
  const DType result = node.result_types()[0].dtype;
  for (const Value& v : node.operands())
    if (!is_small_float(v.type().dtype)) return false;
  if (!is_small_float(result) && result != DType::f32) return false;
  const ir::ContractionShape s = contraction_shape(node);
  // Short sums are rounded term by term.
  return s.k > few_terms && s.batch * s.m * s.n * s.k >= worth_widening;
}

/// Multiply-adds from which four products of parts pay.
constexpr std::int64_t worth_parts = 32768;

bool is_in_parts(const Node& node) {
  if (!node.is("stablehlo.dot_general") || node.attrs.find("algorithm") != nullptr) return false;
  const DType result = node.result_types()[0].dtype;
  if (!is_complex(result)) return false;
  for (const Value& v : node.operands())
    if (v.type().dtype != result) return false;
  const ir::ContractionShape s = contraction_shape(node);
  return s.batch * s.m * s.n * s.k >= worth_parts;
}

Value product_of_parts(const ir::Maker& make, const Node& node) {
  const Type& type = node.result_types()[0];
  const Type part{.dtype = info(type.dtype).part, .dims = type.dims};
  const auto product = [&](std::string_view a, std::string_view b) {
    return make.typed("stablehlo.dot_general",
                      {make.op(a, {node.operand(0)}), make.op(b, {node.operand(1)})}, part,
                      node.attrs);
  };
  constexpr std::string_view real = "stablehlo.real", imaginary = "stablehlo.imag";
  return make.op(
      "stablehlo.complex",
      {make.op("stablehlo.subtract", {product(real, real), product(imaginary, imaginary)}),
       make.op("stablehlo.add", {product(real, imaginary), product(imaginary, real)})});
}

/// Terms of a sum and multiply-adds of all sums, of a product or a convolution.
struct Size {
  std::int64_t terms = 0, multiply_adds = 0;
};
Size size_of(const Node& node) {
  const std::int64_t sums = node.result_types()[0].count();
  if (node.is("stablehlo.dot_general")) {
    const std::int64_t terms = contraction_shape(node).k;
    return {terms, terms * sums};
  }
  const ir::Convolution c(node.operand(0).type(), node.operand(1).type(), node.attrs);
  const std::int64_t terms = ir::element_count(c.window) * c.input;
  return {terms, terms * sums};
}

/// The float in which all sums of a product of integers are exact; nothing where none is, or where it is too small to pay.
std::optional<DType> exact_float(const Node& node) {
  if (!node.is("stablehlo.dot_general") && !node.is("stablehlo.convolution")) return std::nullopt;
  if (node.attrs.find("algorithm") != nullptr || !is_integer(node.result_types()[0].dtype))
    return std::nullopt;
  int bits = 0;  // of a term, without its sign
  for (const Value& v : node.operands()) {
    const DType d = v.type().dtype;
    if (!is_integer(d)) return std::nullopt;
    bits += info(d).bits - (info(d).kind == Kinds::signed_ ? 1 : 0);
  }
  const Size size = size_of(node);
  if (size.multiply_adds < worth_widening) return std::nullopt;
  const auto holds = [&](int exact) {
    return bits <= exact && size.terms <= std::int64_t(1) << (exact - bits);
  };
  constexpr int exact_f32 = 24, exact_f64 = 53;
  if (holds(exact_f32)) return DType::f32;
  if (holds(exact_f64)) return DType::f64;
  return std::nullopt;
}

/// With operands converted to `wide`; the sum in it.
Value widened(const ir::Maker& make, const Node& node, DType wide) {
  std::vector<Value> operands;
  for (const Value& v : node.operands()) operands.push_back(make.convert(v, wide));
  return make.typed(node.name(), std::move(operands),
                    {.dtype = wide, .dims = node.result_types()[0].dims}, node.attrs);
}

/// Multiply-adds from which three products of halves take less time than vectors of integers do (docs/contractions.md),
/// where the sums have several terms each.
constexpr std::int64_t worth_halves = std::int64_t(1) << 29;

/// Whether it is one of integers of 32 bits whose halves' sums f64 holds: two terms of 32 bits each.
bool is_in_halves(const Node& node, std::int64_t least) {
  const DType d = node.result_types()[0].dtype;
  if ((d != DType::i32 && d != DType::ui32) || node.attrs.find("algorithm") != nullptr)
    return false;
  for (const Value& v : node.operands())
    if (v.type().dtype != d) return false;
  const Size size = size_of(node);
  constexpr std::int64_t fewest = 16, most = std::int64_t(1) << 20;
  return size.multiply_adds >= least && fewest <= size.terms && size.terms <= most;
}

/// l r + (h r' + l h') 2^16, with the low halves l and r' of the operands; the product of the high ones has no bits left.
Value product_of_halves(const ir::Maker& make, const Node& node) {
  struct Halves {
    Value low, high;
  };
  const DType d = node.result_types()[0].dtype;
  const auto all = [&](const Value& like, double x) { return make.splat(like.type(), x); };
  const auto halves = [&](const Value& v) {
    const Value high = make.op(
        d == DType::i32 ? "stablehlo.shift_right_arithmetic" : "stablehlo.shift_right_logical",
        {v, all(v, 16)});
    return Halves{make.convert(make.op("stablehlo.and", {v, all(v, 0xFFFF)}), DType::f64),
                  make.convert(high, DType::f64)};
  };
  const Halves a = halves(node.operand(0)), b = halves(node.operand(1));
  const Type wide{.dtype = DType::f64, .dims = node.result_types()[0].dims};
  const auto product = [&](const Value& x, const Value& y) {
    return make.typed(node.name(), {x, y}, wide, node.attrs);
  };
  const auto low_bits = [&](const Value& sum) {
    return make.convert(make.convert(sum, DType::i64), d);
  };
  const Value middle =
      low_bits(make.op("stablehlo.add", {product(a.high, b.low), product(a.low, b.high)}));
  return make.op("stablehlo.add", {low_bits(product(a.low, b.low)),
                                   make.op("stablehlo.shift_left", {middle, all(middle, 16)})});
}

/// What a node becomes; nothing where it stays.  `halves`: see worth_halves.
std::optional<Value> replacement(Node& node, std::int64_t halves) {
  const ir::Maker make{*node.graph(), &node};
  const DType result = node.result_types()[0].dtype;
  if (is_widened(node)) return make.convert(widened(make, node, DType::f32), result);
  if (is_in_parts(node)) return product_of_parts(make, node);
  if (const auto wide = exact_float(node)) {
    // The low bits of the sum, which an integer between holds.
    const DType between = *wide == DType::f32 ? DType::i32 : DType::i64;
    return make.convert(make.convert(widened(make, node, *wide), between), result);
  }
  if (is_in_halves(node, halves)) return product_of_halves(make, node);
  return std::nullopt;
}

void run(ir::Module& module, PassContext& context) {
  const auto option = context.options.find("worth-halves");
  const std::int64_t halves = option == context.options.end()
                                  ? worth_halves
                                  : parse_number(option->second, "widen-products: worth-halves",
                                                 std::numeric_limits<std::int64_t>::max());
  if (context.target.device_class == DeviceClass::simt) return;
  for (const auto& f : module.functions) {
    std::vector<Node*> nodes;
    ir::walk(*f->body, [&](Node& node) {
      if (node.is("stablehlo.dot_general") || node.is("stablehlo.convolution"))
        nodes.push_back(&node);
    });
    bool changed = false;
    for (Node* node : nodes) {
      const std::optional<Value> value = replacement(*node, halves);
      if (!value) continue;
      f->body->replace_uses({{node->result(), *value}});
      changed = true;
    }
    if (changed) ir::remove_dead_nodes(*f->body);
  }
}

}  // namespace

PassInfo pass_widen_products();
PassInfo pass_widen_products() {
  return {
      .name = "widen-products",
      .doc =
          "Writes products of small floats as products of f32, rounded once, those of integers as "
          "products of floats that hold all sums exactly (of 32 bits by halves, from "
          "`worth-halves` multiply-adds on), and those of complex numbers as four of their parts, "
          "but not for GPUs.",
      .needs = Stage::parsed,
      .gives = Stage::parsed,
      .idempotent = true,
      .options = {"worth-halves"},
      .run = run};
}

}  // namespace partita::passes::transforms
