// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// docs/support.md: which op takes which dtype, and which target runs it.  Found out by trying: each
// op's sample programs with one of their dtypes replaced are verified, and compiled for every target.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <regex>
#include <utility>

#include "partita/base/error.hpp"
#include "partita/compile.hpp"
#include "partita/frontend/stablehlo.hpp"
#include "partita/ir/maker.hpp"
#include "partita/ir/op.hpp"
#include "partita/scalar/elementwise.hpp"
#include "tests/support/document.hpp"
#include "tests/support/dtype_groups.hpp"

namespace partita::testing {
namespace {

using ir::OpDef;
using scalar::ElementwiseRow;

/// Floats of 16 bits have a column each.
std::vector<DTypeGroup> groups() {
  std::vector<DTypeGroup> all;
  for (const DTypeGroup& g : dtype_groups()) {
    if (!is_small_float(g.members[0]) || info(g.members[0]).bits <= 8) {
      all.push_back(g);
      continue;
    }
    for (const DType d : g.members) all.push_back({std::string(to_string(d)), {d}});
  }
  return all;
}

constexpr const char* usual_dtypes[] = {"f32",          "f64",  "i32", "ui32", "i64",
                                        "complex<f32>", "ui64", "f16", "i8",   "i1"};

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size())
    text.replace(at, from.size(), to);
  return text;
}

/// Constants written for a float, as a dtype takes them.
const std::string& with_literals(const std::string& text, DType d) {
  static const std::regex number(R"((dense<\[*|, |\[)(-?[0-9]+)\.[0-9]+(e[+-]?[0-9]+)?(?=[,\]>]))");
  static std::map<std::pair<std::string, std::string>, std::string> known;
  if (is_float(d)) return text;
  const std::string form = is_complex(d) ? "$1($2.0, 0.0)" : d == DType::i1 ? "$1false" : "$1$2";
  const auto [it, is_new] = known.try_emplace({text, form});
  if (is_new) it->second = std::regex_replace(text, number, form);
  return it->second;
}

/// The sample with each of its usual dtypes replaced, one at a time.
std::vector<std::string> with_dtype(const std::string& sample, DType d) {
  std::vector<std::string> all;
  const std::string to(to_string(d));
  for (const char* from : usual_dtypes) {
    const std::string& plain = from == to ? sample : with_literals(sample, d);
    std::string text = replaced(plain, cat("x", from, ">"), cat("x", to, ">"));
    text = replaced(text, cat("tensor<", from, ">"), cat("tensor<", to, ">"));
    if (text != plain || from == to) all.push_back(std::move(text));
  }
  return all;
}

/// A program of the row on operands of dtype d.
std::unique_ptr<ir::Module> row_program(const ElementwiseRow& row, DType d) {
  auto module = std::make_unique<ir::Module>();
  auto function = std::make_unique<ir::Function>();
  function->name = "main";
  function->body = std::make_unique<ir::Graph>();
  std::vector<ir::Value> operands;
  for (int k = 0; k < scalar::arity(row.signature); ++k)
    operands.push_back(function->body->add_argument(
        {.dtype = scalar::operand_dtype(row.signature, d, k), .dims = {3}}));
  const ir::Value v = ir::create_value(*function->body, row.op, operands, ir::row_attributes(row));
  function->body->results = {v};
  function->result_types = {v.type()};
  function->arg_attrs.resize(operands.size());
  function->arg_loc_texts.resize(operands.size());
  function->res_attrs.resize(1);
  module->functions.push_back(std::move(function));
  return module;
}

/// Programs that show the op on a dtype; none where it does not take it.
std::vector<std::unique_ptr<ir::Module>> programs(const OpDef& op, DType d) {
  std::vector<std::unique_ptr<ir::Module>> all;
  const auto uses_op = [&](const ir::Module& module) {
    bool uses = false;
    for (const auto& f : module.functions)
      ir::walk(*f->body, [&](const ir::Node& n) {
        const auto has = [&](const Type& t) { return !t.is_token && t.dtype == d; };
        const auto of_value = [&](const ir::Value& v) { return has(v.type()); };
        uses |= &n.op() == &op && (std::ranges::any_of(n.result_types(), has) ||
                                   std::ranges::any_of(n.operands(), of_value));
      });
    return uses;
  };
  for (const ElementwiseRow& row : scalar::elementwise_rows())
    if (row.op == op.name && row.accepts(d) && all.empty()) all.push_back(row_program(row, d));
  if (op.row != nullptr || !all.empty()) return all;
  for (const std::string& sample : op.samples)
    for (const std::string& text : with_dtype(sample, d)) try {
        auto module = ir::parse_module(text, op.name);
        if (uses_op(*module)) all.push_back(std::move(module));
      } catch (const Error&) {  // not for this dtype
      }
  return all;
}

