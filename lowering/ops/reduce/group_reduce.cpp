// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "lowering/ops/reduce/group_reduce.hpp"

#include <algorithm>
#include <array>
#include <unordered_map>

#include "kernel/ast/expressions.hpp"
#include "lowering/context/kernel_body.hpp"
#include "lowering/ops/reduce/reduce_space.hpp"
#include "lowering/ops/reduce/row_kernel.hpp"
#include "partita/ir/reduction.hpp"

namespace partita::lowering {

using namespace kernel;
namespace {

using ir::KernelShape;
using ir::Node;
using ir::Value;
using scalar::Expr;
using scalar::ExprId;
using scalar::ExprKind;

constexpr std::size_t most_steps = 8;

/// Widest first.
constexpr std::int64_t widths[] = {8, 4, 2};

/// A reduce, or the elements of a value, over the rows of the first reduce.
struct RowStep {
  Node* node;
  bool is_reduce;
  std::vector<Location> results;
};

/// The nodes that one kernel of rows computes: a reduce, and what follows it on the same rows.
class RowSteps {
 public:
  RowSteps(Context& context, Node& first) : context_(context), space_(first) {
    space_.flatten();
    add_reduce(first);
    if (space_.has_columns() || space_.reduced < 2) return;
    bool is_behind = false;
    for (Node* node : first.graph()->nodes()) {
      if (is_behind && steps.size() < most_steps) consider(*node, first);
      is_behind |= node == &first;
    }
  }

  std::vector<RowStep> steps;

 private:
  void add_reduce(Node& node) {
    RowStep step{.node = &node, .is_reduce = true, .results = {}};
    for (const Type& t : node.result_types())
      step.results.push_back(context_.new_temporary(t, step_name(node)));
    steps.push_back(std::move(step));
    for (int i = 0; i < node.result_count(); ++i)
      context_.place(node.result(i), steps.back().results[std::size_t(i)]);
  }

  void consider(Node& node, const Node& first) {
    const Dims& rows = first.operand(0).type().dims;
    if (node.op().shape == KernelShape::reduce) {
      const bool is_same = node.operand(0).type().dims == rows &&
                           node.attrs.i64s("dimensions") == first.attrs.i64s("dimensions") &&
                           ir::simple_combiner(node.region(0)) &&
                           ir::simple_combiner(first.region(0));
      if (is_same && reads_rows(node.operand(0)) && is_known(node.operand(1))) add_reduce(node);
    } else if (node.op().shape == KernelShape::loops && node.result_count() == 1) {
      const Value v = node.result();
      if (v.type().dims != rows || !context_.analysis().is_materialised(v) || context_.is_host(v) ||
          node.is("stablehlo.constant") || node.is("stablehlo.reshape") ||
          context_.analysis().epilogue(v) != nullptr || !reads_rows(v))
        return;
      steps.push_back({.node = &node,
                       .is_reduce = false,
                       .results = {context_.new_temporary(v.type(), step_name(node))}});
    }
  }

  /// Whether nothing has to be computed before an element of it can be.
  bool is_known(Value v) {
    if (context_.is_host(v)) return context_.has_host_value(v);
    if (context_.is_in_memory(v) || v.node == nullptr) return true;
    if (context_.slice(v) != nullptr) return true;
    if (v.node->is("stablehlo.constant")) return true;
    if (v.node->op().shape != KernelShape::loops || context_.analysis().epilogue(v) != nullptr)
      return false;
    const auto found = known_.find(v);
    if (found != known_.end()) return found->second;
    bool known = true;
    for (const Value& x : v.node->operands()) known = known && is_known(x);
    for (const auto& region : v.node->regions()) known = known && region == nullptr;
    return known_[v] = known;
  }

