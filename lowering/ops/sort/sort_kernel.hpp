// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// What the kernels of a sort have in common: the shape of what is sorted, and comparing, reading and
// writing elements of a slice.  sort.cpp says which kernels there are.
#pragma once

#include <vector>

#include "lowering/context/kernel_body.hpp"

namespace partita::lowering {

using namespace kernel;

/// What is sorted, along which dimension.
struct SortShape {
  Dims dims;
  std::size_t dimension;
  std::int64_t n;
  std::vector<DType> dtypes;

  explicit SortShape(const ir::Node& node);
  /// dims with slices in parts of `length`.
  [[nodiscard]] Dims in(std::int64_t length) const;
};

/// A kernel that compares elements of one slice by the comparator, through two sets of registers.
class SortKernel {
 public:
  /// Declares the registers; `shape` outlives this.
  SortKernel(KernelBody& kernel_body, const ir::Node& node, const SortShape& shape);

  /// Registers = elements of the slice at `position`.
  void read(const std::vector<Register>& registers, const std::vector<std::int32_t>& buffers,
            scalar::ExprId position) const;
  void write(const std::vector<Register>& registers, const std::vector<std::int32_t>& buffers,
             scalar::ExprId position) const;
  /// before = what the sort's operands have at an index.
  void read_operands(const ir::Node& node, const std::vector<scalar::ExprId>& at) const;
  /// Index of a position of the slice.
  [[nodiscard]] std::vector<scalar::ExprId> index_at(scalar::ExprId position) const;
  [[nodiscard]] scalar::ExprId linear(scalar::ExprId position) const;
  /// Whether the comparator reads an operand.
  [[nodiscard]] bool reads(std::size_t operand) const;

  KernelBody& body;
  scalar::ExprPool& pool;
  std::vector<Register> before, after;  ///< the comparator's operands
  scalar::ExprId holds{};               ///< whether `before` goes before `after`
  std::vector<scalar::ExprId> index;    ///< of the slice; the entry of the dimension is not used

 private:
  const SortShape& shape_;
};

}  // namespace partita::lowering