/// The same, made once: each target is asked about them.
const std::vector<std::unique_ptr<ir::Module>>& known_programs(const OpDef& op, DType d) {
  static std::map<std::pair<const OpDef*, DType>, std::vector<std::unique_ptr<ir::Module>>> known;
  const auto [it, is_new] = known.try_emplace({&op, d});
  if (is_new) it->second = programs(op, d);
  return it->second;
}

class Support {
 public:
  explicit Support(std::string target) : target_(std::move(target)) {}

  /// "yes", "–" where the op does not take the dtype, or the number of the reason.
  std::string cell(const OpDef& op, const DTypeGroup& group) {
    bool is_taken = false, is_taken_by_all = true;
    std::string reason;
    for (const DType d : group.members) {
      const auto& all = known_programs(op, d);
      is_taken |= !all.empty();
      is_taken_by_all &= !all.empty();
      for (const auto& program : all)
        if (reason.empty()) reason = refusal(*program);
    }
    if (!is_taken) return "–";
    if (!reason.empty()) return cat("[", number(reason), "]");
    return is_taken_by_all ? "yes" : "some";
  }

  [[nodiscard]] const std::vector<std::string>& reasons() const { return reasons_; }

 private:
  /// Why the target does not run the program; empty: it does.
  std::string refusal(const ir::Module& program) const {
    try {
      driver::CompileOptions options;
      options.target = target_;
      options.text_only = true;
      (void)partita::compile(program, options).artifact;
      return {};
    } catch (const Error& e) {
      EXPECT_EQ(int(e.kind()), int(ErrorKind::user)) << e.what() << "\n"
                                                     << ir::print_module(program);
      static const std::regex place(R"(^[^ ]*: )");
      return std::regex_replace(std::string(e.what()), place, "");
    }
  }

  std::size_t number(const std::string& reason) {
    const auto at = std::ranges::find(reasons_, reason);
    if (at == reasons_.end()) {
      reasons_.push_back(reason);
      return reasons_.size();
    }
    return std::size_t(at - reasons_.begin()) + 1;
  }

  std::string target_;
  std::vector<std::string> reasons_;
};

/// What the column of many floats stands for.
std::string short_floats() {
  std::string text = "\n`f4–f8` are";
  for (const DType d : all_dtypes)
    if (is_float(d) && info(d).bits <= 8) text += cat(" ", to_string(d));
  return text + ".";
}

std::string document() {
  std::string text =
      "# Support\n\n"
      "Generated by trying: which op takes which dtype, and which target runs it. The interpreter "
      "runs "
      "all that an op takes.\n`–`: the op does not take the dtype; `some`: it takes some of the "
      "group; "
      "a number: the target refuses it for that\nreason. Only samples of the ops are tried, so "
      "`yes` "
      "is no promise for every attribute. " +
      short_floats() +
      "\nTypes without a row in `dtype.def` (f6E2M3FN, index, …) are read and refused by name.\n";
  for (const std::string& target : driver::built_targets()) {
    Support support(target);
    text += cat("\n## Target ", target, "\n\n| op |");
    const std::vector<DTypeGroup> all = groups();
    for (const DTypeGroup& g : all) text += cat(" ", g.name, " |");
    text += "\n|---|";
    for (std::size_t k = 0; k < all.size(); ++k) text += "---|";
    text += "\n";
    for (const OpDef* op : ir::OpRegistry::instance().all()) {
      std::string cells;
      bool is_any = false;
      for (const DTypeGroup& g : all) {
        const std::string c = support.cell(*op, g);
        is_any |= c != "–";
        cells += cat(" ", c, " |");
      }
      if (is_any) text += cat("| ", op->name, " |", cells, "\n");
    }
    if (!support.reasons().empty()) text += "\n";
    for (std::size_t k = 0; k < support.reasons().size(); ++k)
      text += cat(k + 1, ". ", support.reasons()[k], "\n");
  }
  return text;
}

TEST(SupportDocument, is_up_to_date) { expect_document("support.md", document()); }

}  // namespace
}  // namespace partita::testing
