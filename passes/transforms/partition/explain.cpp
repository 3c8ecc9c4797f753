// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "passes/transforms/partition/explain.hpp"

#include "partita/base/error.hpp"
#include "partita/ir/op.hpp"

namespace partita::passes {

using ir::Graph;
using ir::Node;
using ir::Value;

namespace {

class Explanation {
 public:
  Explanation(const AxisPlan& plan, std::vector<std::string>& lines) : plan_(plan), lines_(lines) {}

  void graph(const Graph& graph, const std::string& indent) {
    for (int k = 0; k < graph.argument_count(); ++k)
      line(graph.argument(k), indent, named(graph.argument_hint(k), cat("arg", k)));
    for (Node* node : graph.nodes()) {
      for (int k = 0; k < node->result_count() && !node->is("stablehlo.constant"); ++k)
        line(node->result(k), indent, cat(named(node->hint, ""), " ", node->name()));
      for (const auto& region : node->regions())
        if (node->op().regions_capture || node->is("mr.map")) this->graph(*region, indent + "  ");
    }
  }

 private:
  static std::string named(const std::string& hint, const std::string& otherwise) {
    return cat("%", hint.empty() ? otherwise : hint);
  }

  void line(Value v, const std::string& indent, const std::string& name) {
    const Type& type = v.type();
    if (type.is_token || type.dims.empty()) return;
    std::string text = cat(indent, name, ": ", to_string(type), ": ");
    if (const AxisPlace* place = plan_.place(v)) {
      const ir::AxisPosition& at = place->at;
      text += cat("dimension ", at.dim, " in parts of ", at.outer * at.inner);
      if (at.outer != 1) text += cat(" (", at.outer, " runs of ", at.inner, ")");
      const AxisReason& reason = place->reason;
      text += cat(", by ", reason.node == v.node ? "its operands" : to_text(reason));
    } else {
      text += "whole";
    }
    lines_.push_back(std::move(text));
  }

  const AxisPlan& plan_;
  std::vector<std::string>& lines_;
};

}  // namespace

void explain(const AxisPlan& plan, const Graph& graph, std::vector<std::string>& lines) {
  lines.push_back(cat("values along ", plan.cut().name(), " = ", plan.cut().size()));
  Explanation(plan, lines).graph(graph, "  ");
}

}  // namespace partita::passes
