// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// What kernels that combine elements by a region share: accumulators in registers and the statements
// around them.  Reductions, windows and scans differ in which elements they visit, not in this.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "kernel/ast/statements.hpp"
#include "lowering/context/kernel_body.hpp"
#include "partita/ir/reduction.hpp"

namespace partita::passes {

/// What a reduction combines, and how; the same for the whole and for each stage of a split one.
struct Reduction {
  const ir::Graph* region = nullptr;
  std::optional<Combiner> simple;
  std::vector<DType> dtypes, accumulators;
  std::vector<Register> registers;  ///< of `accumulators`

  /// `is_wide`: sums of small floats in f32.
  Reduction(Kernel& kernel, const ir::Node& node, bool is_wide = true)
      : region(&node.region(0)), simple(ir::simple_combiner(node.region(0))) {
    for (const Type& t : node.result_types()) {
      dtypes.push_back(t.dtype);
      accumulators.push_back(simple && is_wide ? accumulator_dtype(t.dtype) : t.dtype);
      registers.emplace_back(kernel, accumulators.back());
    }
  }

  void declare(Kernel& k, std::vector<Stmt>& to, const std::vector<kernel::ExprId>& values) const {
    for (std::size_t i = 0; i < dtypes.size(); ++i)
      to.push_back(registers[i].declare(k.pool.convert(values[i], accumulators[i])));
  }

  /// accumulators = combine(accumulators, elements), or with the elements in front.
  std::vector<Stmt> combine(KernelBody& body, Kernel& k,
                            const std::vector<kernel::ExprId>& elements,
                            bool in_front = false) const {
    std::vector<Stmt> stmts;
    const std::size_t n = dtypes.size();
    if (simple) {
      const kernel::ExprId acc = registers[0].value(k.pool);
      const kernel::ExprId x = k.pool.convert(elements[0], accumulators[0]);
      const kernel::ExprId next = k.pool.apply(info(*simple).row, accumulators[0], {acc, x});
      stmts.push_back(registers[0].assign(next));
      return stmts;
    }
    for (std::size_t i = 0; i < n; ++i) {
      const std::size_t held = in_front ? n + i : i, element = in_front ? i : n + i;
      body.define(region->argument(int(held)), registers[i].value(k.pool));
      body.define(region->argument(int(element)), elements[i]);
    }
    // All results are computed from the old accumulators before any is assigned.
    std::vector<Register> fresh;
    for (std::size_t i = 0; i < n; ++i) {
      fresh.emplace_back(k, dtypes[i]);
      stmts.push_back(fresh[i].declare(body.combined(*region, i)));
    }
    for (std::size_t i = 0; i < n; ++i)
      stmts.push_back(registers[i].assign(fresh[i].value(k.pool)));
    return stmts;
  }

  [[nodiscard]] kernel::ExprId result(Kernel& k, std::size_t i) const {
    return k.pool.convert(registers[i].value(k.pool), dtypes[i]);
  }
};

}  // namespace partita::passes
