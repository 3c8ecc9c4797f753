// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "partita/ir/sharding.hpp"

#include <algorithm>
#include <charconv>
#include <numeric>

#include "partita/base/error.hpp"

namespace partita::ir {
namespace {

constexpr std::int64_t max_devices = 1 << 20;

std::int64_t product(const Dims& dims) {
  std::int64_t all = 1;
  for (const std::int64_t d : dims) {
    if (d < 1 || d > max_devices || all > max_devices / d)
      throw_user_error(cat("sharding: expected extents of 1 to ", max_devices,
                           " devices in all, found one of ", d));
    all *= d;
  }
  return all;
}

/// Takes a text apart from its front.
class Scanner {
 public:
  explicit Scanner(std::string_view text) : whole_(text), rest_(text) {}

  bool eat(std::string_view token) {
    skip_blanks();
    if (!rest_.starts_with(token)) return false;
    rest_.remove_prefix(token.size());
    return true;
  }
  void expect(std::string_view token) {
    if (!eat(token)) fail(cat("'", token, "'"));
  }
  bool at(std::string_view token) {
    skip_blanks();
    return rest_.starts_with(token);
  }
  bool at_end() {
    skip_blanks();
    return rest_.empty();
  }
  std::int64_t number() {
    skip_blanks();
    std::int64_t value = 0;
    const auto read = std::from_chars(rest_.data(), rest_.data() + rest_.size(), value);
    if (read.ec != std::errc{}) fail("a number");
    rest_.remove_prefix(std::size_t(read.ptr - rest_.data()));
    return value;
  }
  std::string quoted() {
    expect("\"");
    const std::size_t end = std::min(rest_.find('"'), rest_.size());
    std::string name(rest_.substr(0, end));
    rest_.remove_prefix(std::min(end + 1, rest_.size()));
    return name;
  }
  std::string symbol() {
    expect("@");
    if (at("\"")) return quoted();
    const std::size_t end =
        std::min(rest_.find_first_not_of(
                     "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.$-"),
                 rest_.size());
    std::string name(rest_.substr(0, end));
    rest_.remove_prefix(end);
    return name;
  }
  std::string word() {
    skip_blanks();
    const std::size_t end =
        std::min(rest_.find_first_not_of("abcdefghijklmnopqrstuvwxyz_"), rest_.size());
    std::string text(rest_.substr(0, end));
    rest_.remove_prefix(end);
    return text;
  }
  /// "[1, 2]", with the brackets given.
  I64s numbers(std::string_view open, std::string_view close) {
    I64s values;
    expect(open);
    if (eat(close)) return values;
    do values.push_back(number());
    while (eat(","));
    expect(close);
    return values;
  }
  [[noreturn]] void fail(const std::string& expected) const {
    throw_user_error(cat("sharding: expected ", expected, " at '", rest_.substr(0, 20), "' of '",
                         whole_.substr(0, 200), "'"));
  }

