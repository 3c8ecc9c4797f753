// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "tools/partita/check/per_op.hpp"

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
  const std::vector<CoarseFloat> sources = coarse_sources(c.module, c.function);
  for (std::size_t k = 0; k < expected.size(); ++k) {
    const auto tolerance = tolerance_for(expected[k].type.dtype, sources[k], c.tolerance);
    if (const auto text = difference(found[k], expected[k], tolerance))
      return cat("out", k, ": ", *text);
  }
  return {};
}

std::optional<DepartingValue> first_departing_value(const Comparison& c) {
  const auto all = with_all_values(c.module, c.function.name);
  const ir::Function& function = *all->find(c.function.name);
  const std::vector<HostArray> expected = interpret(*all, function, c.inputs).results;
  const std::vector<HostArray> found = c.target.run(*all, function, c.inputs);
  const std::vector<CoarseFloat> sources = coarse_sources(*all, function);
  std::size_t value = 0;
  for (std::size_t n = 0; n < function.body->nodes().size(); ++n)
    for (int k = 0; k < function.body->nodes()[n]->result_count(); ++k, ++value) {
      const DType dtype = expected[value].type.dtype;
      const auto tolerance = tolerance_for(dtype, sources[value], c.tolerance);
      if (auto text = difference(found[value], expected[value], tolerance))
        return DepartingValue{.node = n, .result = k, .difference = *std::move(text)};
    }
  return std::nullopt;
}

std::string first_departure(const Comparison& c) {
  const auto value = first_departing_value(c);
  if (!value) return "no op departs from the interpreter when all values are kept";
  const ir::Node& node = *c.function.body->nodes()[value->node];
  const Error located(ErrorKind::user, cat(node.name(), ": ", value->difference), node.location());
  return cat("first departure from the interpreter: ", located.located_message(), ": ",
             shortened(ir::print_node(node)));
}

}  // namespace partita::tool
