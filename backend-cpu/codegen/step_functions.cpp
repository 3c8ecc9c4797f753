// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "backend-cpu/codegen/step_functions.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "backend-cpu/codegen/plan_text.hpp"
#include "kernel/analysis/kernel_work.hpp"
#include "kernel/ast/plan_steps.hpp"
#include "partita/base/error.hpp"

namespace partita::cpu::codegen {

using namespace kernel;
namespace {

/// Operations up to which a launch is not worth other threads: 1 to 10 microseconds.
constexpr double small_launch = 1 << 15;

/// Of a routine's operand.
constexpr double work_per_element = 8;

/// Calls f(expression) for each expression of some steps, and ref(reference) for each reference.
template <class F, class R>
void visit_expressions(const Steps& steps, const F& f, const R& ref) {
  const auto reference = [&](const BufferRef& r) {
    ref(r);
    f(r.offset);
  };
  for (const Step& s : steps) {
    if (const auto* x = std::get_if<Launch>(&s.what)) {
      std::ranges::for_each(x->buffers, reference);
      for (const ScalarArg& a : x->scalars) f(a.value);
      std::ranges::for_each(x->global, f);
    } else if (const auto* c = std::get_if<Copy>(&s.what)) {
      reference(c->from);
      reference(c->to);
      f(c->count);
    } else if (const auto* h = std::get_if<HostCall>(&s.what)) {
      std::ranges::for_each(h->operands, reference);
      std::ranges::for_each(h->results, reference);
    } else if (const auto* l = std::get_if<For>(&s.what)) {
      f(l->begin);
      f(l->end);
      visit_expressions(l->body, f, ref);
    } else if (const auto* w = std::get_if<While>(&s.what)) {
      visit_expressions(w->condition, f, ref);
      reference(w->predicate);
      visit_expressions(w->body, f, ref);
    } else if (const auto* b = std::get_if<Case>(&s.what)) {
      reference(b->index);
      for (const Steps& branch : b->branches) visit_expressions(branch, f, ref);
    }
  }
}

void find_variables(const HostExpr& e, std::set<int>& to) {
  if (e.kind() == HostExpr::Kind::variable) to.insert(int(e.value()));
  for (const HostExpr& o : e.operands()) find_variables(o, to);
}

std::int64_t count_launches(const Steps& steps) {
  std::int64_t n = 0;
  for (const Step& s : steps) {
    if (std::holds_alternative<Launch>(s.what) || std::holds_alternative<HostCall>(s.what)) ++n;
    if (const auto* x = std::get_if<For>(&s.what)) n += count_launches(x->body);
    if (const auto* x = std::get_if<While>(&s.what))
      n += count_launches(x->condition) + count_launches(x->body);
    if (const auto* x = std::get_if<Case>(&s.what))
      for (const Steps& b : x->branches) n += count_launches(b);
  }
  return n;
}

/// Variables that loops among the steps count in.
void find_counters(const Steps& steps, std::set<int>& to) {
  for (const Step& s : steps) {
    if (const auto* x = std::get_if<For>(&s.what)) {
      to.insert(x->variable);
      find_counters(x->body, to);
    } else if (const auto* w = std::get_if<While>(&s.what)) {
      find_counters(w->condition, to);
      find_counters(w->body, to);
    } else if (const auto* c = std::get_if<Case>(&s.what)) {
      for (const Steps& b : c->branches) find_counters(b, to);
    }
  }
}

/// One function: where its buffers lie and what it is called with.
class FunctionText final : public PlanText {
 public:
  FunctionText(const Artifact& artifact, std::string name, const Steps& body)
      : PlanText(artifact), name_(std::move(name)), body_(body) {
    visit_expressions(
        body, [&](const HostExpr& e) { find_variables(e, variables_); },
        [&](const BufferRef& r) { add_buffer(r.buffer); });
    find_counters(body, counters_);
    for (const int v : counters_) variables_.erase(v);
  }