 private:
  void skip_blanks() {
    while (!rest_.empty() && (rest_.front() == ' ' || rest_.front() == '\n'))
      rest_.remove_prefix(1);
  }
  std::string_view whole_, rest_;
};

// <["x"=2, "y"=4], device_ids=[0, 2]>
Mesh read_mesh(Scanner& in) {
  Mesh mesh;
  in.expect("<");
  in.expect("[");
  if (!in.eat("]")) {
    do {
      std::string name = in.quoted();
      in.expect("=");
      mesh.axes.push_back({std::move(name), in.number()});
    } while (in.eat(","));
    in.expect("]");
  }
  if (in.eat(",")) {
    in.expect("device_ids");
    in.expect("=");
    mesh.device_ids = in.numbers("[", "]");
  }
  in.expect(">");
  if (mesh.axes.empty()) mesh.device_ids.clear();  // one device, whichever it is
  const std::int64_t size = mesh.size();
  I64s ids = mesh.device_ids;
  std::ranges::sort(ids);
  bool is_permutation = ids.empty() || std::ssize(ids) == size;
  for (std::size_t k = 0; k < ids.size(); ++k)
    is_permutation = is_permutation && ids[k] == std::int64_t(k);
  if (!is_permutation) in.fail(cat("device_ids that are a permutation of 0 to ", size - 1));
  return mesh;
}

DimSharding read_axes(Scanner& in) {
  DimSharding dim;
  in.expect("{");
  if (in.eat("}")) return dim;
  do {
    if (in.eat("?")) {
      dim.is_open = true;
      break;
    }
    AxisRef axis{.name = in.quoted()};
    if (in.eat(":")) {
      in.expect("(");
      axis.pre = in.number();
      in.expect(")");
      axis.size = in.number();
    }
    dim.axes.push_back(std::move(axis));
  } while (in.eat(","));
  in.expect("}");
  return dim;
}

Sharding read_sharding(Scanner& in) {
  Sharding sharding;
  in.expect("<");
  if (in.at("@")) {
    sharding.mesh = in.symbol();
  } else {
    in.expect("mesh");
    sharding.inner = read_mesh(in);
  }
  in.expect(",");
  in.expect("[");
  if (!in.eat("]")) {
    do {
      sharding.dims.push_back(read_axes(in));
      if (in.eat("p")) sharding.dims.back().priority = in.number();
    } while (in.eat(","));
    in.expect("]");
  }
  while (in.eat(",")) {
    const std::string name = in.word();
    if (name != "replicated" && name != "unreduced") in.fail("replicated or unreduced");
    in.expect("=");
    (name == "unreduced" ? sharding.unreduced : sharding.replicated) = read_axes(in).axes;
  }
  in.expect(">");
  return sharding;
}

/// All indices below `dims`, the last varying fastest; calls f(index).
template <class F>
void each_index(const Dims& dims, F&& f) {
  const std::int64_t count = product(dims);
  Dims index(dims.size(), 0);
  for (std::int64_t i = 0; i < count; ++i) {
    f(index);
    for (std::size_t d = dims.size(); d-- > 0 && ++index[d] == dims[d];) index[d] = 0;
  }
}

}  // namespace

// --- Meshes -------------------------------------------------------------------------------------

std::int64_t Mesh::size() const {
  Dims sizes;
  for (const MeshAxis& axis : axes) sizes.push_back(axis.size);
  return product(sizes);
}

std::optional<std::size_t> Mesh::find(std::string_view axis) const {
  for (std::size_t k = 0; k < axes.size(); ++k)
    if (axes[k].name == axis) return k;
  return std::nullopt;
}

I64s Mesh::coordinates(std::int64_t device) const {
  std::int64_t position = device;
  if (!device_ids.empty()) position = std::ranges::find(device_ids, device) - device_ids.begin();
  I64s index(axes.size());
  for (std::size_t k = axes.size(); k-- > 0;) {
    index[k] = position % axes[k].size;
    position /= axes[k].size;
  }
  return index;
}

std::int64_t Mesh::device(const I64s& coordinates) const {
  std::int64_t position = 0;
  for (std::size_t k = 0; k < axes.size(); ++k) position = position * axes[k].size + coordinates[k];
  return device_ids.empty() ? position : device_ids[std::size_t(position)];
}

Mesh parse_mesh(std::string_view text) {
  Scanner in(text);
  return read_mesh(in);
}

void declare_mesh(Module& module, const std::string& symbol, const Mesh& mesh) {
  module.items.push_back({.op = "sdy.mesh",
                          .symbol = symbol,
                          .attrs = {},
                          .raw = cat("@", symbol, " = ", to_text(mesh))});
}

std::vector<Mesh> meshes(const Module& module) {
  std::vector<Mesh> all;
  for (const ModuleItem& item : module.items)
    if (item.op == "sdy.mesh")
      if (auto mesh = find_mesh(module, item.symbol)) all.push_back(std::move(*mesh));
  return all;
}

std::optional<Mesh> find_mesh(const Module& module, std::string_view symbol) {
  for (const ModuleItem& item : module.items) {
    if (item.op != "sdy.mesh" || item.symbol != symbol) continue;
    return parse_mesh(
        std::string_view(item.raw).substr(std::min(item.raw.find('<'), item.raw.size())));
  }
  return std::nullopt;
}

// --- Shardings ----------------------------------------------------------------------------------

Sharding parse_sharding(std::string_view text) {
  Scanner in(text);
  in.eat("#sdy.sharding");
  return read_sharding(in);
}

namespace {

std::string axes_text(const std::vector<AxisRef>& axes) {
  std::string text;
  for (const AxisRef& axis : axes) {
    text += cat(text.empty() ? "" : ", ", "\"", axis.name, "\"");
    if (axis.size != 0) text += cat(":(", axis.pre, ")", axis.size);
  }
  return text;
}

}  // namespace

std::string to_text(const Mesh& mesh) {
  std::string axes, ids;
  for (const MeshAxis& axis : mesh.axes)
    axes += cat(axes.empty() ? "" : ", ", "\"", axis.name, "\"=", axis.size);
  for (const std::int64_t id : mesh.device_ids) ids += cat(ids.empty() ? "" : ", ", id);
  return cat("<[", axes, "]", ids.empty() ? "" : cat(", device_ids=[", ids, "]"), ">");
}

std::string to_text(const Sharding& sharding) {
  std::string dims;
  for (const DimSharding& dim : sharding.dims) {
    const std::string axes = axes_text(dim.axes);
    dims += cat(dims.empty() ? "" : ", ", "{", axes, dim.is_open && !axes.empty() ? ", " : "",
                dim.is_open ? "?" : "", "}", dim.priority ? cat("p", *dim.priority) : "");
  }
  const auto list = [](const char* name, const std::vector<AxisRef>& axes) {
    return axes.empty() ? std::string() : cat(", ", name, "={", axes_text(axes), "}");
  };
  return cat("#sdy.sharding<",
             sharding.inner ? cat("mesh", to_text(*sharding.inner)) : cat("@", sharding.mesh),
             ", [", dims, "]", list("replicated", sharding.replicated),
             list("unreduced", sharding.unreduced), ">");
}

bool Sharding::names(std::string_view axis) const {
  const auto has = [&](const std::vector<AxisRef>& axes) {
    return std::ranges::find(axes, axis, &AxisRef::name) != axes.end();
  };
  return has(replicated) || has(unreduced) ||
         std::ranges::any_of(dims, [&](const DimSharding& d) { return has(d.axes); });
}

std::optional<Sharding> sharding_in(const Attribute* attribute) {
  const auto* raw = attribute ? attribute->get_if<RawAttr>() : nullptr;
  if (!raw || !raw->text.starts_with("#sdy.sharding<")) return {};
  return parse_sharding(raw->text);
}

std::vector<Sharding> parse_shardings(std::string_view text) {
  Scanner in(text);
  in.expect("#sdy.sharding_per_value");
  in.expect("<");
  in.expect("[");
  std::vector<Sharding> all;
  if (!in.eat("]")) {
    do all.push_back(read_sharding(in));
    while (in.eat(","));
    in.expect("]");
  }
  in.expect(">");
  return all;
}

std::vector<std::string> quoted_names(std::string_view text) {
  std::vector<std::string> names;
  for (std::size_t i = text.find('"'); i != std::string_view::npos; i = text.find('"', i)) {
    const std::size_t end = text.find('"', i + 1);
    if (end == std::string_view::npos) break;
    names.emplace_back(text.substr(i + 1, end - i - 1));
    i = end + 1;
  }
  return names;
}

Cut::Cut(const Sharding& sharding, const Mesh& mesh, const std::vector<std::string>& only)
    : pieces_(sharding.dims.size(), 1),
      by_device_(std::size_t(mesh.size()), Dims(sharding.dims.size(), 0)),
      manual_(by_device_.size(), 0) {
  if (!sharding.unreduced.empty())
    throw_user_error("sharding: expected values that are reduced, found unreduced axes");
  std::vector<AxisRef> used;
  for (std::size_t d = 0; d < sharding.dims.size(); ++d)
    for (const AxisRef& ref : sharding.dims[d].axes) {
      const auto axis = mesh.find(ref.name);
      if (!axis)
        throw_user_error(cat("sharding: expected an axis of the mesh, found \"", ref.name, "\""));
      if (std::ranges::find(only, ref.name) == only.end()) continue;
      const std::int64_t whole = mesh.axes[*axis].size, size = ref.size == 0 ? whole : ref.size;
      if (ref.pre < 1 || size < 1 || ref.pre > whole || size > whole ||
          whole % (ref.pre * size) != 0)
        throw_user_error(cat("sharding: expected a part of axis \"", ref.name, "\" of ", whole,
                             ", found (", ref.pre, ")", ref.size));
      for (const AxisRef& other : used)
        if (other.name == ref.name && ref.pre < other.pre * other.size &&
            other.pre < ref.pre * size)
          throw_user_error(
              cat("sharding: expected each axis once, found \"", ref.name, "\" twice"));
      used.push_back({.name = ref.name, .pre = ref.pre, .size = size});
      const std::int64_t inner = whole / (ref.pre * size);
      pieces_[d] *= size;
      for (std::size_t k = 0; k < by_device_.size(); ++k) {
        const std::int64_t at = mesh.coordinates(std::int64_t(k))[*axis];
        by_device_[k][d] = by_device_[k][d] * size + at / inner % size;
      }
    }
}

I64s Cut::group_of(std::int64_t device) const {
  I64s group;
  for (std::size_t other = 0; other < manual_.size(); ++other)
    if (manual_[other] == manual_[std::size_t(device)]) group.push_back(std::int64_t(other));
  return group;
}

void Cut::keep(const std::vector<bool>& keep) {
  for (std::size_t d = 0; d < pieces_.size(); ++d) {
    if (keep[d]) continue;
    pieces_[d] = 1;
    for (Dims& piece : by_device_) piece[d] = 0;
  }
}

// --- GSPMD --------------------------------------------------------------------------------------

namespace {

/// "{devices=[2,1,4]<=[8] last_tile_dim_replicate}": extents of the tiles and the devices in order.
struct Tiles {
  Dims dims;
  I64s devices;
  std::vector<std::string> last;  ///< what the last extents are for: manual, replicated
};

/// What `[2,4]T(1,0)` lists: 0 to 7 in a grid of these extents, transposed.
I64s iota_devices(const Dims& dims, const I64s& permutation) {
  const Dims strides = row_major_strides(dims);
  Dims extents, steps;
  for (const std::int64_t p : permutation) {
    extents.push_back(dims[std::size_t(p)]);
    steps.push_back(strides[std::size_t(p)]);
  }
  I64s devices;
  each_index(extents, [&](const Dims& index) {
    devices.push_back(
        std::inner_product(index.begin(), index.end(), steps.begin(), std::int64_t{0}));
  });
  return devices;
}

std::optional<Tiles> read_tiles(std::string_view text) {
  Scanner in(text);
  in.expect("{");
  if (!in.eat("devices=")) return std::nullopt;
  Tiles tiles{.dims = in.numbers("[", "]"), .devices = {}, .last = {}};
  const std::int64_t count = product(tiles.dims);
  if (in.eat("<=")) {
    const Dims dims = in.numbers("[", "]");
    I64s permutation(dims.size());
    std::iota(permutation.begin(), permutation.end(), 0);
    if (in.eat("T")) permutation = in.numbers("(", ")");
    I64s sorted = permutation;
    std::ranges::sort(sorted);
    for (std::size_t k = 0; k < sorted.size(); ++k)
      if (sorted[k] != std::int64_t(k) || sorted.size() != dims.size())
        in.fail("a permutation of the dimensions");
    if (product(dims) == count) tiles.devices = iota_devices(dims, permutation);
  } else {
    do tiles.devices.push_back(in.number());
    while (in.eat(","));
  }
  if (in.eat("last_tile_dims=")) {
    in.expect("{");
    do tiles.last.push_back(in.word());
    while (in.eat(","));
    in.expect("}");
  }
  if (std::ssize(tiles.devices) != count) in.fail(cat(count, " devices"));
  return tiles;
}

}  // namespace

std::int64_t gspmd_devices(std::string_view text) {
  const auto tiles = read_tiles(text);
  return tiles ? std::ssize(tiles->devices) : 0;
}

Cut::Cut(std::string_view gspmd, std::int64_t rank, std::int64_t devices)
    : pieces_(std::size_t(rank), 1),
      by_device_(std::size_t(devices), Dims(std::size_t(rank), 0)),
      manual_(by_device_.size(), 0) {
  const auto tiles = read_tiles(gspmd);
  if (!tiles) return;
  // Further extents count replicas and devices along axes that are manual already.
  if (std::ssize(tiles->dims) < rank)
    throw_user_error(cat("sharding: expected tiles of ", rank, " dimensions, found '", gspmd, "'"));
  std::size_t at = 0;
  std::copy_n(tiles->dims.begin(), rank, pieces_.begin());
  each_index(tiles->dims, [&](const Dims& index) {
    const std::int64_t device = tiles->devices[at++];
    if (device < 0 || device >= devices)
      throw_user_error(cat("sharding: expected devices below ", devices, ", found ", device,
                           " in '", gspmd, "'"));
    by_device_[std::size_t(device)].assign(index.begin(), index.begin() + rank);
    const std::size_t first = index.size() - std::min(tiles->last.size(), index.size());
    std::int64_t& manual = manual_[std::size_t(device)];
    for (std::size_t d = first; d < index.size(); ++d)
      if (tiles->last[d - first] == "manual") manual = manual * tiles->dims[d] + index[d];
  });
}

}  // namespace partita::ir
