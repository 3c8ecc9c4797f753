// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "lowering/values/host_operations.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include "partita/ir/loops.hpp"
#include "partita/ir/op.hpp"

namespace partita::lowering {

namespace {

using Operands = std::span<const HostExpr>;

HostExpr same(Operands x) { return x[0]; }

struct Row {
  std::string_view name;
  HostOperation operation;
};
constexpr std::array rows{
    Row{"stablehlo.add", [](Operands x) { return x[0] + x[1]; }},
    Row{"stablehlo.subtract", [](Operands x) { return x[0] - x[1]; }},
    Row{"stablehlo.multiply", [](Operands x) { return x[0] * x[1]; }},
    Row{"stablehlo.minimum", [](Operands x) { return min(x[0], x[1]); }},
    Row{"stablehlo.maximum", [](Operands x) { return max(x[0], x[1]); }},
    Row{"stablehlo.clamp", [](Operands x) { return min(max(x[1], x[0]), x[2]); }},
    Row{"stablehlo.reshape", same},
};

}  // namespace

HostOperation host_operation(const ir::Node& node) {
  if (node.is("stablehlo.convert")) {
    const bool keeps_value = ir::is_scalar_integer(node.operand(0).type()) &&
                             info(node.result_types()[0].dtype).bits >= 32;
    return keeps_value ? same : nullptr;
  }
  const auto found = std::ranges::find(rows, node.name(), &Row::name);
  return found == rows.end() ? nullptr : found->operation;
}

}  // namespace partita::lowering
