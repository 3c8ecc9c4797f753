// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "kernel/analysis/kernel_work.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>

#include "kernel/analysis/item_access.hpp"
#include "kernel/ast/copied_neighbours.hpp"
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

/// Visits what one work-item does, at most: expressions where they are computed first, and statements.
class Walker {
 public:
  virtual ~Walker() = default;
  /// Loops whose end may be `unbounded` and more have no known bound.
  explicit Walker(const Kernel& kernel, std::int64_t unbounded = scalar::ExprPool::unbounded)
      : kernel_(kernel), unbounded_(unbounded) {}

 protected:
  virtual void visit(const Expr& e, double times) = 0;
  virtual void visit(const Stmt& s, double times) = 0;

  /// `known`: expressions that scopes around have computed.
  void walk(const Block& stmts, std::set<ExprId> known, double times) {
    for (const Stmt& s : stmts) {
      for (const ExprId root : roots_of(s))
        for (const ExprId id : reachable(kernel_.pool, root))
          if (known.insert(id).second) visit(kernel_.pool[id], times);
      visit(s, times);
      const Loop* const loop = as<Loop>(s);
      if (!body_of(s).empty())
        walk(body_of(s), known, times * (loop == nullptr ? 1 : turns(*loop)));
    }
  }
  /// Infinite where there is no known bound.
  [[nodiscard]] double turns(const Loop& s) const {
    const std::int64_t end = kernel_.pool.bounds(s.end).high;
    if (end >= unbounded_) return std::numeric_limits<double>::infinity();
    const std::int64_t begin = s.begin == no_expr ? 0 : kernel_.pool.bounds(s.begin).low;
    return std::max(0.0, double(end - std::max<std::int64_t>(begin, 0))) / double(s.step);
  }

  const Kernel& kernel_;

 private:
  std::int64_t unbounded_;
};

class Counter final : public Walker {
 public:
  using Walker::Walker;
  double count() {
    walk(kernel_.body, {}, 1);
    return total_;
  }

 private:
  void visit(const Expr& e, double times) override { total_ += times * own_work(e); }
  void visit(const Stmt& s, double times) override {
    if (as<Store>(s) != nullptr || as<StoreLocal>(s) != nullptr || as<MultiplyAdd>(s) != nullptr ||
        as<AtomicCombine>(s) != nullptr)
      total_ += times;
    if (const StoreWide* store = as<StoreWide>(s)) total_ += times * double(store->values.size());
  }
  double total_ = 0;
};

/// What an artifact says of a kernel.  Elements of local memory are taken to be moved 16 bytes at a time, as all others
/// that lie side by side.
class WorkCounter final : public Walker {
 public:
  /// Of an end that memory holds nothing is known but its type.
  explicit WorkCounter(const Kernel& kernel)
      : Walker(kernel, std::numeric_limits<std::int32_t>::max()), bytes_(kernel.buffers.size()) {}

  KernelWork count() {
    walk(kernel_.body, {}, 1);
    KernelWork work{.operations = whole(operations_),
                    .f64_operations = whole(f64_operations_),
                    .matrix_flops = whole(matrix_flops_),
                    .answers = whole(answers(kernel_.body))};
    for (const double bytes : bytes_) work.buffer_bytes.push_back(whole(bytes * 32));
    for (const auto& [slot, dtype] : sums_) work.sum_bytes += std::int64_t(byte_size(dtype));
    for (const LocalArray& array : kernel_.arrays)
      work.local_bytes += array.count * std::int64_t(byte_size(array.dtype));
    return work;
  }

 private:
  static std::int64_t whole(double count) {
    constexpr double most = 1e18;
    return count < most ? std::int64_t(std::ceil(count)) : KernelWork::unknown;
  }

  void visit(const Expr& e, double times) override {
    if (e.kind == ExprKind::apply || e.kind == ExprKind::convert || e.kind == ExprKind::choose)
      compute(e.kind == ExprKind::apply ? e.source : e.dtype, times * own_work(e));
    if (e.kind == ExprKind::load_local) move(byte_size(e.dtype), times);
    if (e.kind == ExprKind::load) access(e.slot, e.operands[0], byte_size(e.dtype), 1, times);
    if (e.kind == ExprKind::load_wide && scalar::wide_lane(e).lane == 0)
      access(e.slot, e.operands[0], byte_size(e.dtype), std::size_t(scalar::wide_lane(e).width),
             times);
  }
  void visit(const Stmt& s, double times) override {
    if (const auto* x = as<MultiplyAdd>(s)) {
      compute(x->dtype, times * (is_complex(x->dtype) ? 2 : 1));
      sums_[x->slot] = x->dtype;
    } else if (const auto* x = as<MultiplyMatrices>(s)) {
      // Half as many terms of f32 take the same time.
      matrix_flops_ += times * 2 * 16 * 8 * 16 / double(matrix_items);
      for (const std::int32_t slot : x->sums) sums_[slot] = DType::f32;
    } else if (const auto* x = as<LoadMatrices>(s)) {
      move(x->slots.size() * sizeof(std::uint32_t), times);
    } else if (const auto* x = as<StoreLocal>(s)) {
      if (!x->is_ahead) move(byte_size(x->dtype), times);
    } else if (const auto* x = as<AtomicCombine>(s)) {
      for ([[maybe_unused]] const bool is_write : {false, true})
        access(x->buffer, x->index, byte_size(x->dtype), 1, times);
    } else if (const auto* x = as<Store>(s)) {
      access(x->buffer, x->index, byte_size(x->dtype), 1, times);
    } else if (const auto* x = as<StoreWide>(s)) {
      // A copy is one instruction, which its load stands for.
      const bool is_copy = kernel_.plain != nullptr && copied_neighbours(kernel_, *x);
      if (x->is_local && !is_copy) move(byte_size(x->dtype) * x->values.size(), times);
      if (!x->is_local) access(x->buffer, x->index, byte_size(x->dtype), x->values.size(), times);
    }
  }

