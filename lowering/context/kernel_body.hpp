// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// A kernel on its way whose expressions are values of a graph: values in memory become loads, host
// scalars become arguments, everything else is inlined at the index it is asked for.
#pragma once

#include <algorithm>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "kernel/ast/kernel_builder.hpp"
#include "lowering/context/context.hpp"

namespace partita::lowering {

using namespace kernel;

class KernelBody : public KernelBuilder {
 public:
  /// Of work-items whose number set_items() tells before any is asked for.
  KernelBody(Context& context, std::string stem)
      : KernelBuilder(std::move(stem)), context_(context) {}
  KernelBody(Context& context, std::string stem, std::int64_t items)
      : KernelBuilder(std::move(stem), items), context_(context) {}

  /// Element of v at `index`, one expression per dimension.
  scalar::ExprId element(ir::Value v, std::span<const scalar::ExprId> index);
  /// Makes `v` (any index, or a scalar of a combiner) stand for an expression in this kernel.
  void define(ir::Value v, scalar::ExprId e);
  /// Result k of a combiner region whose arguments were define()d.
  scalar::ExprId combined(const ir::Graph& region, std::size_t k);

  /// Parameter for memory at a location (element type d).
  std::int32_t buffer(const Location& at, DType d, bool is_written);
  /// Stores into the memory at a location, of elements of d, element `index`.
  void store_to(const Location& at, DType d, scalar::ExprId index, scalar::ExprId value) {
    store(buffer(at, d, true), index, value);
  }
  scalar::ExprId scalar(const HostExpr& value);
  /// An argument even where the value is a constant, so that launches which differ in it alone share
  /// a kernel.
  scalar::ExprId parameter(const HostExpr& value);

  [[nodiscard]] const std::vector<BufferRef>& buffers() const { return buffers_; }
  [[nodiscard]] const std::vector<HostExpr>& scalars() const { return scalars_; }
  /// Elements of the largest array that is addressed: decides how wide index arithmetic is.
  [[nodiscard]] std::int64_t largest_count() const { return largest_count_; }
  void note_count(std::int64_t elements) { largest_count_ = std::max(largest_count_, elements); }

 private:
  scalar::ExprId load_memory(const Location& at, const Type& type,
                             std::span<const scalar::ExprId> index);
  scalar::ExprId load_slice(const Slice& slice, const Type& type,
                            std::span<const scalar::ExprId> index);
  scalar::ExprId inline_node(ir::Value v, std::span<const scalar::ExprId> index);

  Context& context_;
  ir::ValueMap<scalar::ExprId> defined_;
  std::map<std::pair<ir::Value, std::vector<scalar::ExprId>>, scalar::ExprId> memo_;
  std::vector<BufferRef> buffers_;
  std::vector<HostExpr> scalars_;
  std::int64_t largest_count_ = 0;
};

}  // namespace partita::lowering