  [[nodiscard]] std::string print() {
    steps(body_);
    std::string parameters, arguments, scalars;
    for (std::size_t k = 0; k < pointers_.size(); ++k) {
      const Buffer& b = plan_.buffers[std::size_t(pointers_[k])];
      parameters += cat("char* ", is_apart(b) ? "restrict " : "", "p", k, ", ");
      arguments += cat("(char*)buffers[", k, "] + offsets[", k, "] * ", byte_size(b.dtype));
      if (b.arena_offset > 0) arguments += cat(" - ", b.arena_offset);
      arguments += ", ";
    }
    for (const int v : counters_) scalars += cat("  i64 x", v, ";\n");
    int k = 0;
    for (const int v : variables_) scalars += cat("  i64 x", v, " = scalars[", k++, "];\n");
    return cat(
        "\nstatic void steps_of_", name_, "(", parameters, "const i64* scalars) {\n", scalars,
        lines(), "}\nvoid partita_", name_,
        "(i64 begin, i64 end, void* const* buffers, const i64* offsets, const i64* scalars) {\n",
        "  steps_of_", name_, "(", arguments, "scalars);\n}\n");
  }

  [[nodiscard]] Launch launch(int kernel) const {
    Launch l{.kernel = kernel};
    for (const int b : pointers_) l.buffers.push_back({b, 0});
    for (const int v : variables_) l.scalars.push_back({DType::i64, HostExpr::variable(v)});
    l.calls = calls_;
    return l;
  }

 private:
  /// The arena is one pointer, and so is a result with what lies in it before; others by kind and index.
  [[nodiscard]] std::pair<BufferKind, int> memory_of(int buffer) const {
    const Buffer& b = plan_.buffers[std::size_t(buffer)];
    if (b.kind == BufferKind::arena) return {b.kind, 0};
    if (is_of_output(b.kind)) return {BufferKind::output, b.index};
    return {b.kind, b.kind == BufferKind::block ? buffer : b.index};
  }
  /// Whether the others are elsewhere, whatever a caller donates.
  [[nodiscard]] bool is_apart(const Buffer& buffer) const {
    return std::ranges::none_of(pointers_, [&](int other) {
      return may_be_one(plan_, buffer, plan_.buffers[std::size_t(other)]);
    });
  }
  void add_buffer(int buffer) {
    if (pointer_of_.emplace(memory_of(buffer), pointers_.size()).second)
      pointers_.push_back(buffer);
  }
  [[nodiscard]] std::string base(int buffer) const override {
    const Buffer& b = plan_.buffers[std::size_t(buffer)];
    const std::string pointer = cat("p", pointer_of_.at(memory_of(buffer)));
    return b.arena_offset > 0 ? cat(pointer, " + ", b.arena_offset) : pointer;
  }
  void call(const std::string& kernel) override {
    line(cat("local_", kernel, "(0, items, b, o, s);"));
  }
  [[noreturn]] static void refuse() { throw_internal_error("a step that no function takes"); }
  void step(const Gemm& /*x*/) override { refuse(); }
  void step(const Convolve& /*x*/) override { refuse(); }
  void step(const AllReduceStart& /*x*/) override { refuse(); }
  void step(const AllGatherStart& /*x*/) override { refuse(); }
  void step(const GroupStart& /*x*/) override { refuse(); }
  void step(const CollectiveDone& /*x*/) override { refuse(); }
  void step(const Check& /*x*/) override { refuse(); }
  void step(const HostCall& x) override {
    const auto addresses = [&](const std::vector<BufferRef>& refs) {
      std::string list;
      for (const BufferRef& ref : refs) list += cat(list.empty() ? "" : ", ", address(ref));
      return list;
    };
    const std::string self = cat("scalars[", variables_.size() + calls_.size(), "]");
    line(cat("(**(routine_of_host* const*)", self, ")((const void*)", self,
             ", (const void* const[]){", addresses(x.operands), "}, (void* const[]){",
             addresses(x.results), "});"));
    calls_.push_back({x.call, x.count});
  }
  void step(const FunctionCall& /*x*/) override { refuse(); }

  std::string name_;
  const Steps& body_;
  std::set<int> counters_, variables_;
  std::vector<KernelCall> calls_;
  std::vector<int> pointers_;  // for each parameter: a buffer in its memory
  std::map<std::pair<BufferKind, int>, std::size_t> pointer_of_;
};

class Maker {
 public:
  Maker(Artifact& artifact, std::span<const PrintedKernel> printed)
      : artifact_(artifact), printed_(printed) {
    for (const Placement& p : artifact.plan.placements)
      block_variables_.insert({p.begin_variable, p.end_variable});
    block_variables_.insert(artifact.plan.mesh_variable);
    for (const KernelEntry& k : artifact.kernels) names_.insert(k.name);
    for (const PrintedKernel& k : printed) work_.push_back(work_per_item(*k.kernel));
  }

