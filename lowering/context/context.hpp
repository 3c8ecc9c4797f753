// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// A function on its way to kernels and a plan: where its values lie, what the host knows, and the steps
// so far.  What an op becomes is a free function over a Context, which a file of lowering/ops or
// lowering/control registers (lowerings.hpp).  The result still has one buffer per value; kernel/schedule
// removes copies and assigns offsets.  No backend is involved.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "kernel/ast/plan_draft.hpp"
#include "lowering/values/values.hpp"
#include "partita/artifact/plan.hpp"
#include "partita/base/host_array.hpp"
#include "partita/ir/graph.hpp"
#include "partita/ir/mesh.hpp"
#include "partita/ir/partition_blocks.hpp"

namespace partita::lowering {

using namespace kernel;

class KernelBody;

/// Where a value lies: from element `offset` of a buffer, dense row-major.
struct Location {
  int buffer = -1;
  HostExpr offset;
};

/// Operand of a foreach seen from its body: element (i…) of the argument is element (first, i…), or of a block
/// element (first + partition, i…).
struct Slice {
  ir::Value whole;
  HostExpr first;  ///< relative to the block held in memory where the value is split
  HostExpr count;
  bool is_block = false;  ///< the argument holds several partitions, along its first dimension
};

class Context {
 public:
  Context(const ir::Module& module, const ir::Function& function, const ValuePolicy& policy);
  /// Lowers the whole function.
  [[nodiscard]] PlanDraft lower();

  // Memory.
  /// `v` in memory; computes it there now if it has no place yet.
  Location memory(ir::Value v);
  /// Whether it has a place already, or is a constant that gets one without a kernel.
  [[nodiscard]] bool is_in_memory(ir::Value v) const;
  [[nodiscard]] bool is_placed(ir::Value v) const { return locations_.contains(v); }
  [[nodiscard]] const Location& place_of(ir::Value v) const { return locations_.at(v); }
  void place(ir::Value v, Location at) { locations_[v] = std::move(at); }
  int new_buffer(BufferKind kind, DType dtype, HostExpr count, std::string name, int index = 0);
  Location new_temporary(const Type& type, const std::string& name);
  Location new_constant(HostArray array, const std::string& name);

  // Host values.
  [[nodiscard]] bool is_host(ir::Value v) const;
  [[nodiscard]] HostExpr host_value(ir::Value v);
  /// Whether host_value() can say it already.
  [[nodiscard]] bool has_host_value(ir::Value v) const;
  void set_host_value(ir::Value v, HostExpr value) { host_[v] = std::move(value); }
  int new_variable(const std::string& name);

  // Steps.
  void emit(decltype(Step::what) what, std::string name);
  void emit_copy(Location from, Location to, const Type& type, const std::string& name);
  /// Launches what was written, of which nothing is left then.  Where `of_any_group` the device chooses
  /// the size of work-groups.
  void launch(KernelBody& body, HostExpr items, bool of_any_group = false);
  /// The same for so many groups of a kernel of groups.
  void launch_groups(KernelBody& body, std::int64_t groups);
  /// The steps that are emitted meanwhile.
  Steps capture(const std::function<void()>& emit_steps);
  /// The same for a branch: what it computes has no place outside.
  Steps capture_branch(const std::function<void()>& emit_steps);
  void lower_graph(const ir::Graph& graph);

  // Placements and shards.
  /// The index of this shard along axes of the mesh, as mr.shard_index.
  [[nodiscard]] HostExpr shard_index(const ir::Node& node);
  /// The number of lists of groups, or pairs, in the plan's table.
  int group_list(const std::vector<ir::I64s>& lists);
  int placement_index(const std::string& name);
  /// Null for what is no operand of a foreach.
  [[nodiscard]] const Slice* slice(ir::Value v) const;
  void add_slice(ir::Value v, Slice slice) { slices_[v] = std::move(slice); }
  /// Values of which each shard holds its block.
  [[nodiscard]] bool is_split(ir::Value v) const { return split_.contains(v); }
  void set_split(ir::Value v, int placement) { split_[v] = placement; }
  /// Which values lie so by their uses.
  [[nodiscard]] const ir::PartitionBlocks& blocks() const { return blocks_; }
  /// The first partition of this shard.
  [[nodiscard]] HostExpr first_partition(int placement) const;
  /// Elements of this shard's block of an array over a placement.
  [[nodiscard]] HostExpr block_count(const Type& type, int placement) const;
  int new_request(ir::Value token);
  [[nodiscard]] int request(ir::Value token) const { return requests_.at(token); }
  /// The steps of a body over partitions; outer ones run on each shard's block.
  Steps capture_partitions(const std::function<void()>& emit_steps);
  [[nodiscard]] bool is_within_partitions() const { return foreach_depth_ > 0; }

  /// An empty graph, for nodes that a lowering is made of: as long-lived as this.
  ir::Graph& new_graph() { return *graphs_.emplace_back(std::make_unique<ir::Graph>()); }

  [[nodiscard]] const ir::Module& module() const { return module_; }
  [[nodiscard]] const ValuePolicy& policy() const { return policy_; }
  [[nodiscard]] const ValueAnalysis& analysis() const { return analysis_; }
  [[nodiscard]] const Plan& plan() const { return draft_.plan; }
  /// How many there are of something, for the summary.
  void count(const std::string& what) { ++draft_.counts[what]; }
  /// How a contraction is computed, and why.
  void explain(const std::string& contraction, std::string how) {
    draft_.contractions[contraction] = std::move(how);
  }

 private:
  void bind_arguments();
  void bind_results();
  void bind_mesh();
  [[nodiscard]] PortInfo port_of(const std::vector<ir::MeshLayout>& layouts, std::size_t k,
                                 const Type& local) const;
  void lower_node(ir::Node& node);
  void lower_elements(ir::Node& node);
  void emit_launch(KernelBody& body, Launch launch, bool has_many_items);

  const ir::Module& module_;
  const ir::Function& function_;
  ValuePolicy policy_;
  ValueAnalysis analysis_;
  std::vector<std::unique_ptr<ir::Graph>> graphs_;
  PlanDraft draft_;
  Plan& plan_;
  Steps* out_;
  ir::ValueMap<Location> locations_;
  ir::ValueMap<HostExpr> host_;
  ir::ValueMap<Slice> slices_;
  const ir::PartitionBlocks blocks_;
  ir::ValueMap<int> split_;  ///< index of the placement
  int foreach_depth_ = 0;
  ir::ValueMap<int> requests_;
  std::optional<ir::Mesh> mesh_;
  std::vector<ir::MeshLayout> argument_layouts_, result_layouts_;  ///< empty without a mesh
};

/// Elements of one partition of an array over a placement.
[[nodiscard]] std::int64_t partition_count(const Type& type);

/// "add_4x8": the name of the step, or kernel, of a node.
[[nodiscard]] std::string step_name(const ir::Node& node);

}  // namespace partita::lowering
