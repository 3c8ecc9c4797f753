// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Products of small floats are summed in f32 and rounded once: written so, with operands converted
// once each, they are products of f32, for which there are fast kernels and libraries.  Kernels for GPUs read
// small floats as they are.
#include "ir/core/contraction.hpp"
#include "partita/ir/maker.hpp"
#include "partita/ir/op.hpp"
#include "partita/ir/window.hpp"
#include "partita/passes/pass.hpp"

namespace partita::passes::transforms {
namespace {

using ir::Node;
using ir::Value;

/// Multiply-adds from which converting operands beforehand pays.
constexpr std::int64_t worth_widening = 4096;

bool is_widened(const Node& node) {
  if (!node.is("stablehlo.dot_general") || node.attrs.find("algorithm") != nullptr) return false;
  const DType result = node.result_types()[0].dtype;
  for (const Value& v : node.operands())
    if (!is_small_float(v.type().dtype)) return false;
  if (!is_small_float(result) && result != DType::f32) return false;
  const ir::ContractionShape s = contraction_shape(node);
  // Short sums are rounded term by term.
  return s.k > few_terms && s.batch * s.m * s.n * s.k >= worth_widening;
}

void run(ir::Module& module, PassContext& context) {
  if (context.target.device_class == DeviceClass::simt) return;
  for (const auto& f : module.functions) {
    std::vector<Node*> nodes;
    ir::walk(*f->body, [&](Node& node) {
      if (is_widened(node)) nodes.push_back(&node);
    });
    for (Node* node : nodes) {
      const ir::Maker make{*node->graph(), node};
      const Type& type = node->result_types()[0];
      std::vector<Value> operands;
      for (const Value& v : node->operands()) operands.push_back(make.convert(v, DType::f32));
      const Type wide{.dtype = DType::f32, .dims = type.dims};
      const Value sum = make.typed("stablehlo.dot_general", std::move(operands), wide, node->attrs);
      f->body->replace_uses({{node->result(), make.convert(sum, type.dtype)}});
    }
    if (!nodes.empty()) ir::remove_dead_nodes(*f->body);
  }
}

}  // namespace

PassInfo pass_widen_products();
PassInfo pass_widen_products() {
  return {
      .name = "widen-products",
      .doc = "Writes products of small floats as products of f32, rounded once, but not for GPUs.",
      .needs = Stage::parsed,
      .gives = Stage::parsed,
      .idempotent = true,
      .run = run};
}

}  // namespace partita::passes::transforms
