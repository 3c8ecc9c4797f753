// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Derivatives of the ops' samples.
#include "partita/scalar/elementwise.hpp"
#include "tests/ops/derivative_forms.hpp"
#include "tests/ops/derivative_test.hpp"

namespace partita::testing {
namespace {

void check(const OpDef& op, std::size_t sample) {
  const std::string name = cat(op.name, " sample ", sample);
  SCOPED_TRACE(name);
  const auto module = ir::parse_module(wide(op.samples[sample]), name);
  Inputs inputs(7);
  const auto draw = [&](const Type& type, std::size_t k) {
    const bool has_range = op.row != nullptr && k < 3;
    return inputs.draw(type, has_range ? op.row->samples[k].low : 0.5,
                       has_range ? op.row->samples[k].high : 2);
  };
  // Of rows whose first operand has no derivative that a row computes, the others have.
  const bool skips_first = op.row != nullptr && op.row->gradient.starts_with("unknown");
  expect_both_orders(*module, name, draw, skips_first ? 1 : 0);
}

class DerivativeOf : public ::testing::TestWithParam<const OpDef*> {};

TEST_P(DerivativeOf, samples) {
  const OpDef& op = *GetParam();
  for (std::size_t k = 0; k < op.samples.size(); ++k) {
    try {
      check(op, k);
    } catch (const Error& e) {
      // A scatter has derivatives by some regions only, singular vectors as far as the matrix says which.
      const std::string why = e.what();
      const bool is_known = why.find("unique_indices is false") != std::string::npos ||
                            why.find("complete bases") != std::string::npos;
      EXPECT_TRUE(is_known) << op.name << " sample " << k << ": " << e.what();
    }
  }
}

std::vector<const OpDef*> with_derivatives() {
  std::vector<const OpDef*> all;
  for (const OpDef* op : ir::OpRegistry::instance().all())
    // What rounds has the derivative of the identity.
    if (op->derivative.exists() && op->name != "stablehlo.reduce_precision") all.push_back(op);
  return all;
}

INSTANTIATE_TEST_SUITE_P(Ops, DerivativeOf, ::testing::ValuesIn(with_derivatives()),
                         [](const auto& info) {
                           return std::regex_replace(info.param->name, std::regex("[^a-z0-9_]"),
                                                     "_");
                         });

TEST(Derivatives, more_forms_of_structured_ops) {
  for (const auto& [name, text] : more_forms) {
    SCOPED_TRACE(name);
    const auto module = ir::parse_module(text, name);
    Inputs inputs(7);
    expect_both_orders(
        *module, name, [&](const Type& type, std::size_t) { return inputs.draw(type, 0.5, 2); }, 0);
  }
}

TEST(Derivatives, every_op_has_one_or_a_reason) {
  for (const OpDef* op : ir::OpRegistry::instance().all()) {
    const bool is_said = !op->derivative.reason.empty() && op->derivative.reason != "no rule yet";
    EXPECT_TRUE(op->derivative.exists() || is_said)
        << op->name << " has neither a derivative nor a reason";
  }
}

}  // namespace
}  // namespace partita::testing
