// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "partita/ir/mesh.hpp"

#include <algorithm>
#include <array>
#include <charconv>

#include "partita/base/error.hpp"

namespace partita::ir {
namespace {

/// What a text attribute holds, in quotes or as an attribute of another dialect; empty where there is none.
std::string_view text_of(const Dict& attrs, std::string_view name) {
  const Attribute* found = attrs.find(name);
  if (!found) return {};
  if (const auto* text = found->get_if<std::string>()) return *text;
  if (const auto* raw = found->get_if<RawAttr>()) return raw->text;
  return {};
}

/// Reads "tensor<4x8xf32>"; nothing where it is another text.
std::optional<Type> read_type(std::string_view text) {
  constexpr std::string_view open = "tensor<";
  if (!text.starts_with(open) || !text.ends_with('>')) return std::nullopt;
  text = text.substr(open.size(), text.size() - open.size() - 1);
  Type type;
  while (!text.empty() && text.front() >= '0' && text.front() <= '9') {
    std::int64_t extent = 0;
    const auto read = std::from_chars(text.data(), text.data() + text.size(), extent);
    if (read.ec != std::errc{} || read.ptr == text.data() + text.size() || *read.ptr != 'x')
      return std::nullopt;
    type.dims.push_back(extent);
    text.remove_prefix(std::size_t(read.ptr - text.data()) + 1);
  }
  const auto dtype = parse_dtype(text);
  if (!dtype) return std::nullopt;
  type.dtype = *dtype;
  return type;
}

std::optional<Type> global_type(const Dict& attrs) {
  const Attribute* found = attrs.find("mr.global_type");
  if (!found) return std::nullopt;
  if (const auto* type = found->get_if<Type>()) return *type;
  const std::string_view text = text_of(attrs, "mr.global_type");
  const auto type = read_type(text);
  if (!type)
    throw_user_error(cat("func.func: mr.global_type: expected a type, found '", text, "'"));
  return type;
}

std::vector<std::vector<int>> axes_of(const Mesh& mesh, const Sharding& said) {
  std::vector<std::vector<int>> axes;
  for (const DimSharding& dim : said.dims) {
    std::vector<int>& of_dim = axes.emplace_back();
    for (const AxisRef& ref : dim.axes) {
      const auto axis = mesh.find(ref.name);
      const bool is_whole =
          axis && (ref.size == 0 || (ref.pre == 1 && ref.size == mesh.axes[*axis].size));
      if (!is_whole)
        throw_user_error(cat("func.func: sdy.sharding: expected whole axes of mr.mesh, found '",
                             to_text(said), "'"));
      of_dim.push_back(int(*axis));
    }
  }
  return axes;
}

/// Each axis cuts once.
bool has_repeated_axis(const std::vector<std::vector<int>>& axes) {
  std::vector<int> all;
  for (const auto& of_dim : axes) all.insert(all.end(), of_dim.begin(), of_dim.end());
  std::ranges::sort(all);
  return std::ranges::adjacent_find(all) != all.end();
}

std::vector<MeshLayout> layouts(const Mesh& mesh, const std::vector<Type>& types,
                                const std::vector<Dict>& attrs, std::string_view what) {
  std::vector<MeshLayout> all;
  for (std::size_t k = 0; k < types.size(); ++k)
    all.push_back(
        mesh_layout(mesh, k < attrs.size() ? attrs[k] : Dict{}, types[k], cat(what, " ", k)));
  return all;
}

std::vector<Type> wholes(const std::vector<MeshLayout>& layouts) {
  std::vector<Type> types;
  for (const MeshLayout& layout : layouts) types.push_back(layout.global);
  return types;
}

constexpr std::array<std::string_view, 5> kind_names{"all_reduce", "all_gather", "reduce_scatter",
                                                     "all_to_all", "permute"};

}  // namespace

std::optional<Mesh> shard_mesh(const Module& module) {
  const std::string_view text = text_of(module.attrs, "mr.mesh");
  if (text.empty()) return std::nullopt;
  Mesh mesh = parse_mesh(text.substr(std::min(text.find('<'), text.size())));
  if (!mesh.device_ids.empty())
    throw_user_error("mr.mesh: expected shards in order, found device_ids");
  return mesh;
}

void set_shard_mesh(Module& module, const Mesh& mesh) {
  module.attrs.set("mr.mesh",
                   RawAttr{cat("#sdy.mesh", to_text(Mesh{.axes = mesh.axes, .device_ids = {}}))});
}

std::vector<I64s> groups_along(const Mesh& mesh, std::size_t axis) {
  std::int64_t inner = 1;
  for (std::size_t k = axis + 1; k < mesh.axes.size(); ++k) inner *= mesh.axes[k].size;
  const std::int64_t n = mesh.axes.at(axis).size;
  std::vector<I64s> groups;
  for (std::int64_t g = 0; g < mesh.size() / n; ++g) {
    I64s& group = groups.emplace_back();
    for (std::int64_t i = 0; i < n; ++i) group.push_back((g / inner * n + i) * inner + g % inner);
  }
  return groups;
}

Dims axis_sizes(const Mesh& mesh) {
  Dims sizes;
  for (const MeshAxis& axis : mesh.axes) sizes.push_back(axis.size);
  return sizes;
}

bool MeshLayout::is_cut() const {
  return std::ranges::any_of(axes, [](const auto& of_dim) { return !of_dim.empty(); });
}

ArrayBlock MeshLayout::block(const Dims& axis_sizes, std::int64_t shard) const {
  return mesh_block(global.dims, axes, axis_sizes, shard);
}

Type MeshLayout::local(const Dims& axis_sizes) const {
  return {.dtype = global.dtype, .dims = block(axis_sizes, 0).extents};
}

MeshLayout mesh_layout(const Mesh& mesh, const Dict& attrs, const Type& local,
                       std::string_view what) {
  MeshLayout layout{.global = global_type(attrs).value_or(local), .axes = {}};
  layout.axes.resize(layout.global.dims.size());
  const Sharding* sharding = sharding_in(attrs.find("sdy.sharding"));
  if (attrs.contains("mr.global_type") && sharding) layout.axes = axes_of(mesh, *sharding);
  if (layout.axes.size() != layout.global.dims.size() || has_repeated_axis(layout.axes))
    throw_user_error(cat("func.func: ", what, ": expected sdy.sharding with each axis once for ",
                         to_string(layout.global), ", found '", sharding ? to_text(*sharding) : "",
                         "'"));
  if (layout.local(axis_sizes(mesh)) != local)
    throw_user_error(cat("func.func: ", what, ": expected ",
                         to_string(layout.local(axis_sizes(mesh))), " as mr.global_type ",
                         to_string(layout.global), " and its sdy.sharding make it, found ",
                         to_string(local)));
  return layout;
}

std::vector<MeshLayout> argument_layouts(const Mesh& mesh, const Function& function) {
  return layouts(mesh, function.argument_types(), function.arg_attrs, "argument");
}

std::vector<MeshLayout> result_layouts(const Mesh& mesh, const Function& function) {
  return layouts(mesh, function.result_types, function.res_attrs, "result");
}

std::vector<Type> whole_argument_types(const Module& module, const Function& function) {
  const auto mesh = shard_mesh(module);
  return mesh ? wholes(argument_layouts(*mesh, function)) : function.argument_types();
}

std::vector<Type> whole_result_types(const Module& module, const Function& function) {
  const auto mesh = shard_mesh(module);
  return mesh ? wholes(result_layouts(*mesh, function)) : function.result_types;
}

std::string_view to_string(MeshCollective kind) { return kind_names[std::size_t(kind)]; }

std::optional<MeshCollective> mesh_collective(const Node& node) {
  constexpr std::string_view prefix = "mr.mesh_";
  std::string_view name = node.name();
  if (!name.starts_with(prefix)) return std::nullopt;
  name.remove_prefix(prefix.size());
  if (name == "start") name = node.attrs.text("kind");
  const auto found = std::ranges::find(kind_names, name);
  if (found == kind_names.end()) return std::nullopt;
  return MeshCollective(found - kind_names.begin());
}

std::vector<int> shard_index_axes(const Node& node, const Mesh& mesh) {
  std::vector<int> axes;
  for (const Attribute& item : node.attrs.find("axes")->get_if<List>()->items) {
    const auto axis = mesh.find(*item.get_if<std::string>());
    if (!axis)
      throw_user_error(cat(node.name(), ": expected axes of mr.mesh, found \"",
                           *item.get_if<std::string>(), "\""),
                       node.location());
    axes.push_back(int(*axis));
  }
  return axes;
}

}  // namespace partita::ir
