// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "passes/transforms/form_attention/row_algebra.hpp"

#include <algorithm>
#include <cmath>

#include "ir/interpreter/constants.hpp"
#include "partita/ir/op.hpp"
#include "partita/ir/reduction.hpp"

namespace partita::passes::transforms {
namespace {

using Monomial = RowAlgebra::Monomial;
using Polynomial = RowAlgebra::Polynomial;
using Maybe = std::optional<Polynomial>;

enum Symbol : std::uint8_t { weights, cotangents, sums, dots };

Polynomial number(double x) { return x == 0 ? Polynomial{} : Polynomial{{Monomial{}, x}}; }

bool is_zero(const Maybe& p) { return p && p->empty(); }

Polynomial sum(Polynomial a, const Polynomial& b, double factor) {
  for (const auto& [m, c] : b) {
    double& coefficient = a[m];
    coefficient += factor * c;
    if (coefficient == 0) a.erase(m);
  }
  return a;
}

/// a times b^power, of which b is one term where the power is -1.
Polynomial product(const Polynomial& a, const Polynomial& b, int power) {
  Polynomial all;
  for (const auto& [m, c] : a)
    for (const auto& [n, d] : b) {
      Monomial at = m;
      for (std::size_t k = 0; k < at.size(); ++k) at[k] += power * n[k];
      all = sum(std::move(all), {{at, power > 0 ? c * d : c / d}}, 1);
    }
  return all;
}

}  // namespace

RowAlgebra::RowAlgebra(const Softmax& softmax, const Value& cotangents,
                       const std::set<Value>& interior)
    : softmax_(softmax), interior_(interior) {
  known_[softmax.exponentials] = Polynomial{{Monomial{1, 0, 1, 0}, 1}};
  known_[softmax.sums] = Polynomial{{Monomial{0, 0, 1, 0}, 1}};
  known_[cotangents] = Polynomial{{Monomial{0, 1, 0, 0}, 1}};
}

const std::optional<Polynomial>& RowAlgebra::of(const Value& v) {
  const auto it = known_.find(v);
  if (it != known_.end()) return it->second;
  Maybe found = compute(v);
  return known_[v] = std::move(found);
}

bool RowAlgebra::is_weights(const Value& v) {
  return of(v) == Polynomial{{Monomial{1, 0, 0, 0}, 1}};
}

std::optional<double> RowAlgebra::gradient_factor(const Value& v) {
  const Maybe& p = of(v);
  if (is_zero(p)) return 0;
  if (!p || p->size() != 2) return std::nullopt;
  const auto first = p->find({1, 1, 0, 0}), second = p->find({1, 0, 0, 1});
  if (first == p->end() || second == p->end() || first->second != -second->second)
    return std::nullopt;
  return first->second;
}

Maybe RowAlgebra::compute(const Value& v) {
  const Node& node = *v.node;
  if (const ir::DenseRef splat = ir::splat_of(v); splat && is_float(v.type().dtype)) {
    const double x = convert(splat->to_array(), DType::f64).data<DType::f64>()[0];
    return std::isfinite(x) ? Maybe(number(x)) : std::nullopt;
  }
  if (!interior_.contains(v)) return std::nullopt;
  if (node.is("stablehlo.convert") || keeps_proper_dims(node)) return of(node.operand(0));
  if (node.is("stablehlo.broadcast_in_dim")) {
    const I64s at = spread_places(node);
    const Dims from = proper_dims(node.operand(0)), to = proper_dims(v);
    I64s rows_at = softmax_.batch;
    rows_at.insert(rows_at.end(), softmax_.rows.begin(), softmax_.rows.end());
    std::ranges::sort(rows_at);
    const bool is_row = to == softmax_.dims && from == softmax_.row_dims && at == rows_at;
    if (is_row || (from == to && std::ranges::is_sorted(at))) return of(node.operand(0));
    return std::nullopt;
  }
  if (node.is("stablehlo.reduce")) return reduced(node);
  if (node.op().elements == ir::Elements::elementwise) return elementwise(node);
  return std::nullopt;
}

Maybe RowAlgebra::elementwise(const Node& node) {
  const auto operand = [&](std::size_t k) -> const Maybe& { return of(node.operand(k)); };
  if (node.is("stablehlo.negate"))
    return operand(0) ? Maybe(product(*operand(0), number(-1), 1)) : std::nullopt;
  if (node.is("stablehlo.select"))
    return operand(1) && operand(1) == operand(2) ? operand(1) : std::nullopt;
  const bool multiplies = node.is("stablehlo.multiply"), divides = node.is("stablehlo.divide");
  if ((multiplies || divides) && is_zero(operand(0))) return Polynomial{};
  if (multiplies && is_zero(operand(1))) return Polynomial{};
  if (node.operands().size() != 2 || !operand(0) || !operand(1)) return std::nullopt;
  const Polynomial &a = *operand(0), &b = *operand(1);
  if (node.is("stablehlo.add")) return sum(a, b, 1);
  if (node.is("stablehlo.subtract")) return sum(a, b, -1);
  if (multiplies) return product(a, b, 1);
  if (divides && b.size() == 1) return product(a, b, -1);
  return std::nullopt;
}

Maybe RowAlgebra::reduced(const Node& node) {
  if (node.result_count() != 1 || ir::simple_combiner(node.region(0)) != Combiner::sum ||
      !ir::starts_from_identity(node, Combiner::sum))
    return std::nullopt;
  const Value v = node.operand(0);
  I64s along = proper_places(v.type().dims, node.attrs.i64s("dimensions"));
  std::ranges::sort(along);
  const Maybe& all = of(v);
  if (!all || along.empty()) return all;
  if (proper_dims(v) != softmax_.dims || along != softmax_.columns) return std::nullopt;
  Polynomial rows;
  for (const auto& [term, c] : *all) {
    Monomial m = term;
    // Weights add up to 1, weighted cotangents to the dot; of the others nothing is known.
    if (m[weights] != 1 || m[cotangents] < 0 || m[cotangents] > 1) return std::nullopt;
    m[dots] += m[cotangents];
    m[weights] = m[cotangents] = 0;
    rows = sum(std::move(rows), {{m, c}}, 1);
  }
  return rows;
}

}  // namespace partita::passes::transforms
