// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "ir/autodiff/row_derivative.hpp"

#include <charconv>
#include <optional>

#include "partita/base/error.hpp"
#include "partita/ir/maker.hpp"
#include "partita/ir/op.hpp"
#include "partita/scalar/elementwise.hpp"
#include "scalar/c_text.hpp"

namespace partita::ir {
namespace {

/// Entry k of a gradient column.
std::string_view gradient_entry(const ElementwiseRow& row, std::size_t k) {
  std::string_view rest = row.gradient;
  const char* begin = rest.data();
  int depth = 0;
  std::size_t entry = 0;
  const auto trimmed = [&](const char* end) {
    std::string_view text(begin, std::size_t(end - begin));
    while (text.starts_with(' ')) text.remove_prefix(1);
    while (text.ends_with(' ')) text.remove_suffix(1);
    return text;
  };
  for (CToken t = next_token(rest); t.kind != CToken::end; t = next_token(rest)) {
    if (t.text == "(") ++depth;
    if (t.text == ")") --depth;
    if (t.text != "," || depth > 0) continue;
    if (entry++ == k) return trimmed(t.text.data());
    begin = t.text.data() + 1;
  }
  PARTITA_ASSERT(entry == k);
  return trimmed(row.gradient.data() + row.gradient.size());
}

/// Makes the ops of a gradient expression: operators, K(c), rows, and g, out, x, y, z.
class RowExpression {
 public:
  RowExpression(const DerivativeContext& c, const ElementwiseRow& row, Value g)
      : c_(c), row_(row), g_(g), dims_(c.node.result_types()[0].dims) {}

  Value make(std::string_view text) {
    rest_ = text;
    advance();
    const Term term = comparison();
    PARTITA_ASSERT(token_.kind == CToken::end);
    return term.value ? term.value : c_.splat(g_.type(), term.literal);
  }

 private:
  /// A value, or a literal that takes its type from what it stands beside.
  struct Term {
    Value value;
    double literal = 0;
  };

  void advance() {
    do token_ = next_token(rest_);
    while (token_.kind == CToken::space);
  }
  bool accept(std::string_view text) {
    if (token_.text != text) return false;
    advance();
    return true;
  }
  void expect(std::string_view text) {
    if (!accept(text))
      throw_internal_error(
          cat("the gradient of ", row_.name, ": expected '", text, "', found '", token_.text, "'"));
  }

  Value as(const Term& term, const Type& type) const {
    return term.value ? term.value : c_.splat(type, term.literal);
  }

  Term comparison() {
    Term left = sum();
    for (const auto& [sign, direction] : {std::pair{"<", "LT"}, std::pair{">", "GT"}}) {
      if (!accept(sign)) continue;
      const Term right = sum();
      const Type type = (left.value ? left : right).value.type();
      return {c_.compare(direction, as(left, type), as(right, type))};
    }
    return left;
  }

  Term binary(char sign, const Term& a, const Term& b) const {
    if (!a.value && !b.value) {
      const double x = a.literal, y = b.literal;
      return {{}, sign == '+' ? x + y : sign == '-' ? x - y : sign == '*' ? x * y : x / y};
    }
    const Type type = (a.value ? a : b).value.type();
    const char* op = sign == '+'   ? "stablehlo.add"
                     : sign == '-' ? "stablehlo.subtract"
                     : sign == '*' ? "stablehlo.multiply"
                                   : "stablehlo.divide";
    return {c_.op(op, {as(a, type), as(b, type)})};
  }

  Term sum() {
    Term left = product();
    while (token_.text == "+" || token_.text == "-") {
      const char sign = token_.text[0];
      advance();
      left = binary(sign, left, product());
    }
    return left;
  }

  Term product() {
    Term left = factor();
    while (token_.text == "*" || token_.text == "/") {
      const char sign = token_.text[0];
      advance();
      left = binary(sign, left, factor());
    }
    return left;
  }

  Term factor() {
    if (accept("-")) {
      const Term term = factor();
      return term.value ? Term{c_.negate(term.value)} : Term{{}, -term.literal};
    }
    if (accept("(")) {
      const Term term = comparison();
      expect(")");
      return term;
    }
    if (token_.kind == CToken::number) {
      double number = 0;
      std::from_chars(token_.text.data(), token_.text.data() + token_.text.size(), number);
      advance();
      return {{}, number};
    }
    PARTITA_ASSERT(token_.kind == CToken::identifier);
    const std::string_view name = token_.text;
    advance();
    return accept("(") ? call(name) : Term{variable(name)};
  }

