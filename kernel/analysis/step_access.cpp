// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "kernel/analysis/step_access.hpp"

#include <algorithm>
#include <set>

#include "kernel/ast/expressions.hpp"

namespace partita::kernel {
namespace {

using scalar::Expr;
using scalar::ExprId;
using scalar::ExprKind;

template <class... Fs>
struct Overloaded : Fs... {
  using Fs::operator()...;
};
template <class... Fs>
Overloaded(Fs...) -> Overloaded<Fs...>;

void visit_launch(Launch& l, KernelAccesses& kernels,
                  const std::function<void(const Access&)>& visit) {
  const Kernel& k = *kernels.draft().kernels[std::size_t(l.kernel)];
  const KernelAccess& access = kernels.of(l.kernel);
  std::set<ExprId> stored;
  for (const auto& s : access.stores) stored.insert(s.begin(), s.end());
  for (std::size_t b = 0; b < l.buffers.size(); ++b) {
    const std::set<ExprId>& loads = access.loads[b];
    const bool same_element =
        (k.stores_last || (stored.size() == 1 && !access.late.contains(b) && !access.is_looped)) &&
        !loads.empty() &&
        std::ranges::all_of(loads, [&](ExprId index) { return stored.contains(index); });
    visit({.ref = &l.buffers[b],
           .reads = !access.loads[b].empty(),
           .writes = k.buffers[b].is_written,
           .is_in_place = same_element,
           .alignment = k.buffers[b].alignment});
  }
}

}  // namespace

std::map<int, int> access_counts(Plan& plan, KernelAccesses& kernels) {
  std::map<int, int> counts;
  for (Step& s : plan.steps)
    for_each_access(s, kernels, [&](const Access& a) { ++counts[a.ref->buffer]; });
  return counts;
}

Memory memory_of(const Plan& plan, const BufferRef& ref) {
  const Buffer& b = plan.buffers[std::size_t(ref.buffer)];
  if (b.kind == BufferKind::output)
    if (const int donor = donor_of(plan, b.index); donor >= 0) return {BufferKind::input, donor};
  const bool is_port = b.kind == BufferKind::input || b.kind == BufferKind::output;
  return {b.kind, is_port ? b.index : ref.buffer};
}

bool is_temporary(const Plan& plan, int buffer) {
  const BufferKind kind = plan.buffers[std::size_t(buffer)].kind;
  return kind == BufferKind::arena || kind == BufferKind::block || kind == BufferKind::spare;
}

KernelAccess::KernelAccess(const Kernel& kernel)
    : loads(kernel.buffers.size()), stores(kernel.buffers.size()) {
  for (const ExprId id : reachable(kernel.pool, kernel.body))
    if (const Expr& e = kernel.pool[id]; is_load(e.kind))
      loads[std::size_t(e.slot)].insert(e.operands[0]);
  find_stores(kernel.body, false);
  bool has_stored = false;
  find_late_loads(kernel, kernel.body, has_stored);
}

void KernelAccess::find_late_loads(const Kernel& kernel, const Block& stmts, bool& has_stored) {
  for (const Stmt& s : stmts) {
    if (has_stored)
      for (const ExprId root : roots_of(s))
        for (const ExprId id : reachable(kernel.pool, root))
          if (const Expr& e = kernel.pool[id]; is_load(e.kind)) late.insert(std::size_t(e.slot));
    has_stored |=
        as<Store>(s) != nullptr || as<StoreWide>(s) != nullptr || as<AtomicCombine>(s) != nullptr;
    find_late_loads(kernel, body_of(s), has_stored);
  }
}

void KernelAccess::find_stores(const Block& stmts, bool in_loop) {
  for (const Stmt& s : stmts) {
    if (const Store* store = as<Store>(s)) {
      stores[std::size_t(store->buffer)].insert(store->index);
      is_looped |= in_loop;
    }
    if (const StoreWide* store = as<StoreWide>(s); store != nullptr && !store->is_local) {
      stores[std::size_t(store->buffer)].insert(store->index);
      is_looped = true;
    }
    if (const AtomicCombine* x = as<AtomicCombine>(s)) {
      loads[std::size_t(x->buffer)].insert(x->index);
      stores[std::size_t(x->buffer)].insert(x->index);
      is_looped = true;
    }
    find_stores(body_of(s), in_loop || as<Loop>(s) != nullptr);
  }
}

const KernelAccess& KernelAccesses::of(int kernel) {
  std::unique_ptr<KernelAccess>& access = found_[std::size_t(kernel)];
  if (!access) access = std::make_unique<KernelAccess>(*draft_.kernels[std::size_t(kernel)]);
  return *access;
}

void for_each_access(Step& step, KernelAccesses& kernels,
                     const std::function<void(const Access&)>& visit) {
  const auto read = [&](BufferRef& r) { visit({.ref = &r, .reads = true}); };
  const auto write = [&](BufferRef& r) { visit({.ref = &r, .writes = true}); };
  const auto on_host = [&](auto& call, bool is_in_place) {
    for (BufferRef& r : call.operands)
      visit({.ref = &r, .reads = true, .is_in_place = is_in_place});
    for (BufferRef& r : call.results) write(r);
  };
  std::visit(
      Overloaded{[&](Launch& s) { visit_launch(s, kernels, visit); },
                 [&](Gemm& s) {
                   read(s.a);
                   read(s.b);
                   visit({.ref = &s.c, .reads = s.beta != 0, .writes = true});
                 },
                 [&](Convolve& s) {
                   read(s.source);
                   read(s.weights);
                   write(s.result);
                   for (Launch& l : s.then) visit_launch(l, kernels, visit);
                 },
                 [&](Copy& s) {
                   visit({.ref = &s.from, .reads = true, .is_in_place = true});
                   write(s.to);
                 },
                 [&](While& s) { read(s.predicate); }, [&](Case& s) { read(s.index); },
                 [&](AllReduceStart& s) {
                   for (Piece& p : s.pieces) visit({.ref = &p.at, .reads = true, .writes = true});
                 },
                 [&](AllGatherStart& s) {
                   read(s.from);
                   write(s.to);
                 },
                 [&](GroupStart& s) {
                   read(s.from);
                   write(s.to);
                 },
                 [&](HostCall& s) { on_host(s, find_matrix_routine(s.call.routine)->is_in_place); },
                 [&](FunctionCall& s) { on_host(s, false); }, [&](Check& s) { read(s.condition); },
                 [](auto&) {}},
      step.what);
  for (Steps* inner : inner_steps(step))
    for (Step& s : *inner) for_each_access(s, kernels, visit);
}

void for_each_access(Step& step, const PlanDraft& draft,
                     const std::function<void(const Access&)>& visit) {
  KernelAccesses kernels(draft);
  for_each_access(step, kernels, visit);
}

}  // namespace partita::kernel
