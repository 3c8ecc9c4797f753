// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "ops/support/callee.hpp"

#include "partita/base/error.hpp"

namespace partita::ir::ops {

const Function& expect_callee(const InferContext& c, const std::string& name,
                              const std::string& what) {
  const Function* function = c.module->find(name);
  c.expect(function != nullptr, what, cat("@", name));
  const std::vector<Type> types = function->argument_types();
  c.expect(types.size() == c.operands.size(), cat(types.size(), " operands for @", name),
           cat(c.operands.size()));
  for (std::size_t k = 0; k < types.size(); ++k)
    c.expect(types[k] == c.operands[k],
             cat("operand ", k, " of @", name, " of type ", to_string(types[k])),
             to_string(c.operands[k]));
  return *function;
}

}  // namespace partita::ir::ops
