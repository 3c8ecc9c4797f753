// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// From a distributed function to a plan: forms kernels out of nodes, lays out control flow as plan
// steps, gives every materialised value a buffer.  The result still has one buffer per value;
// arena.hpp then removes copies and assigns offsets.  No backend is involved.
#pragma once

#include <memory>
#include <set>
#include <string>
#include <vector>

#include "kernel/ast/plan_draft.hpp"
#include "lowering/values/values.hpp"
#include "partita/artifact/plan.hpp"
#include "partita/base/host_array.hpp"
#include "partita/ir/graph.hpp"
#include "partita/ir/loops.hpp"
#include "partita/ir/window.hpp"

namespace partita::passes {

/// Where a value lies: from element `offset` of a buffer, dense row-major.
struct Location {
  int buffer = -1;
  HostExpr offset;
};

class PlanBuilder {
 public:
  PlanBuilder(const ir::Module& module, const ir::Function& function, const ValuePolicy& policy);
  [[nodiscard]] PlanDraft build();

 private:
  friend class KernelBody;

  // plan_builder.cpp: values and buffers.
  int new_buffer(BufferKind kind, DType dtype, HostExpr count, std::string name, int index = 0);
  Location new_temporary(const Type& type, const std::string& name);
  [[nodiscard]] HostExpr host_value(ir::Value v);
  [[nodiscard]] bool is_host(ir::Value v) const;
  /// Where `v` lies in memory; computes it there now if it has no place yet.
  Location memory(ir::Value v);
  /// Whether it has a place already, or is a constant that gets one without a kernel.
  [[nodiscard]] bool is_in_memory(ir::Value v) const;
  void bind_arguments();
  void bind_results();
  void lower_graph(const ir::Graph& graph);
  void lower_node(ir::Node& node);
  void emit(decltype(Step::what) what, std::string name);
  void emit_copy(Location from, Location to, const Type& type, const std::string& name);
  [[nodiscard]] std::string step_name(const ir::Node& node) const;

  // lower/kernels.cpp
  void lower_loops(ir::Value v, Location to);
  void lower_scatter(ir::Node& node);
  void lower_update_slice(ir::Node& node);
  /// accumulator = combine(accumulator, v) elementwise, or over the first `count` lanes of v.
  void lower_fold(ir::Value v, Location accumulator, const std::string& combiner, bool has_lanes,
                  const HostExpr& count);
  void lower_fill(Location to, const Type& type, double value);
  /// Writes the first `count` lanes of v (all of it when it has none) at `to`.
  void lower_stack(ir::Value v, Location to, bool has_lanes, const HostExpr& count);
  /// Where `of_any_group` the device chooses the size of work-groups.
  void launch(std::unique_ptr<Kernel> kernel, class KernelBody& body, HostExpr items,
              const std::string& name, bool of_any_group = false);

  // lower/reduce.cpp
  void lower_reduce(ir::Node& node);
  std::vector<Location> reduce_parts(ir::Node& node, const class ReduceSpace& space);

  // lower/window.cpp, lower/scan.cpp, lower/convolution.cpp
  void lower_window(ir::Node& node);
  void lower_reduce_window(ir::Node& node, std::vector<ir::WindowDim> window);
  Location pad_columns(ir::Node& node, std::size_t i, std::size_t d, const ir::WindowDim& w);
  void lower_select_and_scatter(ir::Node& node);
  void lower_scan(ir::Node& node, const ir::ScanShape& shape);
  void lower_convolution(ir::Node& node);
  void lower_tiled_convolution(ir::Node& node, Location to);
  /// Whether the elements of a value lie side by side in memory along a dimension.
  bool is_contiguous(ir::Value v, std::int64_t dimension);
  /// Whether combining initial values with each other gives the initial values.
  [[nodiscard]] bool absorbs_initial(const ir::Node& node) const;

  // lower/procedure.cpp and a file for each family
  void lower_procedure(ir::Node& node);
  void lower_sort(ir::Node& node);
  void lower_fft(ir::Node& node);
  /// Transforms lines; gives where the result lies.
  Location lower_fourier(Location at, const struct FourierLines& lines, const ir::Node& node);
  Location lower_chirp(Location at, const struct FourierLines& lines, const ir::Node& node);
  /// A constant array in memory.
  Location new_table(HostArray numbers, const std::string& name);
  void lower_cholesky(ir::Node& node);
  void lower_triangular_solve(ir::Node& node);
  void lower_qr(ir::Node& node);
  void lower_reflector_product(ir::Node& node);
  /// Writes an array at `to`, whose elements are of `type`: element `value` gives for an index.
  using ElementFn =
      std::function<kernel::ExprId(class KernelBody& body, std::span<const kernel::ExprId> index)>;
  void lower_each(Location to, const Type& type, const std::string& stem, const ElementFn& value);
  /// `v` in memory as elements of `dtype`.
  Location memory_as(ir::Value v, DType dtype);
  /// An array in memory as one of another dtype.
  Location narrowed(Location from, const Type& wide, const Type& type, const ir::Node& node);
  /// Steps for each value of an index from 0 to `count`.
  void emit_counted(std::int64_t count, const std::string& name,
                    const std::function<void(const HostExpr& index)>& emit_steps);

  // lower/contraction.cpp
  void lower_contraction(ir::Node& node);
  void lower_contraction(const Epilogue& epilogue, Location to);
  bool lower_library_gemm(const Epilogue& epilogue, Location to);
  /// Copies an operand first where tiles read it much faster so.
  std::optional<struct PackedOperand> pack_operand(const struct ContractionWork& work);

  // lower/control.cpp
  void lower_while(ir::Node& node);
  void lower_into(ir::Value v, Location to, const std::string& name);
  void lower_counted(ir::Node& node, const ir::CountedLoop& loop);
  void copy_carries(const ir::Graph& body, const std::vector<Location>& carries, int skip);
  void lower_case(ir::Node& node);
  void lower_foreach(ir::Node& node);
  void lower_collective(ir::Node& node);
  void lower_check(ir::Node& node);
  Steps capture_steps(const std::function<void()>& emit_steps);
  int new_variable(const std::string& name);
  int placement_index(const std::string& name);

  const ir::Module& module_;
  const ir::Function& function_;
  ValuePolicy policy_;
  ValueAnalysis analysis_;
  PlanDraft draft_;
  Plan& plan_;
  Steps* out_;
  ir::ValueMap<Location> locations_;
  ir::ValueMap<HostExpr> host_;
  /// Operand of a foreach seen from its body: element (i…) of the argument is element (first + lane, i…).
  struct Slice {
    ir::Value whole;
    HostExpr first;  ///< relative to the block held in memory where the value is split
    HostExpr count;
    bool has_lanes = false;
  };
  ir::ValueMap<Slice> slices_;
  ir::ValueMap<int> split_;  ///< values of which each shard holds its block: index of the placement
  int foreach_depth_ = 0;
  ir::ValueMap<int> requests_;
};

}  // namespace partita::passes