  void compute(DType d, double count) {
    if (is_complex(d)) count *= 2;
    const DType part = is_complex(d) ? part_dtype(d) : d;
    if (part == DType::f64)
      f64_operations_ += count;
    else
      operations_ += count * (byte_size(part) > 4 ? 2 : 1);
  }
  void move(std::size_t bytes, double times) {
    operations_ += times * double(bytes) / double(widest_access);
  }
  void access(std::int32_t buffer, ExprId index, std::size_t element, std::size_t count,
              double times) {
    move(element * count, times);
    bytes_[std::size_t(buffer)] +=
        times * moved_bytes_per_item(kernel_, index, element, element * count);
  }

  [[nodiscard]] bool has_load(const Stmt& s) const {
    return std::ranges::any_of(roots_of(s), [&](ExprId root) {
      return std::ranges::any_of(reachable(kernel_.pool, root),
                                 [&](ExprId id) { return scalar::is_load(kernel_.pool[id].kind); });
    });
  }
  static bool has_barrier(const Block& stmts) {
    return std::ranges::any_of(
        stmts, [](const Stmt& s) { return as<Barrier>(s) != nullptr || has_barrier(body_of(s)); });
  }
  /// What a block asks for at once is one answer; turns of a loop without barriers are asked for eight at a time.
  [[nodiscard]] double answers(const Block& stmts) const {
    double together = 0, in_turns = 0;
    for (const Stmt& s : stmts) {
      if (has_load(s)) together = std::max(together, 1.0);
      const double inside = answers(body_of(s));
      if (const Loop* loop = as<Loop>(s); loop != nullptr && inside > 0)
        in_turns += inside * std::max(1.0, turns(*loop) / (has_barrier(loop->body) ? 1 : 8));
      else
        together = std::max(together, inside);
    }
    return together + in_turns;
  }

  double operations_ = 0, f64_operations_ = 0, matrix_flops_ = 0;
  std::vector<double> bytes_;           ///< by buffer
  std::map<std::int32_t, DType> sums_;  ///< registers of sums of products
};

/// Walks a plan with the variables that a single shard starts with and those of first iterations.
class PlanWorker {
 public:
  PlanWorker(const Plan& plan, const std::vector<const Kernel*>& kernels)
      : plan_(plan),
        kernels_(kernels),
        variables_(plan.variables.size()),
        per_item_(kernels.size(), -1) {
    total_.kernel_operations.resize(kernels.size());
    total_.launch_operations.resize(kernels.size());
    for (const Placement& p : plan.placements)
      if (p.end_variable >= 0) variables_[std::size_t(p.end_variable)] = p.size;
  }

  PlanWork count() {
    visit(plan_.steps, 1);
    return total_;
  }

 private:
  void visit(const Steps& steps, double times) {
    for (const Step& s : steps) std::visit([&](const auto& x) { add(x, times); }, s.what);
  }
  void add(const Launch& x, double times) {
    double& work = per_item_[std::size_t(x.kernel)];
    if (work < 0) work = work_per_item(*kernels_[std::size_t(x.kernel)]);
    const double items = double(value(x.global[0])) * double(value(x.global[1]));
    total_.launches += times;
    if (items <= 0) return;
    const double operations = work * items;
    double& most = total_.launch_operations[std::size_t(x.kernel)];
    most = std::max(most, operations);
    total_.operations += times * operations;
    total_.kernel_operations[std::size_t(x.kernel)] += times * operations;
    total_.block_operations += times * work * std::ceil(items / double(block_items));
  }
  void add(const Gemm& x, double times) {
    total_.launches += times;
    total_.multiply_adds +=
        times * double(value(x.batch)) * double(x.m) * double(x.n) * double(x.k);
  }
  void add(const Convolve& x, double times) {
    total_.launches += times;
    total_.multiply_adds += times * x.multiply_adds();
    for (const Launch& l : x.then) add(l, times);
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

  const Plan& plan_;
  const std::vector<const Kernel*>& kernels_;
  std::vector<std::int64_t> variables_;
  std::vector<double> per_item_;  // of kernels; below 0: not yet known
  PlanWork total_;
};

}  // namespace

PlanWork work_of(const Plan& plan, const std::vector<const Kernel*>& kernels) {
  return PlanWorker(plan, kernels).count();
}

KernelWork work_of(const Kernel& kernel) { return WorkCounter(kernel).count(); }

double work_per_item(const Kernel& kernel) { return 1 + Counter(kernel).count(); }

}  // namespace partita::kernel
