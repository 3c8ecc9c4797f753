// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "plugin/port_cut.hpp"

#include <algorithm>
#include <map>

#include "partita/base/error.hpp"
#include "partita/ir/sharding.hpp"
#include "plugin/protobuf.hpp"

namespace partita::pjrt {

namespace {

// Fields of OpSharding, and its types.  Source: xla/xla_data.proto.
constexpr int type_field = 1, tile_dims_field = 3, tile_devices_field = 4, replicate_last_field = 6,
              last_dims_field = 8;
constexpr std::int64_t replicated_type = 0, other_type = 3, unreduced_type = 6;

PortCut cut_of(const ir::Cut& cut, int partitions) {
  PortCut result{cut.pieces(), {}};
  for (int p = 0; p < partitions; ++p) result.by_device.push_back(cut.piece_of(p));
  return result;
}

}  // namespace

PortCut whole_cut(std::size_t rank, int partitions) {
  return {Dims(rank, 1), std::vector<Dims>(std::size_t(partitions), Dims(rank, 0))};
}

std::optional<AskedCut> asked_cut(const ir::Module& module, const ir::Dict& attributes,
                                  const Type& type, int partitions) {
  if (const ir::Sharding* const sharding = ir::sharding_in(attributes.find("sdy.sharding"))) {
    const std::optional<ir::Mesh> mesh =
        sharding->inner ? sharding->inner : ir::find_mesh(module, sharding->mesh);
    if (!mesh) throw_user_error(cat("sharding: expected a mesh @", sharding->mesh, ", found none"));
    const std::size_t rank = type.dims.size();
    std::vector<bool> is_open(rank);
    for (std::size_t d = 0; d < std::min(rank, sharding->dims.size()); ++d)
      is_open[d] = sharding->dims[d].is_open;
    if (mesh->size() != partitions)
      return AskedCut{whole_cut(rank, partitions), std::move(is_open)};
    std::vector<std::string> axes;
    for (const ir::MeshAxis& axis : mesh->axes) axes.push_back(axis.name);
    return AskedCut{cut_of(ir::Cut(*sharding, *mesh, axes), partitions), std::move(is_open)};
  }
  if (const std::string text = attributes.text("mhlo.sharding", ""); !text.empty())
    return AskedCut{cut_of(ir::Cut(text, std::int64_t(type.dims.size()), partitions), partitions),
                    std::vector<bool>(type.dims.size())};
  return std::nullopt;
}

bool AskedCut::fits(const PortCut& planned, bool may_refine) const {
  for (std::size_t d = 0; d < cut.pieces.size(); ++d) {
    if (may_refine && is_open[d]) continue;
    if (planned.pieces[d] != cut.pieces[d]) return false;
    for (std::size_t p = 0; p < cut.by_device.size(); ++p)
      if (planned.by_device[p][d] != cut.by_device[p][d]) return false;
  }
  return true;
}

std::optional<PortCut> planned_cut(const Plan& plan, const PortInfo& port, int partitions) {
  PortCut cut = whole_cut(port.type.dims.size(), partitions);
  const std::vector<ShardPlace> places = places_of_shards(plan, partitions);
  for (int p = 0; p < partitions; ++p) {
    const ArrayBlock block = partita::block_of(plan, port, places[std::size_t(p)]);
    if (block.inside != block.extents) return std::nullopt;
    for (std::size_t d = 0; d < cut.pieces.size(); ++d) {
      if (block.extents[d] == 0 || block.extents[d] == block.whole[d]) continue;
      cut.pieces[d] = block.whole[d] / block.extents[d];
      cut.by_device[std::size_t(p)][d] = block.begin[d] / block.extents[d];
    }
  }
  return cut;
}

ArrayBlock block_of(const PortCut& cut, const Type& type, int partition) {
  for (std::size_t d = 0; d < type.dims.size(); ++d)
    if (type.dims[d] % cut.pieces[d] != 0)
      throw_user_error(cat("dimension ", d, " of ", to_string(type), ": expected a multiple of ",
                           cut.pieces[d], " devices"));
  return {type.dims, cut.pieces, cut.by_device[std::size_t(partition)]};
}

namespace {

/// What a sharding says of partitions.
struct Tiles {
  std::vector<std::int64_t> extents,
      devices;  ///< of dimensions, then of terms of a sum and copies where there are some
  std::int64_t copies = 1;
};

Tiles tiles_of(const PortCut& cut, bool is_sum) {
  // Terms of a sum come after the dimensions.
  const auto in_order = [&](Dims places) {
    if (is_sum) std::ranges::rotate(places, places.begin() + 1);
    return places;
  };
  // Partitions by the piece that they hold, pieces in row-major order.
  std::map<Dims, std::vector<std::int64_t>> holders;
  for (std::size_t p = 0; p < cut.by_device.size(); ++p)
    holders[in_order(cut.by_device[p])].push_back(std::int64_t(p));
  Tiles tiles{in_order(cut.pieces), {}, std::int64_t(holders.begin()->second.size())};
  for (const auto& [piece, who] : holders)
    tiles.devices.insert(tiles.devices.end(), who.begin(), who.end());
  if (tiles.copies > 1) tiles.extents.push_back(tiles.copies);
  return tiles;
}

bool is_whole(const PortCut& cut) {
  return std::ranges::all_of(cut.pieces, [](std::int64_t n) { return n == 1; });
}

/// Whether each partition has a term of the whole.
bool is_all_unreduced(const PortCut& cut, bool is_sum) {
  const auto cuts = std::ranges::count_if(cut.pieces, [](std::int64_t n) { return n > 1; });
  return is_sum && cuts == 1 && cut.pieces.front() == std::ssize(cut.by_device);
}

std::string listed(const std::vector<std::int64_t>& numbers) {
  std::string text;
  for (const std::int64_t n : numbers) text += cat(text.empty() ? "" : ",", n);
  return text;
}

}  // namespace

std::string sharding_message(const PortCut& cut, bool is_sum) {
  if (is_whole(cut)) return "";
  MessageWriter message;
  if (is_all_unreduced(cut, is_sum)) return message.number(type_field, unreduced_type).text();
  const Tiles tiles = tiles_of(cut, is_sum);
  message.number(type_field, other_type).packed(tile_dims_field, tiles.extents);
  message.packed(tile_devices_field, tiles.devices);
  if (is_sum && tiles.copies > 1)
    message.packed(last_dims_field, {unreduced_type, replicated_type});
  if (is_sum && tiles.copies == 1) message.packed(last_dims_field, {unreduced_type});
  if (!is_sum && tiles.copies > 1) message.number(replicate_last_field, 1);
  return message.text();
}

std::string sharding_text(const PortCut& cut, bool is_sum) {
  if (is_whole(cut)) return "{replicated}";
  if (is_all_unreduced(cut, is_sum)) return "{unreduced}";
  const Tiles tiles = tiles_of(cut, is_sum);
  const char* last = is_sum ? tiles.copies > 1 ? " last_tile_dims={unreduced, replicated}"
                                               : " last_tile_dims={unreduced}"
                     : tiles.copies > 1 ? " last_tile_dim_replicate"
                                        : "";
  return cat("{devices=[", listed(tiles.extents), "]", listed(tiles.devices), last, "}");
}

}  // namespace partita::pjrt
