// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Expands mr.grad and the forms that say how to differentiate.  With `function=`, that function becomes its gradient: wrt=0,2 mode=reverse|forward
// value=true|false.
#include <algorithm>
#include <charconv>

#include "partita/base/error.hpp"
#include "partita/ir/differentiate.hpp"
#include "partita/ir/op.hpp"
#include "partita/passes/pass.hpp"
#include "passes/rewrites/partition_indices.hpp"

namespace partita::passes::transforms {
namespace {

std::vector<std::int64_t> parse_list(const std::string& text) {
  std::vector<std::int64_t> list;
  const char *at = text.data(), *const end = at + text.size();
  while (true) {
    std::int64_t k = 0;
    const auto [next, error] = std::from_chars(at, end, k);
    if (error != std::errc{} || (next != end && *next != ','))
      throw_user_error(
          cat("differentiate: expected wrt to be arguments such as 0,2, found '", text, "'"));
    list.push_back(k);
    if (next == end) return list;
    at = next + 1;
  }
}

ir::GradOptions parse_options(const std::map<std::string, std::string>& options) {
  ir::GradOptions parsed;
  for (const auto& [key, value] : options) {
    if (key == "wrt") {
      parsed.wrt = parse_list(value);
    } else if (key == "mode" && (value == "reverse" || value == "forward")) {
      parsed.forward = value == "forward";
    } else if (key == "value" && (value == "true" || value == "false")) {
      parsed.value = value == "true";
    } else if (key != "function") {
      throw_user_error(
          cat("differentiate: expected function=NAME, wrt=0,2, mode=reverse|forward or "
              "value=true|false, found '",
              key, "=", value, "'"));
    }
  }
  return parsed;
}

void become_gradient(ir::Module& module, const std::string& name, const ir::GradOptions& options) {
  ir::Function* f = module.find(name);
  if (f == nullptr)
    throw_user_error(cat("differentiate: expected the name of a function, found @", name));
  f->body = ir::grad_graph(module, *f, options);
  f->result_types.clear();
  for (const ir::Value& v : f->body->results) f->result_types.push_back(v.type());
  f->is_public = true;
  f->res_attrs.assign(f->result_types.size(), {});
}

void run(ir::Module& module, PassContext& context) {
  const ir::GradOptions options = parse_options(context.options);
  const auto function = context.options.find("function");
  if (function == context.options.end() && !context.options.empty())
    throw_user_error("differentiate: expected function=NAME beside other options, found none");
  if (const int forms = ir::expand_derivatives(module); forms > 0) {
    context.counts["derivatives"] += forms;
    for (const auto& f : module.functions) localise_partition_indices(*f->body, module);
  }
  if (function != context.options.end()) become_gradient(module, function->second, options);
  for (const ir::Residuals& r : ir::take_residuals(module)) {
    context.notes.push_back(r.partitions > 0
                                ? cat("residuals of ", r.where, ": ", r.bytes,
                                      " bytes a partition, ", r.partitions, " partitions")
                                : cat("residuals of ", r.where, ": ", r.bytes, " bytes"));
    const std::int64_t all = r.bytes * std::max<std::int64_t>(r.partitions, 1);
    if (!r.is_inside) context.counts["residual_bytes"] += all;
  }
  ir::expand_forms(module);
}

}  // namespace

PassInfo pass_differentiate();
PassInfo pass_differentiate() {
  return {.name = "differentiate",
          .doc =
              "Expands mr.grad into the ops of the gradient, and mr.custom_vjp, mr.checkpoint and "
              "mr.stop_gradient into what they compute; function=f wrt=0,2 mode=reverse "
              "value=true: that function becomes its gradient.",
          .needs = Stage::parsed,
          .gives = Stage::parsed,
          .idempotent = true,
          .options = {"function", "mode", "value", "wrt"},
          .run = run};
}

}  // namespace partita::passes::transforms
