// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "partita/ir/collectives.hpp"

#include <algorithm>
#include <charconv>
#include <numeric>

#include "partita/base/error.hpp"

namespace partita::ir {
namespace {

enum class Strategy : std::uint8_t {
  cross_replica,
  cross_partition,
  cross_replica_and_partition,
  flattened_ids
};

Strategy strategy_of(const Node& node) {
  const bool has_channel = channel_id(node.attrs) > 0;
  if (!has_channel) return Strategy::cross_replica;
  if (node.is("stablehlo.all_to_all") || node.is("stablehlo.collective_permute") ||
      node.is("stablehlo.collective_broadcast") || node.is("stablehlo.collective_reduce"))
    return Strategy::cross_partition;
  return node.attrs.flag("use_global_device_ids") ? Strategy::flattened_ids
                                                  : Strategy::cross_replica_and_partition;
}

I64s counting(std::int64_t n) {
  I64s all(static_cast<std::size_t>(n));
  std::iota(all.begin(), all.end(), 0);
  return all;
}

/// The process groups that one list of ids gives.
void add_groups(const I64s& ids, Strategy strategy, std::int64_t replicas, std::int64_t partitions,
                std::vector<I64s>& groups) {
  switch (strategy) {
    case Strategy::flattened_ids:
      groups.push_back(ids);
      return;
    case Strategy::cross_replica:
      for (std::int64_t p = 0; p < partitions; ++p) {
        I64s& group = groups.emplace_back();
        for (const std::int64_t r : ids) group.push_back(r * partitions + p);
      }
      return;
    case Strategy::cross_partition:
      for (std::int64_t r = 0; r < replicas; ++r) {
        I64s& group = groups.emplace_back();
        for (const std::int64_t p : ids) group.push_back(r * partitions + p);
      }
      return;
    case Strategy::cross_replica_and_partition: {
      I64s& group = groups.emplace_back();
      for (std::int64_t p = 0; p < partitions; ++p)
        for (const std::int64_t r : ids) group.push_back(r * partitions + p);
      return;
    }
  }
}

}  // namespace

std::int64_t channel_id(const Dict& attrs) {
  const Attribute* handle = attrs.find("channel_handle");
  if (!handle) return attrs.i64("channel_id", 0);
  const auto* raw = handle->get_if<RawAttr>();
  const std::string text = raw ? raw->text : std::string();
  const std::size_t at =
      text.find("handle", text.find('<') == std::string::npos ? 0 : text.find('<'));
  const std::size_t digits = text.find_first_of("-0123456789", at);
  std::int64_t id = 0;
  if (at != std::string::npos && digits != std::string::npos)
    std::from_chars(text.data() + digits, text.data() + text.size(), id);
  return id;
}

DenseRef id_table(const std::vector<I64s>& lists) {
  const auto columns = lists.empty() ? 0 : std::ssize(lists[0]);
  HostArray table(Type{.dtype = DType::i64, .dims = {std::ssize(lists), columns}});
  auto* to = table.data<DType::i64>();
  for (const I64s& list : lists) to = std::ranges::copy(list, to).out;
  return make_dense(table);
}

std::optional<std::vector<I64s>> id_lists(const Dict& attrs, const char* name) {
  const Attribute* found = attrs.find(name);
  const auto* dense = found ? found->get_if<DenseRef>() : nullptr;
  if (!dense || (*dense)->type().rank() != 2 || !is_integer((*dense)->type().dtype))
    return std::nullopt;
  const HostArray array = convert((*dense)->to_array(), DType::i64);
  const std::int64_t columns = array.type.dims[1];
  std::vector<I64s> lists;
  for (std::int64_t r = 0; r < array.type.dims[0] && columns > 0; ++r) {
    I64s& list = lists.emplace_back();
    for (std::int64_t c = 0; c < columns; ++c) {
      const std::int64_t id = array.data<DType::i64>()[r * columns + c];
      if (id != -1) list.push_back(id);
    }
  }
  return lists;
}

std::vector<I64s> process_groups(const Node& node, std::int64_t replicas, std::int64_t partitions) {
  const bool is_permutation = node.is("stablehlo.collective_permute");
  auto lists = id_lists(node.attrs, is_permutation ? "source_target_pairs" : "replica_groups")
                   .value_or(std::vector<I64s>{});
  const Strategy strategy = strategy_of(node);
  const std::int64_t ids = strategy == Strategy::flattened_ids     ? replicas * partitions
                           : strategy == Strategy::cross_partition ? partitions
                                                                   : replicas;
  if (lists.empty() && !is_permutation) lists.push_back(counting(ids));
  std::vector<I64s> groups;
  for (const I64s& list : lists) {
    for (const std::int64_t id : list)
      if (id < 0 || id >= ids)
        throw_user_error(cat(node.name(), ": expected ids within [0, ", ids, ") among ", replicas,
                             " replicas × ", partitions, " partitions, found ", id),
                         node.location());
    add_groups(list, strategy, replicas, partitions, groups);
  }
  return groups;
}

std::optional<GroupPlace> place_in(const std::vector<I64s>& groups, std::int64_t process) {
  for (std::size_t g = 0; g < groups.size(); ++g) {
    const auto at = std::ranges::find(groups[g], process);
    if (at != groups[g].end())
      return GroupPlace{.group = g, .position = std::size_t(at - groups[g].begin())};
  }
  return std::nullopt;
}

GroupPlace expect_place(const Node& node, const std::vector<I64s>& groups, std::int64_t process) {
  const auto place = place_in(groups, process);
  if (!place)
    throw_user_error(
        cat(node.name(), ": expected replica_groups with every process, found none with ",
            "process ", process),
        node.location());
  return *place;
}

void expect_group_size(const Node& node, const std::vector<I64s>& groups, std::int64_t size) {
  for (const I64s& group : groups)
    if (std::ssize(group) != size)
      throw_user_error(cat(node.name(), ": expected process groups of ", size,
                           " as the types say, found one of ", group.size()),
                       node.location());
}

}  // namespace partita::ir
