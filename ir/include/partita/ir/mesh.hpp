// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Programs of one shard of a mesh (decision 0024): the module's mesh (`mr.mesh`), how the wholes of arguments
// and results lie over it (`mr.global_type`, `sdy.sharding`), and who meets whom in its collectives.  Not how a
// whole program becomes one of a shard, which passes do.
#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "partita/base/array_block.hpp"
#include "partita/ir/op.hpp"
#include "partita/ir/sharding.hpp"

namespace partita::ir {

/// The mesh whose one shard the module's functions are for, as `mr.mesh = #sdy.mesh<["x"=2, "y"=4]>` says it (or the
/// text from the '<' on, in quotes); nothing where the module has no such attribute.
[[nodiscard]] std::optional<Mesh> shard_mesh(const Module& module);
/// Says that the module's functions are for one shard of the mesh; its device_ids are not kept.
void set_shard_mesh(Module& module, const Mesh& mesh);
/// Shards that differ along axis `axis` alone, a list in its order for each place along the others.
[[nodiscard]] std::vector<I64s> groups_along(const Mesh& mesh, std::size_t axis);
/// Extents of the axes.
[[nodiscard]] Dims axis_sizes(const Mesh& mesh);

/// How the whole of an argument or result lies over a mesh.
struct MeshLayout {
  Type global;
  std::vector<std::vector<int>>
      axes;  ///< per dimension: axes of the mesh that cut it, the major first
  bool operator==(const MeshLayout&) const = default;

  [[nodiscard]] bool is_cut() const;
  /// The part of the whole that shard `shard` of a mesh holds.
  [[nodiscard]] ArrayBlock block(const Dims& axis_sizes, std::int64_t shard) const;
  /// The type of every shard's block.
  [[nodiscard]] Type local(const Dims& axis_sizes) const;
};

/// By the attributes of an argument or result, whose type on a shard is `local`; a user error "func.func: WHAT: …"
/// where they do not go together.
[[nodiscard]] MeshLayout mesh_layout(const Mesh& mesh, const Dict& attrs, const Type& local,
                                     std::string_view what);
/// Of every argument and of every result of a function.
[[nodiscard]] std::vector<MeshLayout> argument_layouts(const Mesh& mesh, const Function& function);
[[nodiscard]] std::vector<MeshLayout> result_layouts(const Mesh& mesh, const Function& function);

/// Types of the arrays that a caller of the function gives and gets: wholes, where the module is for one
/// shard of a mesh, and the function's own types elsewhere.
[[nodiscard]] std::vector<Type> whole_argument_types(const Module& module,
                                                     const Function& function);
[[nodiscard]] std::vector<Type> whole_result_types(const Module& module, const Function& function);

// --- Collectives over a mesh --------------------------------------------------------------------

/// What the shards of a group do together: "all_reduce" of mr.mesh_all_reduce, and of the attribute `kind` of
/// mr.mesh_start.
enum class MeshCollective : std::uint8_t {
  all_reduce,
  all_gather,
  reduce_scatter,
  all_to_all,
  permute
};
[[nodiscard]] std::string_view to_string(MeshCollective kind);
/// Of a synchronous collective or an mr.mesh_start; nothing for other nodes.
[[nodiscard]] std::optional<MeshCollective> mesh_collective(const Node& node);
/// Indices of the axes that an mr.shard_index names, which the mesh has.
[[nodiscard]] std::vector<int> shard_index_axes(const Node& node, const Mesh& mesh);

}  // namespace partita::ir
