// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "partita/base/error.hpp"
#include "partita/exec/executor.hpp"

namespace partita {

void check_carries(const Plan& plan, const std::vector<Carry>& carries) {
  std::vector<bool> taken(plan.inputs.size());
  for (const Carry& c : carries) {
    const std::string where = cat("carry out", c.output, ":in", c.input);
    if (c.output < 0 || std::size_t(c.output) >= plan.outputs.size())
      throw_user_error(
          cat(where, ": expected an output below ", plan.outputs.size(), ", found ", c.output));
    if (c.input < 0 || std::size_t(c.input) >= plan.inputs.size())
      throw_user_error(
          cat(where, ": expected an input below ", plan.inputs.size(), ", found ", c.input));
    const PortInfo& from = plan.outputs[std::size_t(c.output)];
    const PortInfo& to = plan.inputs[std::size_t(c.input)];
    if (from.type != to.type)
      throw_user_error(
          cat(where, ": expected ", to_string(to.type), ", found ", to_string(from.type)));
    if (from.placement != to.placement)
      throw_user_error(cat(where, ": expected an output placed like the input, found one that is ",
                           from.placement < 0 ? "not split" : "split", " over the shards"));
    if (from.axes != to.axes)
      throw_user_error(cat(
          where, ": expected an output cut over the mesh like the input, found one that is cut ",
          "along other axes"));
    if (taken[std::size_t(c.input)])
      throw_user_error(cat(where, ": expected each input once, found in", c.input, " twice"));
    taken[std::size_t(c.input)] = true;
  }
}

}  // namespace partita