  /// Whether the elements of a row are made of the results of that row, and of some.
  bool reads_rows(Value v) {
    known_.clear();
    if (!is_known(v)) return false;
    KernelBody probe(context_, "probe", space_.results);
    auto& pool = probe.pool();
    const ExprId row = probe.item(), term = pool.variable(probe.new_variable(space_.reduced));
    const ExprId e = probe.element(v, space_.index(pool, row, std::array{term}));
    bool reads_result = false;
    for (const ExprId id : reachable(pool, e)) {
      const Expr& x = pool[id];
      if (x.kind != ExprKind::load || !is_result(probe.buffers()[std::size_t(x.slot)])) continue;
      reads_result = true;
      if (x.operands[0] != row) return false;
    }
    return reads_result;
  }

  [[nodiscard]] bool is_result(const BufferRef& at) const {
    return std::ranges::any_of(steps, [&](const RowStep& s) {
      return std::ranges::any_of(s.results,
                                 [&](const Location& l) { return l.buffer == at.buffer; });
    });
  }

  Context& context_;
  ReduceSpace space_;
  ir::ValueMap<bool> known_;
};

class RowsLowering {
 public:
  RowsLowering(Context& context, std::vector<RowStep> steps)
      : context_(context), steps_(std::move(steps)), first_(*steps_.front().node), space_(first_) {
    space_.flatten();
  }

  void lower() {
    const bool is_simple = ir::simple_combiner(first_.region(0)).has_value();
    const RowSpace space{.results = space_.results,
                         .terms = space_.reduced,
                         .has_columns = space_.has_columns(),
                         .is_in_order = !is_simple};
    const RowForm form =
        choose_row_form(space, is_simple ? width() : 1, steps_.size(), context_.policy().target);
    if (form.parts > 1) return lower_parts(space, form);
    KernelBody body(context_, stem());
    RowKernel rows(body, space, form);
    for (const RowStep& step : steps_) {
      if (step.is_reduce)
        emit_reduce(body, rows, step);
      else
        emit_elements(body, rows, step, int(form.width));
    }
    context_.launch_groups(body, rows.groups());
  }

 private:
  /// Registers that hold the row's result of a buffer.
  std::unordered_map<int, ExprId> held_;

  [[nodiscard]] std::string stem() const {
    std::string name = step_name(first_);
    if (steps_.size() > 1) name = cat("rows_", steps_.size(), "_", step_name(*steps_.back().node));
    return name;
  }

  /// Most neighbours that an item can read as one in all steps.
  std::int64_t width() {
    if (space_.has_columns()) return 1;
    KernelBody probe(context_, "probe", space_.results);
    const ExprId row = probe.item();
    for (const std::int64_t width : widths) {
      if (space_.reduced % width != 0) continue;
      const ExprId first = probe.pool().mul(
          probe.pool().variable(probe.new_variable(space_.reduced / width)), width);
      if (std::ranges::all_of(steps_, [&](const RowStep& s) {
            const Value v = s.is_reduce ? s.node->operand(0) : s.node->result();
            return reads_as_one(probe, int(width), [&](ExprId lane) {
              return probe.element(v, index(probe, row, probe.pool().add(first, lane)));
            });
          }))
        return width;
    }
    return 1;
  }

  [[nodiscard]] std::vector<ExprId> index(KernelBody& body, ExprId row, ExprId term) const {
    return space_.index(body.pool(), row, std::array{term});
  }

  /// Results of the row are in registers.
  ExprId with_results(KernelBody& body, ExprId e) const {
    auto& pool = body.pool();
    std::unordered_map<ExprId, ExprId> known;
    for (const ExprId id : reachable(pool, e))
      if (const Expr& x = pool[id]; x.kind == ExprKind::load)
        if (const auto it = held_.find(body.buffers()[std::size_t(x.slot)].buffer);
            it != held_.end())
          known.emplace(id, it->second);
    return known.empty() ? e : replace(pool, e, known);
  }
  ExprId element(KernelBody& body, const RowKernel& rows, Value v, ExprId term) const {
    return with_results(body, body.element(v, index(body, rows.result(), term)));
  }

  static std::vector<ExprId> initial(KernelBody& body, const Node& node) {
    std::vector<ExprId> values;
    const std::size_t n = node.result_types().size();
    for (std::size_t i = 0; i < n; ++i) values.push_back(body.element(node.operand(n + i), {}));
    return values;
  }

