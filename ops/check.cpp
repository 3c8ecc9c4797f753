// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// The check dialect of StableHLO's own tests: compares values and records what differs.  In all
// comparisons NaN equals NaN; expect_eq compares numbers otherwise as == does, so -0 equals +0.
// Each is also a target of stablehlo.custom_call, as programs have it that know no check dialect.
#include <array>
#include <cmath>
#include <complex>

#include "ops/support/custom_call.hpp"
#include "ops/support/support.hpp"
#include "partita/ir/interpreter.hpp"
#include "partita/scalar/elementwise.hpp"

namespace partita::ir::ops {
namespace {

/// |actual - expected| <= absolute + relative * |expected|
struct Tolerance {
  double absolute = 0, relative = 0;
};

/// What "almost" means unless the node says it: StableHLO's 1e-4 (1e-3 for custom calls), and for
/// large values what the precision of the type allows.
Tolerance default_tolerance(DType d, bool is_custom_call) {
  const double absolute = is_custom_call ? 1e-3 : 1e-4, relative = relative_tolerance(d);
  return {has_few_exponents(d) ? std::max(absolute, relative) : absolute, relative};
}

template <class T>
bool equal(T a, T b) {
  if constexpr (std::is_floating_point_v<T>)
    return a == b || (std::isnan(a) && std::isnan(b));
  else
    return a == b;
}
template <class T>
bool equal(std::complex<T> a, std::complex<T> b) {
  return equal(a.real(), b.real()) && equal(a.imag(), b.imag());
}

template <class T>
bool close(T a, T b, const Tolerance& t) {
  if (equal(a, b)) return true;
  if constexpr (std::is_floating_point_v<T>)
    return std::isfinite(a) && std::isfinite(b) &&
           std::fabs(double(a) - double(b)) <= t.absolute + t.relative * std::fabs(double(b));
  else
    return false;
}
template <class T>
bool close(std::complex<T> a, std::complex<T> b, const Tolerance& t) {
  return close(a.real(), b.real(), t) && close(a.imag(), b.imag(), t);
}

/// Position among the representable values of d; -0 and +0 share one.
template <DType d>
std::int64_t position(StorageType<d> stored) {
  const std::uint64_t bits = std::bit_cast<StorageType<info(bits_dtype(d)).stored>>(stored);
  const auto magnitude = std::int64_t(bits & info(d).format.magnitude_mask());
  return (bits & info(d).format.sign_mask()) != 0 ? -magnitude : magnitude;
}

std::uint64_t ulp_distance(std::int64_t a, std::int64_t b) {
  return a > b ? std::uint64_t(a) - std::uint64_t(b) : std::uint64_t(b) - std::uint64_t(a);
}

struct UlpRange {
  std::uint64_t low, high;
};

template <DType d>
bool within_ulps(StorageType<d> a, StorageType<d> b, const UlpRange& range) {
  if constexpr (info(d).kind == Kinds::complex) {
    constexpr DType part = part_dtype(d);
    return within_ulps<part>(a.real(), b.real(), range) &&
           within_ulps<part>(a.imag(), b.imag(), range);
  } else if constexpr (info(d).kind == Kinds::floating) {
    const double x = double(load<d>(&a, 0)), y = double(load<d>(&b, 0));
    if (std::isnan(x) || std::isnan(y)) return std::isnan(x) && std::isnan(y);
    if (std::isinf(x) || std::isinf(y)) return x == y;
    const std::uint64_t distance = ulp_distance(position<d>(a), position<d>(b));
    return distance >= range.low && distance <= range.high;
  } else {
    return equal(a, b);
  }
}

template <DType d>
std::string element_text(StorageType<d> stored) {
  std::ostringstream out;
  out.precision(17);
  const auto value = load<d>(&stored, 0);
  if constexpr (sizeof(value) == 1 && std::is_integral_v<decltype(value)>)
    out << int(value);
  else
    out << value;
  return std::move(out).str();
}

std::string index_text(std::int64_t linear, const Dims& dims) {
  I64s index(dims.size());
  for (std::size_t d = dims.size(); d-- > 0;) {
    index[d] = linear % dims[d];
    linear /= dims[d];
  }
  return to_text(index);
}

/// Records the first element for which `agree` does not hold, and how many there are.
template <class Agree>
void compare(const EvalContext& c, const HostArray& actual, const HostArray& expected,
             Agree agree) {
  visit(actual.type.dtype, [&](auto d) {
    const auto *a = actual.data<d>(), *b = expected.data<d>();
    std::int64_t wrong = 0;
    std::string first;
    for (std::int64_t i = 0; i < actual.type.count(); ++i) {
      if (agree(d, a[i], b[i])) continue;
      if (wrong++ == 0)
        first = cat("expected ", element_text<d>(b[i]), " at ", index_text(i, actual.type.dims),
                    ", found ", element_text<d>(a[i]));
    }
    if (wrong == 0) return;
    if (wrong > 1) first += cat(" (", wrong, " of ", actual.type.count(), " elements differ)");
    c.interpreter.check_failures.push_back(
        Error(ErrorKind::user, cat(c.node.op().name, ": ", first), c.node.location())
            .located_message());
  });
}

/// Operand 1, or the attribute `value`.
HostArray expected_array(const EvalContext& c) {
  if (c.operands.size() > 1) return *c.operands[1];
  return (*c.node.attrs.find("value")->get_if<DenseRef>())->to_array();
}

std::vector<Tensor> eval_eq(const EvalContext& c) {
  compare(c, *c.operands[0], expected_array(c),
          [](auto d, auto a, auto b) { return equal(load<d>(&a, 0), load<d>(&b, 0)); });
  return {};
}

double given_tolerance(const Attribute& attribute) {
  const auto* integer = attribute.get_if<Integer>();
  return integer ? double(integer->value) : attribute.get_if<Float>()->value;
}

std::vector<Tensor> eval_almost_eq(const EvalContext& c) {
  Tolerance tolerance =
      default_tolerance(c.operands[0]->type.dtype, c.node.is("stablehlo.custom_call"));
  if (const Attribute* given = c.node.attrs.find("tolerance"))
    tolerance = {given_tolerance(*given), 0};
  compare(c, *c.operands[0], expected_array(c),
          [&](auto d, auto a, auto b) { return close(load<d>(&a, 0), load<d>(&b, 0), tolerance); });
  return {};
}

std::vector<Tensor> eval_close(const EvalContext& c) {
  const UlpRange range{.low = std::uint64_t(c.node.attrs.i64("min_ulp_difference", 0)),
                       .high = std::uint64_t(c.node.attrs.i64("max_ulp_difference", 3))};
  compare(c, *c.operands[0], expected_array(c),
          [&](auto d, auto a, auto b) { return within_ulps<d>(a, b, range); });
  return {};
}

/// check.eq: exact for integers, else as for nearly equal values; the result says so.
std::vector<Tensor> eval_call_eq(const EvalContext& c) {
  const std::size_t failures = c.interpreter.check_failures.size();
  const DType d = c.operands[0]->type.dtype;
  if (is_float(d) || is_complex(d))
    eval_almost_eq(c);
  else
    eval_eq(c);
  std::vector<Tensor> results;
  for (const Type& type : c.node.result_types()) {
    HostArray result(type);
    std::ranges::fill(result.bytes, std::byte(c.interpreter.check_failures.size() == failures));
    results.push_back(std::make_shared<const HostArray>(std::move(result)));
  }
  return results;
}

void check_tolerance(const InferContext& c) {
  const Attribute* given = c.attrs.find("tolerance");
  c.expect(!given || given->get_if<Float>() || given->get_if<Integer>(),
           "attribute 'tolerance' to be a number", "another kind of attribute");
}

std::vector<Type> infer_pair(const InferContext& c) {
  check_tolerance(c);
  expect_operand_count(c, 2);
  c.expect(c.operands[0] == c.operands[1], cat("operand 1 of type ", to_string(c.operands[0])),
           to_string(c.operands[1]));
  return {};
}

std::vector<Type> infer_constant(const InferContext& c) {
  check_tolerance(c);
  expect_operand_count(c, 1);
  const Type& value = (*c.attrs.find("value")->get_if<DenseRef>())->type();
  c.expect(c.operands[0] == value, cat("an operand of type ", to_string(value)),
           to_string(c.operands[0]));
  return {};
}

/// As `infer_pair`; results, if there are any, are booleans.
std::vector<Type> infer_call_eq(const InferContext& c) {
  infer_pair(c);
  for (const Type& type : c.declared_results)
    c.expect(type.dtype == DType::i1, "results of i1", to_string(type));
  return {c.declared_results.begin(), c.declared_results.end()};
}

/// Registers an op, and the custom call of its name.
void add(OpRegistry& registry, OpDef op) {
  op.has_side_effect = true;
  op.derivative = Derivative::none("has no result");
  OpDef call = custom_call_target(op.name, op.doc);
  call.attrs.insert(call.attrs.end(), op.attrs.begin(), op.attrs.end());
  call.infer = op.infer;
  call.eval = op.eval;
  call.has_side_effect = true;
  call.derivative = op.derivative;
  registry.add(std::move(call));
  registry.add(std::move(op));
}

OpDef check_op(std::string name, std::string doc, EvalFn eval, std::vector<AttrSpec> attrs) {
  OpDef op;
  op.name = std::move(name);
  op.doc = std::move(doc);
  const bool has_value =
      std::ranges::any_of(attrs, [](const AttrSpec& a) { return a.name == "value"; });
  op.attrs = std::move(attrs);
  op.infer = has_value ? infer_constant : infer_pair;
  op.eval = std::move(eval);
  return op;
}

}  // namespace

void register_check(OpRegistry& registry) {
  const AttrSpec value{.name = "value", .kind = AttrKind::dense};
  const AttrSpec tolerance{.name = "tolerance", .kind = AttrKind::any, .required = false};
  const AttrSpec low{.name = "min_ulp_difference", .kind = AttrKind::i64, .required = false};
  const AttrSpec high{.name = "max_ulp_difference", .kind = AttrKind::i64, .required = false};
  add(registry,
      check_op("check.expect_eq", "Checks that operand 0 equals operand 1.", eval_eq, {}));
  add(registry, check_op("check.expect_eq_const", "Checks that the operand equals a constant.",
                         eval_eq, {value}));
  add(registry, check_op("check.expect_almost_eq", "Checks that operand 0 nearly equals operand 1.",
                         eval_almost_eq, {tolerance}));
  add(registry,
      check_op("check.expect_almost_eq_const", "Checks that the operand nearly equals a constant.",
               eval_almost_eq, {value, tolerance}));
  add(registry,
      check_op("check.expect_close",
               "Checks that floats, also of complex numbers, are within max_ulp_difference "
               "(default 3) of each other.",
               eval_close, {low, high}));

  OpDef eq = custom_call_target("check.eq", "Checks equality: exact for integers, else nearly.");
  eq.infer = infer_call_eq;
  eq.eval = eval_call_eq;
  eq.has_side_effect = true;
  eq.derivative = Derivative::none("has no result");
  registry.add(std::move(eq));
}

}  // namespace partita::ir::ops
