// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Sums of products for devices of many items (DeviceClass::simt): contractions, and convolutions as such.  A group
// computes a tile of results from tiles of the operands in its local memory, of which there are two: one is read
// while the next is fetched.
#pragma once

#include <string>
#include <vector>

#include "kernel/ast/neighbours.hpp"
#include "lowering/context/kernel_body.hpp"
#include "lowering/context/wide_elements.hpp"
#include "lowering/ops/support/group_tiles.hpp"

namespace partita::lowering {

/// batch × rows × columns results, each a sum of `terms` products.
class Product {
 public:
  using ExprId = scalar::ExprId;

  Product() = default;
  Product(const Product&) = delete;
  Product& operator=(const Product&) = delete;
  virtual ~Product() = default;

  [[nodiscard]] const ProductShape& shape() const { return shape_; }
  /// What products are added up in.
  [[nodiscard]] DType accumulator() const { return accumulator_; }

  /// An operand's element, of a row or a column, and a term.
  [[nodiscard]] virtual ExprId element(KernelBody& body, bool of_rows, ExprId batch, ExprId free,
                                       ExprId term) const = 0;
  /// The same as it is accumulated.
  [[nodiscard]] ExprId operand(KernelBody& body, bool of_rows, ExprId batch, ExprId free,
                               ExprId term) const {
    return body.pool().convert(element(body, of_rows, batch, free, term), accumulator_);
  }
  /// Of both operands' elements.
  [[nodiscard]] DType dtype() const { return dtype_; }
  /// Whether operands of f32 may be rounded to tf32.
  [[nodiscard]] bool allows_tf32() const { return allows_tf32_; }
  /// Of neighbouring columns of a row, whose sums are in registers.
  [[nodiscard]] virtual std::vector<ExprId> results(KernelBody& body, ExprId batch, ExprId row,
                                                    ExprId column,
                                                    const std::vector<Register>& sums) const = 0;
  /// Whether results are more than sums, of the accumulator's type.
  [[nodiscard]] virtual bool replaces_sums() const { return false; }
  /// Stores these results.
  virtual void store(KernelBody& body, ExprId batch, ExprId row, ExprId column,
                     const std::vector<ExprId>& results) const = 0;

 protected:
  ProductShape shape_;
  DType accumulator_ = DType::f32, dtype_ = DType::f32;
  bool allows_tf32_ = false;
};

/// The launches that store a product's results.
void lower_product(Context& context, const Product& product, const std::string& stem);

/// Whether neighbours, by their number among `extent`, are read side by side.
[[nodiscard]] bool lie_side_by_side(KernelBody& body, std::int64_t extent,
                                    const OfNeighbour& element);

}  // namespace partita::lowering
