// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// interpreter.probe: the identity, which records its operand under a name, and the check that
// compares a value with what was recorded.  StableHLO's interpreter keeps records in files; here
// they live as long as the run.
#include "ops/support/custom_call.hpp"
#include "ops/support/support.hpp"
#include "partita/ir/interpreter.hpp"
#include "partita/scalar/elementwise.hpp"

namespace partita::ir::ops {
namespace {

std::vector<Tensor> eval_probe(const EvalContext& c) {
  c.interpreter.probes[c.node.attrs.text("probe_id")].push_back(c.operands[0]);
  return {c.operands[0]};
}

// Equal as check.expect_eq says it: -0 is 0, NaN is NaN.
bool are_equal(const HostArray& a, const HostArray& b) {
  if (a.type != b.type) return false;
  return visit(a.type.dtype, [&](auto d) {
    const auto is_same = [](auto x, auto y) { return x == y || (x != x && y != y); };
    for (std::size_t i = 0; i < std::size_t(a.type.count()); ++i)
      if (!is_same(load<d>(a.data<d>(), i), load<d>(b.data<d>(), i))) return false;
    return true;
  });
}

std::vector<Tensor> eval_check(const EvalContext& c) {
  const std::string& name = c.node.attrs.text("probe_id");
  const std::int64_t iteration = c.node.attrs.i64("iteration", 0);
  const auto found = c.interpreter.probes.find(name);
  const std::size_t count = found == c.interpreter.probes.end() ? 0 : found->second.size();
  const auto fail = [&](const std::string& message) {
    const Error error(ErrorKind::user, cat(c.node.op().name, ": ", message), c.node.location());
    c.interpreter.check_failures.push_back(error.located_message());
  };
  if (iteration < 0 || std::uint64_t(iteration) >= count)
    fail(cat("expected a record ", iteration, " of probe \"", name, "\", found ", count));
  else if (!are_equal(*c.operands[0], *found->second[std::size_t(iteration)]))
    fail(cat("expected the value that probe \"", name, "\" recorded, found another"));
  return {};
}

}  // namespace

void register_probe(OpRegistry& registry) {
  const AttrSpec name{.name = "probe_id", .kind = AttrKind::text};
  OpDef probe;
  probe.name = "interpreter.probe";
  probe.doc = "The operand, recorded under a name for check.expect_serialized_eq.";
  probe.attrs = {name};
  probe.infer = [](const InferContext& c) -> std::vector<Type> {
    expect_operand_count(c, 1);
    return {c.operands[0]};
  };
  probe.eval = eval_probe;
  probe.derivative = Derivative::none("is for tests of interpreters");
  probe.factors = pointwise_factors;
  probe.has_side_effect = true;
  registry.add(std::move(probe));

  OpDef check;
  check.name = "check.expect_serialized_eq";
  check.doc = "Checks that the operand equals what a probe recorded the iteration-th time.";
  check.attrs = {name, AttrSpec{.name = "iteration", .kind = AttrKind::i64, .required = false}};
  check.infer = [](const InferContext& c) -> std::vector<Type> {
    expect_operand_count(c, 1);
    return {};
  };
  check.eval = eval_check;
  check.has_side_effect = true;
  check.derivative = Derivative::none("has no result");
  OpDef call = custom_call_target(check.name, check.doc);
  call.attrs.insert(call.attrs.end(), check.attrs.begin(), check.attrs.end());
  call.infer = check.infer;
  call.eval = check.eval;
  call.has_side_effect = true;
  call.derivative = check.derivative;
  registry.add(std::move(check));
  registry.add(std::move(call));
}

}  // namespace partita::ir::ops