  /// Results are stored by one item.
  void finish(KernelBody& body, RowKernel& rows, const Reduction& reduction, const RowStep& step) {
    for (std::size_t i = 0; i < reduction.dtypes.size(); ++i) {
      const ExprId value = reduction.result(body, i);
      body.note_count(space_.results);
      rows.once([&] { body.store_to(step.results[i], reduction.dtypes[i], rows.result(), value); });
      held_[step.results[i].buffer] = value;
    }
  }

  void emit_reduce(KernelBody& body, RowKernel& rows, const RowStep& step) {
    const Reduction reduction(body, *step.node);
    rows.reduce(
        reduction,
        [&](ExprId term) {
          std::vector<ExprId> elements;
          for (std::size_t i = 0; i < reduction.dtypes.size(); ++i)
            elements.push_back(element(body, rows, step.node->operand(i), term));
          return elements;
        },
        initial(body, *step.node));
    finish(body, rows, reduction, step);
  }

  void emit_elements(KernelBody& body, RowKernel& rows, const RowStep& step, int width) {
    const Value v = step.node->result();
    auto& pool = body.pool();
    rows.each_term([&](ExprId first) {
      const auto at = [&](ExprId lane) { return pool.add(first, lane); };
      const auto values =
          neighbours(body, width, [&](ExprId lane) { return element(body, rows, v, at(lane)); });
      body.note_count(v.type().count());
      store_neighbours(
          body, step.results[0], v.type().dtype,
          [&](ExprId lane) {
            return scalar::linear_index(pool, index(body, rows.result(), at(lane)), v.type().dims);
          },
          values);
    });
  }

  /// A launch for what each part of the terms gives, and one for all parts.
  void lower_parts(const RowSpace& space, const RowForm& form) {
    const RowStep& step = steps_.front();
    const Dims dims =
        space.has_columns ? Dims{form.parts, space.results} : Dims{space.results, form.parts};
    Location partial;
    DType d{};
    const auto place = [&](scalar::ExprPool& pool, ExprId result, ExprId part) {
      return scalar::linear_index(
          pool, space.has_columns ? std::vector{part, result} : std::vector{result, part}, dims);
    };
    {
      KernelBody body(context_, "partial_" + stem());
      RowKernel rows(body, space, form);
      const Reduction reduction(body, first_);
      d = reduction.accumulators[0];
      partial = context_.new_temporary({.dtype = d, .dims = dims}, "partial");
      rows.reduce(reduction, [&](ExprId term) {
        return std::vector{element(body, rows, first_.operand(0), term)};
      });
      body.note_count(form.parts * space.results);
      rows.once([&] {
        body.store_to(partial, d, place(body.pool(), rows.result(), rows.part()),
                      body.value(reduction.registers[0]));
      });
      context_.launch_groups(body, rows.groups());
    }
    RowSpace of_parts = space;
    of_parts.terms = form.parts;
    of_parts.is_of_parts = true;
    KernelBody body(context_, stem());
    RowKernel rows(body, of_parts, choose_row_form(of_parts, 1, 1, context_.policy().target));
    const Reduction reduction(body, first_);
    body.note_count(form.parts * space.results);
    rows.reduce(
        reduction,
        [&](ExprId part) {
          return std::vector{body.pool().load(body.buffer(partial, d, false), d,
                                              place(body.pool(), rows.result(), part))};
        },
        initial(body, first_));
    finish(body, rows, reduction, step);
    context_.launch_groups(body, rows.groups());
  }

  Context& context_;
  std::vector<RowStep> steps_;
  Node& first_;
  ReduceSpace space_;
};

}  // namespace

void lower_group_reduce(Context& context, Node& node) {
  RowSteps rows(context, node);
  RowsLowering(context, rows.steps).lower();
  for (const RowStep& step : rows.steps)
    if (!step.is_reduce) context.place(step.node->result(), step.results[0]);
}

}  // namespace partita::lowering
