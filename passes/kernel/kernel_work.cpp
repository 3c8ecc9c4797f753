// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "passes/kernel/kernel_work.hpp"

#include <algorithm>
#include <limits>
#include <set>

#include "partita/ir/elementwise.hpp"
#include "passes/kernel/expressions.hpp"

namespace partita::passes {
namespace {

using kernel::Expr;
using kernel::ExprId;
using kernel::ExprKind;
using kernel::no_expr;

/// Of a row: the less exactly it can be had, the longer it takes.
double row_work(std::string_view row) {
  const int ulp = ir::elementwise_row(row).ulp;
  return ulp == 0 ? 1 : ulp <= 3 ? 4 : ulp <= 8 ? 12 : 30;
}

double own_work(const Expr& e) {
  switch (e.kind) {
    case ExprKind::apply:
      return row_work(e.name);
    case ExprKind::convert:
    case ExprKind::choose:
    case ExprKind::load:
    case ExprKind::from_index:
    case ExprKind::to_index:
      return 1;
    default:
      return 0;
  }
}

class Counter {
 public:
  explicit Counter(const Kernel& kernel) : kernel_(kernel) {}

  /// `known`: expressions that scopes around have computed.
  double count(const std::vector<Stmt>& stmts, std::set<ExprId> known) const {
    double total = 0;
    for (const Stmt& s : stmts) {
      for (const ExprId root : roots_of(s))
        for (const ExprId id : reachable(kernel_.pool, root))
          if (known.insert(id).second) total += own_work(kernel_.pool[id]);
      if (s.kind == Stmt::Kind::store || s.kind == Stmt::Kind::multiply_add) total += 1;
      if (s.body.empty()) continue;
      total += count(s.body, known) * (s.kind == Stmt::Kind::loop ? turns(s) : 1);
    }
    return total;
  }

 private:
  [[nodiscard]] double turns(const Stmt& s) const {
    const std::int64_t end = kernel_.pool.bounds(s.value).high;
    if (end >= kernel::ExprPool::unbounded) return std::numeric_limits<double>::infinity();
    const std::int64_t begin = s.other == no_expr ? 0 : kernel_.pool.bounds(s.other).low;
    return std::max(0.0, double(end - std::max<std::int64_t>(begin, 0))) / double(s.step);
  }

  const Kernel& kernel_;
};

}  // namespace

double work_per_item(const Kernel& kernel) { return 1 + Counter(kernel).count(kernel.body, {}); }

}  // namespace partita::passes
