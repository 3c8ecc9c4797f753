// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Who meets whom in a collective of StableHLO: its replica_groups, channel_handle and
// use_global_device_ids read as groups of processes of a grid (StableHLO's four strategies).
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "partita/ir/op.hpp"

namespace partita::ir {

/// The positive number of a channel, or 0 where there is none.
[[nodiscard]] std::int64_t channel_id(const Dict& attrs);

/// Rows of `name` (replica_groups, source_target_pairs) without their padding of -1.  Nothing where
/// the attribute is not a two-dimensional constant of integers.
[[nodiscard]] std::optional<std::vector<I64s>> id_lists(const Dict& attrs, const char* name);

/// The constant with these rows, all of one length, that such an attribute is.
[[nodiscard]] DenseRef id_table(const std::vector<I64s>& lists);

/// Whether this is #stablehlo.replica_group_mesh_axes<mesh = …, axes = […]>.
[[nodiscard]] bool is_replica_axes(std::string_view text);
/// The groups that it says: devices that differ along these axes alone, in the order of the axes.  A user error where the
/// mesh, a symbol of the module or written out, lacks one.
[[nodiscard]] std::vector<I64s> groups_along_axes(std::string_view text, const Module* module);

/// The groups of processes (replica * partitions + partition) of a collective, in order; a list of
/// no groups means one of all.  For collective_permute its pairs, one group per pair.  A user error
/// names ids that the grid lacks.
[[nodiscard]] std::vector<I64s> process_groups(const Node& node, std::int64_t replicas,
                                               std::int64_t partitions);

/// The group that a process is in, and its place there.
struct GroupPlace {
  std::size_t group = 0, position = 0;
};
[[nodiscard]] std::optional<GroupPlace> place_in(const std::vector<I64s>& groups,
                                                 std::int64_t process);
/// The same; a user error where the process is in no group.
[[nodiscard]] GroupPlace expect_place(const Node& node, const std::vector<I64s>& groups,
                                      std::int64_t process);
/// A user error unless all groups have `size` members.
void expect_group_size(const Node& node, const std::vector<I64s>& groups, std::int64_t size);

}  // namespace partita::ir
