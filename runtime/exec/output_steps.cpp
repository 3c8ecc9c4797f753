// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "runtime/exec/output_steps.hpp"

#include <functional>

namespace partita {
namespace {

using OnBuffer = std::function<void(int buffer)>;

/// Calls for every buffer that a step names.
struct BufferVisitor {
  const OnBuffer& on_buffer;

  void operator()(const Launch& x) const {
    for (const BufferRef& ref : x.buffers) on_buffer(ref.buffer);
  }
  void operator()(const Gemm& x) const {
    for (const BufferRef* ref : {&x.a, &x.b, &x.c}) on_buffer(ref->buffer);
  }
  void operator()(const Convolve& x) const {
    for (const BufferRef* ref : {&x.source, &x.weights, &x.result}) on_buffer(ref->buffer);
    for (const Launch& l : x.then) (*this)(l);
  }
  void operator()(const Copy& x) const {
    on_buffer(x.from.buffer);
    on_buffer(x.to.buffer);
  }
  void operator()(const For& x) const { all(x.body); }
  void operator()(const While& x) const {
    on_buffer(x.predicate.buffer);
    all(x.condition);
    all(x.body);
  }
  void operator()(const Case& x) const {
    on_buffer(x.index.buffer);
    for (const Steps& branch : x.branches) all(branch);
  }
  void operator()(const AllReduceStart& x) const {
    for (const Piece& piece : x.pieces) on_buffer(piece.at.buffer);
  }
  void operator()(const AllGatherStart& x) const {
    on_buffer(x.from.buffer);
    on_buffer(x.to.buffer);
  }
  void operator()(const GroupStart& x) const {
    on_buffer(x.from.buffer);
    on_buffer(x.to.buffer);
  }
  void operator()(const CollectiveDone& /*x*/) const {}
  void operator()(const Check& x) const { on_buffer(x.condition.buffer); }
  void operator()(const HostCall& x) const { on_host(x); }
  void operator()(const FunctionCall& x) const { on_host(x); }

 private:
  void on_host(const auto& call) const {
    for (const auto* refs : {&call.operands, &call.results})
      for (const BufferRef& ref : *refs) on_buffer(ref.buffer);
  }
  void all(const Steps& steps) const {
    for (const Step& step : steps) std::visit(*this, step.what);
  }
};

}  // namespace

std::vector<std::vector<std::size_t>> outputs_made_by(const Plan& plan) {
  std::vector<int> last(plan.outputs.size(), -1);
  std::vector<const Step*> started(std::size_t(plan.requests));
  for (int s = 0; s < int(plan.steps.size()); ++s) {
    const OnBuffer note = [&](int b) {
      const Buffer& buffer = plan.buffers[std::size_t(b)];
      if (buffer.kind == BufferKind::output) last[std::size_t(buffer.index)] = s;
    };
    const auto& what = plan.steps[std::size_t(s)].what;
    std::visit(BufferVisitor{note}, what);
    // What a collective brings is written where it is waited for.
    if (const auto* done = std::get_if<CollectiveDone>(&what))
      if (const Step* start = started[std::size_t(done->request)])
        std::visit(BufferVisitor{note}, start->what);
    if (const auto* reduce = std::get_if<AllReduceStart>(&what))
      started[std::size_t(reduce->request)] = &plan.steps[std::size_t(s)];
    if (const auto* gather = std::get_if<AllGatherStart>(&what))
      started[std::size_t(gather->request)] = &plan.steps[std::size_t(s)];
    if (const auto* group = std::get_if<GroupStart>(&what))
      started[std::size_t(group->request)] = &plan.steps[std::size_t(s)];
  }
  std::vector<std::vector<std::size_t>> made(plan.steps.size());
  for (std::size_t i = 0; i < last.size(); ++i)
    if (last[i] >= 0) made[std::size_t(last[i])].push_back(i);
  return made;
}

}  // namespace partita
