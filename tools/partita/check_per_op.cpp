// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "tools/partita/check_per_op.hpp"

#include "partita/base/error.hpp"
#include "partita/frontend/stablehlo.hpp"

namespace partita::tool {

namespace {

// A copy in which the values of all nodes of the function are results.
std::unique_ptr<ir::Module> with_all_values(const ir::Module& module, const std::string& name) {
  auto copy = ir::clone_module(module);
  ir::Function& function = *copy->find(name);
  function.body->results.clear();
  for (ir::Node* node : function.body->nodes())
    for (int k = 0; k < node->result_count(); ++k)
      function.body->results.push_back(node->result(k));
  function.result_types.clear();
  for (const ir::Value& v : function.body->results) function.result_types.push_back(v.type());
  function.res_attrs.assign(function.result_types.size(), {});
  return copy;
}

std::string shortened(std::string text) {
  constexpr std::size_t longest = 160;
  const std::size_t end = std::min(text.find('\n'), longest);
  return end < text.size() ? text.substr(0, end) + " …" : text;
}

}  // namespace

std::string departure(const Comparison& c) {
  const std::vector<HostArray> expected = interpret(c.module, c.function, c.inputs).results;
  std::vector<HostArray> found;
  try {
    found = c.target.run(c.module, c.function, c.inputs);
  } catch (const Error& error) {
    return error.located_message();
  }
  const std::vector<bool> from_bf16 = results_from_bf16(c.module, c.function);
  for (std::size_t k = 0; k < expected.size(); ++k) {
    const auto tolerance = tolerance_for(expected[k].type.dtype, from_bf16[k], c.tolerance);
    if (const auto text = difference(found[k], expected[k], tolerance))
      return cat("out", k, ": ", *text);
  }
  return {};
}

std::string first_departure(const Comparison& c) {
  const auto all = with_all_values(c.module, c.function.name);
  const ir::Function& function = *all->find(c.function.name);
  const std::vector<HostArray> expected = interpret(*all, function, c.inputs).results;
  const std::vector<HostArray> found = c.target.run(*all, function, c.inputs);
  const std::vector<bool> from_bf16 = results_from_bf16(*all, function);
  for (std::size_t k = 0; k < expected.size(); ++k) {
    const auto tolerance = tolerance_for(expected[k].type.dtype, from_bf16[k], c.tolerance);
    const auto text = difference(found[k], expected[k], tolerance);
    if (!text) continue;
    const ir::Node& node = *function.body->results[k].node;
    return cat(
        "first departure from the interpreter: ",
        Error(ErrorKind::user, cat(node.name(), ": ", *text), node.location()).located_message(),
        ": ", shortened(ir::print_node(node)));
  }
  return "no op departs from the interpreter when all values are kept";
}

}  // namespace partita::tool
