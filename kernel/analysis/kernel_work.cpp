// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "kernel/analysis/kernel_work.hpp"

#include <algorithm>
#include <limits>
#include <set>

#include "kernel/ast/expressions.hpp"
#include "partita/scalar/elementwise.hpp"

namespace partita::kernel {
namespace {

using scalar::Expr;
using scalar::ExprId;
using scalar::ExprKind;
using scalar::no_expr;

double own_work(const Expr& e) {
  switch (e.kind) {
    case ExprKind::apply:
      return scalar::elementwise_row(e.name).cost;
    case ExprKind::convert:
    case ExprKind::choose:
    case ExprKind::load:
    case ExprKind::load_wide:
    case ExprKind::load_local:
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
  double count(const Block& stmts, std::set<ExprId> known) const {
    double total = 0;
    for (const Stmt& s : stmts) {
      for (const ExprId root : roots_of(s))
        for (const ExprId id : reachable(kernel_.pool, root))
          if (known.insert(id).second) total += own_work(kernel_.pool[id]);
      if (as<Store>(s) != nullptr || as<StoreLocal>(s) != nullptr || as<MultiplyAdd>(s) != nullptr)
        total += 1;
      if (const StoreWide* store = as<StoreWide>(s)) total += double(store->values.size());
      const Loop* const loop = as<Loop>(s);
      if (!body_of(s).empty())
        total += count(body_of(s), known) * (loop == nullptr ? 1 : turns(*loop));
    }
    return total;
  }

 private:
  [[nodiscard]] double turns(const Loop& s) const {
    const std::int64_t end = kernel_.pool.bounds(s.end).high;
    if (end >= scalar::ExprPool::unbounded) return std::numeric_limits<double>::infinity();
    const std::int64_t begin = s.begin == no_expr ? 0 : kernel_.pool.bounds(s.begin).low;
    return std::max(0.0, double(end - std::max<std::int64_t>(begin, 0))) / double(s.step);
  }

  const Kernel& kernel_;
};

/// Walks a plan with the variables that a single shard starts with and those of first iterations.
class PlanWorker {
 public:
  explicit PlanWorker(const PlanDraft& draft)
      : draft_(draft),
        variables_(draft.plan.variables.size()),
        per_item_(draft.kernels.size(), -1) {
    for (const Placement& p : draft.plan.placements)
      if (p.end_variable >= 0) variables_[std::size_t(p.end_variable)] = p.size;
  }

  PlanWork count() {
    visit(draft_.plan.steps, 1);
    return total_;
  }

 private:
  void visit(const Steps& steps, double times) {
    for (const Step& s : steps) std::visit([&](const auto& x) { add(x, times); }, s.what);
  }
  void add(const Launch& x, double times) {
    double& work = per_item_[std::size_t(x.kernel)];
    if (work < 0) work = work_per_item(*draft_.kernels[std::size_t(x.kernel)]);
    total_.launches += times;
    total_.operations += times * work * double(value(x.global[0])) * double(value(x.global[1]));
  }
  void add(const Gemm& x, double times) {
    total_.launches += times;
    total_.multiply_adds +=
        times * double(value(x.batch)) * double(x.m) * double(x.n) * double(x.k);
  }
  void add(const Copy& /*x*/, double times) { total_.launches += times; }
  void add(const For& x, double times) {
    const std::int64_t begin = value(x.begin), end = value(x.end);
    if (begin >= end) return;
    variables_[std::size_t(x.variable)] = begin;
    visit(x.body, times * (double(end) - double(begin)) / double(x.step));
  }
  void add(const While& x, double /*times*/) {
    constexpr double unknown = std::numeric_limits<double>::infinity();
    total_.launches = unknown;
    visit(x.condition, unknown);
    visit(x.body, unknown);
  }
  void add(const Case& x, double times) {
    for (const Steps& b : x.branches) visit(b, times);
  }
  template <class T>
  void add(const T& /*collective or check*/, double /*times*/) {}

  [[nodiscard]] std::int64_t value(const HostExpr& e) const { return e.evaluate(variables_); }

  const PlanDraft& draft_;
  std::vector<std::int64_t> variables_;
  std::vector<double> per_item_;  // of kernels; below 0: not yet known
  PlanWork total_;
};

}  // namespace

PlanWork work_of(const PlanDraft& draft) { return PlanWorker(draft).count(); }

double work_per_item(const Kernel& kernel) { return 1 + Counter(kernel).count(kernel.body, {}); }

}  // namespace partita::kernel
