// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Scalar expressions: what one element of a result is, as a function of its index.  Ops lower to
// them, fusion composes them, each backend prints them.  An ExprPool holds an acyclic graph in which
// equal expressions are the same node, so common subexpressions are found by construction.
//
// Two sorts of expressions: elements (a dtype) and indices (integers that address; wide enough for
// the kernel at hand).  Small floats (f16, bf16) are computed in f32 and rounded after each operation.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "partita/base/type.hpp"

namespace partita::scalar {

/// An expression of a pool.  A type of its own: `add(x, 2)` means the number, never expression 2.
enum class ExprId : std::int32_t {};
inline constexpr ExprId no_expr{-1};

enum class ExprKind : std::uint8_t {
  // Elements.
  constant,  ///< `bits`: the element's value as stored, low 64 bits (c128 does not occur as constant)
  apply,  ///< elementwise row `name` of operands; dtype: of the result; `source`: dtype the row runs in
  convert,  ///< operand 0 from `source` to dtype, as StableHLO's convert
  bitcast,  ///< operand 0's bits as dtype, same width
  choose,   ///< operand 0 (i1) ? operand 1 : operand 2, where only the chosen one is evaluated
  load,     ///< element of buffer `slot` at linear index operand 0
  load_wide,  ///< one of neighbours in buffer `slot` that are read as one, operand 0: index of the first
  load_local,  ///< element of the kernel's array `slot` at linear index operand 0
  reg,         ///< register `slot` (accumulator or element of a reduction, argument of a combiner)
  from_index,  ///< operand 0 (index) as dtype
  // Indices.
  index_constant,  ///< `bits`
  index_variable,  ///< loop variable or work-item coordinate `slot`
  index_scalar,  ///< scalar argument `slot` of the kernel (loop counter of the plan, block bounds)
  to_index,      ///< operand 0 (integer element) as an index
  index_add,
  index_sub,
  index_mul,
  index_div,
  index_mod,
  index_min,
  index_max,
  index_less,
  index_less_equal,
  index_equal,  ///< give i1 elements
};

struct Expr {
  ExprKind kind = ExprKind::constant;
  DType dtype = DType::i64;   ///< of an element; meaningless for an index
  DType source = DType::i64;  ///< see apply, convert
  std::int32_t slot = 0;
  std::uint64_t bits = 0;
  std::string_view name = {};  ///< row name (static storage), for apply
  std::vector<ExprId> operands = {};
  bool operator==(const Expr&) const = default;
};

/// Whether it is an element of a buffer.
[[nodiscard]] inline bool is_load(ExprKind kind) {
  return kind == ExprKind::load || kind == ExprKind::load_wide;
}
/// The same, or of an array of the kernel.
[[nodiscard]] inline bool is_read(ExprKind kind) {
  return is_load(kind) || kind == ExprKind::load_local;
}

/// Which of how many neighbours a load_wide is (its `bits`).
struct WideLane {
  int lane, width;
};
[[nodiscard]] inline WideLane wide_lane(const Expr& e) {
  return {.lane = int(e.bits & 0xff), .width = int(e.bits >> 8)};
}

class ExprPool {
 public:
  [[nodiscard]] const Expr& operator[](ExprId id) const { return exprs_[std::size_t(id)]; }
  [[nodiscard]] std::int32_t size() const { return std::int32_t(exprs_.size()); }

  ExprId constant(DType d, std::uint64_t bits);
  /// `value` converted to d.
  ExprId constant_of(DType d, double value);
  /// Of an element as memory holds it.
  ExprId constant_of(DType d, std::span<const std::byte> element);
  ExprId boolean(bool value) { return constant(DType::i1, value ? 1 : 0); }
  /// Row `row` (static storage: a row's name) on operands of dtype `d`; result dtype by the row.
  ExprId apply(std::string_view row, DType d, std::span<const ExprId> operands);
  ExprId apply(std::string_view row, DType d, std::initializer_list<ExprId> operands) {
    return apply(row, d, std::span(operands.begin(), operands.size()));
  }
  ExprId convert(ExprId x, DType to);
  ExprId bitcast(ExprId x, DType to);
  ExprId choose(ExprId condition, ExprId a, ExprId b);
  ExprId load(std::int32_t buffer, DType d, ExprId linear_index);
  /// `first` is a multiple of the width.
  ExprId load_wide(std::int32_t buffer, DType d, ExprId first, WideLane at);
  ExprId load_local(std::int32_t array, DType d, ExprId index);
  ExprId reg(std::int32_t slot, DType d);
  ExprId from_index(ExprId index, DType d);

