// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// What kernels that combine elements by a region share: accumulators in registers and the statements
// around them.  Reductions, windows and scans differ in which elements they visit, not in this.
#pragma once

#include <optional>
#include <vector>

#include "kernel/ast/element_math.hpp"
#include "lowering/context/kernel_body.hpp"
#include "partita/ir/reduction.hpp"

namespace partita::lowering {

using namespace kernel;

/// What a reduction combines, and how; the same for the whole and for each stage of a split one.
struct Reduction {
  const ir::Graph* region = nullptr;
  std::optional<Combiner> simple;
  std::vector<DType> dtypes, accumulators;
  std::vector<Register> registers;  ///< of `accumulators`

  /// `is_wide`: sums of small floats in f32.
  Reduction(KernelBody& body, const ir::Node& node, bool is_wide = true)
      : region(&node.region(0)), simple(ir::simple_combiner(node.region(0))) {
    for (const Type& t : node.result_types()) {
      dtypes.push_back(t.dtype);
      accumulators.push_back(simple && is_wide ? accumulator_dtype(t.dtype) : t.dtype);
      registers.push_back(body.new_register(accumulators.back()));
    }
  }

  /// What changes nothing under a sum or product; nothing for other combiners.
  [[nodiscard]] std::optional<scalar::ExprId> identity(scalar::ExprPool& pool) const {
    if (!simple) return std::nullopt;
    const DType d = accumulators[0];
    if (*simple == Combiner::product) return ElementMath{pool, d}.number(1);
    if (*simple != Combiner::sum) return std::nullopt;
    // -0 + x is x, whatever the sign of x.
    const scalar::ExprId zero = pool.constant_of(part_dtype(d), is_integer(d) ? 0.0 : -0.0);
    return ElementMath{pool, d}.compose(zero, zero);
  }

  void declare(KernelBody& body, const std::vector<scalar::ExprId>& values) const {
    for (std::size_t i = 0; i < dtypes.size(); ++i)
      body.declare(registers[i], body.pool().convert(values[i], accumulators[i]));
  }

  /// accumulators = combine(accumulators, elements), or with the elements in front.
  void combine(KernelBody& body, const std::vector<scalar::ExprId>& elements,
               bool in_front = false) const {
    const std::size_t n = dtypes.size();
    if (simple)
      return body.assign(registers[0], combined(body, body.value(registers[0]), elements[0]));
    for (std::size_t i = 0; i < n; ++i) {
      const std::size_t held = in_front ? n + i : i, element = in_front ? i : n + i;
      body.define(region->argument(int(held)), body.value(registers[i]));
      body.define(region->argument(int(element)), elements[i]);
    }
    // All results are computed from the old accumulators before any is assigned.
    std::vector<Register> fresh;
    for (std::size_t i = 0; i < n; ++i)
      fresh.push_back(body.declare(dtypes[i], body.combined(*region, i)));
    for (std::size_t i = 0; i < n; ++i) body.assign(registers[i], body.value(fresh[i]));
  }
  /// Of a simple one: what a value becomes with one more element.
  [[nodiscard]] scalar::ExprId combined(KernelBody& body, scalar::ExprId value,
                                        scalar::ExprId element) const {
    const scalar::ExprId x = body.pool().convert(element, accumulators[0]);
    return body.pool().apply(info(*simple).row, accumulators[0], {value, x});
  }

  [[nodiscard]] scalar::ExprId result(KernelBody& body, std::size_t i) const {
    return body.pool().convert(body.value(registers[i]), dtypes[i]);
  }
};

}  // namespace partita::lowering