  std::vector<StepFunction> make() {
    visit(artifact_.plan.steps, false);
    return std::move(functions_);
  }

 private:
  [[nodiscard]] bool is_small(const Launch& x) const {
    return x.global[0].is_constant() &&
           double(x.global[0].value()) * work_[std::size_t(x.kernel)] <= small_launch;
  }
  [[nodiscard]] bool is_small(const Copy& x) const { return x.count.is_constant(); }
  [[nodiscard]] static bool is_small(const HostCall& x) {
    std::int64_t elements = x.count;
    for (const Type& type : x.call.operands) elements *= type.count();
    return !find_matrix_routine(x.call.routine)->may_fail &&
           double(elements) * work_per_element <= small_launch;
  }
  [[nodiscard]] bool is_small(const For& x) const {
    std::set<int> variables;
    find_variables(x.begin, variables);
    find_variables(x.end, variables);
    // Loops over a shard's block are counted where they run.
    return are_small(x.body) &&
           std::ranges::none_of(variables, [&](int v) { return block_variables_.contains(v); });
  }
  [[nodiscard]] bool is_small(const While& x) const {
    return are_small(x.condition) && are_small(x.body);
  }
  [[nodiscard]] bool is_small(const Case& x) const {
    return std::ranges::all_of(x.branches, [&](const Steps& b) { return are_small(b); });
  }
  template <class T>
  [[nodiscard]] static bool is_small(const T& /*collective or library call*/) {
    return false;
  }
  [[nodiscard]] bool are_small(const Steps& steps) const {
    return std::ranges::all_of(steps, [&](const Step& s) { return is_small(s); });
  }
  [[nodiscard]] bool is_small(const Step& step) const {
    return std::visit([&](const auto& x) { return is_small(x); }, step.what);
  }

  /// What repeats, or is repeated often enough.
  [[nodiscard]] static bool is_worth_it(const Steps& run, bool in_loop) {
    const bool has_loop = std::ranges::any_of(run, [](const Step& s) {
      return std::holds_alternative<For>(s.what) || std::holds_alternative<While>(s.what);
    });
    return has_loop || (in_loop && count_launches(run) > 1);
  }

  void visit(Steps& steps, bool in_loop) {
    Steps result, run;
    const auto flush = [&] {
      if (is_worth_it(run, in_loop))
        result.push_back(function(run));
      else
        std::ranges::move(run, std::back_inserter(result));
      run.clear();
    };
    for (Step& s : steps) {
      if (is_small(s)) {
        run.push_back(std::move(s));
        continue;
      }
      flush();
      visit_bodies(s, in_loop);
      result.push_back(std::move(s));
    }
    flush();
    steps = std::move(result);
  }

  void visit_bodies(Step& step, bool in_loop) {
    if (auto* x = std::get_if<For>(&step.what)) visit(x->body, true);
    if (auto* x = std::get_if<While>(&step.what)) {
      visit(x->condition, true);
      visit(x->body, true);
    }
    if (auto* x = std::get_if<Case>(&step.what))
      for (Steps& b : x->branches) visit(b, in_loop);
  }

  Step function(const Steps& run) {
    std::string name;
    for (int n = int(functions_.size()); !names_.insert(name = cat("steps_", n)).second;) ++n;
    FunctionText text(artifact_, name, run);
    functions_.push_back({name, launched_kernels(run), text.print()});
    artifact_.kernels.push_back({name, 0});
    return {text.launch(int(artifact_.kernels.size()) - 1), name};
  }

  Artifact& artifact_;
  std::span<const PrintedKernel> printed_;
  std::set<int> block_variables_;
  std::set<std::string> names_;
  std::vector<double> work_;  // per kernel: of an item
  std::vector<StepFunction> functions_;
};

}  // namespace

std::vector<StepFunction> make_step_functions(Artifact& artifact,
                                              std::span<const PrintedKernel> printed) {
  return Maker(artifact, printed).make();
}

std::string_view step_function_support() {
  static const std::string text = cat(
      plan_text_support(),
      "typedef void routine_of_host(const void* self, const void* const* operands, void* const* "
      "results);\n");
  return text;
}

}  // namespace partita::cpu::codegen
