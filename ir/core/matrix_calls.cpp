// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "partita/ir/matrix_calls.hpp"

#include <algorithm>

#include "partita/base/error.hpp"
#include "partita/ir/backend_config.hpp"
#include "partita/ir/op.hpp"

namespace partita::ir {
namespace {

constexpr std::string_view target_prefix = "partita.";

void expect(bool condition, const std::string& expected, const std::string& found) {
  if (!condition) throw_user_error(cat("expected ", expected, ", found ", found));
}

bool is_true(std::string_view name, const Attribute& value) {
  if (const bool* flag = value.get_if<bool>()) return *flag;
  const Integer* const integer = value.get_if<Integer>();
  expect(integer != nullptr && (integer->value == 0 || integer->value == 1),
         cat("a boolean as ", name, " in the backend_config"), "another value");
  return integer->value == 1;
}

std::vector<std::string> options_of(const MatrixRoutine& routine, const Dict& attributes) {
  std::vector<std::string> options;
  const Dict* const config = backend_config(attributes);
  if (config == nullptr) return options;
  std::string known;
  for (const std::string_view name : routine.options) known += cat(known.empty() ? "" : ", ", name);
  for (const NamedAttribute& item : config->items()) {
    expect(std::ranges::find(routine.options, item.name) != routine.options.end(),
           known.empty() ? std::string("an empty backend_config")
                         : cat(known, " in the backend_config"),
           item.name);
    if (is_true(item.name, item.value)) options.push_back(item.name);
  }
  return options;
}

}  // namespace

std::vector<Type> StackedCall::results() const {
  std::vector<Type> types = result_types(call);
  for (Type& type : types) type.dims.insert(type.dims.begin(), stack.begin(), stack.end());
  return types;
}

std::string matrix_target(std::string_view routine) { return cat(target_prefix, routine); }

StackedCall stacked_call(const MatrixRoutine& routine, const Dict& attributes,
                         std::span<const Type> operands) {
  StackedCall result{.call = {.routine = std::string(routine.name),
                              .options = options_of(routine, attributes),
                              .operands = {}},
                     .stack = {}};
  expect(operands.size() == routine.ranks.size(), cat(routine.ranks.size(), " operands"),
         cat(operands.size()));
  for (std::size_t k = 0; k < operands.size(); ++k) {
    const Type& type = operands[k];
    const std::size_t rank = routine.ranks[k];
    expect(!type.is_token && type.dims.size() >= rank,
           cat("operand ", k, " of rank ", rank, " or more"), to_string(type));
    const auto own = type.dims.end() - std::ptrdiff_t(rank);
    const Dims stack(type.dims.begin(), own);
    if (k == 0) result.stack = stack;
    expect(stack == result.stack, cat("operand ", k, " with the first dimensions of operand 0"),
           to_string(type));
    result.call.operands.push_back({.dtype = type.dtype, .dims = Dims(own, type.dims.end())});
  }
  return result;
}

StackedCall stacked_call(const Node& node) {
  const std::string& name = node.op().name;
  const std::size_t at = name.find(target_prefix);
  PARTITA_ASSERT(at != std::string::npos);
  const MatrixRoutine* const routine =
      find_matrix_routine(std::string_view(name).substr(at + target_prefix.size()));
  PARTITA_ASSERT(routine != nullptr);
  std::vector<Type> operands;
  for (const Value& v : node.operands()) operands.push_back(v.type());
  return stacked_call(*routine, node.attrs, operands);
}

}  // namespace partita::ir