  // Index arithmetic keeps sums of products with constants in one canonical form and folds with it:
  // x+0, x*1, x*0, x-x, (x*c + y)/c and (x*c + y)%c where 0 <= y < c, x/c*c + x%c, comparisons and
  // minima decided by bounds; an index with one possible value is that constant.  div and mod are of
  // non-negative numbers by a positive one.
  ExprId index(std::int64_t value);
  ExprId variable(std::int32_t slot);
  ExprId scalar(std::int32_t slot);
  ExprId to_index(ExprId element);
  /// An integer element of any dtype as an index, clamped to [low, high]; low is at most 0, high at least 0.
  ExprId to_index_within(ExprId element, std::int64_t low, std::int64_t high);
  ExprId add(ExprId a, ExprId b);
  ExprId sub(ExprId a, ExprId b);
  ExprId mul(ExprId a, ExprId b);
  ExprId mul(ExprId a, std::int64_t b) { return mul(a, index(b)); }
  ExprId add(ExprId a, std::int64_t b) { return add(a, index(b)); }
  ExprId div(ExprId a, std::int64_t b);
  ExprId mod(ExprId a, std::int64_t b);
  ExprId min(ExprId a, ExprId b);
  ExprId max(ExprId a, ExprId b);
  /// min(max(x, low), high)
  ExprId clamp(ExprId x, std::int64_t low, std::int64_t high);
  ExprId less(ExprId a, ExprId b);
  ExprId less_equal(ExprId a, ExprId b);
  ExprId equal(ExprId a, ExprId b);
  ExprId logical_and(ExprId a, ExprId b);  ///< of i1 elements; folds constants

  /// `e` as it stands, of operands that are there and of the kinds it asks for: nothing is folded.  For
  /// what another pool held.
  ExprId restore(Expr e) { return intern(std::move(e)); }

  /// Declares that index variable `slot` lies in [0, extent): lets div, mod and comparisons fold in
  /// expressions made afterwards.  Undeclared variables are non-negative.
  void set_extent(std::int32_t slot, std::int64_t extent);
  /// What was declared; `unbounded` where nothing was.
  [[nodiscard]] std::int64_t extent(std::int32_t slot) const;
  /// The same for an index scalar, bounds inclusive; undeclared ones are unbounded.
  void set_scalar_bounds(std::int32_t slot, std::int64_t low, std::int64_t high);
  /// Declares variables above 0 and scalars as another pool does.
  void declare_as(const ExprPool& other);
  /// Known bounds of an index expression, inclusive.  Unbounded is `unbounded` or its negative.
  struct Bounds {
    std::int64_t low, high;
  };
  static constexpr std::int64_t unbounded = std::int64_t(1) << 62;
  [[nodiscard]] Bounds scalar_bounds(std::int32_t slot) const;
  [[nodiscard]] Bounds bounds(ExprId id) const;
  [[nodiscard]] bool is_index_constant(ExprId id) const {
    return (*this)[id].kind == ExprKind::index_constant;
  }

 private:
  /// constant + sum of coefficient * expression, expressions ascending and not sums themselves.
  struct Linear {
    std::vector<std::pair<ExprId, std::int64_t>> terms;
    std::int64_t constant = 0;
  };
  ExprId intern(Expr e);
  ExprId intern_index(ExprKind kind, std::initializer_list<ExprId> operands);
  [[nodiscard]] Linear linear(ExprId id) const;
  [[nodiscard]] Linear combine(const Linear& a, const Linear& b, std::int64_t scale) const;
  [[nodiscard]] Bounds bounds(const Linear& sum) const;
  [[nodiscard]] Bounds element_bounds(ExprId id) const;
  [[nodiscard]] Bounds find_bounds(const Expr& e) const;
  /// An index as base / divisor % extent; `extent` 0: no modulus.
  struct Digit {
    ExprId base;
    std::int64_t divisor = 1, extent = 0;
  };
  [[nodiscard]] Digit digit(ExprId id) const;
  void merge_quotients(Linear& sum);
  ExprId build(Linear sum);
  ExprId divide_or_modulo(ExprKind kind, ExprId a, std::int64_t b);
  std::vector<Expr> exprs_;
  std::vector<Bounds> bounds_;  ///< of each index expression
  std::unordered_multimap<std::size_t, ExprId> by_hash_;
  std::unordered_map<std::int32_t, std::int64_t> extents_;
  std::unordered_map<std::int32_t, Bounds> scalar_bounds_;
};

/// Row-major linear index of `index` in an array of `dims`.
[[nodiscard]] ExprId linear_index(ExprPool& pool, std::span<const ExprId> index, const Dims& dims);
/// The multi-index of a linear one.
[[nodiscard]] std::vector<ExprId> delinearize(ExprPool& pool, ExprId linear, const Dims& dims);

}  // namespace partita::scalar
