// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "partita/builder/array.hpp"

#include <cstring>

#include "frontend/builder/scope.hpp"
#include "partita/base/error.hpp"
#include "partita/builder/ops.hpp"
#include "partita/ir/maker.hpp"
#include "partita/ir/op.hpp"
#include "partita/scalar/elementwise.hpp"

namespace partita::build {
namespace {

std::string dims_text(const Dims& dims) {
  std::string text = "[";
  for (const std::int64_t d : dims) text += cat(text.size() == 1 ? "" : ",", d);
  return text + "]";
}

/// The shape that all operands broadcast to.
Dims common_dims(std::string_view function, const Arrays& operands) {
  Dims dims;
  for (const Array& a : operands) {
    if (a.is_literal()) continue;
    const Dims& other = a.dims();
    if (other.size() > dims.size()) dims.insert(dims.begin(), other.size() - dims.size(), 1);
    for (std::size_t k = 0; k < other.size(); ++k) {
      std::int64_t& extent = dims[dims.size() - other.size() + k];
      if (extent != other[k] && extent != 1 && other[k] != 1)
        refuse(function, cat("a shape that broadcasts to ", dims_text(dims)), dims_text(other));
      if (extent == 1) extent = other[k];
    }
  }
  return dims;
}

/// The element type of the row, from operand `main` on (choices have a predicate first).
DType common_dtype(const Arrays& operands, std::size_t main) {
  for (std::size_t k = main; k < operands.size(); ++k)
    if (!operands[k].is_literal()) return operands[k].dtype();
  return DType::f32;
}

}  // namespace

HostArray Literal::as(DType dtype) const {
  if (kind_ == Kind::real) {
    HostArray one(Type::scalar(DType::f64));
    *one.data<DType::f64>() = real_;
    return convert(one, dtype);
  }
  const bool is_negative = kind_ == Kind::negative;
  HostArray one(Type::scalar(is_negative ? DType::i64 : DType::ui64));
  std::memcpy(one.bytes.data(), &integer_, sizeof integer_);
  HostArray result = convert(one, dtype);
  const bool is_unsigned = info(dtype).kind == Kinds::unsigned_;
  const bool is_wrapped = is_unsigned ? is_negative : integer_ > INT64_MAX && !is_negative;
  if (is_integer(dtype) && (is_wrapped || convert(result, one.type.dtype).bytes != one.bytes))
    refuse("builder", cat("an integer that ", to_string(dtype), " holds"),
           is_negative ? cat(std::int64_t(integer_)) : cat(integer_));
  return result;
}

const Type& Array::type() const {
  if (is_literal()) refuse("builder", "an array", "a literal without a type");
  return value_.type();
}

std::int64_t Array::dim(std::int64_t d) const {
  const std::int64_t at = d < 0 ? d + rank() : d;
  if (at < 0 || at >= rank()) refuse("dim", cat("a dimension below ", rank()), cat(d));
  return dims()[std::size_t(at)];
}

ir::Value Array::value() const {
  if (is_literal()) return full(Type::scalar(DType::f32), literal_).value();
  return Scope::current().see(body_, value_);
}

Arrays op(std::string_view name, const Arrays& operands, ir::Dict attrs,
          std::span<const Type> results) {
  Scope& scope = Scope::current();
  return results_of(
      *ir::create(scope.graph(), name, as_values(operands), std::move(attrs), {}, results));
}

Array elementwise(std::string_view row_name, const Arrays& operands) {
  const scalar::ElementwiseRow& row = scalar::elementwise_row(row_name);
  const std::size_t main = row.signature == scalar::Signature::choice ? 1 : 0;
  const DType dtype = common_dtype(operands, main);
  const Dims dims = common_dims(row_name, operands);
  Arrays same;
  for (std::size_t k = 0; k < operands.size(); ++k) {
    const Type type{.dtype = scalar::operand_dtype(row.signature, dtype, int(k)), .dims = dims};
    const Array& a = operands[k];
    same.push_back(a.is_literal() ? full(type, a.literal()) : broadcast_to(a, dims));
  }
  return op(row.op, same, ir::row_attributes(row))[0];
}

Array constant(const HostArray& array) {
  return as_array(Scope::current().maker().constant(ir::make_dense(array)));
}

Array full(const Type& type, const Literal& value) {
  const auto splat = std::make_shared<const ir::Dense>(type, value.as(type.dtype).bytes, true);
  return as_array(Scope::current().maker().constant(splat));
}

Array full_like(const Array& array, const Literal& value) { return full(array.type(), value); }

Array iota(const Type& type, std::int64_t dimension) {
  return as_array(Scope::current().maker().iota(type, dimension));
}

Array operator+(const Array& a, const Array& b) { return elementwise("add", {a, b}); }
Array operator-(const Array& a, const Array& b) { return elementwise("subtract", {a, b}); }
Array operator*(const Array& a, const Array& b) { return elementwise("multiply", {a, b}); }
Array operator/(const Array& a, const Array& b) { return elementwise("divide", {a, b}); }
Array operator-(const Array& a) { return elementwise("negate", {a}); }
Array operator<(const Array& a, const Array& b) { return elementwise("compare_lt", {a, b}); }
Array operator<=(const Array& a, const Array& b) { return elementwise("compare_le", {a, b}); }
Array operator>(const Array& a, const Array& b) { return elementwise("compare_gt", {a, b}); }
Array operator>=(const Array& a, const Array& b) { return elementwise("compare_ge", {a, b}); }
Array equal(const Array& a, const Array& b) { return elementwise("compare_eq", {a, b}); }
Array not_equal(const Array& a, const Array& b) { return elementwise("compare_ne", {a, b}); }
Array where(const Array& condition, const Array& a, const Array& b) {
  return elementwise("select", {condition, a, b});
}

}  // namespace partita::build
