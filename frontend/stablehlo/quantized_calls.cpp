// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include <algorithm>

#include "frontend/stablehlo/quantized_ops.hpp"

namespace partita::ir {

namespace {

// Numbers of arguments and results are verified with the whole module.
bool agree(const Quantizations& function, const Quantizations& call) {
  return function.arguments.size() != call.arguments.size() ||
         function.results.size() != call.results.size() ||
         (std::ranges::equal(function.arguments, call.arguments, same) &&
          std::ranges::equal(function.results, call.results, same));
}

}  // namespace

void QuantizedCalls::note(const WrittenOp& op, const std::string& caller) {
  const bool is_call = op.name == "func.call";
  if (!is_call && op.name != "stablehlo.composite") return;
  const Attribute* callee = op.attrs.find(is_call ? "callee" : "decomposition");
  const auto* symbol = callee == nullptr ? nullptr : callee->get_if<SymbolRef>();
  if (symbol == nullptr) return;
  calls_.push_back({.op = op.name,
                    .caller = caller,
                    .callee = symbol->name,
                    .types = {quantizations(op.operands), quantizations(op.results)},
                    .location = op.location});
}

void QuantizedCalls::check(Module& module, std::vector<Refusal>* refusals) const {
  for (const Call& call : calls_) {
    const auto callee = functions_.find(call.callee);
    if (callee == functions_.end() || agree(callee->second, call.types)) continue;
    const Error error(ErrorKind::user,
                      cat(call.op, ": expected types that are quantized as those of @", call.callee,
                          ", found others"),
                      call.location);
    if (refusals == nullptr) throw error;
    std::erase_if(module.functions, [&](const auto& f) { return f->name == call.caller; });
    refusals->push_back({.function = call.caller, .error = std::make_exception_ptr(error)});
  }
}

}  // namespace partita::ir
