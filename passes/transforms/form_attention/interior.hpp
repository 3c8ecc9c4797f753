// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// What is made of scores: all that would be stored as large as they are, and the products that take it.
#pragma once

#include <functional>
#include <memory>

#include "passes/analysis/graph_uses.hpp"
#include "passes/transforms/form_attention/softmax.hpp"

namespace partita::passes::transforms {

class Interior {
 public:
  /// Of the softmax's product alone; is_closed() says whether all of it ends in products.
  Interior(const Softmax& softmax, const GraphUses& uses);

  [[nodiscard]] bool is_closed() const { return is_closed_; }
  [[nodiscard]] const std::set<Value>& values() const { return values_; }
  /// Products that take a value of the interior, in the order of the graph, each with the side that does.
  struct Use {
    Node* node;
    std::size_t side;
  };
  [[nodiscard]] const std::vector<Use>& products() const { return products_; }

  /// The product that what lies between takes beside the scores, which becomes part of the interior.
  [[nodiscard]] std::optional<Product> add_cotangents();

 private:
  void explore(const Value& from);
  bool take(Node& user, const Value& v);

  const Softmax& softmax_;
  const GraphUses& uses_;
  bool is_closed_ = true;
  std::set<Value> values_;
  std::vector<Use> products_;
};

/// A region of scalars that computes what an array's elements are.  Arrays that it does not know are arguments, in
/// the order of `elements`, which several regions share.
class ScalarRegion {
 public:
  ScalarRegion(const std::set<Value>& interior, std::vector<Value>& elements)
      : interior_(interior), elements_(elements), region_(std::make_unique<ir::Graph>()) {}

  /// Says what an argument stands for.
  Value argument(DType dtype) { return region_->add_argument(Type::scalar(dtype)); }
  void define(const Value& array, const Value& scalar) { map_[array] = scalar; }
  /// Asked for arrays of the interior first; gives none where it does not know better.
  std::function<Value(const Value& array)> special;
  [[nodiscard]] Maker maker() const { return Maker{*region_}; }
  /// What stands for an element; none where it takes more than elements.
  [[nodiscard]] Value scalar(const Value& array);
  /// With arguments for all elements.
  [[nodiscard]] std::unique_ptr<ir::Graph> finish(const Value& result);

 private:
  [[nodiscard]] Value of_elements(const Value& array);
  [[nodiscard]] Value copied(const Value& array);
  void add_arguments();

  const std::set<Value>& interior_;
  std::vector<Value>& elements_;
  std::unique_ptr<ir::Graph> region_;
  std::vector<Value> arguments_;  ///< of elements
  ir::ValueMap<Value> map_;
};

}  // namespace partita::passes::transforms
