// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "passes/transforms/form_attention/interior.hpp"

#include <algorithm>

#include "ir/interpreter/constants.hpp"
#include "partita/ir/op.hpp"

namespace partita::passes::transforms {

Interior::Interior(const Softmax& softmax, const GraphUses& uses) : softmax_(softmax), uses_(uses) {
  explore(softmax.product->node->result());
}

std::optional<Product> Interior::add_cotangents() {
  Node* found = nullptr;
  for (const Value& v : values_) {
    if (softmax_.path.contains(v.node)) continue;
    for (const Value& operand : v.node->operands()) {
      const Value made = without_converts(operand);
      if (values_.contains(operand) || !made.node->is("stablehlo.dot_general") ||
          proper_dims(made) != softmax_.dims || made.node == softmax_.product->node)
        continue;
      if (found != nullptr && found != made.node) return std::nullopt;
      found = made.node;
    }
  }
  if (found == nullptr) return std::nullopt;
  explore(found->result());
  return Product(*found);
}

void Interior::explore(const Value& from) {
  std::vector<Value> open{from};
  while (is_closed_ && !open.empty()) {
    const Value v = open.back();
    open.pop_back();
    if (!values_.insert(v).second) continue;
    is_closed_ = !uses_.is_returned(v);
    for (Node* user : uses_.users(v))
      if (take(*user, v)) open.push_back(user->result());
  }
  const auto place = [&](const Use& use) { return uses_.place(use.node); };
  std::ranges::sort(products_, std::less(), place);
}

/// Whether the user is part of the interior as well.
bool Interior::take(Node& user, const Value& v) {
  if (user.is("stablehlo.dot_general")) {
    for (const std::size_t side : {0, 1})
      if (user.operand(side) == v) products_.push_back({&user, side});
    return false;
  }
  const bool is_of_rows = user.is("stablehlo.reduce") || user.is("stablehlo.broadcast_in_dim") ||
                          keeps_proper_dims(user) ||
                          user.op().elements == ir::Elements::elementwise;
  if (!is_of_rows || user.result_count() != 1) return is_closed_ = false;
  const Dims dims = proper_dims(user.result());
  if (dims != softmax_.dims && dims != softmax_.row_dims) is_closed_ = false;
  return is_closed_;
}

Value ScalarRegion::scalar(const Value& array) {
  const auto it = map_.find(array);
  if (it != map_.end()) return it->second;
  return map_[array] = of_elements(array);
}

Value ScalarRegion::of_elements(const Value& array) {
  const Type type = Type::scalar(array.type().dtype);
  if (const ir::DenseRef splat = ir::splat_of(array))
    return maker().constant(std::make_shared<const ir::Dense>(type, splat->bytes(), true));
  if (interior_.contains(array)) {
    const Value known = special ? special(array) : Value{};
    if (known) return known;
    if (keeps_proper_dims(*array.node)) return scalar(array.node->operand(0));
    return array.node->op().elements == ir::Elements::elementwise ? copied(array) : Value{};
  }
  auto at = std::ranges::find(elements_, array);
  if (at == elements_.end()) at = elements_.insert(at, array);
  const auto place = std::size_t(at - elements_.begin());
  add_arguments();
  return arguments_[place];
}

Value ScalarRegion::copied(const Value& array) {
  std::vector<Value> operands;
  for (const Value& operand : array.node->operands()) {
    operands.push_back(scalar(operand));
    if (!operands.back()) return {};
  }
  return ir::create(*region_, array.node->name(), std::move(operands), array.node->attrs, {},
                    {{Type::scalar(array.type().dtype)}}, nullptr, array.node->location())
      ->result();
}

void ScalarRegion::add_arguments() {
  while (arguments_.size() < elements_.size())
    arguments_.push_back(argument(elements_[arguments_.size()].type().dtype));
}

std::unique_ptr<ir::Graph> ScalarRegion::finish(const Value& result) {
  add_arguments();
  region_->results = {result};
  return std::move(region_);
}

}  // namespace partita::passes::transforms