  Value variable(std::string_view name) const {
    if (name == "g") return g_;
    if (name == "out") return c_.node.result();
    PARTITA_ASSERT(name.size() == 1);
    const auto k = std::size_t(name[0] - 'x');
    const Value v = c_.node.operand(k);
    const bool is_predicate = row_.signature == Signature::choice && k == 0;
    return is_predicate ? v : c_.broadcast(v, dims_, I64s{});
  }

  Term call(std::string_view name) {
    std::vector<Term> arguments;
    do arguments.push_back(comparison());
    while (accept(","));
    expect(")");
    if (name == "K") return arguments[0];
    const ElementwiseRow& row = elementwise_row(name);
    Type type = g_.type();  // of literals beside nothing but a predicate
    for (const Term& t : arguments)
      if (t.value && (t.value.type().dtype != DType::i1 || arguments.size() == 1))
        type = t.value.type();
    Values values;
    for (const Term& t : arguments) values.push_back(as(t, type));
    return {c_.op(row.op, values, row_attributes(row))};
  }

  const DerivativeContext& c_;
  const ElementwiseRow& row_;
  Value g_;
  const Dims& dims_;
  std::string_view rest_;
  CToken token_{CToken::end, {}};
};

const ElementwiseRow& row_for(const DerivativeContext& c) {
  const ElementwiseRow* row = row_of(c.node);
  if (row == nullptr) c.refuse("it has no row");
  return *row;
}

/// Whether a value is one number everywhere.
bool is_splat(Value v) {
  while (v.node->is("stablehlo.broadcast_in_dim") || v.node->is("stablehlo.reshape") ||
         v.node->is("stablehlo.convert"))
    v = v.node->operand(0);
  return v.node->is("stablehlo.constant") &&
         (*v.node->attrs.find("value")->get_if<DenseRef>())->is_splat();
}

/// An extremum with one number is a rectifier, which is flat at the number itself: then its result says
/// all, and what it was taken of need not be kept.
std::string_view rectifier_entry(const ElementwiseRow& row, const Node& node, std::size_t k) {
  const bool is_maximum = row.name == "maximum";
  if ((!is_maximum && row.name != "minimum") || !is_splat(node.operand(1 - k))) return {};
  if (k == 0) return is_maximum ? "select(out > y, g, K(0))" : "select(out < y, g, K(0))";
  return is_maximum ? "select(out > x, g, K(0))" : "select(out < x, g, K(0))";
}

/// What `g` contributes to operand k; absent where the derivative is zero.
Value contribution(const DerivativeContext& c, std::size_t k, Value g) {
  const ElementwiseRow& row = row_for(c);
  const std::string_view rectifier = rectifier_entry(row, c.node, k);
  const std::string_view text = rectifier.empty() ? gradient_entry(row, k) : rectifier;
  if (text == "none") return {};
  if (text == "unknown") c.refuse(cat("no op computes it with respect to operand ", k));
  return RowExpression(c, row, g).make(text);
}

Values row_vjp(DerivativeContext& c, const Values& cotangents) {
  Values results(c.node.operands().size());
  for (std::size_t k = 0; k < results.size(); ++k) {
    if (!c.wanted(k)) continue;
    Value v = contribution(c, k, cotangents[0]);
    if (!v) continue;
    const Type& type = c.node.operand(k).type();
    if (is_complex(v.type().dtype) && !is_complex(type.dtype)) v = c.op("stablehlo.real", {v});
    if (type.dims != v.type().dims) {
      I64s all;
      for (std::int64_t d = 0; d < v.type().rank(); ++d) all.push_back(d);
      v = c.sum(v, all);
    }
    results[k] = v;
  }
  return results;
}

/// Whether tangents go through the expressions that cotangents go through.
bool is_symmetric(const ElementwiseRow& row) {
  if (row.signature == Signature::part || row.signature == Signature::compose) return false;
  for (const std::string_view part : {"real", "imag", "complex("})
    if (row.gradient.find(part) != std::string_view::npos) return false;
  return true;
}

Values row_jvp(DerivativeContext& c, const Values& tangents) {
  const ElementwiseRow& row = row_for(c);
  if (!is_symmetric(row)) return transposed_jvp(c, tangents);
  Value total;
  for (std::size_t k = 0; k < tangents.size(); ++k) {
    if (!tangents[k]) continue;
    const Value t = c.broadcast(tangents[k], c.node.result_types()[0].dims, I64s{});
    total = c.add(total, contribution(c, k, t));
  }
  return {total};
}

}  // namespace

Derivative row_derivative() { return Derivative::rules(row_jvp, row_vjp); }

bool row_is_flat(const Node& node, std::size_t k) {
  const ElementwiseRow* row =
      node.op().derivative.exists() && node.regions().empty() ? row_of(node) : nullptr;
  return row != nullptr && gradient_entry(*row, k) == "none";
}

}  // namespace partita::ir
