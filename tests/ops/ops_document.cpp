// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// docs/ops.md is what the table of ops says of itself.
#include <gtest/gtest.h>

#include <algorithm>

#include "partita/base/error.hpp"
#include "partita/ir/op.hpp"
#include "partita/scalar/elementwise.hpp"
#include "tests/support/document.hpp"
#include "tests/support/dtype_groups.hpp"

namespace partita::testing {
namespace {

using ir::KernelShape;
using ir::OpDef;
using scalar::ElementwiseRow;
using scalar::Signature;

/// Text for a cell of a table.
std::string cell(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '|') out += '\\';
    out += c == '\n' ? ' ' : c;
  }
  return out;
}

std::string code(std::string_view text) {
  return text.empty() ? std::string() : cat("`", cell(text), "`");
}

std::string signature_text(Signature s) {
  switch (s) {
    case Signature::unary:
      return "T(T)";
    case Signature::binary:
      return "T(T, T)";
    case Signature::ternary:
      return "T(T, T, T)";
    case Signature::test:
      return "i1(T)";
    case Signature::compare:
      return "i1(T, T)";
    case Signature::choice:
      return "T(i1, T, T)";
    case Signature::part:
      return "part(T)";
    case Signature::compose:
      return "complex(T, T)";
  }
  return {};
}

std::string dtypes_text(const ElementwiseRow& row) {
  std::string text;
  for (const auto& [name, members] : testing::dtype_groups())
    if (std::ranges::all_of(members, [&](DType d) { return row.accepts(d); }))
      text += cat(text.empty() ? "" : ", ", name);
  return text;
}

std::string shape_text(KernelShape shape) {
  switch (shape) {
    case KernelShape::none:
      return "none";
    case KernelShape::loops:
      return "loops";
    case KernelShape::reduce:
      return "reduce";
    case KernelShape::contraction:
      return "contraction";
    case KernelShape::attention:
      return "attention";
    case KernelShape::scatter:
      return "scatter";
    case KernelShape::window:
      return "window";
    case KernelShape::procedure:
      return "procedure";
  }
  return {};
}

std::string attributes_text(const OpDef& op) {
  std::string text;
  for (const ir::AttrSpec& a : op.attrs)
    text += cat(text.empty() ? "" : ", ", "`", a.name, a.required ? "`" : "?`");
  return text;
}

std::string gradient_text(const OpDef& op) {
  const ir::Derivative& d = op.derivative;
  if (op.row != nullptr) return "see the row";
  if (!d.exists()) return cat("none: ", d.reason);
  if (d.linear == ir::Derivative::Linear::none) return "yes";
  if (d.operands.empty()) return "linear";
  std::string list;
  for (const int k : d.operands) list += cat(list.empty() ? "" : ", ", k);
  return cat(d.linear == ir::Derivative::Linear::jointly ? "linear in " : "linear in each of ",
             list);
}

std::string document() {
  std::string text =
      "# Ops\n\n"
      "Generated from the table of ops. What an op means is StableHLO's specification "
      "(`stablehlo.`), "
      "chlo's, Shardy's\n(`sdy.`) or `docs/ir.md` (`mr.`); which dtypes run where: "
      "`support.md`.\n\n"
      "## Elementwise rows\n\n"
      "One row of `scalar/elementwise.def` each. The gradient is what the cotangent `g` of "
      "the "
      "result `out` adds to\neach operand; `ulp` is how far another implementation may be from the "
      "interpreter.\n\n"
      "| row | op | signature | T | gradient | ulp | meaning |\n|---|---|---|---|---|---|---|\n";
  for (const ElementwiseRow& row : scalar::elementwise_rows())
    text += cat("| ", row.name, " | ", row.op, " | ", signature_text(row.signature), " | ",
                dtypes_text(row), " | ", code(row.gradient), " | ", row.ulp, " | ", cell(row.doc),
                " |\n");
  text +=
      "\n## All ops\n\n"
      "An attribute with a question mark may be absent. The kernel shape is what backends "
      "implement; "
      "`none`: control flow,\na collective, or rewritten into other ops by a pass.\n\n"
      "| op | meaning | attributes | kernel shape | factors | derivative "
      "|\n|---|---|---|---|---|---|\n";
  for (const OpDef* op : ir::OpRegistry::instance().all())
    text +=
        cat("| ", op->name, " | ", cell(op->doc), " | ", attributes_text(*op), " | ",
            shape_text(op->shape), " | ", op->factors || op->row != nullptr ? "yes" : "replicated",
            " | ", cell(gradient_text(*op)), " |\n");
  return text;
}

TEST(OpsDocument, is_up_to_date) { expect_document("ops.md", document()); }

TEST(OpsDocument, every_op_says_what_it_means_and_shows_it) {
  for (const OpDef* op : ir::OpRegistry::instance().all())
    EXPECT_FALSE(op->doc.empty()) << op->name;
}

}  // namespace
}  // namespace partita::testing
