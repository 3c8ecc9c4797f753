// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Which results are residuals: said on nodes as derivatives are made, counted once they are.
#include <algorithm>

#include "ops/control/control_derivatives.hpp"
#include "partita/ir/differentiate.hpp"
#include "partita/ir/op.hpp"

namespace partita::ir {
namespace {

constexpr std::string_view attribute = "mr.residuals";

void take(Graph& graph, const std::string& path, const std::string& function,
          std::vector<Residuals>& found) {
  for (Node* node : graph.nodes()) {
    const std::string here = cat(path, path.empty() ? "" : " > ", node->name());
    if (node->attrs.contains(attribute)) {
      Residuals r{.where = cat(here, " in @", function), .is_inside = !path.empty()};
      for (const std::int64_t k : node->attrs.i64s(attribute)) {
        const Type& type = node->result_types().at(std::size_t(k));
        r.bytes += type.count() * std::int64_t(byte_size(type.dtype));
        // Residuals of maps have the placement's axis in front.
        if (node->is("mr.map")) r.partitions = type.dims.at(0);
      }
      if (r.partitions > 0) r.bytes /= r.partitions;
      node->attrs.erase(attribute);
      found.push_back(std::move(r));
    }
    for (const auto& region : node->regions()) take(*region, here, function, found);
  }
}

}  // namespace

void mark_residuals(Node& node, std::size_t first, std::size_t count) {
  I64s indices = node.attrs.i64s_or_empty(attribute);
  for (std::size_t k = 0; k < count; ++k) indices.push_back(std::int64_t(first + k));
  if (!indices.empty()) node.attrs.set(attribute, indices);
}

std::vector<Residuals> take_residuals(Module& module) {
  std::vector<Residuals> found, of_private;
  for (const auto& function : module.functions) {
    remove_dead_nodes(*function->body);
    take(*function->body, "", function->name, function->is_public ? found : of_private);
  }
  return found;
}

}  // namespace partita::ir
